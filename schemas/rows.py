"""The rows of the five tables: each column once, with its type and its sentence, declared as `pdfmill.schemas.declare` says.

Arrow's schemas (`schemas.tables`) and the lists of docs/columns.md follow from here. A new column is one line here, and the line that
fills it. Boxes are in points, origin at the top left of the rotated, cropped page; pages and levels count from 1; offsets count Unicode
code points from 0, the end excluded.

A column of `documents` that the file states is filled by the reader of that notion in `transforms.pdf`: each gives a dictionary of its own
columns, and one that fails gives none, so that the row is a dictionary until it is whole.
"""

from __future__ import annotations

from datetime import datetime

from pdfmill.schemas.declare import Long, Row, StructColumns, column, declared, row, struct


@struct
class PageBox:
    """A rectangle on a page."""

    page: int = column("Page number from 1.")
    x0: float = column("Left side, points.")
    top: float = column("Upper side.")
    x1: float = column("Right side.")
    bottom: float = column("Lower side.")


@struct
class Recovery:
    """A repair or a loss that left the rest readable."""

    code: str = column("A key of `pdfmill.schemas.codes.WARNING_CODES` or `ERROR_CODES`.")
    page: int | None = column("Page number; None for the document.")
    message: str = column("What was done or lost, naming the object.")


@struct
class ArchiveRecord:
    """What a web archive says of a record, or a Parquet file of a row."""

    url: str | None = column("Its URL.")
    date: str | None = column("When it was fetched, ISO 8601.")
    digest: str | None = column("The archive's digest of the content.")
    truncated: str | None = column("Why it was cut (WARC-Truncated).")


@declared
class TypeCount:
    """How many there are of a type."""

    type: str = column("Its name.")
    count: int = column("How many.")


@struct
class StructureEvidence:
    """What became of something that the document states about its structure."""

    source: str = column("tags or article_threads.")
    used_for: list[str] = column("blocks, headings, order, tables; none where it was refused.")
    refused: str | None = column("Why it was not used for more.")


@declared
class Encryption:
    """The encryption dictionary (ISO 32000-2 §7.6)."""

    handler: str | None = column("Filter: the name of the security handler.")
    method: str | None = column("RC4, AESV2, AESV3 or none.")
    revision: int | None = column("R: the handler's revision.")
    key_bits: int | None = column("Length of the key.")
    opened_with: str | None = column("empty or candidate: which password opened it; None where none did.")
    permissions: list[str] | None = column("What the P entry allows.")


@declared
class Info:
    """The document information dictionary (ISO 32000-2 §14.3.3)."""

    title: str | None = column("Title.")
    author: str | None = column("Author.")
    subject: str | None = column("Subject.")
    keywords: str | None = column("Keywords.")
    creator: str | None = column("The program that made the original.")
    producer: str | None = column("The program that made the PDF.")
    created: str | None = column("CreationDate, ISO 8601.")
    modified: str | None = column("ModDate, ISO 8601.")
    trapped: str | None = column("True, False or Unknown.")


@declared
class InfoEntry:
    """Another key of the document information dictionary."""

    key: str = column("The key.")
    value: str | None = column("Its value as text.")


@declared
class XmpProperty:
    """A property of the XMP packet."""

    name: str = column("With its prefix, e.g. dc:title.")
    values: list[str] = column("Its values in order.")


@declared
class OutlineItem:
    """An item of the outline (ISO 32000-2 §12.3.3)."""

    title: str | None = column("Its text.")
    level: int = column("From 1.")
    page: int | None = column("The page it leads to.")
    uri: str | None = column("The address it leads to.")


@declared
class Script:
    """JavaScript in the document (ISO 32000-2 §12.6.4.17)."""

    location: str | None = column("Where it is attached.")
    name: str | None = column("Its name, or the event that runs it.")
    code: str | None = column("Its text.")


@declared
class FormField:
    """A terminal field of a form (ISO 32000-2 §12.7)."""

    name: str | None = column("Full name.")
    type: str | None = column("Tx, Btn, Ch or Sig.")
    alternate_name: str | None = column("TU: its name for people.")
    mapping_name: str | None = column("TM: its name for export.")
    value: list[str] | None = column("Its values as text.")
    options: list[str] | None = column("What can be chosen.")
    flags: Long | None = column("Ff: bits of ISO 32000-2 tables 227 to 233.")


@declared
class XfaPacket:
    """A packet of an XFA form."""

    name: str | None = column("Its name.")
    byte_size: Long | None = column("Its length.")


