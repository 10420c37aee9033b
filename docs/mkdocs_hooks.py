"""What MkDocs is told beside mkdocs.yml: the pages at the repository's root are pages of the site, and links are those of the repository.

README.md is the home page. A link to a file that is no page (a script, a template) becomes its name.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any, Final

from mkdocs.structure.files import File, Files

ROOT: Final = Path(__file__).resolve().parent.parent
#: Page of the site, and the file at the root that it is.
AT_THE_ROOT: Final = {"index.md": "README.md"} | {name: name for name in ("SECURITY.md", "CONTRIBUTING.md", "CHANGELOG.md")}
_LINK: Final = re.compile(r"(!?)\[([^\]]*)\]\((?!\w+:|#)([^)#\s]+)(#[^)]*)?\)")


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages of the root."""
    for page, name in AT_THE_ROOT.items():
        files.append(File.generated(config, page, content=(ROOT / name).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Lead links where they lead in the repository."""
    folder = "" if page.file.src_uri in AT_THE_ROOT else "docs"

    def led(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[3]))
        pages = {name: page for page, name in AT_THE_ROOT.items()}
        target = pages.get(path) or (path.removeprefix("docs/") if path.startswith("docs/") else None)
        if target is None:
            if not (ROOT / path).exists():
                raise ValueError(f"{page.file.src_uri}: {match[0]} leads nowhere")
            return match[2]
        return f"{match[1]}[{match[2]}]({target}{match[4] or ''})"

    return _LINK.sub(led, markdown)
