"""Launch the Dataflow flex template of `pdfmill index`: convert its parameters, and submit the job. See README.md beside this file."""

from __future__ import annotations

import sys

from pdfmill.pipeline.cli.submit import run

if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:]))
