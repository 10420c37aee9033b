"""The rows of the five tables: for each column its type and a sentence, declared as in `pdfmill.schemas.declare`.

The Arrow schemas (`schemas.tables`) and the lists of docs/columns.md are made from these. A new column needs one line here, and the line
that fills it. Boxes are in points, origin at the top left of the rotated, cropped page; pages and levels count from 1; offsets count
Unicode code points from 0, the end excluded.

Columns of `documents` that state facts of the file are filled by readers in `transforms.pdf`. Each returns a dictionary of its columns;
if one fails, its columns stay empty. So a row of `documents` is a dictionary until it is complete.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from msgspec import Struct, field

from pdfmill.schemas.declare import NULLABLE, Long, Row, StructColumns


class PageBox(Struct, frozen=True):
    """A rectangle on a page."""

    page: Annotated[int, "The page number, from 1."]
    x0: Annotated[float, "The left side, in points."]
    top: Annotated[float, "The upper side, in points."]
    x1: Annotated[float, "The right side, in points."]
    bottom: Annotated[float, "The lower side, in points."]


class Notice(Struct, frozen=True):
    """A repair of a document, or a loss that left the rest of it readable."""

    code: Annotated[str, "The kind of repair or loss, one of the warning and error codes in docs/columns.md."]
    page: Annotated[int | None, "The page concerned, from 1; null for the whole document."]
    message: Annotated[str, "A sentence that names the object and says what was done or lost."]


class ArchiveRecord(Struct, frozen=True):
    """What a web archive states about a record in it, or a Parquet file about one of its rows."""

    url: Annotated[str | None, "The URL from which the document was fetched."]
    date: Annotated[str | None, "The time at which it was fetched, in ISO 8601."]
    digest: Annotated[str | None, "The digest of the content that the archive states."]
    truncated: Annotated[str | None, "The reason why the archive cut the record (WARC-Truncated); null for a complete one."]


class TypeCount(Struct, kw_only=True):
    """A type of objects, and the number of objects of this type."""

    type: Annotated[str, "The name of the type."]
    count: Annotated[int, "The number of objects of this type."]


class StructureEvidence(Struct, frozen=True):
    """How pdfmill used one kind of evidence that the document contains about its own structure."""

    source: Annotated[str, "The kind of evidence: tags or article_threads."]
    used_for: Annotated[list[str], "What it was used for: blocks, headings, order, tables; empty if it was not used."]
    refused: Annotated[str | None, "The reason why it was not used for more; null if it was used for everything."]


class Encryption(Struct, kw_only=True):
    """The encryption dictionary (ISO 32000-2 §7.6)."""

    handler: Annotated[str | None, "The name of the security handler (Filter)."]
    method: Annotated[str | None, "The method of encryption: RC4, AESV2, AESV3 or none."]
    revision: Annotated[int | None, "The revision of the security handler (R)."]
    key_bits: Annotated[int | None, "The length of the key, in bits."]
    opened_with: Annotated[str | None, "The password that opened the file: empty, or candidate (one of those given); null if none did."]
    permissions: Annotated[list[str] | None, "The actions that the file allows (P)."]


class Info(Struct, kw_only=True):
    """The document information dictionary (ISO 32000-2 §14.3.3)."""

    title: Annotated[str | None, "The stated title."]
    author: Annotated[str | None, "The stated author."]
    subject: Annotated[str | None, "The stated subject."]
    keywords: Annotated[str | None, "The stated keywords, as one text."]
    creator: Annotated[str | None, "The program in which the original was written."]
    producer: Annotated[str | None, "The program that made the PDF."]
    created: Annotated[str | None, "The date of creation (CreationDate), in ISO 8601."]
    modified: Annotated[str | None, "The date of the last change (ModDate), in ISO 8601."]
    trapped: Annotated[str | None, "Whether the file has trapping for printing: True, False or Unknown."]


class InfoEntry(Struct, kw_only=True):
    """An entry of the document information dictionary whose key is not one of the standard's."""

    key: Annotated[str, "The name of the entry."]
    value: Annotated[str | None, "The value of the entry, as text."]


