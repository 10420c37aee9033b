"""The names of the formats of `pdfmill show`."""

from __future__ import annotations

from typing import Final

#: The formats of `pdfmill show --format`, and their names in sentences.
FORMAT_NAMES: Final = {"text": "text", "markdown": "Markdown", "html": "HTML", "json": "JSON"}
#: All formats as a part of a sentence.
ANY_FORMAT: Final = " or ".join(", ".join(FORMAT_NAMES.values()).rsplit(", ", 1))