@declared
class ArticleThread:
    """An article thread (ISO 32000-2 §12.4.3)."""

    title: str | None = column("Title.")
    author: str | None = column("Author.")
    subject: str | None = column("Subject.")
    keywords: str | None = column("Keywords.")
    created: str | None = column("ISO 8601.")
    beads: list[PageBox] | None = column("Its parts in order.")


@declared
class Font:
    """A font in use."""

    name: str | None = column("PostScript name without its subset prefix.")
    subtype: str | None = column("Type1, TrueType, Type0, Type3, ...")
    encoding: str | None = column("Name of its encoding or CMap.")
    embedded: bool | None = column("Its program is in the file.")
    unicode_source: str | None = column("Where its Unicode values come from.")
    trusted: bool | None = column("They can be believed.")
    recognized: str | None = column("What its codes were recognised as with --ocr, where they lie: `41=a 42=b`, codes in hexadecimal.")


@declared
class Layer:
    """An optional content group (ISO 32000-2 §8.11)."""

    name: str | None = column("Its name.")
    visible: bool | None = column("It shows by default.")


@declared
class Signature:
    """A digital signature, not verified (ISO 32000-2 §12.8)."""

    field: str | None = column("Full name of its field.")
    name: str | None = column("Who signed.")
    subfilter: str | None = column("Its encoding.")
    signed: str | None = column("When, ISO 8601.")
    reason: str | None = column("Why.")


@declared
class NamedDestination:
    """A named destination."""

    name: str = column("Its name.")
    page: int | None = column("Its page.")


@struct
class HeadingStyle:
    """How headings of a level look."""

    level: int = column("Heading level from 1.")
    font: str = column("PostScript name.")
    size: float = column("Points.")
    bold: bool = column("They are bold.")


@struct
class BodyStyle:
    """How the document's running text looks, and its headings."""

    body_font: str = column("PostScript name of the commonest font.")
    body_size: float = column("Points.")
    line_spacing: float | None = column("From baseline to baseline, points.")
    heading_styles: list[HeadingStyle] = column("By level and use.")


@declared
class FdfAnnotation:
    """An annotation of an FDF or XFDF file."""

    type: str | None = column("Subtype.")
    page: int | None = column("Page of the target, from 1.")
    contents: str | None = column("Its text.")
    rich_text: str | None = column("Its rich text as plain text.")
    author: str | None = column("Who made it.")
    created: str | None = column("ISO 8601.")
    modified: str | None = column("ISO 8601.")
    rect: list[float] | None = column("Left, bottom, right, top in the target's user space.")


@struct
class HiddenText:
    """Text that a reader of the page does not see."""

    reason: str = column("invisible, outside_page, same_color, clipped or hidden_layer.")
    text: str = column("The text.")


@declared
class Word:
    """A word of a page."""

    start: int = column("Offset into the page's text.")
    end: int = column("Offset of its end.")
    x0: float = column("Left side, points.")
    top: float = column("Upper side.")
    x1: float = column("Right side.")
    bottom: float = column("Lower side.")


@declared
class Annotation:
    """An annotation that holds text, a link or a file (ISO 32000-2 §12.5)."""

    type: str | None = column("Subtype.")
    contents: str | None = column("Its text.")
    rich_text: str | None = column("Its rich text as plain text.")
    author: str | None = column("Who made it.")
    created: str | None = column("ISO 8601.")
    modified: str | None = column("ISO 8601.")
    uri: str | None = column("The address it leads to.")
    target_page: int | None = column("The page it leads to.")
    appearance_text: str | None = column("The text that it shows.")
    parent: int | None = column("Index of a pop-up's or reply's parent on the page.")
    x0: float | None = column("Left side, points.")
    top: float | None = column("Upper side.")
    x1: float | None = column("Right side.")
    bottom: float | None = column("Lower side.")


@declared
class CollectionValue:
    """A value of a portfolio's member."""

    name: str = column("The schema's field.")
    value: str | None = column("As text.")