class XmpProperty(Struct, kw_only=True):
    """A property of the XMP packet (metadata in XML)."""

    name: Annotated[str, "The name of the property with its prefix, e.g. dc:title."]
    values: Annotated[list[str], "The values of the property, in order."]


class OutlineItem(Struct, kw_only=True):
    """An item of the outline, the bookmarks (ISO 32000-2 §12.3.3)."""

    title: Annotated[str | None, "The text of the item."]
    level: Annotated[int, "The depth of the item, from 1."]
    page: Annotated[int | None, "The page that the item leads to, from 1; null if it leads to none in this document."]
    uri: Annotated[str | None, "The address that the item opens, if it opens one."]


class Script(Struct, kw_only=True):
    """A JavaScript program in the document (ISO 32000-2 §12.6.4.17)."""

    location: Annotated[str | None, "The place to which the script is attached."]
    name: Annotated[str | None, "The name of the script, or the event that runs it."]
    code: Annotated[str | None, "The program text."]


class FormField(Struct, kw_only=True):
    """A terminal field of a form (ISO 32000-2 §12.7)."""

    name: Annotated[str | None, "The full name of the field, with the names of the fields above it."]
    type: Annotated[str | None, "The type of the field: Tx (text), Btn (button), Ch (choice) or Sig (signature)."]
    alternate_name: Annotated[str | None, "The name that readers show to people (TU)."]
    mapping_name: Annotated[str | None, "The name that is used for export (TM)."]
    value: Annotated[list[str] | None, "The values of the field, as text."]
    options: Annotated[list[str] | None, "The options that can be chosen."]
    flags: Annotated[Long | None, "The field's flags (Ff), bits of ISO 32000-2 tables 227 to 233."]


class XfaPacket(Struct, kw_only=True):
    """A packet of an XFA form (a form in XML)."""

    name: Annotated[str | None, "The name of the packet."]
    byte_size: Annotated[Long | None, "The length of the packet, in bytes."]


class ArticleThread(Struct, kw_only=True):
    """An article thread: an article that continues from area to area (ISO 32000-2 §12.4.3)."""

    title: Annotated[str | None, "The title of the article."]
    author: Annotated[str | None, "The author of the article."]
    subject: Annotated[str | None, "The subject of the article."]
    keywords: Annotated[str | None, "The keywords of the article, as one text."]
    created: Annotated[str | None, "The date of creation, in ISO 8601."]
    beads: Annotated[list[PageBox] | None, "The areas on pages that the article runs through, in reading order."]


class Font(Struct, kw_only=True):
    """A font that the document uses."""

    name: Annotated[str | None, "The PostScript name of the font, without its subset prefix."]
    subtype: Annotated[str | None, "The type of the font: Type1, TrueType, Type0, Type3, ..."]
    encoding: Annotated[str | None, "The name of the font's encoding or CMap."]
    embedded: Annotated[bool | None, "True if the font program is in the file."]
    unicode_source: Annotated[str | None, "The source of the Unicode values of the font's characters, e.g. its ToUnicode map."]
    trusted: Annotated[bool | None, "True if these Unicode values are reliable."]
    recognized: Annotated[
        str | None,
        "With --ocr, the characters learned for codes with wrong Unicode values: `41=a 42=b`, codes in hexadecimal.",
    ]


class Layer(Struct, kw_only=True):
    """A layer: an optional content group (ISO 32000-2 §8.11)."""

    name: Annotated[str | None, "The name of the layer."]
    visible: Annotated[bool | None, "True if the layer is shown by default."]


class Signature(Struct, kw_only=True):
    """A digital signature, which pdfmill does not verify (ISO 32000-2 §12.8)."""

    field: Annotated[str | None, "The full name of the signature's form field."]
    name: Annotated[str | None, "The person or authority that signed."]
    subfilter: Annotated[str | None, "The encoding of the signature."]
    signed: Annotated[str | None, "The time of signing, in ISO 8601."]
    reason: Annotated[str | None, "The stated reason for signing."]


