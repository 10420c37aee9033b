"""The tools that are compared: their versions, and their commands for a list of files.

python -m benchmarks.speed.peers install the tools that have a separate environment
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
PDFBOX: Final = "org.apache.pdfbox:pdfbox-app:3.0.3"

_PDFTOTEXT: Final = 'for file; do pdftotext -q -enc UTF-8 "$file" - >/dev/null; done; true'

#: A script that lets a tool read each file, and goes on after errors: names to import, and what is done with `path`.
_EACH: Final = """
import sys
{names}
for path in sys.argv[1:]:
    try:
        {work}
    except Exception as error:
        print(path, repr(error), file=sys.stderr)
"""
_PDFMINER: Final = _EACH.format(names="from pdfminer.high_level import extract_text", work="extract_text(path)")
_PDFPLUMBER: Final = _EACH.format(
    names="import pdfplumber",
    work="""with pdfplumber.open(path) as pdf:
            for page in pdf.pages:
                page.extract_text()
                page.close()""",
)
_PDFIUM: Final = _EACH.format(
    names="import ctypes, pypdfium2, pypdfium2.raw as c",
    work="""with pypdfium2.PdfDocument(path) as document:
            for number in range(len(document)):
                page = c.FPDF_LoadPage(document, number)
                text = c.FPDFText_LoadPage(page)
                count = max(c.FPDFText_CountChars(text), 0)
                units = (ctypes.c_ushort * (count + 1))()
                c.FPDFText_GetText(text, 0, count, units)
                c.FPDFText_ClosePage(text)
                c.FPDF_ClosePage(page)""",
)
_PYMUPDF: Final = _EACH.format(
    names="import pymupdf",
    work="""with pymupdf.open(path) as document:
            for page in document:
                page.get_text("dict")""",
)
_PDF_OXIDE: Final = _EACH.format(names="from pdf_oxide import PdfDocument", work="PdfDocument(path).to_markdown_all()")
_KREUZBERG: Final = _EACH.format(
    names="from kreuzberg import ExtractionConfig, extract_file_sync",
    work='extract_file_sync(path, config=ExtractionConfig(output_format="markdown", use_cache=False))',
)
_OPENDATALOADER: Final = """
import sys, tempfile
import opendataloader_pdf
with tempfile.TemporaryDirectory() as folder:
    opendataloader_pdf.convert(sys.argv[1:], output_dir=folder, format="markdown", quiet=True, threads="1")
"""

#: Tools that are installed in a separate environment, because of their licences (AGPL) and dependencies: requirement by name, script, and
#: further commands that they need.
APART: Final = {
    "PyMuPDF": (_PYMUPDF, ()),
    "pdf-oxide": (_PDF_OXIDE, ()),
    "kreuzberg": (_KREUZBERG, ()),
    "opendataloader-pdf": (_OPENDATALOADER, ("java",)),
}
#: The folder of that environment is the variable PEERS, else this; `python -m benchmarks.speed.peers` makes it.
_APART_FOLDER: Final = ROOT / "out" / "peers"

_JAVA: Final = """
import java.io.File;
import org.apache.pdfbox.Loader;
import org.apache.pdfbox.pdmodel.PDDocument;
import org.apache.pdfbox.text.PDFTextStripper;
public class ExtractText {
    public static void main(String[] paths) {
        for (String path : paths) {
            try (PDDocument document = Loader.loadPDF(new File(path))) {
                new PDFTextStripper().getText(document);
            } catch (Exception error) {
                System.err.println(path + ": " + error);
            }
        }
    }
}
"""


@dataclass(frozen=True, slots=True)
class Tool:
    """A program that is compared."""

    name: str
    version: str
    command: tuple[str, ...] = ()  # words of the command line before the files
    missing: str | None = None  # reason why it cannot be run; None if it can


def pdfmill(output: Path) -> Tool:
    """Return `pdfmill index` with one worker, which writes to a folder."""
    return Tool("pdfmill index", version("pdfmill"), (sys.executable, "-m", "pdfmill", "index", "--output", str(output)))


def pdfmill_blocks() -> Tool:
    """Return pdfmill's text layer and structure alone, for the comparison with tools that only extract text."""
    return Tool("pdfmill blocks", version("pdfmill"), (sys.executable, "-m", "benchmarks.speed.blocks"))


