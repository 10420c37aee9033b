"""What is installed with pdfmill may be, and docs/licenses.md tells it."""

from __future__ import annotations

import pytest

from docs.licenses import PAGE, forbidden, installed, is_forbidden, page


def test_no_licence_binds_who_runs_pdfmill() -> None:
    assert forbidden() == []


def test_the_page_is_what_is_installed() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python docs/licenses.py"


def test_what_others_need_is_listed_too() -> None:
    found = installed()
    assert found["pikepdf"] == {"pdfmill"}
    assert "boto3" in found["botocore"]
    assert not {"pytest", "mypy", "scipy", "datasketch", "pyspellchecker"} & found.keys()


@pytest.mark.parametrize(
    ("licence", "may_not"),
    [
        ("MIT", False),
        ("GPL-3.0-or-later", True),
        ("AGPL-3.0-only", True),
        ("GNU Affero General Public License v3 or later (AGPLv3+)", True),
        ("GNU General Public License v2 or later (GPLv2+)", True),
        ("GNU General Public License v2 or later (GPLv2+) or Mozilla Public License 1.1 (MPL 1.1)", False),
        ("GPL-2.0+/LGPL-2.1+", False),
        ("GNU Lesser General Public License v3 or later (LGPLv3+)", False),
        ("GNU Library or Lesser General Public License (LGPL)", False),
        ("MIT AND GPL-2.0-only", True),
        ("not stated", True),
    ],
)
def test_licences_are_told_apart(licence: str, may_not: bool) -> None:
    assert is_forbidden(licence) is may_not
