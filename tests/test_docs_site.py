"""The docs as a site: built strictly, whole without any other host, spelled as English is."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs_blocks import PAGES, ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there_and_nothing_comes_from_elsewhere(site: Path) -> None:
    assert {page.stem for page in PAGES if page.name != "README.md"} <= {path.stem for path in site.glob("*.html")}
    for path in site.glob("*.html"):
        loaded = re.findall(r'<(?:link|script|img|iframe)[^>]*(?:href|src)="(https?:)?//', path.read_text(encoding="utf-8"))
        assert loaded == [], path.name


def test_the_home_page_is_the_readme_with_its_picture(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'src="serve.png"' in text
    assert (site / "serve.png").stat().st_size > 10_000
    assert 'href="SECURITY.html"' in text


def test_links_within_the_site_lead_to_a_place(site: Path) -> None:
    ids = {path.name: set(re.findall(r'id="([^"]+)"', path.read_text(encoding="utf-8"))) for path in site.glob("*.html")}
    for path in site.glob("*.html"):
        if path.name == "404.html":  # stands at any address, so its links begin at the root
            continue
        for target in re.findall(r'<a [^>]*href="([^":]+)"', path.read_text(encoding="utf-8")):
            name, _, place = target.partition("#")
            assert not name or name in ids or (site / name).exists(), f"{path.name}: {target}"
            assert not place or place in ids[name or path.name], f"{path.name}: {target}"


def test_the_drawing_needs_nothing_else(site: Path) -> None:
    text = (site / "road.svg").read_text(encoding="utf-8")
    assert set(re.findall(r'"(https?://[^"]+)"', text)) == {"http://www.w3.org/2000/svg"}
    assert all(word in text for word in ("read", "measure", "describe", "structure"))


def test_words_are_spelled_right() -> None:
    pages = [*PAGES, *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "dataflow_templates/README.md"))]
    done = subprocess.run([sys.executable, "-m", "codespell_lib", *pages], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout
