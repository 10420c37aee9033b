"""Set up logging: a line on the standard error for each message of pdfmill, and for each warning and error of other libraries."""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

#: Logging flags of every command, with their help; they are removed before the command parses its own flags.
LOG_FLAGS: Final = {
    "-q, --quiet": "print only warnings and errors on the standard error",
    "-v, --verbose": "print more about what is done",
    "--log_format text|json": "log as text for people, or as one JSON object per line with time, level, logger, message, exception",
}
_FORMATS: Final = ("text", "json")
#: Libraries with many messages; even with --verbose only their warnings and errors are shown.
_TALKATIVE: Final = ("apache_beam", "azure", "boto3", "botocore", "google", "pikepdf", "pdfminer", "s3transfer", "smart_open", "urllib3")


class LogFlagError(ValueError):
    """`--log_format` names no known format."""


class LogSettings(Struct, frozen=True):
    level: int = logging.INFO  # the lowest level of pdfmill's own messages
    as_json: bool = False  # each line of the log is a JSON object


def take_log_flags(argv: Sequence[str]) -> tuple[list[str], LogSettings]:
    """Split a command line into the arguments without the logging flags, and the settings from these. Arguments after `--` stay.

    >>> take_log_flags(["show", "-q", "a.pdf"])
    (['show', 'a.pdf'], LogSettings(level=30, as_json=False))

    Raises:
        LogFlagError: the log format is unknown.
    """
    rest: list[str] = []
    level, form = logging.INFO, "text"
    words = iter(argv)
    for word in words:
        flag, given, value = word.replace("-", "_").partition("=")
        if word in ("-q", "--quiet"):
            level = logging.WARNING
        elif word in ("-v", "--verbose"):
            level = logging.DEBUG
        elif flag == "__log_format":
            form = value if given else next(words, "")
        else:
            rest.append(word)
            if word == "--":
                rest += words
    if form not in _FORMATS:
        raise LogFlagError(f"--log_format {form}: choose from {', '.join(_FORMATS)}")
    return rest, LogSettings(level, form == "json")


class _JsonFormatter(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        told = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if record.exc_info:
            told["exception"] = self.formatException(record.exc_info)
        return json.dumps(told, ensure_ascii=False)


def logs_json() -> bool:
    """Return whether the log's lines are JSON objects."""
    return any(isinstance(handler.formatter, _JsonFormatter) for handler in logging.getLogger().handlers)


def _worth_saying(record: logging.LogRecord) -> bool:
    # Beam looks for optional clients of BigQuery and MongoDB when it is imported and warns that there are none; nothing here uses them.
    return not str(record.msg).startswith(("apitools not found", "Could not find a compatible bson"))


#: The settings if the command line has no logging flags.
_USUAL: Final = LogSettings()


def configure_logging(settings: LogSettings = _USUAL) -> None:
    """Set up logging. Call it before Beam is imported, which would set up its own."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonFormatter() if settings.as_json else logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    handler.addFilter(_worth_saying)
    logging.basicConfig(level=max(logging.INFO, settings.level), handlers=[handler])
    logging.getLogger("pdfmill").setLevel(settings.level)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    # What is tried again and then well needs no word; what is not is told at the end.
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
    # Beam logs each failure with its traceback before it raises it; what it raises is told at the end.
    for name in ("apache_beam.runners.common", "apache_beam.runners.worker"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
