"""Bounds on how much of a document is read. Reaching one gives a warning or an error, never a silent cut."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field


class Limits(Struct, frozen=True):
    """Bounds for one document. Defaults are well above every ordinary document of the corpus.

    Whoever stops at one says so by `reach`; the document's warnings tell of them.

    max_bytes: size of a document, bytes; 2 GiB because PDFium and the xref offsets of most writers count in 31 bits.
    max_pages: pages of a document; the largest real book of the corpus has 5,000.
    max_depth: levels of nesting followed in any tree of objects; deeper ones are loops or attacks.
    max_nodes: entries read of one tree, list or dictionary (outline items, fields, name-tree leaves, ...).
    max_text: characters kept of one string (a script, a field value, the XMP packet, ...).
    max_stream: bytes decoded of one stream that is read for facts (scripts, XMP, XFA, attachments); stops deflate bombs.
    max_assets: attachments, images and thumbnails listed of one document.
    max_ratio: bytes out of a stream for each byte in, of streams larger than `ratio_from` bytes; deflate itself ends at 1,032.
    max_attached: bytes of all attachments of one document together.
    max_column: bytes of one column of a document's row; Parquet readers and search engines take no more in one value.
    reached: what this document reached; not part of the limits.
    """

    max_bytes: int = 1 << 31
    max_pages: int = 100_000
    max_depth: int = 100
    max_nodes: int = 100_000
    max_text: int = 4_000_000
    max_stream: int = 256 << 20
    max_assets: int = 50_000
    max_ratio: int = 500
    ratio_from: int = 16 << 20
    max_attached: int = 1 << 30
    max_column: int = 64 << 20
    reached: set[str] = field(default_factory=set)

    def reach(self, what: str) -> None:
        """Record that a limit was reached. what: a sentence without a subject, the same wherever the limit applies."""
        self.reached.add(what)

    def too_deep(self, depth: int) -> bool:
        """Return whether a tree is not followed to this depth."""
        if depth <= self.max_depth:
            return False
        self.reach(f"nested deeper than {self.max_depth} levels; what lies deeper is left out")
        return True

    def too_many(self, count: int) -> bool:
        """Return whether so many entries of one tree are enough."""
        if count < self.max_nodes:
            return False
        self.reach(f"more than {self.max_nodes} entries of one kind; the rest is left out")
        return True


DEFAULT_LIMITS = Limits()


class PageLimits(Struct, frozen=True):
    """Bounds for one page. Beyond them glyphs are an error, and graphics are left out with a warning.

    max_glyphs: characters; the fullest page of the corpus has 40,000.
    max_objects: page objects looked at for rules, fills and images. max_depth: nesting of form XObjects.
    max_edges: table edges; more are a drawing, and cell finding is quadratic.
    """

    max_glyphs: int = 500_000
    max_objects: int = 20_000
    max_depth: int = 12
    max_edges: int = 2_000


DEFAULT_PAGE_LIMITS: Final = PageLimits()
