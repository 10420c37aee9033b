"""PDFium's shared faces: what was drawn of one document must not tell in the boxes of another.

For a font that is not embedded PDFium takes a face of its own, one for all documents, and sets its weight and width each time a glyph is
drawn. Boxes of glyphs are then those of the shape that was drawn last, and the same page gives other numbers after another one was drawn.
A library that is begun anew has faces that nobody has drawn; that takes .1 ms.
"""

from __future__ import annotations

from typing import Final


class Faces:
    """Whether the library is to begin anew: pages were drawn, and the process is pdfmill's own. In a program that imports pdfmill others
    may have documents open in the same library, which would lose them. Call it with the lock of PDFium's users held."""

    def __init__(self) -> None:
        self._ours = self._drawn = False

    def take(self) -> None:
        """Say that nobody else uses PDFium in this process."""
        self._ours = True

    def note_drawn(self) -> None:
        """Say that a page is being drawn."""
        self._drawn = True

    @property
    def stale(self) -> bool:
        """Whether boxes depend on what was drawn, and that can be mended."""
        return self._ours and self._drawn

    def renew(self) -> None:
        """Begin the library anew. No document may be open: what PDFium has given for one is gone afterwards."""
        import pypdfium2.raw as pdfium_c  # processes that only hand work on do without it

        pdfium_c.FPDF_DestroyLibrary()
        pdfium_c.FPDF_InitLibraryWithConfig(
            pdfium_c.FPDF_LIBRARY_CONFIG(version=2, m_pUserFontPaths=None, m_pIsolate=None, m_v8EmbedderSlot=0)
        )
        self._drawn = False


#: Of this process.
FACES: Final = Faces()
