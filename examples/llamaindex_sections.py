"""Sections in LlamaIndex, with a citation for each hit; no network.

    pdfmill export out --to llamaindex:sections.jsonl --embed word_embedding:embed
    python examples/llamaindex_sections.py sections.jsonl "which bridges are closed"

Without `--embed` the index makes the embeddings itself.
"""

from __future__ import annotations

import json
import sys

from llama_index.core import VectorStoreIndex
from llama_index.core.embeddings import BaseEmbedding
from llama_index.core.schema import TextNode
from word_embedding import embed


class WordEmbedding(BaseEmbedding):
    """Stands for a model's."""

    def _get_text_embedding(self, text: str) -> list[float]:
        return embed([text])[0]

    def _get_query_embedding(self, query: str) -> list[float]:
        return embed([query])[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return embed([query])[0]


def main(path: str, question: str) -> None:
    """Print the best passages with their places."""
    with open(path, encoding="utf-8") as lines:
        nodes = [TextNode.from_dict(json.loads(line)) for line in lines]
    index = VectorStoreIndex(nodes, embed_model=WordEmbedding())
    for found in index.as_retriever(similarity_top_k=3).retrieve(question):
        told = found.node.metadata
        boxes = json.loads(told.get("boxes", "[]"))  # [page, x0, top, x1, bottom] in points, to mark the passage on its page
        print(f"{told['source']} page {told['page']}, {len(boxes)} boxes: {told.get('headings', '')}\n    {found.node.text[:70]!r}")


if __name__ == "__main__":
    main(*sys.argv[1:])
