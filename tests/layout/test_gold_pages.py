"""Twenty pages with gold for each question of layout stay as they are, so that no threshold that touches them moves unseen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.layout.gold import FILE, PAGES, QUESTIONS, WHOLE, score

KEPT: dict[str, dict[str, list[object]]] = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.corpus
@pytest.mark.parametrize("question", QUESTIONS | WHOLE)
def test_the_score_of_each_page_is_as_it_was(corpus: Path, question: str) -> None:
    now = {page: score(corpus, question, page) for page in KEPT[question]}
    moved = {page: (KEPT[question][page], each) for page, each in now.items() if each != KEPT[question][page]}
    assert not moved, f"{question}: pages changed (score and digest before, now); if on purpose: python -m tests.layout.gold {corpus}"


def test_each_question_has_its_pages() -> None:
    assert {question: len(pages) for question, pages in KEPT.items()} == dict.fromkeys(QUESTIONS | WHOLE, PAGES)
