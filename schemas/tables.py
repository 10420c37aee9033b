"""The four Parquet tables: the one source of truth for names, types and meanings.

Every column carries its sentence in the field metadata under the key `doc`. Boxes are in points, origin at the top left of
the rotated, cropped page; pages and levels count from 1; offsets count Unicode code points from 0, the end excluded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from schemas.records import Row, StructColumns


class RowMismatchError(ValueError):
    """A row does not have its table's shape; the message names the table, the column and both sides."""


def _field(name: str, kind: pa.DataType, doc: str, *, nullable: bool = True) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"doc": doc})


def _struct_list(**kinds: pa.DataType) -> pa.DataType:
    return pa.list_(pa.struct([pa.field(name, kind) for name, kind in kinds.items()]))


def _struct(**kinds: pa.DataType) -> pa.DataType:
    return pa.struct([pa.field(name, kind) for name, kind in kinds.items()])


_TEXT: Final = pa.string()
_INT: Final = pa.int32()
_LONG: Final = pa.int64()
_REAL: Final = pa.float32()
_FLAG: Final = pa.bool_()
_TIME: Final = pa.timestamp("us", tz="UTC")
_TEXTS: Final = pa.list_(pa.string())
_BOX: Final[dict[str, pa.DataType]] = {"x0": _REAL, "top": _REAL, "x1": _REAL, "bottom": _REAL}

