"""The rows of the five tables: each column with type and sentence, declared by `pdfmill.schemas.declare`.

The Arrow schemas (`schemas.tables`) and the lists of docs/columns.md are made from these. A new column needs one line here, and the line
that fills it. Boxes are in points, origin at the top left of the rotated, cropped page; pages and levels count from 1; offsets count
Unicode code points from 0, the end excluded.

Columns of `documents` that state facts of the file are filled by readers in `transforms.pdf`. Each returns a dictionary of its columns; if
one fails, its columns stay empty. So this row is a dictionary until it is complete.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Struct, field

from pdfmill.schemas.declare import NULLABLE, Long, Row, StructColumns


class PageBox(Struct, frozen=True):
    """A rectangle on a page."""

    page: Annotated[int, "Page number from 1."]
    x0: Annotated[float, "Left side, points."]
    top: Annotated[float, "Upper side."]
    x1: Annotated[float, "Right side."]
    bottom: Annotated[float, "Lower side."]


class Notice(Struct, frozen=True):
    """A repair, or a loss that left the rest readable."""

    code: Annotated[str, "A key of `pdfmill.schemas.codes.WARNING_CODES` or `ERROR_CODES`."]
    page: Annotated[int | None, "Page number; None for the document."]
    message: Annotated[str, "What was done or lost, naming the object."]


class ArchiveRecord(Struct, frozen=True):
    """What a web archive states about a record in it, or a Parquet file about one of its rows."""

    url: Annotated[str | None, "Its URL."]
    date: Annotated[str | None, "When it was fetched, ISO 8601."]
    digest: Annotated[str | None, "The archive's digest of the content."]
    truncated: Annotated[str | None, "Why it was cut (WARC-Truncated)."]


class TypeCount(Struct, kw_only=True):
    """A type of object and how many of that type there are."""

    type: Annotated[str, "Its name."]
    count: Annotated[int, "How many."]


class StructureEvidence(Struct, frozen=True):
    """How pdfmill used what the document states about its own structure."""

    source: Annotated[str, "tags or article_threads."]
    used_for: Annotated[list[str], "blocks, headings, order, tables; none where it was refused."]
    refused: Annotated[str | None, "Why it was not used for more."]


class Encryption(Struct, kw_only=True):
    """The encryption dictionary (ISO 32000-2 §7.6)."""

    handler: Annotated[str | None, "Filter: the name of the security handler."]
    method: Annotated[str | None, "RC4, AESV2, AESV3 or none."]
    revision: Annotated[int | None, "R: the handler's revision."]
    key_bits: Annotated[int | None, "Length of the key."]
    opened_with: Annotated[str | None, "empty or candidate: which password opened it; None where none did."]
    permissions: Annotated[list[str] | None, "What the P entry allows."]


class Info(Struct, kw_only=True):
    """The document information dictionary (ISO 32000-2 §14.3.3)."""

    title: Annotated[str | None, "Title."]
    author: Annotated[str | None, "Author."]
    subject: Annotated[str | None, "Subject."]
    keywords: Annotated[str | None, "Keywords."]
    creator: Annotated[str | None, "The program that made the original."]
    producer: Annotated[str | None, "The program that made the PDF."]
    created: Annotated[str | None, "CreationDate, ISO 8601."]
    modified: Annotated[str | None, "ModDate, ISO 8601."]
    trapped: Annotated[str | None, "True, False or Unknown."]


class InfoEntry(Struct, kw_only=True):
    """Another key of the document information dictionary."""

    key: Annotated[str, "The key."]
    value: Annotated[str | None, "Its value as text."]


class XmpProperty(Struct, kw_only=True):
    """A property of the XMP packet."""

    name: Annotated[str, "With its prefix, e.g. dc:title."]
    values: Annotated[list[str], "Its values in order."]


class OutlineItem(Struct, kw_only=True):
    """An item of the outline (ISO 32000-2 §12.3.3)."""

    title: Annotated[str | None, "Its text."]
    level: Annotated[int, "From 1."]
    page: Annotated[int | None, "The page it leads to."]
    uri: Annotated[str | None, "The address it leads to."]


class Script(Struct, kw_only=True):
    """JavaScript in the document (ISO 32000-2 §12.6.4.17)."""

    location: Annotated[str | None, "Where it is attached."]
    name: Annotated[str | None, "Its name, or the event that runs it."]
    code: Annotated[str | None, "Its text."]


class FormField(Struct, kw_only=True):
    """A terminal field of a form (ISO 32000-2 §12.7)."""

    name: Annotated[str | None, "Full name."]
    type: Annotated[str | None, "Tx, Btn, Ch or Sig."]
    alternate_name: Annotated[str | None, "TU: its name for people."]
    mapping_name: Annotated[str | None, "TM: its name for export."]
    value: Annotated[list[str] | None, "Its values as text."]
    options: Annotated[list[str] | None, "The options to choose from."]
    flags: Annotated[Long | None, "Ff: bits of ISO 32000-2 tables 227 to 233."]


class XfaPacket(Struct, kw_only=True):
    """A packet of an XFA form."""

    name: Annotated[str | None, "Its name."]
    byte_size: Annotated[Long | None, "Its length."]


class ArticleThread(Struct, kw_only=True):
    """An article thread (ISO 32000-2 §12.4.3)."""

    title: Annotated[str | None, "Title."]
    author: Annotated[str | None, "Author."]
    subject: Annotated[str | None, "Subject."]
    keywords: Annotated[str | None, "Keywords."]
    created: Annotated[str | None, "ISO 8601."]
    beads: Annotated[list[PageBox] | None, "Its parts in order."]


class Font(Struct, kw_only=True):
    """A font that the document uses."""

    name: Annotated[str | None, "PostScript name without its subset prefix."]
    subtype: Annotated[str | None, "Type1, TrueType, Type0, Type3, ..."]
    encoding: Annotated[str | None, "Name of its encoding or CMap."]
    embedded: Annotated[bool | None, "Its program is in the file."]
    unicode_source: Annotated[str | None, "Where its Unicode values come from."]
    trusted: Annotated[bool | None, "Its Unicode values are reliable."]
    recognized: Annotated[
        str | None,
        "With --ocr, the characters learned for its codes where its Unicode values are wrong: `41=a 42=b`, codes in hexadecimal.",
    ]


class Layer(Struct, kw_only=True):
    """An optional content group (ISO 32000-2 §8.11)."""

    name: Annotated[str | None, "Its name."]
    visible: Annotated[bool | None, "It shows by default."]


class Signature(Struct, kw_only=True):
    """A digital signature, not verified (ISO 32000-2 §12.8)."""

    field: Annotated[str | None, "Full name of its field."]
    name: Annotated[str | None, "Who signed."]
    subfilter: Annotated[str | None, "Its encoding."]
    signed: Annotated[str | None, "When, ISO 8601."]
    reason: Annotated[str | None, "The stated reason for signing."]


class NamedDestination(Struct, kw_only=True):
    """A named destination (ISO 32000-2 §12.3.2.4)."""

    name: Annotated[str, "Its name."]
    page: Annotated[int | None, "Its page."]


class HeadingStyle(Struct, frozen=True):
    """The text style of the headings of one level."""

    level: Annotated[int, "Heading level from 1."]
    font: Annotated[str, "PostScript name."]
    size: Annotated[float, "Points."]
    bold: Annotated[bool, "They are bold."]


class BodyStyle(Struct, frozen=True):
    """The text style of the document's running text, and the styles of its headings."""

    body_font: Annotated[str, "PostScript name of the commonest font."]
    body_size: Annotated[float, "Points."]
    line_spacing: Annotated[float | None, "From baseline to baseline, points."]
    heading_styles: Annotated[list[HeadingStyle], "By level and use."]


