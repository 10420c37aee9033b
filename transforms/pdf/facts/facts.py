"""Read everything that a document states about itself. If one feature cannot be read, the others still are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from msgspec import Struct, field

from pdfmill.schemas.records import Notice, PageFacts, Row
from pdfmill.transforms.pdf.facts.annotations import read_annotation_types
from pdfmill.transforms.pdf.facts.attachments import Asset, read_attachments, read_portfolio
from pdfmill.transforms.pdf.facts.encryption import encryption_of_bytes, read_encryption
from pdfmill.transforms.pdf.facts.forms import read_forms, read_signatures, read_xfa, xfa_asset
from pdfmill.transforms.pdf.facts.javascript import read_javascript
from pdfmill.transforms.pdf.facts.layers import read_layers
from pdfmill.transforms.pdf.facts.metadata import read_info, read_xmp
from pdfmill.transforms.pdf.facts.navigation import read_named_destinations, read_outline, read_page_labels, read_threads
from pdfmill.transforms.pdf.facts.revisions import read_revisions, read_version, signature_row
from pdfmill.transforms.pdf.facts.tags import read_tags
from pdfmill.transforms.pdf.fonts.fonts import read_fonts
from pdfmill.transforms.pdf.open.document import PdfDocument, once_per_document, shorten
from pdfmill.transforms.pdf.open.identify import find_signature, guess_format, looks_like_pdf
from pdfmill.transforms.pdf.open.limits import Limits
from pdfmill.transforms.pdf.open.objects import (
    OBJECT_ERRORS,
)
from pdfmill.transforms.pdf.open.page_tree import page_defects, stored_box, user_unit

__all__ = ["Asset", "DocumentFacts", "failed_facts", "read_facts"]

#: Kinds of embedded objects whose bytes are kept by default.
DEFAULT_EXPORT: Final = frozenset({"attachment", "xfa"})

#: Feature names for messages, and functions that return columns of `documents`.
_READERS: Final[tuple[tuple[str, Callable[[PdfDocument], Row]], ...]] = (
    ("version", read_version),
    ("encryption", read_encryption),
    ("info", read_info),
    ("xmp", read_xmp),
    ("outline", read_outline),
    ("page_labels", read_page_labels),
    ("destinations", read_named_destinations),
    ("tags", read_tags),
    ("revisions", read_revisions),
    ("forms", read_forms),
    ("xfa", read_xfa),
    ("signatures", read_signatures),
    ("javascript", read_javascript),
    ("layers", read_layers),
    ("threads", read_threads),
    ("portfolio", read_portfolio),
    ("annotations", read_annotation_types),
    ("fonts", read_fonts),
)


class DocumentFacts(Struct):
    """What a document states about itself: its columns of `documents`, its embedded files and images, and the reading errors."""

    row: Row  # columns of `documents`
    assets: list[Asset] = field(default_factory=list)  # embedded files and images in a fixed order
    #: Reading errors and repairs of single objects; repairs needed to open the document are in `PdfDocument.warnings`.
    warnings: list[Notice] = field(default_factory=list)


def read_facts(document: PdfDocument, data: bytes, *, export: frozenset[str] = DEFAULT_EXPORT, keep_jpeg: bool = False) -> DocumentFacts:
    """Read the columns and the embedded objects of a document. data: the bytes from which it was opened.
    export: kinds of embedded objects to return with their bytes (attachment, xfa, image, thumbnail); images and thumbnails are only listed
    if they are named. keep_jpeg: return JPEG images as JPEG files instead of TIFF."""
    facts = DocumentFacts(signature_row(find_signature(data)))
    if document.kind in ("fdf", "xfdf"):
        from pdfmill.transforms.pdf.facts.fdf import read_fdf  # few files hold form data alone

        _guard(facts, "fdf", lambda: facts.row.update(read_fdf(document)))
        if document.kind == "fdf":
            _read_assets(facts, document, export & {"attachment"})
        return facts
    try:
        _ = document.pikepdf.Root
    except OBJECT_ERRORS as error:
        facts.warnings.append(Notice("facts_objects", None, f"the object tree cannot be read: {shorten(error)}"))
        return facts
    for notion, read in _READERS:
        _guard(facts, notion, lambda read=read: facts.row.update(read(document)))  # type: ignore[misc]
    _guard(facts, "pages", lambda: facts.warnings.extend(Notice("repaired_page", None, defect) for defect in page_defects(document.tree)))
    _read_assets(facts, document, export)
    if export & {"image", "thumbnail"}:
        _read_pictures(facts, document, export, keep_jpeg=keep_jpeg)
    _bound_columns(facts, document.limits)
    facts.warnings += [Notice("too_large", None, message) for message in sorted(document.limits.reached)]
    facts.warnings += document.repairs()
    return facts


def _guard(facts: DocumentFacts, notion: str, read: Callable[[], None]) -> None:
    """Call `read`. An error in the document's objects becomes a warning in `facts`. notion: the name of the feature in this warning."""
    try:
        read()
    except OBJECT_ERRORS as error:
        facts.warnings.append(Notice(f"facts_{notion}", None, f"{notion} cannot be read: {shorten(error) or type(error).__name__}"))