@declared
class DocumentRow:
    """An input object, whatever happened to it, or a PDF attached to one. Key: doc_id."""

    doc_id: str = column("Deterministic id: hash of the source URI; for an attachment of its parent's id and place.")
    parent_doc_id: str | None = column("The document that this one is attached to, else null.", default=None)
    source_uri: str = column("Address of the object in storage.")
    source_etag: str | None = column("The store's etag, or generation where it has generations.", default=None)
    source_size: Long | None = column("Bytes as the store listed them.", default=None)
    source_modified: datetime | None = column("The store's last-modified time.", default=None)
    web: ArchiveRecord | None = column(
        "Of a record in a web archive: its URL, time and digest, and why it was cut, where it was (WARC-Truncated). Of a row of "
        "a Parquet file: the URL, where a column has it.",
        default=None,
    )
    content_sha256: str | None = column("SHA-256 of the bytes that were read, in hex.", default=None)
    duplicate_of: str | None = column(
        "In crawls: the document with the same bytes whose pages, blocks and assets stand for this one's; page_count is 0 here.",
        default=None,
    )
    status: str = column("ok, partial, encrypted, failed or not_pdf (docs/columns.md lists all).")
    error_code: str | None = column("Why the document is not ok, as one word (docs/columns.md lists all).", default=None)
    error_message: str | None = column("The same for a person, naming the object and the reason.", default=None)
    warnings: list[Recovery] | None = column("Repairs and losses; page is null for the whole document.", default=None)
    format: str | None = column("pdf, fdf or xfdf; what else the bytes look like when they are none of these.", default=None)
    pdf_version: str | None = column(
        "The version that counts: the header's, or the catalog's where it is later (ISO 32000-2 §7.2.2).",
        default=None,
    )
    header_version: str | None = column("Version in the file header.", default=None)
    header_offset: Long | None = column("Bytes before the %PDF- signature.", default=None)
    catalog_version: str | None = column("Version in the document catalog.", default=None)
    extension_level: int | None = column("Highest extension level in the catalog's Extensions (ISO 32000-2 §7.12).", default=None)
    linearized: bool | None = column("The file is linearized (ISO 32000-2 Annex F).", default=None)
    object_streams: bool | None = column("The file uses object streams (ISO 32000-2 §7.5.7).", default=None)
    tagged: bool | None = column("The catalog's MarkInfo says the document is tagged.", default=None)
    struct_types: list[TypeCount] | None = column("Structure elements by type, when there is a structure tree.", default=None)
    structure_evidence: list[StructureEvidence] | None = column(
        "What became of tags and article_threads as evidence for blocks, headings, order and tables' cells; refused: why not for more.",
        default=None,
    )
    revisions: int | None = column("How many times the file was saved: 1 plus its incremental updates.", default=None)
    revision_ends: list[Long] | None = column("Byte offset at which each revision ends.", default=None)
    has_obsolete_content: bool | None = column("An incremental update left replaced objects in the file.", default=None)
    page_count: int = column("Pages of the document; as many rows stand in `pages`.")
    encryption: Encryption | None = column(
        "Null when not encrypted. method: RC4, AESV2, AESV3 or none; opened_with: empty, candidate or null; permissions: what is allowed.",
        default=None,
    )
    title: str | None = column("The document's title, chosen from the evidence on its pages and in its metadata.", default=None)
    title_source: str | None = column("Where the title comes from: page, info, xmp, outline or name.", default=None)
    language: str | None = column("Dominant language of the text, ISO 639-1 (zh-cn and zh-tw apart).", default=None)
    language_confidence: float | None = column(
        "Between 0 and 1: how far parts of the text agree, so of a text in several languages about the share of this one.",
        default=None,
    )
    declared_language: str | None = column("The catalog's Lang.", default=None)
    info: Info | None = column("The document information dictionary; dates in ISO 8601 with their own zone.", default=None)
    info_custom: list[InfoEntry] | None = column("Its other keys.", default=None)
    xmp: str | None = column("The catalog's XMP packet as XML, with an XML header.", default=None)
    xmp_size: Long | None = column("Bytes of the packet as it is stored.", default=None)
    xmp_sha256: str | None = column("SHA-256 of the packet as it is stored, in hex.", default=None)
    xmp_properties: list[XmpProperty] | None = column(
        "Top-level properties of the XMP packet by prefixed name, e.g. dc:title.",
        default=None,
    )
    outline: list[OutlineItem] | None = column("Outline items in order.", default=None)
    page_labels: list[str] | None = column("A label for each page when the document defines labels.", default=None)
    javascript: list[Script] | None = column("Scripts found, never executed.", default=None)
    form_fields: list[FormField] | None = column("Terminal form fields: full name, Tx Btn Ch or Sig, values as text.", default=None)
    xfa_packets: list[XfaPacket] | None = column("The packets of an XFA form in order; the joined stream is in `assets`.", default=None)
    xfa_dynamic: bool | None = column(
        "The XFA form lays itself out when it is filled in; its pages may hold no more than a notice.",
        default=None,
    )
    article_threads: list[ArticleThread] | None = column("Article threads with their beads in order.", default=None)
    fonts: list[Font] | None = column("Fonts in use; unicode_source names where their Unicode values come from.", default=None)
    layers: list[Layer] | None = column("Optional content groups with their default visibility.", default=None)
    signatures: list[Signature] | None = column("Digital signatures present (not verified).", default=None)
    is_portfolio: bool | None = column("The catalog has a Collection: a package or portfolio.", default=None)
    collection_fields: list[str] | None = column("Names of the portfolio's schema fields.", default=None)
    named_destinations: list[NamedDestination] | None = column("Named destinations and their pages.", default=None)
    style: BodyStyle | None = column(
        "Body style (dominant font, size and baseline distance in points) and the styles of its headings.",
        default=None,
    )
    inline_images: int | None = column(
        "Inline images drawn on the pages (ISO 32000-2 §8.9.7); null unless images were asked for.",
        default=None,
    )
    annotation_types: list[TypeCount] | None = column("All annotations by type, also those without text, link or file.", default=None)
    fdf_annotations: list[FdfAnnotation] | None = column(
        "Annotations of an FDF or XFDF file, which has no pages; page is that of the target, rect in its user space.",
        default=None,
    )
    fdf_target: str | None = column("The PDF that an FDF or XFDF file refers to.", default=None)
    extractor_version: str = column("Version of pdfmill that wrote the row.")