class FdfAnnotation(Struct, kw_only=True):
    """An annotation of an FDF or XFDF file."""

    type: Annotated[str | None, "Subtype."]
    page: Annotated[int | None, "Page of the target, from 1."]
    contents: Annotated[str | None, "Its text."]
    rich_text: Annotated[str | None, "Its rich text as plain text."]
    author: Annotated[str | None, "Who made it."]
    created: Annotated[str | None, "ISO 8601."]
    modified: Annotated[str | None, "ISO 8601."]
    rect: Annotated[list[float] | None, "Left, bottom, right, top in the target's user space."]


class HiddenText(Struct, frozen=True):
    """Text that a reader of the page does not see."""

    reason: Annotated[str, "invisible, outside_page, same_color, clipped or hidden_layer."]
    text: Annotated[str, "The text."]


class Word(Struct, kw_only=True):
    """A word of a page."""

    start: Annotated[int, "Offset into the page's text."]
    end: Annotated[int, "Offset of its end."]
    x0: Annotated[float, "Left side, points."]
    top: Annotated[float, "Upper side."]
    x1: Annotated[float, "Right side."]
    bottom: Annotated[float, "Lower side."]


class Annotation(Struct, kw_only=True):
    """An annotation that holds text, a link or a file (ISO 32000-2 §12.5)."""

    type: Annotated[str | None, "Subtype."]
    contents: Annotated[str | None, "Its text."]
    rich_text: Annotated[str | None, "Its rich text as plain text."]
    author: Annotated[str | None, "Who made it."]
    created: Annotated[str | None, "ISO 8601."]
    modified: Annotated[str | None, "ISO 8601."]
    uri: Annotated[str | None, "The address it leads to."]
    target_page: Annotated[int | None, "The page it leads to."]
    appearance_text: Annotated[str | None, "The text that it shows."]
    parent: Annotated[int | None, "Index of a pop-up's or reply's parent on the page."]
    x0: Annotated[float | None, "Left side, points."]
    top: Annotated[float | None, "Upper side."]
    x1: Annotated[float | None, "Right side."]
    bottom: Annotated[float | None, "Lower side."]


