"""Sections in LangChain, with a citation for each hit; no network.

pdfmill export out --to langchain:sections.jsonl
python examples/langchain_sections.py sections.jsonl "which bridges are closed"
"""

from __future__ import annotations

import json
import sys

from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore
from word_embedding import embed


class WordEmbeddings(Embeddings):
    """Stands for a model's."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Of passages."""
        return embed(texts)

    def embed_query(self, text: str) -> list[float]:
        """Of a question."""
        return embed([text])[0]


def main(path: str, question: str) -> None:
    """Print the best passages with their places."""
    with open(path, encoding="utf-8") as lines:
        documents = [Document(**json.loads(line)) for line in lines]
    store = InMemoryVectorStore.from_documents(documents, WordEmbeddings())
    for found in store.similarity_search(question, k=3):
        told = found.metadata
        boxes = json.loads(told.get("boxes", "[]"))  # [page, x0, top, x1, bottom] in points, to mark the passage on its page
        print(f"{told['source']} page {told['page']}, {len(boxes)} boxes: {told.get('headings', '')}\n    {found.page_content[:70]!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