@row
class PageRow:
    """A page of a document. Key: doc_id, page."""

    doc_id: str = column("The document.")
    page: int = column("Page number from 1.")
    label: str | None = column("Page label (ISO 32000-2 §12.4.2), or the number printed on the page where none is set.", default=None)
    width: float = column("Points, after rotation and cropping.", nullable=True)
    height: float = column("Points, after rotation and cropping.", nullable=True)
    rotation: int = column("The page's Rotate: 0, 90, 180 or 270.", nullable=True)
    user_unit: float = column("UserUnit: size of a unit of user space in points; width, height and all boxes count it in.", nullable=True)
    media_box: list[float] | tuple[float, float, float, float] | None = column(
        "Media box as stored: left, bottom, right, top in PDF user space, without the user unit.",
        default=None,
    )
    crop_box: list[float] | tuple[float, float, float, float] | None = column(
        "Crop box as stored: left, bottom, right, top in PDF user space, without the user unit.",
        default=None,
    )
    status: str = column("ok, partial or failed.")
    error_code: str | None = column("Why the page is not ok (docs/columns.md lists all).", default=None)
    text: str = column("The text in reading order, Unicode NFC; blocks are separated by a blank line.")
    language: str | None = column("Language of the page where its text is long enough.", default=None)
    language_confidence: float | None = column(
        "Between 0 and 1, as for documents; the document's where the page's commonest words show that it is in its language.",
        default=None,
    )
    char_count: int = column("Code points of `text`.")
    column_count: int = column("Columns of running text.")
    needs_ocr: bool = column("The page shows text that its text layer does not give: images only, or untrusted characters.")
    ocr: bool = column("The text is an OCR layer, or was recognised here.")
    ocr_quality: float | None = column(
        "How good recognised text is, 0 to 1: of text recognised here how sure its recogniser was, of an OCR layer how much is words.",
        default=None,
    )
    untrusted_ratio: float | None = column("Share of characters whose Unicode value is a guess.", default=None)
    hidden_text: list[HiddenText] = column("Text a reader does not see, kept out of `text`.", nullable=True)
    words: list[Word] | StructColumns = column("Each word: offsets into `text` and box.", nullable=True)
    word_confidences: list[float] | None = column(
        "How sure the recogniser was of each of `words`, 0 to 1; 1 of those that the page says itself; null where none was read here.",
        default=None,
    )
    unsure_words: int | None = column("Words whose confidence is below 0.6.", default=None)
    annotations: list[Annotation] | list[Row] = column(
        "Annotations that hold text, a link or a file (ISO 32000-2 §12.5); parent: index of a pop-up's or reply's parent on this page.",
        nullable=True,
    )


