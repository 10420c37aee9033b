"""Pictures of pages, drawn once by guarded processes (child processes with limits of time and memory) and cached."""

from __future__ import annotations

import io
import threading
import time
from collections import OrderedDict
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Final

from msgspec import Struct, field
from PIL import Image

from pdfmill.schemas.codes import DocumentError, PageError
from pdfmill.schemas.records import DocumentRef, Failure
from pdfmill.transforms.pdf.draw.render import fit_page
from pdfmill.transforms.road.isolation import Guard, LostError, StoppedError
from pdfmill.transforms.road.job_settings import ReadSettings
from pdfmill.transforms.road.open_documents import NATIVE_LOCK, get_document
from pdfmill.transforms.storage.errors import SourceError

#: The allowed widths of pictures, in pixels: for a page or a part of it on an ordinary screen, on a dense screen, and in a list.
WIDTHS: Final = (900, 1800, 120)
#: Largest ratio of height to width; a long receipt is drawn narrower.
MAX_ASPECT: Final = 4
#: Deadline in seconds for a picture, including the download of its document; a person waits for it.
SECONDS: Final = 20.0
#: Number of guarded processes: with two, another page can be drawn while one takes long.
PROCESSES: Final = 2
#: Most bytes of cached pictures; a page of text of 900 pixels has 100 to 300 kB.
KEPT_BYTES: Final = 128 << 20
#: Seconds for which a failure is cached; then the picture is tried again.
FAILED_SECONDS: Final = 30.0

Drawn = bytes | Failure


class _Asked(Struct):
    """A picture that was requested. since: time by the monotonic clock when it was ready; None while it is being drawn."""

    future: Future[Drawn]
    since: float | None = None

    def is_stale(self) -> bool:
        """Return whether drawing failed so long ago that it should be tried again."""
        if self.since is None or time.monotonic() - self.since < FAILED_SECONDS:
            return False
        return isinstance(self.future.result(), Failure)


class _Drawer(Struct):
    guard: Guard
    thread: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1, thread_name_prefix="picture"))


class PictureDesk:
    """Draws pictures of pages in guarded processes (child processes with limits of time and memory), and caches them. `close` ends the
    processes. seconds: time limit for a page. processes: number of pages drawn at once."""

    def __init__(self, settings: ReadSettings, *, seconds: float = SECONDS, processes: int = PROCESSES) -> None:
        self._settings = settings
        self._seconds = seconds
        self._drawers = [_Drawer(Guard(settings.max_memory)) for _ in range(processes)]
        self._asked: OrderedDict[Hashable, _Asked] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Start the processes before they are needed, because that takes a second or two."""
        for drawer in self._drawers:
            drawer.thread.submit(drawer.guard.call, "pdfmill.pipeline.serve.pictures:ready", seconds=self._seconds)

    def ask(self, ref: DocumentRef, page: int, width: int) -> Future[Drawn]:
        """Return the picture of a page (from 1) in one of `WIDTHS`: from the cache, from a drawing in progress, or drawn now."""
        assert width in WIDTHS
        key = (ref.uri, ref.etag, ref.size, ref.modified, ref.attachment_path, page, width)
        with self._lock:
            asked = self._asked.get(key)
            if asked is not None and not asked.is_stale():
                self._asked.move_to_end(key)
                return asked.future
            drawer = self._drawers[hash(ref.doc_id) % len(self._drawers)]  # a document stays open in one process
            asked = _Asked(drawer.thread.submit(self._draw, drawer.guard, ref, page, width))
            self._asked[key] = asked
        asked.future.add_done_callback(lambda future: self._keep(asked, future))
        return asked.future

    def wait(self, ref: DocumentRef, page: int, width: int, seconds: float) -> Drawn | None:
        """Return the picture of a page (from 1) in one of `WIDTHS`, or why it cannot be drawn; None if it is not ready within `seconds`."""
        try:
            return self.ask(ref, page, width).result(seconds)
        except NotYet:
            return None

    def close(self) -> None:
        for drawer in self._drawers:
            drawer.guard.close()
            drawer.thread.shutdown(wait=False, cancel_futures=True)

    def _draw(self, guard: Guard, ref: DocumentRef, page: int, width: int) -> Drawn:
        size = (width, width * MAX_ASPECT)
        try:
            return guard.call("pdfmill.pipeline.serve.pictures:draw", ref, self._settings, page, *size, seconds=self._seconds)
        except LostError as lost:
            return Failure(lost.code, f"{ref.name()}: page {page}: {lost}")
        except StoppedError as stopped:
            return Failure("internal", f"{ref.name()}: page {page}: {stopped}")

    def _keep(self, asked: _Asked, future: Future[Drawn]) -> None:
        """Mark a requested picture as ready, and drop the least recently used ones until the rest fits the cache."""
        with self._lock:
            asked.since = time.monotonic()
            kept = [key for key, each in self._asked.items() if each.since is not None]
            total = sum(_size(self._asked[key].future) for key in kept)
            for key in kept[:-1]:
                if total <= KEPT_BYTES:
                    break
                total -= _size(self._asked.pop(key).future)


def _size(future: Future[Drawn]) -> int:
    drawn = future.result() if not future.cancelled() else b""
    return len(drawn) if isinstance(drawn, bytes) else 1


# Draw a page as a PNG in a guarded process, since a hostile file may crash PDFium.


#: Compression level of zlib: higher ones make drawn pages hardly smaller, and the default takes three times as long.
_PNG_LEVEL: Final = 1


def draw(ref: DocumentRef, settings: ReadSettings, page: int, width: int, height: int) -> bytes | Failure:
    """Draw the page (from 1) as large as fits into `width` x `height` pixels. Returns the picture as PNG, or its failure."""
    try:
        with NATIVE_LOCK:
            pixels = fit_page(get_document(ref, settings, machine_fonts=True).pdfium, page, width, height)
    except (SourceError, DocumentError, PageError) as error:
        return Failure(error.code, str(error))
    sink = io.BytesIO()
    Image.fromarray(pixels).save(sink, format="PNG", compress_level=_PNG_LEVEL)
    return sink.getvalue()


def ready() -> None:
    """Do nothing. That this function returns shows that the process has imported the modules for drawing."""
