"""PDFium's fonts: the text of a document must depend neither on the fonts of the machine nor on what was drawn before.

For a font that is not embedded PDFium takes a substitute: one of the machine's fonts, or else a built-in one. Two machines would give two
tables, so text is read by a library that was begun without the machine's fonts; its built-in substitutes have the widths of the standard
14. Only pages that a person looks at are drawn with the machine's fonts.

A substitute is shared by all documents, and PDFium sets its weight and width each time a glyph is drawn. The boxes of glyphs are then
those of the shape that was drawn last. A library that is begun anew has substitutes that nobody has drawn; that takes .1 ms.
"""

from __future__ import annotations

import ctypes
from typing import Final

import pypdfium2.raw as pdfium_c
from pypdfium2.internal import bases


class Faces:
    """Which fonts PDFium has in this process, and when it is to begin anew. Call it with the lock of PDFium's users held."""

    def __init__(self) -> None:
        self._has_machine_fonts = True  # pypdfium2 begins the library so
        self._wants_machine_fonts = False
        self._drawn = False

    def note_drawn(self) -> None:
        """Say that a page is being drawn."""
        self._drawn = True

    def want(self, *, machine_fonts: bool) -> bool:
        """Choose the fonts for the documents that are opened from now on; whether those that are open must be closed for it."""
        self._wants_machine_fonts = machine_fonts
        return self._stale

    def begin(self) -> None:
        """Begin the library anew where it has other fonts than wanted, or fonts that were drawn. Nothing happens while any document is open
        in pypdfium2, of this package or of the program that imports it: it would be lost."""
        if not self._stale or any(reference() is not None for references in bases.ObjectTracker.values() for reference in references):
            return
        pdfium_c.FPDF_DestroyLibrary()
        no_folders = (ctypes.POINTER(ctypes.c_char) * 1)()  # a list that ends at once; without a list PDFium looks in the system's folders
        pdfium_c.FPDF_InitLibraryWithConfig(
            pdfium_c.FPDF_LIBRARY_CONFIG(
                version=2,
                m_pUserFontPaths=None if self._wants_machine_fonts else no_folders,
                m_pIsolate=None,
                m_v8EmbedderSlot=0,
            )
        )
        self._has_machine_fonts = self._wants_machine_fonts
        self._drawn = False

    @property
    def _stale(self) -> bool:
        """Whether boxes depend on what was drawn, or the fonts are others than wanted. Drawings do not depend on earlier drawings."""
        if self._has_machine_fonts != self._wants_machine_fonts:
            return True
        return self._drawn and not self._wants_machine_fonts


#: Of this process.
FACES: Final = Faces()
