"""Run the command `pdfmill` as `python -m pdfmill`."""

from pdfmill.pipeline.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
