"""Limits on how much of a document is read. Reaching one gives a warning or an error, so that nothing is lost in silence."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field


class Limits(Struct, frozen=True):
    """Limits for one document. The defaults are well above every ordinary document of the corpus. Code that stops at a limit calls `reach`,
    which makes a warning."""

    max_bytes: int = 1 << 31  # bytes of a document; 2 GiB because PDFium and the cross-reference offsets of most writers have 31 bits
    max_pages: int = 100_000  # pages of a document; the largest real book of the corpus has 5,000
    max_depth: int = 100  # levels of nesting followed in any tree of objects; deeper ones are loops or attacks
    max_nodes: int = 100_000  # entries read of one tree, list or dictionary (outline items, fields, leaves of a name tree, ...)
    max_text: int = 4_000_000  # characters kept of one string (a script, a field value, the XMP packet, ...)
    #: Decoded bytes of one stream that is not page content (scripts, XMP, XFA, attachments); stops decompression bombs.
    max_stream: int = 256 << 20
    max_assets: int = 50_000  # attachments, images and thumbnails listed of one document
    max_ratio: int = 500  # decoded bytes per byte of a stream that decodes to more than `ratio_from` bytes; deflate cannot exceed 1,032
    ratio_from: int = 16 << 20  # bytes
    max_attached: int = 1 << 30  # bytes of all attachments of one document together
    max_column: int = 64 << 20  # bytes of one column of a document's row; many Parquet readers and search engines reject longer values
    reached: set[str] = field(default_factory=set)  # messages for the limits that this document reached; this field is no limit

    def reach(self, message: str) -> None:
        """Record that a limit was reached, for a warning. message: the text of the warning, always the same for one limit."""
        self.reached.add(message)

    def too_deep(self, depth: int) -> bool:
        """Return whether a nesting depth exceeds `max_depth`; if so, record that this limit was reached."""
        if depth <= self.max_depth:
            return False
        self.reach(f"objects are nested deeper than {self.max_depth} levels; the deeper ones are left out")
        return True

    def too_many(self, count: int) -> bool:
        """Return whether a number of entries reaches `max_nodes`; if so, record that this limit was reached."""
        if count < self.max_nodes:
            return False
        self.reach(f"there are more than {self.max_nodes} entries of one kind; the rest are left out")
        return True


DEFAULT_LIMITS = Limits()


class PageLimits(Struct, frozen=True):
    """Limits for one page. Too many glyphs are an error; graphics beyond a limit are left out with a warning."""

    max_glyphs: int = 500_000  # characters; the fullest page of the corpus has 40,000
    max_objects: int = 20_000  # page objects searched for rules, fills and images
    max_depth: int = 12  # nesting of form XObjects
    max_edges: int = 2_000  # edges of table cells; more are a drawing, and finding cells takes quadratic time


DEFAULT_PAGE_LIMITS: Final = PageLimits()