class NamedDestination(Struct, kw_only=True):
    """A named destination (ISO 32000-2 §12.3.2.4)."""

    name: Annotated[str, "The name of the destination."]
    page: Annotated[int | None, "The page of the destination, from 1."]


class HeadingStyle(Struct, frozen=True):
    """The text style of the headings of one level."""

    level: Annotated[int, "The heading level, from 1."]
    font: Annotated[str, "The PostScript name of the font."]
    size: Annotated[float, "The font size, in points."]
    bold: Annotated[bool, "True if these headings are bold."]


class BodyStyle(Struct, frozen=True):
    """The text style of the document's running text, and the styles of its headings."""

    body_font: Annotated[str, "The PostScript name of the font that most of the text has."]
    body_size: Annotated[float, "The font size of most of the text, in points."]
    line_spacing: Annotated[float | None, "The distance between baselines, in points; null if unknown."]
    heading_styles: Annotated[list[HeadingStyle], "The styles of the headings, by level and then by how often they occur."]


class FdfAnnotation(Struct, kw_only=True):
    """An annotation in an FDF or XFDF file, which belongs to a page of another PDF."""

    type: Annotated[str | None, "The type of the annotation (Subtype)."]
    page: Annotated[int | None, "The page of the PDF that it belongs to, from 1."]
    contents: Annotated[str | None, "The text of the annotation."]
    rich_text: Annotated[str | None, "The rich text of the annotation, as plain text."]
    author: Annotated[str | None, "The person who made it."]
    created: Annotated[str | None, "The time of creation, in ISO 8601."]
    modified: Annotated[str | None, "The time of the last change, in ISO 8601."]
    rect: Annotated[list[float] | None, "The rectangle left, bottom, right, top in the user space of the page that it belongs to."]


class HiddenText(Struct, frozen=True):
    """Text on a page that a reader of the page does not see."""

    reason: Annotated[str, "The reason why it is not seen: invisible, outside_page, same_color, clipped or hidden_layer."]
    text: Annotated[str, "The text."]


class Word(Struct, kw_only=True):
    """A word of a page, with its offsets into the page's text."""

    start: Annotated[int, "The offset of the first character in the page's text."]
    end: Annotated[int, "The offset after the last character."]
    x0: Annotated[float, "The left side, in points."]
    top: Annotated[float, "The upper side, in points."]
    x1: Annotated[float, "The right side, in points."]
    bottom: Annotated[float, "The lower side, in points."]


class Annotation(Struct, kw_only=True):
    """An annotation that holds text, a link or a file (ISO 32000-2 §12.5)."""

    type: Annotated[str | None, "The type of the annotation (Subtype)."]
    contents: Annotated[str | None, "The text of the annotation."]
    rich_text: Annotated[str | None, "The rich text of the annotation, as plain text."]
    author: Annotated[str | None, "The person who made it."]
    created: Annotated[str | None, "The time of creation, in ISO 8601."]
    modified: Annotated[str | None, "The time of the last change, in ISO 8601."]
    uri: Annotated[str | None, "The address that a link opens."]
    target_page: Annotated[int | None, "The page that a link leads to, from 1."]
    appearance_text: Annotated[str | None, "The text that the annotation shows on the page."]
    parent: Annotated[int | None, "For a pop-up or a reply, the index of the annotation to which it belongs, from 0 on this page."]
    x0: Annotated[float | None, "The left side, in points."]
    top: Annotated[float | None, "The upper side, in points."]
    x1: Annotated[float | None, "The right side, in points."]
    bottom: Annotated[float | None, "The lower side, in points."]


class CollectionValue(Struct, kw_only=True):
    """A value of a portfolio's schema for one of its members (ISO 32000-2 §12.3.5)."""

    name: Annotated[str, "The name of the schema's field."]
    value: Annotated[str | None, "The value of the field, as text."]


