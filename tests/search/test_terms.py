"""Text to terms: one form for case, accents and scripts; pairs where there are no spaces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pdfmill.pipeline.search import terms as text_terms
from pdfmill.pipeline.search.term_loops import LONGEST
from pdfmill.pipeline.search.terms import fold_text, fold_word, indexed, placed_words
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
    assert indexed(text).split() == terms


@given(st.text(st.sampled_from("aZ éßÆœŁłﬁ½²ªµ'\u2019\u00ad\u0301\u200d_-→…\ufffd€東ภ\ud800٤𝑤😀3")))
def test_folding_twice_changes_nothing_and_words_add_up(text) -> None:
    folded = fold_text(text)
    assert fold_text(folded) == folded
    assert folded == " ".join(word for _, _, word in placed_words(text))
    assert "  " not in folded


@pytest.mark.parametrize("is_paired", [False, True])
@given(text=st.text(st.sampled_from("aZ éßﬁ½²\u0301\u00ad-→東京ภาำक्ひ\u3099가각\ufdfa⑴𝑤😀3"), max_size=20))
def test_the_compiled_loop_writes_the_same(is_paired: bool, text: str) -> None:
    entries, out = np.array(text_terms._ENTRIES, np.uint32), np.zeros(LONGEST * (len(text) + 1), np.uint32)
    fold = text_terms._paired_words if is_paired else text_terms._fold_words
    size, (*_, written, _) = same_in_both(
        "pdfmill.pipeline.search.term_loops", "write_terms", f"{text} ", entries, text_terms._learn, fold, out, is_paired
    )
    assert "".join(map(chr, written[:size])) == fold(text), "as word by word"


def test_words_know_their_places() -> None:
    text = "Das Café 東京3_x."
    assert [(text[start:end], word) for start, end, word in placed_words(text)] == [
        ("Das", "das"), ("Café", "cafe"), ("東京3", "東京 3"), ("x", "x"),
    ]  # fmt: skip
    assert [fold_word(each) for each in ("STRAẞE", "第3章")] == ["strasse", "第 3 章"]