DOCUMENTS: Final = pa.schema(
    [
        _field("doc_id", _TEXT, "Deterministic id: hash of the source URI; for an attachment of its parent's id and place.", nullable=False),
        _field("parent_doc_id", _TEXT, "The document that this one is attached to, else null."),
        _field("source_uri", _TEXT, "Address of the object in storage.", nullable=False),
        _field("source_etag", _TEXT, "The store's etag, or generation where it has generations."),
        _field("source_size", _LONG, "Bytes as the store listed them."),
        _field("source_modified", _TIME, "The store's last-modified time."),
        _field(
            "web",
            _struct(url=_TEXT, date=_TEXT, digest=_TEXT, truncated=_TEXT),
            "Of a record in a web archive: its URL, time and digest, and why it was cut, where it was (WARC-Truncated). Of a row of a Parquet file: the URL, where a column has it.",
        ),
        _field("content_sha256", _TEXT, "SHA-256 of the bytes that were read, in hex."),
        _field("duplicate_of", _TEXT, "In crawls: the document with the same bytes whose pages, blocks and assets stand for this one's; page_count is 0 here."),
        _field("status", _TEXT, "ok, partial, encrypted, failed or not_pdf (see schemas/codes.py).", nullable=False),
        _field("error_code", _TEXT, "Why the document is not ok, as one word (see schemas/codes.py)."),
        _field("error_message", _TEXT, "The same for a person, naming the object and the reason."),
        _field("warnings", _struct_list(code=_TEXT, page=_INT, message=_TEXT), "Repairs and losses; page is null for the whole document."),
        _field("format", _TEXT, "pdf, fdf or xfdf; what else the bytes look like when they are none of these."),
        _field("pdf_version", _TEXT, "The version that counts: the header's, or the catalog's where it is later (ISO 32000-2 §7.2.2)."),
        _field("header_version", _TEXT, "Version in the file header."),
        _field("header_offset", _LONG, "Bytes before the %PDF- signature."),
        _field("catalog_version", _TEXT, "Version in the document catalog."),
        _field("extension_level", _INT, "Highest extension level in the catalog's Extensions (ISO 32000-2 §7.12)."),
        _field("linearized", _FLAG, "The file is linearized (ISO 32000-2 Annex F)."),
        _field("object_streams", _FLAG, "The file uses object streams (ISO 32000-2 §7.5.7)."),
        _field("tagged", _FLAG, "The catalog's MarkInfo says the document is tagged."),
        _field("struct_types", _struct_list(type=_TEXT, count=_INT), "Structure elements by type, when there is a structure tree."),
        _field(
            "structure_evidence",
            _struct_list(source=_TEXT, used_for=_TEXTS, refused=_TEXT),
            "What became of tags and article_threads as evidence for blocks, headings and order; refused: why they were not used for more.",
        ),
        _field("revisions", _INT, "How many times the file was saved: 1 plus its incremental updates."),
        _field("revision_ends", pa.list_(_LONG), "Byte offset at which each revision ends."),
        _field("has_obsolete_content", _FLAG, "An incremental update left replaced objects in the file."),
        _field("page_count", _INT, "Pages of the document; as many rows stand in `pages`.", nullable=False),
        _field(
            "encryption",
            _struct(handler=_TEXT, method=_TEXT, revision=_INT, key_bits=_INT, opened_with=_TEXT, permissions=_TEXTS),
            "Null when not encrypted. method: RC4, AESV2, AESV3 or none; opened_with: empty, candidate or null; permissions: what is allowed.",
        ),
        _field("title", _TEXT, "The document's title, chosen from the evidence on its pages and in its metadata."),
        _field("title_source", _TEXT, "Where the title comes from: page, info, xmp, outline or name."),
        _field("language", _TEXT, "Dominant language of the text, ISO 639-1 (zh-cn and zh-tw apart)."),
        _field("language_confidence", _REAL, "Between 0 and 1: how far parts of the text agree, so of a text in several languages about the share of this one."),
        _field("declared_language", _TEXT, "The catalog's Lang."),
        _field(
            "info",
            _struct(title=_TEXT, author=_TEXT, subject=_TEXT, keywords=_TEXT, creator=_TEXT, producer=_TEXT, created=_TEXT, modified=_TEXT, trapped=_TEXT),
            "The document information dictionary; dates in ISO 8601 with their own zone.",
        ),
        _field("info_custom", _struct_list(key=_TEXT, value=_TEXT), "Its other keys."),
        _field("xmp", _TEXT, "The catalog's XMP packet as XML, with an XML header."),
        _field("xmp_size", _LONG, "Bytes of the packet as it is stored."),
        _field("xmp_sha256", _TEXT, "SHA-256 of the packet as it is stored, in hex."),
        _field("xmp_properties", _struct_list(name=_TEXT, values=_TEXTS), "Top-level properties of the XMP packet by prefixed name, e.g. dc:title."),
        _field("outline", _struct_list(title=_TEXT, level=_INT, page=_INT, uri=_TEXT), "Outline items in order."),
        _field("page_labels", _TEXTS, "A label for each page when the document defines labels."),
        _field("javascript", _struct_list(location=_TEXT, name=_TEXT, code=_TEXT), "Scripts found, never executed."),
        _field(
            "form_fields",
            _struct_list(name=_TEXT, type=_TEXT, alternate_name=_TEXT, mapping_name=_TEXT, value=_TEXTS, options=_TEXTS, flags=_LONG),
            "Terminal form fields: full name, Tx Btn Ch or Sig, values as text.",
        ),
        _field("xfa_packets", _struct_list(name=_TEXT, byte_size=_LONG), "The packets of an XFA form in order; the joined stream is in `assets`."),
        _field("xfa_dynamic", _FLAG, "The XFA form lays itself out when it is filled in; its pages may hold no more than a notice."),
        _field(
            "article_threads",
            pa.list_(
                pa.struct(
                    [
                        *(pa.field(n, _TEXT) for n in ("title", "author", "subject", "keywords", "created")),
                        pa.field("beads", _struct_list(page=_INT, **_BOX)),
                    ]
                )
            ),
            "Article threads with their beads in order.",
        ),
        _field(
            "fonts",
            _struct_list(name=_TEXT, subtype=_TEXT, encoding=_TEXT, embedded=_FLAG, unicode_source=_TEXT, trusted=_FLAG),
            "Fonts in use; unicode_source names where their Unicode values come from.",
        ),
        _field("layers", _struct_list(name=_TEXT, visible=_FLAG), "Optional content groups with their default visibility."),
        _field("signatures", _struct_list(field=_TEXT, name=_TEXT, subfilter=_TEXT, signed=_TEXT, reason=_TEXT), "Digital signatures present (not verified)."),
        _field("is_portfolio", _FLAG, "The catalog has a Collection: a package or portfolio."),
        _field("collection_fields", _TEXTS, "Names of the portfolio's schema fields."),
        _field("named_destinations", _struct_list(name=_TEXT, page=_INT), "Named destinations and their pages."),
        _field(
            "style",
            pa.struct(
                [
                    pa.field("body_font", _TEXT),
                    pa.field("body_size", _REAL),
                    pa.field("line_spacing", _REAL),
                    pa.field("heading_styles", _struct_list(level=_INT, font=_TEXT, size=_REAL, bold=_FLAG)),
                ]
            ),
            "Body style (dominant font, size and baseline distance in points) and the styles of its headings.",
        ),
        _field("inline_images", _INT, "Inline images drawn on the pages (ISO 32000-2 §8.9.7); null unless images were asked for."),
        _field("annotation_types", _struct_list(type=_TEXT, count=_INT), "All annotations by type, also those without text, link or file."),
        _field(
            "fdf_annotations",
            _struct_list(type=_TEXT, page=_INT, contents=_TEXT, rich_text=_TEXT, author=_TEXT, created=_TEXT, modified=_TEXT, rect=pa.list_(_REAL)),
            "Annotations of an FDF or XFDF file, which has no pages; page is that of the target, rect in its user space.",
        ),
        _field("fdf_target", _TEXT, "The PDF that an FDF or XFDF file refers to."),
        _field("extractor_version", _TEXT, "Version of pdfmill that wrote the row.", nullable=False),
    ],
    metadata={"table": "documents", "key": "doc_id"},
)

