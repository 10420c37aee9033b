"""The launcher of the flex template: template parameters in, a Dataflow job out. See README.md beside it."""

from __future__ import annotations

import sys

from pdfmill.pipeline.cli.submit import run

if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:]))
