"""Write the metadata of the templates from the flags of their commands: `python dataflow_templates/generate.py`."""

from __future__ import annotations

import json
from pathlib import Path

from pdfmill.pipeline.jobs.template import JOBS, metadata

if __name__ == "__main__":
    for command, job in JOBS.items():
        text = json.dumps(metadata(command), indent=2, ensure_ascii=False) + "\n"
        (Path(__file__).parent / job.metadata_file).write_text(text, encoding="utf-8")