class DocumentRow(Struct, kw_only=True):
    """An object in storage, or a PDF attached to one, even if it could not be read. Key: doc_id."""

    doc_id: Annotated[
        str, "The document's id: a hash of its source address or, for an attached PDF, of its parent's id and its position there."
    ]
    parent_doc_id: Annotated[str | None, "The document to which this one is attached; null for an object in storage."] = None
    source_uri: Annotated[str, "The address of the object in storage."]
    file_name: Annotated[str | None, "The last part of that address in readable form: decoded, without folders and query."] = None
    source_etag: Annotated[str | None, "The etag of the object in its store, or the generation where the store has generations."] = None
    source_size: Annotated[Long | None, "The size of the object in bytes, as the store listed it."] = None
    source_modified: Annotated[datetime | None, "The time of the object's last change, as the store listed it."] = None
    web: Annotated[
        ArchiveRecord | None,
        "The facts that a web archive states about this record; for a row of a Parquet file its URL.",
    ] = None
    content_sha256: Annotated[str | None, "The SHA-256 of the bytes that were read, in hex."] = None
    duplicate_of: Annotated[
        str | None, "In crawls, the document with the same bytes that has the pages, blocks and assets; page_count is 0 here."
    ] = None
    status: Annotated[str, "The result of reading: ok, partial, encrypted, failed or not_pdf (docs/columns.md explains them)."]
    error_code: Annotated[str | None, "The reason why the document is not ok, as one word (docs/columns.md lists all)."] = None
    error_message: Annotated[str | None, "The same reason as a sentence, which names the object."] = None
    warnings: Annotated[list[Notice] | None, "The repairs and losses; page is null for the whole document."] = None
    format: Annotated[str | None, "The format: pdf, fdf or xfdf; for other files the format that their bytes suggest."] = None
    pdf_version: Annotated[
        str | None, "The version of PDF that applies: that of the header, or that of the catalog if it is later (ISO 32000-2 §7.2.2)."
    ] = None
    header_version: Annotated[str | None, "The version of PDF in the file header."] = None
    header_offset: Annotated[Long | None, "The number of bytes before the signature %PDF-."] = None
    catalog_version: Annotated[str | None, "The version of PDF in the document catalog."] = None
    extension_level: Annotated[int | None, "The highest extension level in the catalog's Extensions (ISO 32000-2 §7.12)."] = None
    linearized: Annotated[bool | None, "True if the file is linearized (ISO 32000-2 Annex F)."] = None
    object_streams: Annotated[bool | None, "True if the file uses object streams (ISO 32000-2 §7.5.7)."] = None
    tagged: Annotated[bool | None, "True if the catalog's MarkInfo says that the document is tagged."] = None
    struct_types: Annotated[list[TypeCount] | None, "The number of structure elements by type; null without a structure tree."] = None
    structure_evidence: Annotated[
        list[StructureEvidence] | None,
        "The use that pdfmill made of tags and article threads.",
    ] = None
    revisions: Annotated[int | None, "The number of times the file was saved: 1 plus its incremental updates."] = None
    revision_ends: Annotated[list[Long] | None, "The byte offset at which each revision ends."] = None
    has_obsolete_content: Annotated[bool | None, "True if an incremental update left objects in the file that it replaced."] = None
    page_count: Annotated[int, "The number of pages of the document, and of its rows in `pages`."]
    encryption: Annotated[
        Encryption | None,
        "The encryption of the file; null if it is not encrypted.",
    ] = None
    title: Annotated[str | None, "The title of the document, chosen from the evidence on its pages and in its metadata."] = None
    title_source: Annotated[
        str | None, "The source of the title: page (a heading there), first_page (its largest type) or info (the metadata)."
    ] = None
    author: Annotated[str | None, "The author that `info` states."] = None
    created: Annotated[
        datetime | None, "The date of creation that `info` states, in UTC; null if it states none, or if the text is no date."
    ] = None
    modified: Annotated[datetime | None, "The date of the last change that `info` states, in UTC; null as for `created`."] = None
    language: Annotated[str | None, "The language of most of the text, by its ISO 639-1 code; zh-cn and zh-tw are told apart."] = None
    language_confidence: Annotated[
        float | None, "The language's probability, 0 to 1; for a text in several languages about the share of this one."
    ] = None
    declared_language: Annotated[str | None, "The language that the catalog declares (Lang)."] = None
    info: Annotated[Info | None, "The document information dictionary; dates are in ISO 8601 with their own time zone."] = None
    info_custom: Annotated[list[InfoEntry] | None, "The entries of the document information dictionary that have other keys."] = None
    xmp: Annotated[str | None, "The catalog's XMP packet as XML, with an XML header."] = None
    xmp_size: Annotated[Long | None, "The size of the XMP packet as it is stored, in bytes."] = None
    xmp_sha256: Annotated[str | None, "The SHA-256 of the XMP packet as it is stored, in hex."] = None
    xmp_properties: Annotated[
        list[XmpProperty] | None, "The top-level properties of the XMP packet by name with prefix, e.g. dc:title."
    ] = None
    outline: Annotated[list[OutlineItem] | None, "The items of the outline (bookmarks), in order."] = None
    page_labels: Annotated[list[str] | None, "The label of each page; null if the document defines no labels."] = None
    javascript: Annotated[list[Script] | None, "The scripts in the document; they are never executed."] = None
    form_fields: Annotated[list[FormField] | None, "The fields of the form that hold values, in order."] = None
    xfa_packets: Annotated[list[XfaPacket] | None, "The packets of an XFA form, in order; the joined stream is in `assets`."] = None
    xfa_dynamic: Annotated[
        bool | None, "True if the XFA form lays itself out when it is filled in, so that its pages may hold only a notice."
    ] = None
    article_threads: Annotated[list[ArticleThread] | None, "The article threads, in order."] = None
    fonts: Annotated[list[Font] | None, "The fonts that the document uses."] = None
    layers: Annotated[list[Layer] | None, "The layers (optional content groups), with their default visibility."] = None
    signatures: Annotated[list[Signature] | None, "The digital signatures in the document, which are not verified."] = None
    is_portfolio: Annotated[bool | None, "True if the document is a portfolio: its catalog has a Collection."] = None
    collection_fields: Annotated[list[str] | None, "The names of the fields of the portfolio's schema."] = None
    named_destinations: Annotated[list[NamedDestination] | None, "The named destinations and their pages."] = None
    style: Annotated[BodyStyle | None, "The style of the running text, and the styles of headings."] = None
    inline_images: Annotated[
        int | None, "The number of inline images that the pages draw (ISO 32000-2 §8.9.7); null unless images are exported."
    ] = None
    annotation_types: Annotated[
        list[TypeCount] | None, "The number of annotations by type, including those without text, link or file."
    ] = None
    fdf_annotations: Annotated[
        list[FdfAnnotation] | None,
        "The annotations of an FDF or XFDF file, which has no pages of its own.",
    ] = None
    fdf_target: Annotated[str | None, "The PDF to which an FDF or XFDF file refers."] = None
    extractor_version: Annotated[str, "The version of pdfmill that wrote the row."]