def _bound_columns(facts: DocumentFacts, limits: Limits) -> None:
    """Replace columns larger than `max_column` by None, with a warning, because programs that read the tables reject them."""
    for column, value in facts.row.items():
        if isinstance(value, str | list | dict) and _size(value, limits.max_column) > limits.max_column:
            facts.row[column] = None
            facts.warnings.append(
                Notice("too_large", None, f"the column {column} is left out, because its value has more than {limits.max_column} bytes")
            )


def _size(value: object, limit: int) -> int:
    """Return the approximate size of a nested value, in characters plus 8 for each entry. Counting stops soon after `limit`."""
    waiting, size = [value], 0
    while waiting and size <= limit:
        each = waiting.pop()
        if isinstance(each, str | bytes):
            size += len(each)
        elif isinstance(each, dict):
            waiting.extend(each.values())
        elif isinstance(each, list):
            waiting.extend(each)
        size += 8
    return size


def _read_assets(facts: DocumentFacts, document: PdfDocument, export: frozenset[str]) -> None:
    _guard(facts, "attachments", lambda: _keep(facts, *read_attachments(document, with_data="attachment" in export)))
    _guard(facts, "xfa", lambda: _keep(facts, [asset] if (asset := xfa_asset(document)) else [], []))


def _read_pictures(facts: DocumentFacts, document: PdfDocument, export: frozenset[str], *, keep_jpeg: bool) -> None:
    from pdfmill.transforms.pdf.facts.image_files import image_file  # most jobs export no images
    from pdfmill.transforms.pdf.facts.images import read_images, read_thumbnails

    as_file = partial(image_file, limits=document.limits, keep_jpeg=keep_jpeg)

    def images() -> None:
        assets, warnings, facts.row["inline_images"] = read_images(document, as_file)
        _keep(facts, assets, warnings)

    if "image" in export:
        _guard(facts, "images", images)
    if "thumbnail" in export:
        _guard(facts, "thumbnails", lambda: _keep(facts, *read_thumbnails(document, as_file)))


def _keep(facts: DocumentFacts, assets: list[Asset], warnings: list[Notice]) -> None:
    facts.assets += assets
    facts.warnings += warnings


def failed_facts(data: bytes) -> Row:
    """Return the columns that can be read from the bytes of a document that cannot be opened: format, header and encryption."""
    signature = find_signature(data)
    row = signature_row(signature)
    if signature is None and not looks_like_pdf(data):
        row["format"] = guess_format(data)
        return row
    try:
        row["encryption"] = encryption_of_bytes(data)
    except OBJECT_ERRORS:  # the reason why the document does not open is reported already
        row["encryption"] = None
    return row


def read_page_facts(document: PdfDocument, number: int, warnings: list[Notice]) -> PageFacts:
    """Return the label, boxes and unit that the dictionary of page `number`, from 1, states. warnings: list to which reading errors are
    added."""
    try:
        if number > len(document.tree.pages):
            return PageFacts(_page_label(document, number))
        media = stored_box(document.tree, number, "/MediaBox")
        crop = stored_box(document.tree, number, "/CropBox") or media
        return PageFacts(_page_label(document, number), media, crop, user_unit(document.tree, number))
    except OBJECT_ERRORS as error:
        warnings.append(Notice("page_facts_unreadable", number, f"the page's dictionary cannot be read: {shorten(error)}"))
        return PageFacts()


def _page_label(document: PdfDocument, number: int) -> str | None:
    labels = _labels(document)
    return labels[number - 1] if isinstance(labels, list) and number <= len(labels) else None


@once_per_document
def _labels(document: PdfDocument) -> object:
    return read_page_labels(document)["page_labels"]
