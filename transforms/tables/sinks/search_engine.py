"""OpenSearch and Elasticsearch: rows go to a new index behind an alias, which is switched to this index when it is complete.

 alias ──► alias-pdfmill-DIGEST its mapping's `_meta.pdfmill` has the cursor, the files sent, and whether the index is complete

Plain HTTP, because their own clients refuse each other's servers. Tested with OpenSearch 2.19.1 and Elasticsearch 7.10.2."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import asdict

from pdfmill.schemas.records import DocId, Row
from pdfmill.transforms.tables.sinks.bulk import bulk_requests, delete_action, index_action, send
from pdfmill.transforms.tables.sinks.engine_http import SETTINGS, Engine
from pdfmill.transforms.tables.sinks.fields import exported_fields
from pdfmill.transforms.tables.sinks.mapping import embedding_field, engine_document, index_body
from pdfmill.transforms.tables.sinks.sink import Changes, Cursor, Refusal, SinkError, Target

#: Separates alias and digest in the name of an index; indexes of other programs have no such name.
_MARK: Final = "-pdfmill-"
_META: Final = "pdfmill"
#: Number of hex digits that distinguish the indexes of an alias.
_DIGITS: Final = 16
#: Priority of our index template. A user's template with a higher one overrides it, to set shards, replicas or analysers.
_PRIORITY: Final = 100
_NOT_FOUND: Final = 404
_EXISTS: Final = "resource_already_exists_exception"


class SearchEngine:
    """A sink (target of an export) that is an alias in a search engine; see `pdfmill.transforms.tables.sinks.sink.Sink`."""

    def __init__(self, target: Target) -> None:
        self._name = target.name
        self._engine = Engine(target)
        self._alias = self._engine.index
        self._index = ""
        self._cursor: Cursor | None = None
        self._changes: Changes | None = None
        self._parts: list[str] = []
        self._was_whole = False
        self._put = 0
        self._refused = 0

    def close(self) -> None:
        """Close the connections. An incomplete index is kept, and the next export continues it."""
        self._engine.close()

    def cursor(self, table: str) -> Cursor | None:
        """Return the cursor (state of the exported table) of the index behind the alias; None if there is none."""
        held = self._behind_alias()
        if not held:
            return None
        if len(held) > 1:
            raise SinkError(f"{self._alias}: the alias has several indexes: {', '.join(sorted(held))}; an alias of pdfmill has one")
        index, meta = next(iter(held.items()))
        if _META not in meta:
            raise SinkError(f"{self._alias}: the index {index} behind this alias was not written by pdfmill; choose another name")
        self._index = index
        return Cursor.of(meta[_META]["cursor"]) if meta[_META]["whole"] else None

    def _behind_alias(self) -> dict[str, Mapping[str, Any]]:
        answer = self._engine.call("GET", f"{self._alias}/_mapping")
        if answer.status == _NOT_FOUND:
            return {}
        if not answer.ok:
            raise SinkError(f"{self._alias}: {answer.reason}")
        if self._alias in answer.body:
            raise SinkError(f"{self._alias}: there is an index of that name, which was not written by pdfmill; choose another name")
        return _metas(answer.body)

    def begin(self, cursor: Cursor, changes: Changes | None = None) -> Collection[str]:
        """Begin an export, and return the names of Parquet files whose rows the index already has.
        Without `changes`, create the index named after the cursor, or continue that of an interrupted export; with `changes`, continue the
        index behind the alias. Raises SinkError if there is no such index, or if it has other rows."""
        self._cursor, self._changes = cursor, changes
        held = self.cursor(cursor.table)
        if changes is not None:
            if held is None:
                raise SinkError(f"{self._alias}: there is no index yet to which changes can be applied")
            return ()
        self._index = f"{self._alias}{_MARK}{_digest(cursor)}"
        embedding = embedding_field(self._name, cursor.dimensions)
        body = index_body(exported_fields(cursor.table), {_META: self._meta(whole=False)}, embedding)
        template = {"index_patterns": [f"{self._alias}{_MARK}*"], "priority": _PRIORITY, "template": body}
        self._engine.must("PUT", f"_index_template/{self._alias}{_MARK.rstrip('-')}", template)
        answer = self._engine.call("PUT", self._index, {"mappings": {"_meta": {_META: self._meta(whole=False)}}})
        if answer.ok:
            return ()
        if _EXISTS not in answer.reason:
            raise SinkError(f"{self._index}: the engine refuses to create the index: {answer.reason}")
        meta = _metas(self._engine.must("GET", f"{self._index}/_mapping"))[self._index].get(_META)
        if meta is None or Cursor.of(meta["cursor"]) != cursor:
            raise SinkError(
                f"{self._index}: there is an index of that name with other rows; delete it, or choose another name than {self._alias}"
            )
        self._was_whole = meta["whole"]
        self._parts = list(meta["parts"])
        return frozenset(self._parts)

    def put(self, rows: Sequence[Row]) -> list[Refusal]:
        """Send the rows in bulk requests of limited size; return the rows that the engine refused."""
        assert self._cursor is not None
        snapshot = self._cursor.snapshot
        actions = (index_action(row, engine_document(row, snapshot)) for row in rows)
        refused = [each for request in bulk_requests(actions) for each in send(self._engine, self._index, request)]
        self._put, self._refused = self._put + len(rows), self._refused + len(refused)
        return refused

    def done(self, part: str) -> None:
        """Record in the index that all rows of the Parquet file `part` were sent, so that a later export continues after it."""
        if self._changes is None and not self._was_whole:
            self._parts.append(part)
            self._remember(whole=False)

    def commit(self) -> None:
        """After an export of all rows, switch the alias to the new index, and delete the old one. After an export of changes, delete the
        rows that changed documents no longer have.

        Raises:
            SinkError: every row was refused; the old index then stays.
        """
        assert self._cursor is not None
        self._engine.must("POST", f"{self._index}/_refresh")
        if self._changes is not None:
            documents, at_once = self._changes.documents, SETTINGS.documents_at_once
            for start in range(0, len(documents), at_once):
                self._delete_stale(documents[start : start + at_once])
            self._remember(whole=True)
            self._engine.must("POST", f"{self._index}/_refresh")
            return
        if self._put and self._refused == self._put:
            raise SinkError(f"{self._alias}: the engine refused all {self._put:,} rows; the old index is kept")
        old = self._behind_alias().keys() - {self._index}
        self._remember(whole=True)
        moves = [{"remove": {"index": each, "alias": self._alias}} for each in sorted(old)]
        self._engine.must("POST", "_aliases", {"actions": [*moves, {"add": {"index": self._index, "alias": self._alias}}]})
        for each in sorted(old | self._abandoned()):
            self._engine.call("DELETE", each)

    def _abandoned(self) -> set[str]:
        answer = self._engine.call("GET", f"{self._alias}{_MARK}*/_mapping")
        return {index for index, meta in _metas(answer.body).items() if _META in meta} - {self._index} if answer.ok else set()

    def _delete_stale(self, documents: Sequence[DocId]) -> None:
        """Delete rows of these documents that are older than the snapshot exported now."""
        assert self._cursor is not None
        older = [{"terms": {"doc_id": list(documents)}}, {"range": {"snapshot": {"lt": self._cursor.snapshot}}}]
        query = {"query": {"bool": {"filter": older}}, "_source": False, "size": SETTINGS.page_size, "sort": [{"id": "asc"}]}
        after: dict[str, Any] = {}
        while hits := self._engine.must("POST", f"{self._index}/_search", query | after)["hits"]["hits"]:
            stale = (delete_action(hit["_id"]) for hit in hits)
            for refusal in (each for request in bulk_requests(stale) for each in send(self._engine, self._index, request)):
                raise SinkError(f"{self._index}: the row {refusal.row['id']} cannot be deleted: {refusal.reason}")
            after = {"search_after": hits[-1]["sort"]}

    def _meta(self, *, whole: bool) -> dict[str, Any]:
        assert self._cursor is not None
        return {"cursor": asdict(self._cursor), "whole": whole, "parts": [] if whole else self._parts}

    def _remember(self, *, whole: bool) -> None:
        self._engine.must("PUT", f"{self._index}/_mapping", {"_meta": {_META: self._meta(whole=whole)}})


def _digest(cursor: Cursor) -> str:
    return hashlib.sha256(repr(asdict(cursor)).encode()).hexdigest()[:_DIGITS]


def _metas(mappings: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    return {index: told["mappings"].get("_meta", {}) for index, told in mappings.items()}
