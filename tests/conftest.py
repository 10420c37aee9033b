"""What every test may ask for: the stores of `tests/servers.py`, a browser and the measurement corpus."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pdfmill.transforms.pdf.open.pdfium_api import FACES
from samples.typeset import typeset
from tests.browser import browser  # noqa: F401
from tests.servers import (  # noqa: F401
    azure_server,
    azurite_process,
    encrypting_s3_server,
    fake_gcs_process,
    faulty_http,
    gcs_emulator_process,
    gcs_server,
    http_server,
    minio_process,
    moto_process,
    opensearch,
    s3_server,
    strict_gcs_server,
    strict_s3_server,
    versitygw_process,
)

FACES.begin()  # before a test leaves a document open, which keeps PDFium from beginning anew


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The measurement corpus: PDFMILL_CORPUS, else ../shared/corpus beside the repository; skips where there is none."""
    beside = Path(__file__).resolve().parent.parent.parent / "shared" / "corpus"
    folder = Path(os.environ.get("PDFMILL_CORPUS") or beside)
    if not folder.is_dir():
        pytest.skip(f"no corpus at {folder}; set PDFMILL_CORPUS")
    return folder


@pytest.fixture(scope="session")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sample documents, for reading only."""
    folder = tmp_path_factory.mktemp("samples")
    typeset(folder)
    return folder


#: What takes longest comes first, so that no process of the tests is left alone with it at the end.
FIRST = ("engines", "torture", "crawl", "pipeline/test_corpus.py", "pipeline/test_stores.py", "sinks", "pipeline/serve")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order of the files, each of which runs in one process (`make test` has two)."""
    order = {place: number for number, place in enumerate(FIRST)}

    def rank(item: pytest.Item) -> int:
        place = item.path.relative_to(Path(__file__).parent).as_posix()
        return next((order[each] for each in FIRST if place == each or place.startswith(f"{each}/")), len(FIRST))

    items.sort(key=rank)
