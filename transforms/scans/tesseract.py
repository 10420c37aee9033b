"""Recognise words by Tesseract, whose TSV output has the box and confidence of each word (tesseract(1), config `tsv`).
Its shared library is kept loaded in a process (`transforms.scans.tesseract_loaded`); without one the command is run for each image."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Final

from pdfmill.transforms.pdf.facts.tiff import MIN_IS_BLACK, NONE, TiffImage, write_tiff
from pdfmill.transforms.scans.recognizers import OcrError, Picture, Word
from pdfmill.transforms.scans.tesseract_loaded import LoadedTesseract

#: Name of the program.
COMMAND: Final = "tesseract"
#: Language that every installation has. It is requested if none is installed, so that Tesseract's error message says why.
_USUAL: Final = "eng"
#: Entries of Tesseract's language list that are no languages: orientation and script, equations, serial numbers, the empty name.
_NO_LANGUAGES: Final = frozenset(("osd", "equ", "snum", ""))
_LIST_SECONDS: Final = 10
_WORD_LEVEL: Final = "5"
_CELLS: Final = 12
#: Greek letters. The Greek model writes the micro sign instead of the letter mu.
_GREEK: Final = re.compile("[\u0370-\u03ff]")
_MICRO, _MU = "\u00b5", "\u03bc"
#: Largest confidence in the output of Tesseract.
_CERTAIN: Final = 100.0


#: The helper process of this process that keeps Tesseract and its languages loaded.
LOADED: Final = LoadedTesseract()


class Tesseract:
    """Tesseract as a recogniser. It uses one thread per image, because pages are read in parallel."""

    def missing(self) -> str | None:
        """Return a sentence that says that the command is not installed; None if it is."""
        return None if shutil.which(COMMAND) else f"the command {COMMAND} is not installed on this machine (Debian: tesseract-ocr)"

    def languages(self) -> tuple[str, ...]:
        """Return the installed languages, by Tesseract's names."""
        return installed_languages(COMMAND)

    def read(self, picture: Picture, dpi: float, language: str, seconds: float) -> list[Word]:
        """Return the words of an image in Tesseract's order. language: names joined by +. seconds: time limit. Raises OcrError."""
        output = LOADED.read(COMMAND, picture, dpi, language or _USUAL, seconds)
        return list(read_words(output if output is not None else run_tesseract(picture, dpi, language, seconds)))


@lru_cache(maxsize=4)
def installed_languages(command: str) -> tuple[str, ...]:
    """Return the languages installed for the program `command`; () if it cannot be run, which is reported when the first image is read."""
    try:
        done = subprocess.run([command, "--list-langs"], capture_output=True, text=True, timeout=_LIST_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(sorted(set(done.stdout.split("\n")[1:]) - _NO_LANGUAGES))


def run_tesseract(picture: Picture, dpi: float, language: str, seconds: float) -> str:
    """Run the command on an image and return its TSV output. language: names joined by +. seconds: time limit.

    Raises:
        OcrError: the command or a language is not installed, the time limit was exceeded, or any other failure.
    """
    language = language or _USUAL
    try:
        with as_file(picture) as file:
            command = [COMMAND, f"/proc/self/fd/{file}", "-", "-l", language, "--dpi", str(round(dpi)), "tsv"]
            done = subprocess.run(
                command, capture_output=True, pass_fds=(file,), timeout=seconds, check=False, stdin=subprocess.DEVNULL,
                env=os.environ | {"OMP_THREAD_LIMIT": "1"},
            )  # fmt: skip
    except FileNotFoundError as error:
        raise OcrError(f"OCR was requested, but the command {COMMAND} is not installed") from error
    except subprocess.TimeoutExpired as error:
        raise OcrError(f"{COMMAND} took more than {seconds:.0f} seconds") from error
    except OSError as error:
        raise OcrError(f"{COMMAND} cannot be run: {error}") from error
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise OcrError(
            f"the command {COMMAND} -l {language} failed with exit code {done.returncode}: {message[0] if message else 'no message'}"
        )
    return done.stdout.decode("utf-8", "replace")


@contextmanager
def as_file(picture: Picture) -> Iterator[int]:
    """Return a context with the descriptor of an in-memory file of the image, an uncompressed TIFF that other processes cannot open.
    Tesseract reads standard input and PGM byte by byte, which takes a tenth of a second more."""
    with open(os.memfd_create("page.tif"), "wb") as file:
        height, width = picture.shape
        file.write(write_tiff(TiffImage(width, height, 8, 1, MIN_IS_BLACK, NONE, picture.tobytes())))
        file.flush()
        yield file.fileno()


def read_words(tsv: str) -> Iterator[Word]:
    """Yield the words in Tesseract's TSV output, in its order. A header line is optional."""
    for row in tsv.splitlines():
        cells = row.split("\t")
        if len(cells) < _CELLS or cells[0] != _WORD_LEVEL or not (text := unicodedata.normalize("NFC", cells[11].strip())):
            continue
        if _GREEK.search(text):
            text = text.replace(_MICRO, _MU)
        left, top, width, height = map(int, cells[6:10])
        confidence = min(1.0, max(0.0, float(cells[10]) / _CERTAIN))
        yield Word(tuple(cells[1:5]), text, (left, top, left + width, top + height), confidence)


#: The engine, for the registry (`pdfmill.transforms.scans.installed`).
RECOGNIZER: Final = Tesseract()
