"""Writes docs/licenses.md: every distribution that a user of pdfmill installs, with the licence that its own metadata states.

    python docs/licenses.py            rewrite docs/licenses.md
    python docs/licenses.py --check    exit 1 when it would change, or when a licence may not be

A licence that would bind pdfmill or who runs it as a service (GPL, AGPL) may not be. LGPL and MPL may: they bind changes of the library
itself, of which pdfmill makes none.
"""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import PackageMetadata, distribution
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from pdfmill.schemas.extras import EXTRAS

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "licenses.md"
_FORBIDDEN: Final = re.compile(r"(?<!L)(?<!Lesser )(?<!Library )(?:AGPL|GPL|General Public Licen[sc]e)")
_LATER: Final = re.compile(r"[ -]or[ -]later", re.IGNORECASE)
_ALTERNATIVE: Final = re.compile(r" or |/", re.IGNORECASE)
_HEAD: Final = """# Licences of what is installed with pdfmill

Made by `docs/licenses.py` of the distributions' own metadata, as they are pinned in `constraints.txt`. pdfmill itself is under Apache 2.0.
LGPL and MPL bind changes of the library itself, of which pdfmill makes none; GPL and AGPL are not among them, and a test holds that.
Where one says "or", pdfmill takes the first that is not GPL. `transforms/language/words` are words from the dictionaries of pyspellchecker
(MIT, Tyler Barrus), `transforms/pdf/fonts/cmap_resources` are Adobe's (BSD-3-Clause).

| distribution | licence | needed by |
| --- | --- | --- |
"""


def stated_requirements() -> list[str]:
    """The core and all extras but those of one provider, as setup.py and `schemas.extras` list them: what `make setup` installs."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    (core,) = (node.value for node in tree.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CORE")
    return sorted({*ast.literal_eval(core), *(each for extra in EXTRAS.values() for each in extra)})


def installed() -> dict[str, set[str]]:
    """The names of all distributions that pdfmill needs, and by whom each is needed.

    Raises:
        importlib.metadata.PackageNotFoundError: one is not installed.
    """
    needed_by: dict[str, set[str]] = {}
    waiting = [("pdfmill", Requirement(text)) for text in stated_requirements()]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        parent, wanted = waiting.pop()
        name = canonicalize_name(wanted.name)
        needed_by.setdefault(name, set()).add(parent)
        if (name, frozenset(wanted.extras)) in seen:
            continue
        seen.add((name, frozenset(wanted.extras)))
        waiting += [(name, each) for each in map(Requirement, distribution(name).requires or ()) if _applies(each, wanted.extras)]
    return needed_by


def _applies(requirement: Requirement, extras: set[str]) -> bool:
    return requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in (*extras, ""))


def licence_of(metadata: PackageMetadata) -> str:
    """The licence as the metadata states it: its expression, else its classifiers, else the first line of its text."""
    if "License-Expression" in metadata:
        return metadata["License-Expression"]
    classifiers = [
        each.rpartition(" :: ")[2] for each in metadata.get_all("Classifier", []) if each.startswith("License :: OSI Approved :: ")
    ]
    if classifiers:
        return " or ".join(classifiers)
    text = metadata["License"] or ""
    return next(iter(text.strip().splitlines()), "not stated")


def is_forbidden(licence: str) -> bool:
    """No alternative of a licence is free of the GPL's terms.

    >>> [is_forbidden(each) for each in ("GPL-3.0-only", "AGPL-3.0", "LGPL-3.0", "GPL-2.0 or MIT", "not stated")]
    [True, True, False, False, True]
    """
    alternatives = _ALTERNATIVE.split(_LATER.sub("", licence))
    return licence == "not stated" or all(_FORBIDDEN.search(each) for each in alternatives)


def page() -> str:
    """The text of docs/licenses.md."""
    rows = [
        f"| {name} | {licence_of(distribution(name).metadata)} | {', '.join(sorted(parents))} |"
        for name, parents in sorted(installed().items())
    ]
    return _HEAD + "\n".join(rows) + "\n"


def forbidden() -> list[str]:
    """Distributions whose licence may not be."""
    return [name for name in sorted(installed()) if is_forbidden(licence_of(distribution(name).metadata))]


def main() -> int:
    """Write or check."""
    for name in forbidden():
        print(f"{name}: {licence_of(distribution(name).metadata)}: may not be", file=sys.stderr)
    if "--check" in sys.argv[1:]:
        return int(bool(forbidden()) or PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
    return int(bool(forbidden()))


if __name__ == "__main__":
    raise SystemExit(main())
