"""What the tests of `pdfmill serve` share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from pdfmill.pipeline.serve.app import Site, make_app
from pdfmill.pipeline.serve.library import Library
from pdfmill.pipeline.serve.pictures import PictureDesk
from pdfmill.transforms.road.job_settings import ReadSettings
from tests.pipeline.serve.fake_search import FakeSearch
from tests.pipeline.serve.shelf import Shelf, fill_shelf


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """The documents and their tables, which no test changes."""
    return fill_shelf(tmp_path_factory.mktemp("shelf"))


@pytest.fixture(scope="session")
def desk() -> Iterator[PictureDesk]:
    """Pictures, from one guarded process."""
    made = PictureDesk(ReadSettings(), processes=1)
    yield made
    made.close()


@pytest.fixture(scope="session")
def client(shelf: Shelf, desk: PictureDesk) -> TestClient:
    """A browser without a window, at pages that find by reading everything."""
    library = Library(shelf.output)
    return TestClient(make_app(Site(library, FakeSearch(library), desk)), base_url="http://127.0.0.1:8765")
