"""A function for `pdfmill export --embed word_embedding:embed` that needs no model: words, hashed to places of a vector.

Texts with the same words are near each other, and no more. It shows the form; put your model's call in its place:

    model = SentenceTransformer("...")
    def embed(texts): return model.encode(texts)
"""

from __future__ import annotations

import math
import re
import zlib

DIMENSIONS = 256


def embed(texts: list[str]) -> list[list[float]]:
    """As many vectors of length 1 as there are texts."""
    return [_vector(text) for text in texts]


def _vector(text: str) -> list[float]:
    counts = [0.0] * DIMENSIONS
    for word in re.findall(r"\w+", text.lower()):
        counts[zlib.crc32(word.encode()) % DIMENSIONS] += 1.0
    length = math.sqrt(sum(count * count for count in counts)) or 1.0
    return [count / length for count in counts]
