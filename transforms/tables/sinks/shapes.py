"""Convert exported rows to the forms of other programs, by pure functions from a row to JSON values.
Vector stores keep only flat metadata: headings become one text, and boxes JSON, `[[page, x0, top, x1, bottom], ...]` in points from the top
left of the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from pdfmill.schemas.records import Row

#: Separates the headings of a path in one text.
PATH_SIGN: Final = " > "
#: Fields for programs: they are not shown to a language model and not used for embeddings.
_FOR_PROGRAMS: Final = ("boxes", "doc_id", "id", "text_sha256")
#: Fields that `metadata` does not copy: it gives them another name, or leaves them out.
_NOT_BESIDE: Final = ("id", "text", "boxes", "heading_path", "source_uri", "first_page", "page", "embedding")


def metadata(row: Row) -> dict[str, Any]:
    """Return the metadata that goes with a row's text: flat values, with source, page (from 1) and boxes for a citation. Nulls are left
    out."""
    page = row.get("first_page", row.get("page"))
    told: dict[str, Any] = {"source": row.get("source_uri"), "page": page}
    told |= {name: value for name, value in row.items() if name not in _NOT_BESIDE and not isinstance(value, list | dict)}
    if row.get("heading_path"):
        told["headings"] = PATH_SIGN.join(_texts(row["heading_path"]))
    if row.get("boxes"):
        told["boxes"] = json.dumps(flat_boxes(row["boxes"]))
    return {name: value for name, value in told.items() if value is not None}


def passage(row: Row) -> str:
    """Return a row's text after its headings, which are joined on one line, without those with which the text begins.

    >>> passage({"heading_path": ["Plans", "Bridges"], "text": "Bridges\\n\\nTwo are closed."})
    'Plans\\n\\nBridges\\n\\nTwo are closed.'
    >>> passage({"heading_path": ["Plans", "Bridges"], "text": "They open in May."})
    'Plans > Bridges\\n\\nThey open in May.'
    """
    text, path = str(row.get("text") or ""), _texts(row.get("heading_path") or ())
    begin = " ".join(text.split())
    above = next((path[:place] for place, heading in enumerate(path) if begin.startswith(" ".join(heading.split()))), path)
    return f"{PATH_SIGN.join(above)}\n\n{text}" if above else text


def flat_boxes(boxes: Any) -> list[list[float]]:
    """Return boxes as lists: page, x0, top, x1, bottom.

    >>> flat_boxes([{"page": 1, "x0": 72.0, "top": 80.5, "x1": 300.0, "bottom": 120.0}])
    [[1, 72.0, 80.5, 300.0, 120.0]]
    """
    return [[round(box[side], _TENTHS) for side in ("page", "x0", "top", "x1", "bottom")] for box in boxes]


#: Decimals of coordinates in points; more are not needed to mark text on a page.
_TENTHS: Final = 1


def _texts(value: Any) -> list[str]:
    return [str(each) for each in value]


def plain(row: Row) -> Row:
    """Return the row unchanged, for the form that has pdfmill's own fields."""
    return row


def langchain(row: Row) -> Row:
    """Return the arguments of LangChain's Document (`langchain_core.documents.Document(**row)`), which has no field for an embedding."""
    return {"id": row["id"], "page_content": passage(row), "metadata": metadata(row), "type": "Document"}


def llamaindex(row: Row) -> Row:
    """Return LlamaIndex's node as a dictionary (`llama_index.core.schema.TextNode.from_dict(row)`). Relationship 1 is the source, type 4 a
    document."""
    told = metadata(row)
    hidden = [name for name in _FOR_PROGRAMS if name in told]
    return {
        "id_": row["id"],
        "text": passage(row),
        "metadata": told,
        "excluded_embed_metadata_keys": [*hidden, *(name for name in ("headings", "page", "page_count", "snapshot") if name in told)],
        "excluded_llm_metadata_keys": [*hidden, *(["headings"] if "headings" in told else [])],
        "relationships": {"1": {"node_id": row["doc_id"], "node_type": "4", "metadata": {}, "class_name": "RelatedNodeInfo"}},
        "class_name": "TextNode",
        **({"embedding": row["embedding"]} if "embedding" in row else {}),
    }


def haystack(row: Row) -> Row:
    """Return Haystack's Document as a dictionary (`haystack.Document.from_dict(row)`)."""
    told = {"id": row["id"], "content": passage(row), "meta": metadata(row)}
    return told | ({"embedding": row["embedding"]} if "embedding" in row else {})


#: The conversion of rows for each sink that writes JSON lines, by the sink's name.
LINES: Final[Mapping[str, Callable[[Row], Row]]] = {
    "ndjson": plain, "langchain": langchain, "llamaindex": llamaindex, "haystack": haystack,
}  # fmt: skip

#: Languages for which Solr's `_default` configuration has a type `*_txt_LANGUAGE` (Solr reference guide, "Language analysis").
_SOLR_LANGUAGES: Final = frozenset({
    "ar", "bg", "ca", "cz", "da", "de", "el", "en", "es", "et", "eu", "fa", "fi", "fr", "ga", "gl", "hi", "hu", "hy", "id", "it", "ja",
    "lv", "nl", "no", "pt", "ro", "ru", "sv", "th", "tr",
})  # fmt: skip
#: Solr's names of languages for which they are not ISO 639-1 codes.
_SOLR_NAMES: Final = {"cs": "cz", "ko": "cjk", "zh": "cjk", "zh-cn": "cjk", "zh-tw": "cjk"}
_SOLR_TEXTS: Final = ("title", "text", "heading_path")


def solr(row: Row) -> Row:
    """Return a document for dynamic fields of Solr's `_default` configuration: `*_s`, `*_i`, ...; texts become `*_txt` and
    `*_txt_LANGUAGE`."""
    told: Row = {"id": row["id"]}
    language = _SOLR_NAMES.get(str(row.get("language")), str(row.get("language")))
    for name, value in row.items():
        if value is None or name in ("id", "embedding"):
            continue
        if name in _SOLR_TEXTS:
            told[f"{name}_txt"] = value
            if language in _SOLR_LANGUAGES or language == "cjk":
                told[f"{name}_txt_{language}"] = value
        else:
            told[_solr_name(name, value)] = json.dumps(value) if _is_nested(value) else value
    return told


def _solr_name(name: str, value: Any) -> str:
    if isinstance(value, list) and not _is_nested(value):
        return f"{name}_ss"
    ends = {bool: "b", int: "l", float: "f"}
    return f"{name}_{ends.get(type(value), 's')}"


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(each, list | dict) for each in value))


def vespa(row: Row) -> Row:
    """Return the fields of a Vespa document; nulls are left out, because Vespa has none."""
    told = {name: value for name, value in row.items() if value is not None and name != "embedding"}
    return told | ({"embedding": {"values": row["embedding"]}} if "embedding" in row else {})
