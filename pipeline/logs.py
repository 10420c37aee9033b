"""How pdfmill logs: to standard error, a line each, other libraries' own talk only from warnings up."""

from __future__ import annotations

import logging


def _worth_saying(record: logging.LogRecord) -> bool:
    # Beam looks for optional clients of BigQuery and MongoDB when it is imported and warns that there are none; nothing here uses them.
    return not str(record.msg).startswith(("apitools not found", "Could not find a compatible bson"))


def configure_logging() -> None:
    """Call it before Beam is imported."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    for handler in logging.getLogger().handlers:
        handler.addFilter(_worth_saying)
    for name in ("apache_beam", "pikepdf"):
        logging.getLogger(name).setLevel(logging.WARNING)
    # What is tried again and then well needs no word; what is not is told at the end.
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
    # Beam logs each failure with its traceback before it raises it; what it raises is told at the end.
    for name in ("apache_beam.runners.common", "apache_beam.runners.worker"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
