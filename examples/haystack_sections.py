"""Sections in Haystack, with a citation for each hit; no network.

pdfmill export out --to haystack:sections.jsonl
python examples/haystack_sections.py sections.jsonl "which bridges are closed"
"""

from __future__ import annotations

import json
import os
import sys

os.environ.setdefault("HAYSTACK_TELEMETRY_ENABLED", "False")

from haystack import Document
from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
from haystack.document_stores.in_memory import InMemoryDocumentStore


def main(path: str, question: str) -> None:
    """Print the best passages with their places."""
    store = InMemoryDocumentStore()
    with open(path, encoding="utf-8") as lines:
        store.write_documents([Document.from_dict(json.loads(line)) for line in lines])
    for found in InMemoryBM25Retriever(document_store=store).run(query=question, top_k=3)["documents"]:
        told = found.meta
        boxes = json.loads(told.get("boxes", "[]"))  # [page, x0, top, x1, bottom] in points, to mark the passage on its page
        print(f"{told['source']} page {told['page']}, {len(boxes)} boxes: {told.get('headings', '')}\n    {found.content[:70]!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
