"""Launch the crawl's Dataflow flex template: convert its parameters, and submit the job. See README.md beside this file."""

from __future__ import annotations

import sys

from pdfmill.pipeline.cli.submit import run_crawl

if __name__ == "__main__":
    raise SystemExit(run_crawl(sys.argv[1:]))
