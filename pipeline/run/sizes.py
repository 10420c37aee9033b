"""Sizes in bytes for people."""

from __future__ import annotations

from typing import Final

_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB", "PB")


def size_text(count: int | None) -> str:
    """Format a number of bytes in three digits with a decimal unit; "" for None.

    >>> size_text(999), size_text(12_345), size_text(999_950), size_text(7 * 10**18), size_text(None)
    ('999 bytes', '12.3 kB', '1 MB', '7,000 PB', '')
    """
    if count is None:
        return ""
    value, unit = float(count), 0
    while float(f"{value:.3g}") >= 1000 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:,.0f} {_UNITS[unit]}" if value >= 1000 else f"{value:.3g} {_UNITS[unit]}"