class CollectionValue(Struct, kw_only=True):
    """A value of a portfolio's schema for one of its members (ISO 32000-2 §12.3.5)."""

    name: Annotated[str, "The schema's field."]
    value: Annotated[str | None, "As text."]


class DocumentRow(Struct, kw_only=True):
    """An input object, or a PDF attached to one, even if it could not be read. Key: doc_id."""

    doc_id: Annotated[str, "Deterministic id: hash of the source URI; for an attachment of its parent's id and place."]
    parent_doc_id: Annotated[str | None, "The document that this one is attached to, else null."] = None
    source_uri: Annotated[str, "Address of the object in storage."]
    file_name: Annotated[str | None, "The last part of that address as a person reads it: decoded, without folders and query."] = None
    source_etag: Annotated[str | None, "The store's etag, or generation where it has generations."] = None
    source_size: Annotated[Long | None, "Bytes as the store listed them."] = None
    source_modified: Annotated[datetime | None, "The store's last-modified time."] = None
    web: Annotated[
        ArchiveRecord | None,
        "Of a record in a web archive: its URL, time and digest, and why it was cut, where it was (WARC-Truncated). Of a row of "
        "a Parquet file: the URL, where a column has it.",
    ] = None
    content_sha256: Annotated[str | None, "SHA-256 of the bytes that were read, in hex."] = None
    duplicate_of: Annotated[
        str | None, "In crawls: the document with the same bytes whose pages, blocks and assets stand for this one's; page_count is 0 here."
    ] = None
    status: Annotated[str, "ok, partial, encrypted, failed or not_pdf (docs/columns.md lists all)."]
    error_code: Annotated[str | None, "Why the document is not ok, as one word (docs/columns.md lists all)."] = None
    error_message: Annotated[str | None, "The same for a person, naming the object and the reason."] = None
    warnings: Annotated[list[Notice] | None, "Repairs and losses; page is null for the whole document."] = None
    format: Annotated[str | None, "pdf, fdf or xfdf; otherwise the format that the bytes seem to have."] = None
    pdf_version: Annotated[
        str | None, "The version that counts: the header's, or the catalog's where it is later (ISO 32000-2 §7.2.2)."
    ] = None
    header_version: Annotated[str | None, "Version in the file header."] = None
    header_offset: Annotated[Long | None, "Bytes before the %PDF- signature."] = None
    catalog_version: Annotated[str | None, "Version in the document catalog."] = None
    extension_level: Annotated[int | None, "Highest extension level in the catalog's Extensions (ISO 32000-2 §7.12)."] = None
    linearized: Annotated[bool | None, "The file is linearized (ISO 32000-2 Annex F)."] = None
    object_streams: Annotated[bool | None, "The file uses object streams (ISO 32000-2 §7.5.7)."] = None
    tagged: Annotated[bool | None, "The catalog's MarkInfo says the document is tagged."] = None
    struct_types: Annotated[list[TypeCount] | None, "Structure elements by type, when there is a structure tree."] = None
    structure_evidence: Annotated[
        list[StructureEvidence] | None,
        "What became of tags and article_threads as evidence for blocks, headings, order and tables' cells; refused: why not for more.",
    ] = None
    revisions: Annotated[int | None, "How many times the file was saved: 1 plus its incremental updates."] = None
    revision_ends: Annotated[list[Long] | None, "Byte offset at which each revision ends."] = None
    has_obsolete_content: Annotated[bool | None, "An incremental update left replaced objects in the file."] = None
    page_count: Annotated[int, "Pages of the document; as many rows stand in `pages`."]
    encryption: Annotated[
        Encryption | None,
        "Null when not encrypted. method: RC4, AESV2, AESV3 or none; opened_with: empty, candidate or null; permissions: what is allowed.",
    ] = None
    title: Annotated[str | None, "The document's title, chosen from the evidence on its pages and in its metadata."] = None
    title_source: Annotated[
        str | None, "Where the title comes from: page (a heading there), first_page (its largest type) or info (the metadata)."
    ] = None
    author: Annotated[str | None, "The author that `info` states."] = None
    created: Annotated[datetime | None, "When the document was made, as `info` states it, in UTC; null where that is no date."] = None
    modified: Annotated[datetime | None, "When it was last changed, in the same way."] = None
    language: Annotated[str | None, "Dominant language of the text, ISO 639-1 (zh-cn and zh-tw apart)."] = None
    language_confidence: Annotated[
        float | None, "Between 0 and 1: how far parts of the text agree, so of a text in several languages about the share of this one."
    ] = None
    declared_language: Annotated[str | None, "The catalog's Lang."] = None
    info: Annotated[Info | None, "The document information dictionary; dates in ISO 8601 with their own zone."] = None
    info_custom: Annotated[list[InfoEntry] | None, "Its other keys."] = None
    xmp: Annotated[str | None, "The catalog's XMP packet as XML, with an XML header."] = None
    xmp_size: Annotated[Long | None, "Bytes of the packet as it is stored."] = None
    xmp_sha256: Annotated[str | None, "SHA-256 of the packet as it is stored, in hex."] = None
    xmp_properties: Annotated[list[XmpProperty] | None, "Top-level properties of the XMP packet by prefixed name, e.g. dc:title."] = None
    outline: Annotated[list[OutlineItem] | None, "Outline items in order."] = None
    page_labels: Annotated[list[str] | None, "A label for each page when the document defines labels."] = None
    javascript: Annotated[list[Script] | None, "Scripts found, never executed."] = None
    form_fields: Annotated[list[FormField] | None, "Terminal form fields: full name, Tx Btn Ch or Sig, values as text."] = None
    xfa_packets: Annotated[list[XfaPacket] | None, "The packets of an XFA form in order; the joined stream is in `assets`."] = None
    xfa_dynamic: Annotated[bool | None, "The XFA form lays itself out when it is filled in; its pages may hold no more than a notice."] = (
        None
    )
    article_threads: Annotated[list[ArticleThread] | None, "Article threads with their beads in order."] = None
    fonts: Annotated[list[Font] | None, "Fonts in use; unicode_source names where their Unicode values come from."] = None
    layers: Annotated[list[Layer] | None, "Optional content groups with their default visibility."] = None
    signatures: Annotated[list[Signature] | None, "Digital signatures present (not verified)."] = None
    is_portfolio: Annotated[bool | None, "The catalog has a Collection: a package or portfolio."] = None
    collection_fields: Annotated[list[str] | None, "Names of the portfolio's schema fields."] = None
    named_destinations: Annotated[list[NamedDestination] | None, "Named destinations and their pages."] = None
    style: Annotated[
        BodyStyle | None, "Body style (dominant font, size and baseline distance in points) and the styles of its headings."
    ] = None
    inline_images: Annotated[int | None, "Inline images drawn on the pages (ISO 32000-2 §8.9.7); null unless images were asked for."] = None
    annotation_types: Annotated[list[TypeCount] | None, "All annotations by type, also those without text, link or file."] = None
    fdf_annotations: Annotated[
        list[FdfAnnotation] | None,
        "Annotations of an FDF or XFDF file, which has no pages; page is that of the target, rect in its user space.",
    ] = None
    fdf_target: Annotated[str | None, "The PDF that an FDF or XFDF file refers to."] = None
    extractor_version: Annotated[str, "Version of pdfmill that wrote the row."]


