"""The version of pdfmill that runs."""

from __future__ import annotations

from functools import cache
from importlib.metadata import version as installed_version


@cache
def version() -> str:
    """Of the installed distribution, e.g. `0.1.0`."""
    return installed_version("pdfmill")