PAGES: Final = pa.schema(
    [
        _field("doc_id", _TEXT, "The document.", nullable=False),
        _field("page", _INT, "Page number from 1.", nullable=False),
        _field("label", _TEXT, "Page label (ISO 32000-2 §12.4.2), or the number printed on the page where none is set."),
        _field("width", _REAL, "Points, after rotation and cropping."),
        _field("height", _REAL, "Points, after rotation and cropping."),
        _field("rotation", _INT, "The page's Rotate: 0, 90, 180 or 270."),
        _field("user_unit", _REAL, "UserUnit: size of a unit of user space in points; width, height and all boxes count it in."),
        _field("media_box", pa.list_(_REAL), "Media box as stored: left, bottom, right, top in PDF user space, without the user unit."),
        _field("crop_box", pa.list_(_REAL), "Crop box as stored: left, bottom, right, top in PDF user space, without the user unit."),
        _field("status", _TEXT, "ok, partial or failed.", nullable=False),
        _field("error_code", _TEXT, "Why the page is not ok (see schemas/codes.py)."),
        _field("text", _TEXT, "The text in reading order, Unicode NFC; blocks are separated by a blank line.", nullable=False),
        _field("language", _TEXT, "Language of the page where its text is long enough."),
        _field("language_confidence", _REAL, "Between 0 and 1, as for documents; the document's where the page's commonest words show that it is in its language."),
        _field("char_count", _INT, "Code points of `text`.", nullable=False),
        _field("column_count", _INT, "Columns of running text.", nullable=False),
        _field("needs_ocr", _FLAG, "The page shows text that its text layer does not give: images only, or untrusted characters.", nullable=False),
        _field("ocr", _FLAG, "The text is an OCR layer, or was recognised here.", nullable=False),
        _field("untrusted_ratio", _REAL, "Share of characters whose Unicode value is a guess."),
        _field("hidden_text", _struct_list(reason=_TEXT, text=_TEXT), "Text a reader does not see, kept out of `text`."),
        _field("words", _struct_list(start=_INT, end=_INT, **_BOX), "Each word: offsets into `text` and box."),
        _field(
            "annotations",
            _struct_list(type=_TEXT, contents=_TEXT, rich_text=_TEXT, author=_TEXT, created=_TEXT, modified=_TEXT, uri=_TEXT, target_page=_INT, appearance_text=_TEXT, parent=_INT, **_BOX),
            "Annotations that hold text, a link or a file (ISO 32000-2 §12.5); parent: index of a pop-up's or reply's parent on this page.",
        ),
    ],
    metadata={"table": "pages", "key": "doc_id,page"},
)

BLOCKS: Final = pa.schema(
    [
        _field("doc_id", _TEXT, "The document.", nullable=False),
        _field("block", _INT, "Position in the page's reading order from 1.", nullable=False),
        _field("page", _INT, "Page number from 1.", nullable=False),
        _field("role", _TEXT, "What the block is (see schemas/codes.py).", nullable=False),
        _field("level", _INT, "Heading level, or nesting depth of a list item, from 1."),
        _field("text", _TEXT, "Its text; equals pages.text[text_start:text_end] when these are set.", nullable=False),
        _field("heading_path", _TEXTS, "The headings above it, outermost first.", nullable=False),
        _field("boxes", _struct_list(page=_INT, **_BOX), "A box for each part of it."),
        _field("text_start", _INT, "Offset into the page's text; null for furniture that is left out."),
        _field("text_end", _INT, "Offset of its end."),
        _field("continues", _FLAG, "It carries on the last block of its role on an earlier page: a paragraph, a list item, a table.", nullable=False),
        _field("font", _TEXT, "Font of most of its characters."),
        _field("size", _REAL, "Font size of most of its characters, points."),
        _field("bold", _FLAG, "Most of its characters are bold."),
        _field("italic", _FLAG, "Most of its characters are italic."),
        _field("html", _TEXT, "A table as HTML; a header that repeats that of the part before has `<thead class=\"repeated\">`."),
        _field("run_in", _TEXT, "A heading in a paragraph's first line: its first words up to a stop, where they alone are bold, italic or small capitals."),
        _field("language", _TEXT, "Language of the block where its text is long enough; null where only the page's can be known."),
        _field("language_confidence", _REAL, "Between 0 and 1: how far parts of the text agree, so of a text in several languages about the share of this one."),
    ],
    metadata={"table": "blocks", "key": "doc_id,page,block"},
)

