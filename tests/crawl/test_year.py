"""Some weeks of a crawl over a folder that lives (`tests.crawl.year_of_nights`): each night's tables and report are the folder's."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from pdfmill.pipeline.cli.main import run
from tests.crawl.year_of_nights import SOURCES, World, check, live, night

pytestmark = pytest.mark.slow


def test_some_weeks(tmp_path: Path) -> None:
    told = live(tmp_path, 60, 40, seed=3)
    assert told["nights"] == 40
    assert min(told[name] for name in ("read", "moved", "away", "failed", "redone", "waited")) > 0


def test_what_does_not_hold_is_noticed(tmp_path: Path) -> None:
    """The checks themselves: a lost document, a wrong number, an alarm without a cause."""
    world = World(tmp_path / "in", random.Random(1))
    world.root.mkdir()
    world.add(9)
    for source in SOURCES:
        world.put(f"{source}/one.pdf", source)
    config, told = tmp_path / "crawl.toml", tmp_path / "night.json"
    config.write_text('sources = ["in/archive/", "in/letters/", "in/scans/"]\noutput = "out"\n')
    with night(world, 0):
        run(["crawl", str(config), "--report", str(told)])
    report, output = json.loads(told.read_text()), str(tmp_path / "out")
    check(world, report, {}, output)
    for lie in ({"listed": 11}, {"plan": {"new": 11}}, {"exit_code": 1}, {"unlisted_sources": [{"source": "in/scans"}]}):
        with pytest.raises(AssertionError):
            check(world, report | lie, {}, output)
    world.put("scans/one.pdf", "another text")
    with pytest.raises(AssertionError, match="not shown as they are"):
        check(world, report, {}, output)
    world.put("scans/two.pdf", "never read")
    with pytest.raises(AssertionError, match="12"):
        check(world, report, {}, output)
