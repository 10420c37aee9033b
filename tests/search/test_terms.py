"""Text to terms: one form for case, accents and scripts; pairs where there are no spaces."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdfmill.pipeline.search import terms as text_terms
from pdfmill.pipeline.search.term_loops import LONGEST
from pdfmill.pipeline.search.terms import fold_text, fold_word, placed_terms
from tests.compiled import same_in_both


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("Café naïve STRASSE Straße", ["cafe", "naive", "strasse", "strasse"]),
        ("ﬁnd Łódź søster", ["find", "lodz", "soster"]),
        ("soft\u00adhyphen don't e-mail", ["softhyphen", "don", "t", "e", "mail"]),
        ("أَحْمَد إلى المدرسة", ["احمد", "الي", "المدرسه"]),
        ("کتاب ۱۲", ["كتاب", "12"]),
        ("שָׁלוֹם", ["שלום"]),
        ("हिन्दी", ["हिन्दी"]),
        ("東京都 PDF文書", ["東京", "京都", "都", "pdf", "文書", "書"]),
        ("⻑い⽇ ⻄", ["長い", "い日", "日", "西"]),
        ("がか", ["がか", "か"]),
        ("ภาษา", ["ภา", "าษ", "ษา", "า"]),
        ("서울은", ["서울은"]),
        ("... — !", []),
    ],
)
def test_terms(text, terms) -> None:
    assert fold_text(text).split() == terms


@given(st.text(st.sampled_from("aZ éßÆœŁłﬁ½²ªµ'\u2019\u00ad\u0301\u200d_-→…\ufffd€ภ\ud800٤𝑤😀3")))
def test_folding_twice_changes_nothing(text) -> None:
    if "ภ" not in text:  # the characters of a run stand twice in its pairs
        assert fold_text(fold_text(text)) == fold_text(text)
    assert "  " not in fold_text(text)


@given(text=st.text(st.sampled_from("aZ éßﬁ½²\u0301\u00ad-→東京ภาำक्ひ\u3099가각\ufdfa⑴𝑤😀3"), max_size=20))
def test_the_compiled_loop_writes_the_same(text: str) -> None:
    entries, out = np.array(text_terms._ENTRIES, np.uint32), np.zeros(LONGEST * (len(text) + 1), np.uint32)
    size, (*_, written, places) = same_in_both(
        "pdfmill.pipeline.search.term_loops", "write_terms", f"{text} ", entries, text_terms._learn, text_terms._fold_words, out, out.copy()
    )
    assert "".join(map(chr, written[:size])) == text_terms._fold_words(text), "as word by word"
    assert places[: size + 1].max() <= len(text)


def test_words_know_their_places() -> None:
    text = "Das Café 東京3_x."
    folded, places = placed_terms(text)
    assert [(match[0], text[places[match.start()] : places[match.end()]]) for match in re.finditer(r"\S+", folded)] == [
        ("das", "Das"), ("cafe", "Café"), ("東京", "東京"), ("京", "京"), ("3", "3"), ("x", "x"),
    ]  # fmt: skip
    assert [fold_word(each) for each in ("STRAẞE", "第3章")] == ["strasse", "第 3 章"]
