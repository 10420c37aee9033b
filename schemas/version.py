"""The version of the running pdfmill."""

from __future__ import annotations

from typing import Final

#: Here and nowhere else: `setup.py` reads it. To ask the installed distribution takes 20 ms each time that pdfmill starts.
VERSION: Final = "0.1.0"


def version() -> str:
    """Return the version, e.g. `0.1.0`."""
    return VERSION