class PageRow(Struct, kw_only=True):
    """A page of a document. Key: doc_id, page."""

    doc_id: Annotated[str, "The id of the document."]
    page: Annotated[int, "The page number, from 1."]
    label: Annotated[str | None, "The page label (ISO 32000-2 §12.4.2) or, if the document sets none, the number printed on the page."] = (
        None
    )
    width: Annotated[float, "The width of the page as displayed, in points.", NULLABLE]
    height: Annotated[float, "The height of the page as displayed, in points.", NULLABLE]
    rotation: Annotated[int, "The stated rotation of the page (Rotate): 0, 90, 180 or 270.", NULLABLE]
    user_unit: Annotated[
        float, "The size of a unit of user space in points (UserUnit); width, height and all boxes already include it.", NULLABLE
    ]
    media_box: Annotated[
        list[float] | tuple[float, float, float, float] | None,
        "The media box as stored: left, bottom, right, top in PDF user space, without the user unit.",
    ] = None
    crop_box: Annotated[
        list[float] | tuple[float, float, float, float] | None,
        "The crop box as stored: left, bottom, right, top in PDF user space, without the user unit.",
    ] = None
    status: Annotated[str, "The result of reading the page: ok, partial or failed."]
    error_code: Annotated[str | None, "The reason why the page is not ok, as one word (docs/columns.md lists all)."] = None
    text: Annotated[str, "The text in reading order, in Unicode NFC; blocks are separated by a blank line."]
    language: Annotated[str | None, "The language of the page, by its ISO 639-1 code; null if its text is too short to tell."] = None
    language_confidence: Annotated[
        float | None, "The language's probability, 0 to 1; that of the document if frequent words show that the page is in its language."
    ] = None
    char_count: Annotated[int, "The number of characters (code points) of `text`."]
    column_count: Annotated[int, "The number of columns of running text."]
    needs_ocr: Annotated[bool, "True if the page shows text that its text layer lacks: it has only images, or untrusted characters."]
    ocr: Annotated[bool, "True if the text is an OCR layer of the file, or was recognised by pdfmill."]
    ocr_quality: Annotated[
        float | None,
        "The quality of recognised text, 0 to 1: the recogniser's confidence or, for an OCR layer of the file, the share of words in it.",
    ] = None
    untrusted_ratio: Annotated[float | None, "The share of characters whose Unicode value is a guess, 0 to 1."] = None
    hidden_text: Annotated[list[HiddenText], "The text that a reader of the page does not see, which `text` leaves out.", NULLABLE]
    words: Annotated[list[Word] | StructColumns, "The words of the page, with their offsets into `text` and their boxes.", NULLABLE]
    word_confidences: Annotated[
        list[float] | None,
        "The recogniser's confidence in each of `words`, 0 to 1; 1 for words of the file; null if none was recognised.",
    ] = None
    unsure_words: Annotated[int | None, "The number of words whose confidence is below 0.6."] = None
    annotations: Annotated[
        list[Annotation] | list[Row],
        "The annotations that hold text, a link or a file (ISO 32000-2 §12.5).",
        NULLABLE,
    ]


