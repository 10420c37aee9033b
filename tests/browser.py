"""A real browser for the tests: Chromium from the system's packages, driven by Playwright; `tests/conftest.py` makes the fixture known.

Tests without it are skipped and say why, unless CI=true: there nothing may be skipped.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.servers import unavailable

if TYPE_CHECKING:
    from playwright.sync_api import Browser

#: What Debian, other systems and Google call it.
_NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser without a window."""
    from playwright.sync_api import sync_playwright  # loaded by the tests that need it

    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        unavailable(f"none of {', '.join(_NAMES)} is on PATH (Debian: chromium)")
    # Chromium's own sandbox does not run as root, which CI often is; the pages are ours.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=flags)
        yield chromium
        chromium.close()