ASSETS: Final = pa.schema(
    [
        _field("doc_id", _TEXT, "The document it was found in.", nullable=False),
        _field("asset", _INT, "Position among the document's assets from 1.", nullable=False),
        _field("kind", _TEXT, "attachment, image, thumbnail, xfa or rich_media.", nullable=False),
        _field("name", _TEXT, "File name or resource name as the document gives it; never used as a path."),
        _field("page", _INT, "The page that shows it; null for the document."),
        _field("mime_type", _TEXT, "As stated by the document, else guessed from the bytes."),
        _field("byte_size", _LONG, "Bytes as exported."),
        _field("sha256", _TEXT, "SHA-256 of the exported bytes, in hex."),
        _field("uri", _TEXT, "Where the bytes were written; null when they were not asked for."),
        _field("width", _INT, "Pixels."),
        _field("height", _INT, "Pixels."),
        _field("filter", _TEXT, "The last stream filter (ISO 32000-2 §7.4)."),
        _field("color_space", _TEXT, "Colour space family (ISO 32000-2 §8.6)."),
        _field("description", _TEXT, "Description given by the document."),
        _field("created", _TEXT, "ISO 8601."),
        _field("modified", _TEXT, "ISO 8601."),
        _field("boxes", _struct_list(page=_INT, **_BOX), "Where it is drawn."),
        _field("attached_to", _TEXT, "What holds an attachment: document, annotation, rich_media, or associated for an associated file (ISO 32000-2 §14.13)."),
        _field("stated_size", _LONG, "Size that the document states for the file; differs from byte_size where it is wrong."),
        _field("stated_md5", _TEXT, "MD5 checksum that the document states for the file, in hex."),
        _field("relationship", _TEXT, "Of an associated file: Source, Data, Alternative, Supplement, ... (ISO 32000-2 §7.11.3)."),
        _field("collection_values", _struct_list(name=_TEXT, value=_TEXT), "Of a portfolio's member: the values of the portfolio's schema fields."),
        _field("child_doc_id", _TEXT, "Row of `documents` for an attached PDF."),
    ],
    metadata={"table": "assets", "key": "doc_id,asset"},
)

TABLES: Final[dict[str, pa.Schema]] = {"documents": DOCUMENTS, "pages": PAGES, "blocks": BLOCKS, "assets": ASSETS}


def to_batch(table: str, rows: Sequence[Row]) -> pa.RecordBatch:
    """Turn rows into one record batch of the table's schema; missing columns become null.

    Raises:
        RowMismatchError: a row has a column the table lacks, a value of another type, or null where none may be.
    """
    schema = TABLES[table]
    known = set(schema.names)
    for row in rows:
        if unknown := row.keys() - known:
            raise RowMismatchError(f"{table}: rows have columns {sorted(unknown)}; the table has {sorted(known)}")
    packed = [name for name in schema.names if any(isinstance(row.get(name), StructColumns) for row in rows)]
    try:
        batch = pa.RecordBatch.from_pylist([row | dict.fromkeys(packed) for row in rows] if packed else list(rows), schema=schema)
        for name in packed:
            place = schema.get_field_index(name)
            batch = batch.set_column(place, schema.field(place), _list_of_structs(schema.field(place).type, [row.get(name) for row in rows]))
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, OverflowError) as error:
        raise RowMismatchError(f"{table}: {_first_misfit(schema, rows)}: {error}") from error
    for column, spec in zip(batch.columns, schema, strict=True):
        if not spec.nullable and column.null_count:
            raise RowMismatchError(f"{table}.{spec.name}: {column.null_count} of {len(rows)} rows are null; none may be")
    return batch


def _list_of_structs(kind: pa.DataType, values: Sequence[object]) -> pa.ListArray:
    """Rows of `StructColumns` (None: a null) as one Arrow array."""
    present = [value for value in values if isinstance(value, StructColumns)]
    fields = [pa.array(np.concatenate([value.fields[field.name] for value in present]), field.type) for field in kind.value_type]
    ends = np.cumsum([0, *(len(value) if isinstance(value, StructColumns) else 0 for value in values)])
    offsets = pa.array(ends, pa.int32(), mask=np.array([*(not isinstance(value, StructColumns) for value in values), False]))
    return pa.ListArray.from_arrays(offsets, pa.StructArray.from_arrays(fields, fields=list(kind.value_type)), type=kind)


def _first_misfit(schema: pa.Schema, rows: Iterable[Row]) -> str:
    for row, spec in ((row, spec) for row in rows for spec in schema):
        try:
            pa.array([row.get(spec.name)], type=spec.type)
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, OverflowError):
            return f"{spec.name}={row.get(spec.name)!r} is no {spec.type}"
    return "no single column"


def column_docs(table: str) -> Iterator[tuple[str, str, str]]:
    """Name, Arrow type and sentence of each column, for the README and `--help`."""
    for spec in TABLES[table]:
        yield spec.name, str(spec.type), spec.metadata[b"doc"].decode()