@row
class Block:
    """One unit that a reader sees, in reading order. Key: doc_id, page, block.

    Layout fills what it knows; `pdfmill.transforms.road.page_rows` adds the document, the place and the language.
    """

    doc_id: str = column("The document.", default="")
    block: int = column("Position in the page's reading order from 1.", default=0)
    page: int = column("Page number from 1.", default=0)
    role: str = column("What the block is (docs/columns.md lists all).")
    level: int | None = column("Heading level, or nesting depth of a list item, from 1.", default=None)
    text: str = column("Its text; equals pages.text[text_start:text_end] when these are set.")
    heading_path: list[str] = column("The headings above it, outermost first.", default_factory=list)
    boxes: list[PageBox] = column("A box for each part of it.", nullable=True)
    text_start: int | None = column("Offset into the page's text; null for furniture that other pages repeat.", default=None)
    text_end: int | None = column("Offset of its end.", default=None)
    continues: bool = column(
        "It carries on the last block of its role on an earlier page: a paragraph, a list item, a table.",
        default=False,
    )
    font: str = column("Font of most of its characters.", nullable=True)
    size: float = column("Font size of most of its characters, points.", nullable=True)
    bold: bool = column("Most of its characters are bold.", nullable=True)
    italic: bool = column("Most of its characters are italic.", nullable=True)
    html: str | None = column(
        'A table as HTML; a header that repeats that of the part before has `<thead class="repeated">`.',
        default=None,
    )
    run_in: str | None = column(
        "A heading in a paragraph's first line: its first words up to a stop, where they alone are bold, italic or small capitals.",
        default=None,
    )
    language: str | None = column(
        "Language of the block where its text is long enough; null where only the page's can be known.",
        default=None,
    )
    language_confidence: float | None = column(
        "Between 0 and 1: how far parts of the text agree, so of a text in several languages about the share of this one.",
        default=None,
    )


@struct
class SectionPlace:
    """A stretch of a section that stands on a page as it is: text[offset : offset + end - start] of the section is text[start:end] of the
    page."""

    page: int = column("Page number from 1.")
    start: int = column("Offset into the page's text.")
    end: int = column("Offset of its end there.")
    offset: int = column("Offset into the section's text.")


@row
class SectionRow:
    """What stands under a heading, cut to a size for engines and language models. Key: doc_id, section."""

    doc_id: str = column("The document.")
    section: int = column("Position in the document from 1.")
    id: str = column("Deterministic id: hash of doc_id and section.")
    heading_path: list[str] = column("The headings above it, its own included, outermost first.")
    text: str = column(
        "Its headings and what stands under them, without running heads and page numbers; blocks are separated by a blank line."
    )
    text_sha256: str = column("SHA-256 of the text in UTF-8, in hex: with the same, what was made of the text can be kept.")
    kind: str = column("text, table, code, contents or references (docs/columns.md lists all).")
    language: str | None = column("Language of most of its text; null where no block is long enough to tell.", default=None)
    first_page: int = column("The page that it begins on.")
    last_page: int = column("The page that it ends on.")
    boxes: list[PageBox] = column("A box for each part of each of its blocks.")
    places: list[SectionPlace] = column(
        "Where its text stands, so that its words can be marked: text[offset : offset + end - start] equals pages.text[start:end] there."
    )


@declared
class AssetRow:
    """Something embedded in a document: an attachment, an image, a thumbnail, an XFA form. Key: doc_id, asset."""

    doc_id: str = column("The document it was found in.")
    asset: int = column("Position among the document's assets from 1.")
    kind: str = column("attachment, image, thumbnail, xfa or rich_media.")
    name: str | None = column("File name or resource name as the document gives it; never used as a path.", default=None)
    page: int | None = column("The page that shows it; null for the document.", default=None)
    mime_type: str | None = column("As stated by the document, else guessed from the bytes.", default=None)
    byte_size: Long | None = column("Bytes as exported.", default=None)
    sha256: str | None = column("SHA-256 of the exported bytes, in hex.", default=None)
    uri: str | None = column("Where the bytes were written; null when they were not asked for.", default=None)
    width: int | None = column("Pixels.", default=None)
    height: int | None = column("Pixels.", default=None)
    filter: str | None = column("The last stream filter (ISO 32000-2 §7.4).", default=None)
    color_space: str | None = column("Colour space family (ISO 32000-2 §8.6).", default=None)
    description: str | None = column("Description given by the document.", default=None)
    created: str | None = column("ISO 8601.", default=None)
    modified: str | None = column("ISO 8601.", default=None)
    boxes: list[PageBox] | None = column("Where it is drawn.", default=None)
    attached_to: str | None = column(
        "What holds an attachment: document, annotation, rich_media, or associated for an associated file (ISO 32000-2 §14.13).",
        default=None,
    )
    stated_size: Long | None = column("Size that the document states for the file; differs from byte_size where it is wrong.", default=None)
    stated_md5: str | None = column("MD5 checksum that the document states for the file, in hex.", default=None)
    relationship: str | None = column(
        "Of an associated file: Source, Data, Alternative, Supplement, ... (ISO 32000-2 §7.11.3).",
        default=None,
    )
    collection_values: list[CollectionValue] | None = column(
        "Of a portfolio's member: the values of the portfolio's schema fields.",
        default=None,
    )
    child_doc_id: str | None = column("Row of `documents` for an attached PDF.", default=None)