class Block(Struct, kw_only=True):
    """A unit of a page as a reader sees it, such as a paragraph, a heading or a table. Blocks are in reading order. Key: doc_id, page,
    block.

    The layout fills most columns; `pdfmill.transforms.road.page_rows` adds the document, the page and the language.
    """

    doc_id: Annotated[str, "The id of the document."] = ""
    block: Annotated[int, "The position of the block in the page's reading order, from 1."] = 0
    page: Annotated[int, "The page number, from 1."] = 0
    role: Annotated[str, "The role of the block (docs/columns.md lists all)."]
    level: Annotated[int | None, "The heading level, or the nesting depth of a list item, from 1; null for other roles."] = None
    text: Annotated[str, "The text of the block; it equals pages.text[text_start:text_end] if these are set."]
    heading_path: Annotated[list[str], "The headings above the block, outermost first."] = field(default_factory=list)
    boxes: Annotated[list[PageBox], "The boxes of the block's parts.", NULLABLE]
    text_start: Annotated[
        int | None, "The offset of its first character in the page's text; null for running heads and the like, left out there."
    ] = None
    text_end: Annotated[int | None, "The offset after its last character in the page's text."] = None
    continues: Annotated[bool, "True if the block continues a paragraph, list item or table that began on an earlier page."] = False
    font: Annotated[str, "The font of most of the block's characters.", NULLABLE]
    size: Annotated[float, "The font size of most of the block's characters, in points.", NULLABLE]
    bold: Annotated[bool, "True if most of the block's characters are bold.", NULLABLE]
    italic: Annotated[bool, "True if most of the block's characters are italic.", NULLABLE]
    html: Annotated[str | None, 'The table as HTML; a header that repeats that of an earlier page has `<thead class="repeated">`.'] = None
    run_in: Annotated[
        str | None,
        "A heading within a paragraph's first line: its first words, up to a stop, if only they are bold, italic or small capitals.",
    ] = None
    language: Annotated[str | None, "The language of the block, by its ISO 639-1 code; null if its text is too short to tell."] = None
    language_confidence: Annotated[
        float | None, "The language's probability, 0 to 1; for a text in several languages about the share of this one."
    ] = None