class PageRow(Struct, kw_only=True):
    """A page of a document. Key: doc_id, page."""

    doc_id: Annotated[str, "The document."]
    page: Annotated[int, "Page number from 1."]
    label: Annotated[str | None, "Page label (ISO 32000-2 §12.4.2), or the number printed on the page where none is set."] = None
    width: Annotated[float, "Points, after rotation and cropping.", NULLABLE]
    height: Annotated[float, "Points, after rotation and cropping.", NULLABLE]
    rotation: Annotated[int, "The page's Rotate: 0, 90, 180 or 270.", NULLABLE]
    user_unit: Annotated[
        float, "UserUnit: size of a unit of user space in points; width, height and all boxes already include it.", NULLABLE
    ]
    media_box: Annotated[
        list[float] | tuple[float, float, float, float] | None,
        "Media box as stored: left, bottom, right, top in PDF user space, without the user unit.",
    ] = None
    crop_box: Annotated[
        list[float] | tuple[float, float, float, float] | None,
        "Crop box as stored: left, bottom, right, top in PDF user space, without the user unit.",
    ] = None
    status: Annotated[str, "ok, partial or failed."]
    error_code: Annotated[str | None, "Why the page is not ok (docs/columns.md lists all)."] = None
    text: Annotated[str, "The text in reading order, Unicode NFC; blocks are separated by a blank line."]
    language: Annotated[str | None, "Language of the page where its text is long enough."] = None
    language_confidence: Annotated[
        float | None, "Between 0 and 1, as for documents; the document's where the page's commonest words show that it is in its language."
    ] = None
    char_count: Annotated[int, "Code points of `text`."]
    column_count: Annotated[int, "Columns of running text."]
    needs_ocr: Annotated[bool, "The page shows text that its text layer does not give: images only, or untrusted characters."]
    ocr: Annotated[bool, "The text is an OCR layer, or was recognised here."]
    ocr_quality: Annotated[
        float | None,
        "How good recognised text is, 0 to 1: of text recognised here how sure its recogniser was, of an OCR layer how much is words.",
    ] = None
    untrusted_ratio: Annotated[float | None, "Share of characters whose Unicode value is a guess."] = None
    hidden_text: Annotated[list[HiddenText], "Text a reader does not see, kept out of `text`.", NULLABLE]
    words: Annotated[list[Word] | StructColumns, "Each word: offsets into `text` and box.", NULLABLE]
    word_confidences: Annotated[
        list[float] | None,
        "How sure the recogniser was of each of `words`, 0 to 1; 1 of those that the page says itself; null where none was read here.",
    ] = None
    unsure_words: Annotated[int | None, "Words whose confidence is below 0.6."] = None
    annotations: Annotated[
        list[Annotation] | list[Row],
        "Annotations that hold text, a link or a file (ISO 32000-2 §12.5); parent: index of a pop-up's or reply's parent on this page.",
        NULLABLE,
    ]


