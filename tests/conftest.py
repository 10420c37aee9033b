"""What every test may ask for: the stores of `tests/servers.py`, a browser and the measurement corpus."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.browser import browser  # noqa: F401
from tests.servers import (  # noqa: F401
    azure_server,
    azurite_process,
    fake_gcs_process,
    faulty_http,
    gcs_emulator_process,
    gcs_server,
    http_server,
    moto_process,
    opensearch,
    s3_server,
    strict_gcs_server,
    strict_s3_server,
    versitygw_process,
)


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The measurement corpus: PDFMILL_CORPUS, else ../shared/corpus beside the repository; skips where there is none."""
    beside = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"
    folder = Path(os.environ.get("PDFMILL_CORPUS") or beside)
    if not folder.is_dir():
        pytest.skip(f"no corpus at {folder}; set PDFMILL_CORPUS")
    return folder
