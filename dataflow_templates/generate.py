"""Writes `metadata.json` from the flags of `pdfmill index`: `python dataflow_templates/generate.py`."""

from __future__ import annotations

import json
from pathlib import Path

from pipeline.template import metadata

if __name__ == "__main__":
    text = json.dumps(metadata(), indent=2, ensure_ascii=False) + "\n"
    (Path(__file__).parent / "metadata.json").write_text(text, encoding="utf-8")