class Block(Struct, kw_only=True):
    """One unit of a page that a reader sees as such: a paragraph, a heading, a table. Blocks are in reading order. Key: doc_id, page,
    block.

    Layout fills most columns; `pdfmill.transforms.road.page_rows` adds the document, the page and the language.
    """

    doc_id: Annotated[str, "The document."] = ""
    block: Annotated[int, "Position in the page's reading order from 1."] = 0
    page: Annotated[int, "Page number from 1."] = 0
    role: Annotated[str, "Role of the block (docs/columns.md lists all)."]
    level: Annotated[int | None, "Heading level, or nesting depth of a list item, from 1."] = None
    text: Annotated[str, "Its text; equals pages.text[text_start:text_end] when these are set."]
    heading_path: Annotated[list[str], "The headings above it, outermost first."] = field(default_factory=list)
    boxes: Annotated[list[PageBox], "A box for each part of it.", NULLABLE]
    text_start: Annotated[int | None, "Offset into the page's text; null for furniture that other pages repeat."] = None
    text_end: Annotated[int | None, "Offset of its end."] = None
    continues: Annotated[bool, "It carries on the last block of its role on an earlier page: a paragraph, a list item, a table."] = False
    font: Annotated[str, "Font of most of its characters.", NULLABLE]
    size: Annotated[float, "Font size of most of its characters, points.", NULLABLE]
    bold: Annotated[bool, "Most of its characters are bold.", NULLABLE]
    italic: Annotated[bool, "Most of its characters are italic.", NULLABLE]
    html: Annotated[str | None, 'A table as HTML; a header that repeats that of the part before has `<thead class="repeated">`.'] = None
    run_in: Annotated[
        str | None,
        "A heading in a paragraph's first line: its first words up to a stop, where they alone are bold, italic or small capitals.",
    ] = None
    language: Annotated[str | None, "Language of the block where its text is long enough; null where only the page's can be known."] = None
    language_confidence: Annotated[
        float | None, "Between 0 and 1: how far parts of the text agree, so of a text in several languages about the share of this one."
    ] = None


