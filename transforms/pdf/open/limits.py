"""Bounds on how much of a document is read. Reaching one gives a warning or an error, never a silent cut."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field


class Limits(Struct, frozen=True):
    """Bounds for one document. The defaults are well above every ordinary document of the corpus. Code that stops at a bound calls `reach`,
    and the document gets a warning for each bound reached."""

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
    reached: set[str] = field(default_factory=set)  # messages for the bounds that this document reached; this field is no bound

    def reach(self, message: str) -> None:
        """Record that a bound was reached. message: the warning's text, the same at each use of the bound."""
        self.reached.add(message)

    def too_deep(self, depth: int) -> bool:
        """Return whether this depth exceeds `max_depth`; if so, record that the bound was reached."""
        if depth <= self.max_depth:
            return False
        self.reach(f"nested deeper than {self.max_depth} levels; what lies deeper is left out")
        return True

    def too_many(self, count: int) -> bool:
        """Return whether `count` reaches `max_nodes`; if so, record that the bound was reached."""
        if count < self.max_nodes:
            return False
        self.reach(f"more than {self.max_nodes} entries of one kind; the rest is left out")
        return True


DEFAULT_LIMITS = Limits()


class PageLimits(Struct, frozen=True):
    """Bounds for one page. Too many glyphs are an error; graphics beyond a bound are left out with a warning."""

    max_glyphs: int = 500_000  # characters; the fullest page of the corpus has 40,000
    max_objects: int = 20_000  # page objects searched for rules, fills and images
    max_depth: int = 12  # nesting of form XObjects
    max_edges: int = 2_000  # edges of table cells; more are a drawing, and finding cells takes quadratic time


DEFAULT_PAGE_LIMITS: Final = PageLimits()
