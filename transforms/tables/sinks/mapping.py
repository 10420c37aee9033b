"""The mapping of a search engine's index: a type for each field, and an analyser for each language."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import pyarrow as pa

from pdfmill.schemas.records import Row
from pdfmill.transforms.tables.sinks.fields import DOCUMENT_LANGUAGE

#: Built-in analysers of OpenSearch and Elasticsearch (manual, "Language analyzers") by language code.
ANALYSERS: Final[Mapping[str, str]] = {
    "ar": "arabic", "bg": "bulgarian", "bn": "bengali", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish",
    "gl": "galician", "hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "ja": "cjk", "ko": "cjk",
    "lt": "lithuanian", "lv": "latvian", "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "th": "thai", "tr": "turkish", "zh": "cjk", "zh-cn": "cjk", "zh-tw": "cjk",
}  # fmt: skip
#: Fields that are searched as text. Each is indexed twice: by an analyser for all languages, and by that of the row's language.
SEARCHED: Final = ("title", "heading_path", "text")
#: Characters above which a value is stored but cannot be used in filters: a term has at most 32,766 bytes (Lucene), a character at most 4.
_LONGEST_TERM: Final = 8191

#: The analyser for any language: words of all scripts, ignoring case and accents.
_FOLDED: Final = {"type": "custom", "tokenizer": "standard", "filter": ["lowercase", "asciifolding"]}

_TYPES: Final = {"int32": "integer", "int64": "long", "float": "float", "bool": "boolean"}


def language_field(name: str, analyser: str) -> str:
    """Return the name of the field that indexes the text of the field `name` by the analyser of its language.

    >>> language_field("text", "english")
    'text_english'
    """
    return f"{name}_{analyser}"


def index_body(fields: pa.Schema, meta: Mapping[str, Any], embedding: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the body of the request that creates an index of OpenSearch or Elasticsearch: its settings and mapping.
    fields: schema of a row. meta: values for `_meta`. embedding: the mapping of the field `embedding`; None if rows have none."""
    properties: dict[str, Any] = {each.name: _field(each) for each in fields}
    for name in (each.name for each in fields if each.name in SEARCHED):
        properties |= {language_field(name, each): {"type": "text", "analyzer": each} for each in sorted(set(ANALYSERS.values()))}
    properties["snapshot"] = {"type": "long"}
    settings: dict[str, Any] = {"analysis": {"analyzer": {"folded": _FOLDED}}}
    if embedding:
        properties["embedding"] = embedding
        settings["index"] = {"knn": True} if embedding["type"] == "knn_vector" else {}
    return {"settings": settings, "mappings": {"dynamic": "strict", "_meta": dict(meta), "properties": properties}}


def _field(each: pa.Field) -> dict[str, Any]:
    kind = each.type.value_type if pa.types.is_list(each.type) else each.type
    if each.name in SEARCHED:
        return {"type": "text", "analyzer": "folded", "fields": {"exact": _keyword()}}
    if pa.types.is_timestamp(kind):
        return {"type": "date"}
    if pa.types.is_struct(kind):
        return {"type": "object", "enabled": False}  # boxes are shown, not searched
    return {"type": _TYPES[str(kind)]} if str(kind) in _TYPES else _keyword()


def _keyword() -> dict[str, Any]:
    return {"type": "keyword", "ignore_above": _LONGEST_TERM}


def engine_document(row: Row, snapshot: int) -> Row:
    """Return a row in the form in which the engine stores it, with the version of the tables, so that rows that a changed document no
    longer has can be found."""
    analyser = ANALYSERS.get(str(row.get("language") or row.get(DOCUMENT_LANGUAGE)))
    told = {name: value for name, value in row.items() if value is not None}
    if analyser:
        told |= {language_field(name, analyser): row[name] for name in SEARCHED if row.get(name)}
    return told | {"snapshot": snapshot}


def embedding_field(engine: str, dimensions: int) -> dict[str, Any] | None:
    """Return the mapping of the field `embedding`; None if `dimensions` is 0, as for rows without one. engine: opensearch or
    elasticsearch."""
    if not dimensions:
        return None
    if engine == "opensearch":
        return {"type": "knn_vector", "dimension": dimensions}
    return {"type": "dense_vector", "dims": dimensions}
