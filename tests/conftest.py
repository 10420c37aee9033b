"""What every test may ask for: the stores of `tests/servers.py`, a browser and the measurement corpus."""

from __future__ import annotations

import os
from collections.abc import Iterable
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


#: Rooms whose tests share what is dear to start: a Flink cluster, a search engine, a browser with a server.
ROOMS = ("engines", "pipeline/serve", "search", "sinks")
#: What takes longest comes first, so that no process of the tests is left alone with it at the end.
FIRST = ("engines", "torture", "crawl", "pipeline/test_corpus.py", "pipeline/test_stores.py", "sinks", "pipeline/serve")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file, or of one room, run one after the other in one process; `make test` runs two of them."""
    places = {item: item.path.relative_to(Path(__file__).parent).as_posix() for item in items}
    for item, place in places.items():
        item.add_marker(pytest.mark.xdist_group(_first_in(ROOMS, place) or place))
    order = {place: number for number, place in enumerate(FIRST)}
    items.sort(key=lambda item: order.get(_first_in(FIRST, places[item]) or "", len(FIRST)))


def _first_in(places: Iterable[str], place: str) -> str | None:
    return next((each for each in places if place == each or place.startswith(f"{each}/")), None)
