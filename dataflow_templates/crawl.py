"""The launcher of the crawl's flex template: template parameters in, a Dataflow job out. See README.md beside it."""

from __future__ import annotations

import sys

from pdfmill.pipeline.cli.submit import run_crawl

if __name__ == "__main__":
    raise SystemExit(run_crawl(sys.argv[1:]))