def peers(folder: Path) -> list[Tool]:
    """Return all other tools. folder: for compiled helpers. Each tool runs once for all files; pdftotext runs once per file."""
    own = [_python(name, code) for name, code in (("pypdfium2", _PDFIUM), ("pdfminer.six", _PDFMINER), ("pdfplumber", _PDFPLUMBER))]
    return [_pdftotext(), replace(own[0], name="PDFium"), *own[1:], *map(_apart, APART), _pdfbox(folder)]


def _apart_python() -> Path:
    return Path(os.environ.get("PEERS", _APART_FOLDER)) / "bin" / "python"


def _apart(name: str) -> Tool:
    """Return a tool of the separate environment."""
    code, needed = APART[name]
    if lacking := [program for program in needed if shutil.which(program) is None]:
        return Tool(name, "", missing=f"no {lacking[0]}")
    python = _apart_python()
    if not python.exists():
        return Tool(name, "", missing="not installed (python -m benchmarks.speed.peers installs it)")
    asked = [str(python), "-c", f"from importlib.metadata import version; print(version({name!r}))"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    if told.returncode:
        return Tool(name, "", missing="not installed (python -m benchmarks.speed.peers installs it)")
    return Tool(name, told.stdout.strip(), (str(python), "-W", "ignore", "-c", code))


def install() -> None:
    """Make the separate environment of tools.

    Raises:
        subprocess.CalledProcessError: it cannot be made, or a package cannot be installed.
    """
    python = _apart_python()
    subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *APART], check=True)


def _pdftotext() -> Tool:
    if shutil.which("pdftotext") is None:
        return Tool("pdftotext", "", missing="not installed (package poppler-utils)")
    told = subprocess.run(["pdftotext", "-v"], capture_output=True, text=True, check=False).stderr
    found = re.search(r"version (\S+)", told)
    return Tool("pdftotext", found[1] if found else "", ("sh", "-c", _PDFTOTEXT, "sh"))


def _python(name: str, code: str) -> Tool:
    try:
        return Tool(name, version(name), (sys.executable, "-W", "ignore", "-c", code))
    except PackageNotFoundError:
        return Tool(name, "", missing="not installed")


def _pdfbox(folder: Path) -> Tool:
    release = PDFBOX.rpartition(":")[2]
    for program in ("java", "javac"):
        if shutil.which(program) is None:
            return Tool("PDFBox", release, missing=f"no {program}")
    jar = _pdfbox_jar(folder)
    if isinstance(jar, str):
        return Tool("PDFBox", release, missing=jar)
    source = folder / "ExtractText.java"
    source.write_text(_JAVA)
    subprocess.run(["javac", "-cp", str(jar), "-d", str(folder), str(source)], check=True)
    return Tool("PDFBox", release, ("java", "-cp", f"{jar}:{folder}", "ExtractText"))


def _pdfbox_jar(folder: Path) -> Path | str:
    """Return the path in PDFBOX_JAR, else that of the jar from Maven Central; a text with the reason if there is none."""
    if given := os.environ.get("PDFBOX_JAR"):
        return Path(given)
    if shutil.which("mvn") is None:
        return "no Maven to fetch the jar with, and PDFBOX_JAR is not set"
    command = ["mvn", "-q", "-B", "dependency:copy", f"-Dartifact={PDFBOX}", f"-DoutputDirectory={folder}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    _, name, release = PDFBOX.split(":")
    jar = folder / f"{name}-{release}.jar"
    return jar if done.returncode == 0 and jar.exists() else f"Maven could not fetch {PDFBOX}"


if __name__ == "__main__":
    install()