class SectionPlace(Struct, frozen=True):
    """A stretch of a section's text that a page contains unchanged: text[offset : offset + end - start] of the section equals
    text[start:end] of the page."""

    page: Annotated[int, "Page number from 1."]
    start: Annotated[int, "Offset into the page's text."]
    end: Annotated[int, "Offset of its end there."]
    offset: Annotated[int, "Offset into the section's text."]


class SectionRow(Struct, kw_only=True):
    """The text under a heading, cut to a size that search engines and language models take. Key: doc_id, section."""

    doc_id: Annotated[str, "The document."]
    section: Annotated[int, "Position in the document from 1."]
    id: Annotated[str, "Deterministic id: hash of doc_id and section."]
    heading_path: Annotated[list[str], "The headings above it, its own included, outermost first."]
    text: Annotated[
        str, "Its headings and what stands under them, without running heads and page numbers; blocks are separated by a blank line."
    ]
    text_sha256: Annotated[str, "SHA-256 of the text in UTF-8, in hex; while it is the same, results computed from the text stay valid."]
    kind: Annotated[str, "text, table, code, contents or references (docs/columns.md lists all)."]
    language: Annotated[str | None, "Language of most of its text; null where no block is long enough to tell."] = None
    first_page: Annotated[int, "The page that it begins on."]
    last_page: Annotated[int, "The page that it ends on."]
    boxes: Annotated[list[PageBox], "A box for each part of each of its blocks."]
    places: Annotated[
        list[SectionPlace],
        "Where its text stands, so that its words can be marked: text[offset : offset + end - start] equals pages.text[start:end] there.",
    ]


class AssetRow(Struct, kw_only=True):
    """Something embedded in a document: an attachment, an image, a thumbnail or an XFA form. Key: doc_id, asset."""

    doc_id: Annotated[str, "The document it was found in."]
    asset: Annotated[int, "Position among the document's assets from 1."]
    kind: Annotated[str, "attachment, image, thumbnail, xfa or rich_media."]
    name: Annotated[str | None, "File name or resource name as the document gives it; never used as a path."] = None
    page: Annotated[int | None, "The page that shows it; null for the document."] = None
    mime_type: Annotated[str | None, "As stated by the document, else guessed from the bytes."] = None
    byte_size: Annotated[Long | None, "Bytes as exported."] = None
    sha256: Annotated[str | None, "SHA-256 of the exported bytes, in hex."] = None
    uri: Annotated[str | None, "Where the bytes were written; null when they were not asked for."] = None
    width: Annotated[int | None, "Pixels."] = None
    height: Annotated[int | None, "Pixels."] = None
    filter: Annotated[str | None, "The last stream filter (ISO 32000-2 §7.4)."] = None
    color_space: Annotated[str | None, "Colour space family (ISO 32000-2 §8.6)."] = None
    description: Annotated[str | None, "Description given by the document."] = None
    created: Annotated[datetime | None, "When an attachment was made, as the document states it, in UTC."] = None
    modified: Annotated[datetime | None, "When it was last changed, in the same way."] = None
    boxes: Annotated[list[PageBox] | None, "Where it is drawn."] = None
    attached_to: Annotated[
        str | None, "What holds an attachment: document, annotation, rich_media, or associated for an associated file (ISO 32000-2 §14.13)."
    ] = None
    stated_size: Annotated[Long | None, "Size that the document states for the file; differs from byte_size where it is wrong."] = None
    stated_md5: Annotated[str | None, "MD5 checksum that the document states for the file, in hex."] = None
    relationship: Annotated[str | None, "Of an associated file: Source, Data, Alternative, Supplement, ... (ISO 32000-2 §7.11.3)."] = None
    collection_values: Annotated[list[CollectionValue] | None, "Of a portfolio's member: the values of the portfolio's schema fields."] = (
        None
    )
    child_doc_id: Annotated[str | None, "Row of `documents` for an attached PDF."] = None