class SectionPlace(Struct, frozen=True):
    """A stretch of a section's text that a page contains unchanged: text[offset : offset + end - start] of the section equals
    text[start:end] of the page."""

    page: Annotated[int, "The page number, from 1."]
    start: Annotated[int, "The offset in the page's text where the stretch begins."]
    end: Annotated[int, "The offset in the page's text where the stretch ends."]
    offset: Annotated[int, "The offset in the section's text where the stretch begins."]


class SectionRow(Struct, kw_only=True):
    """The text under a heading, cut to a size that search engines and language models take. Key: doc_id, section."""

    doc_id: Annotated[str, "The id of the document."]
    section: Annotated[int, "The position of the section in the document, from 1."]
    id: Annotated[str, "The section's id, a hash of doc_id and section."]
    heading_path: Annotated[list[str], "The headings above the section and its own, outermost first."]
    text: Annotated[
        str, "The section's headings and the text under them, without running heads and page numbers; blank lines separate blocks."
    ]
    text_sha256: Annotated[
        str, "The SHA-256 of the text in UTF-8, in hex; while it is the same, results computed from the text stay valid."
    ]
    kind: Annotated[str, "The kind of the section: text, table, code, contents or references (docs/columns.md explains them)."]
    language: Annotated[str | None, "The language of most of the text; null if no block is long enough to tell."] = None
    first_page: Annotated[int, "The page that the section begins on, from 1."]
    last_page: Annotated[int, "The page that the section ends on, from 1."]
    boxes: Annotated[list[PageBox], "The boxes of the parts of the section's blocks."]
    places: Annotated[
        list[SectionPlace],
        "The stretches of pages where the section's text is, so that its words can be marked there.",
    ]


class AssetRow(Struct, kw_only=True):
    """A file or image embedded in a document: an attachment, an image, a thumbnail or an XFA form. Key: doc_id, asset."""

    doc_id: Annotated[str, "The id of the document that contains the asset."]
    asset: Annotated[int, "The position of the asset among those of the document, from 1."]
    kind: Annotated[str, "The kind of the asset: attachment, image, thumbnail, xfa or rich_media."]
    name: Annotated[str | None, "The file name or resource name that the document gives; it is never used as a path."] = None
    page: Annotated[int | None, "The page that shows the asset, from 1; null if it belongs to the whole document."] = None
    mime_type: Annotated[str | None, "The MIME type that the document states, else one guessed from the bytes."] = None
    byte_size: Annotated[Long | None, "The size in bytes as exported."] = None
    sha256: Annotated[str | None, "The SHA-256 of the exported bytes, in hex."] = None
    uri: Annotated[str | None, "The address to which the bytes were written; null if they were not exported."] = None
    width: Annotated[int | None, "The width in pixels."] = None
    height: Annotated[int | None, "The height in pixels."] = None
    filter: Annotated[str | None, "The last stream filter of the image (ISO 32000-2 §7.4)."] = None
    color_space: Annotated[str | None, "The family of the image's colour space (ISO 32000-2 §8.6)."] = None
    description: Annotated[str | None, "The description that the document gives."] = None
    created: Annotated[datetime | None, "The date of creation that the document states for an attachment, in UTC."] = None
    modified: Annotated[datetime | None, "The date of the last change that the document states for an attachment, in UTC."] = None
    boxes: Annotated[list[PageBox] | None, "The boxes in which pages draw the image."] = None
    attached_to: Annotated[
        str | None, "The holder of an attachment: document, annotation, rich_media, or associated (ISO 32000-2 §14.13, associated files)."
    ] = None
    stated_size: Annotated[
        Long | None, "The size in bytes that the document states for the file; where it is wrong, it differs from byte_size."
    ] = None
    stated_md5: Annotated[str | None, "The MD5 checksum that the document states for the file, in hex."] = None
    relationship: Annotated[
        str | None, "The relation of an associated file: Source, Data, Alternative, Supplement, ... (ISO 32000-2 §7.11.3)."
    ] = None
    collection_values: Annotated[
        list[CollectionValue] | None, "For a member of a portfolio, its values of the portfolio's schema fields."
    ] = None
    child_doc_id: Annotated[str | None, "For an attached PDF, its doc_id in `documents`."] = None
