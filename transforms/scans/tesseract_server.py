"""A program that keeps Tesseract loaded, and recognises each image in a fork of itself.

 python tesseract_server.py LIBTESSERACT LIBLEPTONICA PICTURE TEXT

Loading a language takes as long as recognising a page of few words. The engine is not used twice, because one that has read other images
gives different results (tesseract-ocr/tesseract, issue 3452). The program imports the standard library only.

PICTURE is the descriptor of a file with an image in Leptonica's format, TEXT that of a file for the TSV output. A request is a line of JSON
with `width`, `height`, `dpi`, `language` and `seconds`, the answer a line with the result. It ends at the end of its input."""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
from collections.abc import Callable
from math import ceil
from typing import Final, NamedTuple, TextIO

#: Page segmentation mode: fully automatic, the default of the command (`--psm 3`).
_AUTO: Final = 3
#: Number of languages, or combinations of them, that stay loaded: those of the first recognition, and the document's.
_LOADED: Final = 2
_GREY: Final = 8
#: Smallest time limit, because 0 means no limit.
_LEAST_SECONDS: Final = 0.01
#: Answers: the image was recognised; it took too long. Other answers are error messages.
READ: Final = "read"
OUT_OF_TIME: Final = "out of time"


class Request(NamedTuple):
    """A request to recognise an image."""

    width: int  # pixels
    height: int  # pixels
    dpi: int  # pixels per inch
    language: str  # Tesseract's names, joined by +
    seconds: float  # time limit, after which the fork is ended


class Libraries(NamedTuple):
    """The Tesseract and Leptonica libraries, with argument types set for the functions that are called."""

    tesseract: ctypes.CDLL
    leptonica: ctypes.CDLL


def load(tesseract: str, leptonica: str) -> Libraries:
    """Load the libraries from these paths.

    Raises:
        OSError: they cannot be loaded.
        AttributeError: they lack a function.
    """
    libraries = Libraries(ctypes.CDLL(tesseract), ctypes.CDLL(leptonica))
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    for library, name, result, arguments in (
        (libraries.tesseract, "TessBaseAPICreate", pointer, []),
        (libraries.tesseract, "TessBaseAPIDelete", None, [pointer]),
        (libraries.tesseract, "TessBaseAPIInit3", number, [pointer, text, text]),
        (libraries.tesseract, "TessBaseAPISetPageSegMode", None, [pointer, number]),
        (libraries.tesseract, "TessBaseAPISetVariable", number, [pointer, text, text]),
        (libraries.tesseract, "TessBaseAPISetImage2", None, [pointer, pointer]),
        (libraries.tesseract, "TessBaseAPIRecognize", number, [pointer, pointer]),
        (libraries.tesseract, "TessBaseAPIGetTsvText", text, [pointer, number]),
        (libraries.leptonica, "pixCreateNoInit", pointer, [number, number, number]),
        (libraries.leptonica, "pixGetData", pointer, [pointer]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return libraries


def engine(libraries: Libraries, language: str) -> int | None:
    """Return the handle of a Tesseract engine with these languages; None if they cannot be loaded."""
    handle: int = libraries.tesseract.TessBaseAPICreate()
    if libraries.tesseract.TessBaseAPIInit3(handle, None, language.encode()):
        libraries.tesseract.TessBaseAPIDelete(handle)
        return None
    libraries.tesseract.TessBaseAPISetPageSegMode(handle, _AUTO)
    return handle


def read(libraries: Libraries, handle: int, request: Request, picture: int) -> bytes:
    """Return the TSV output for an image. handle: of the engine. picture: descriptor of the image's file.

    Raises:
        ValueError: the image cannot be recognised.
    """
    size = 4 * ceil(request.width / 4) * request.height
    image = libraries.leptonica.pixCreateNoInit(request.width, request.height, _GREY)
    if not image:
        raise ValueError(f"there is no memory for an image of {request.width} x {request.height} pixels")
    ctypes.memmove(libraries.leptonica.pixGetData(image), os.pread(picture, size, 0), size)
    tesseract = libraries.tesseract
    tesseract.TessBaseAPISetVariable(handle, b"user_defined_dpi", str(request.dpi).encode())
    tesseract.TessBaseAPISetImage2(handle, image)
    if tesseract.TessBaseAPIRecognize(handle, None):
        raise ValueError("Tesseract cannot recognise the image")
    tsv: bytes | None = tesseract.TessBaseAPIGetTsvText(handle, 0)
    return tsv or b""


def in_fork(work: Callable[[], None], seconds: float, asker: int) -> str:
    """Run `work` in a forked process, and return a line with the result. seconds: time limit. asker: descriptor from which requests come;
    the fork is ended if the other end is closed."""
    child = os.fork()
    if not child:
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # so that the kernel ends the fork, also in native code
        signal.setitimer(signal.ITIMER_REAL, max(_LEAST_SECONDS, seconds))
        try:
            work()
        except BaseException as error:
            os.write(2, f"{error}\n".encode())
            os._exit(1)
        os._exit(0)
    ended = os.pidfd_open(child)
    if ended not in select.select([ended, asker], [], [])[0]:
        os.kill(child, signal.SIGKILL)
    os.close(ended)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return READ if not code else OUT_OF_TIME if code == -signal.SIGALRM else f"ended with {code}"


def serve(libraries: Libraries, requests: TextIO, picture: int, text: int) -> None:
    """Answer requests one after the other, until the input ends. picture, text: descriptors of the files of the image and of the output."""
    engines: dict[str, int] = {}
    for line in requests:
        request = Request(**json.loads(line))
        if request.language not in engines:
            while len(engines) >= _LOADED:
                libraries.tesseract.TessBaseAPIDelete(engines.pop(next(iter(engines))))
            if (handle := engine(libraries, request.language)) is None:
                print("the languages cannot be loaded", flush=True)
                continue
            engines[request.language] = handle
        handle = engines[request.language] = engines.pop(request.language)  # moved to the end, so that it is dropped last

        def work(handle: int = handle, request: Request = request) -> None:
            tsv = read(libraries, handle, request, picture)
            os.ftruncate(text, 0)
            os.pwrite(text, tsv, 0)

        print(in_fork(work, request.seconds, requests.fileno()), flush=True)


if __name__ == "__main__":
    serve(load(*sys.argv[1:3]), sys.stdin, *map(int, sys.argv[3:]))
