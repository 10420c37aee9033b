"""The version of the running pdfmill."""

from __future__ import annotations

from typing import Final

#: The only copy of the version; `setup.py` reads it. To query the installed distribution would take 20 ms at each start of pdfmill.
VERSION: Final = "0.1.0"


def version() -> str:
    """Return the version, e.g. `0.1.0`."""
    return VERSION
