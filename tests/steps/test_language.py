import subprocess
import sys

import pytest
from langdetect import detector_factory

from transforms import language
from transforms.language import DOCUMENT_TRIALS, block_languages, detect_language, looks_like, page_language

TEXTS = {
    "en": "The archive keeps every letter that was ever sent to the office, and a search engine finds each of them again within a moment.",
    "de": "Das Archiv bewahrt jeden Brief, der jemals an das Amt geschickt wurde, und eine Suchmaschine findet jeden davon in kurzer Zeit wieder.",
    "fr": "Les archives conservent chaque lettre envoyée au bureau, et un moteur de recherche retrouve chacune d'elles en un instant seulement.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_languages_are_told_apart(language):
    found, confidence = detect_language(TEXTS[language])
    assert found == language
    assert confidence is not None
    assert 0.9 < confidence <= 1


def test_the_same_text_always_gets_the_same_answer():
    mixed = TEXTS["en"][:60] + TEXTS["fr"][:60]
    assert len({detect_language(mixed) for _ in range(5)}) == 1


@pytest.mark.parametrize("text", ["", "short", "1234567890 " * 20])
def test_text_that_says_nothing_has_no_language(text):
    assert detect_language(text) == (None, None)


RUSSIAN = "Архив хранит каждое письмо, которое когда-либо было отправлено в контору, и поисковая машина находит любое из них за мгновение."


def test_blocks_have_the_pages_language_unless_they_look_otherwise():
    texts = [TEXTS["en"], "A heading", TEXTS["fr"], RUSSIAN, TEXTS["en"].upper()]
    found = block_languages(texts, ("en", 0.99))
    assert [language for language, _ in found] == ["en", None, "fr", "ru", "en"]
    assert found[0] == ("en", 0.99)
    assert found[1] == (None, None)


def test_blocks_of_a_page_that_is_a_guess_are_asked_one_by_one():
    assert [language for language, _ in block_languages([TEXTS["en"], TEXTS["de"]], ("en", 0.57))] == ["en", "de"]
    assert block_languages([TEXTS["en"]], (None, None)) == [(None, None)]


def test_no_more_blocks_than_the_bound_are_asked(monkeypatch):
    asked = []
    monkeypatch.setattr(language, "detect_language", lambda text, **_: asked.append(text) or ("fr", 1.0))
    found = block_languages([TEXTS["fr"]] * 20, ("en", 1.0))
    assert len(asked) == language.MAX_BLOCKS
    assert found == [("fr", 1.0)] * language.MAX_BLOCKS + [(None, None)] * (20 - language.MAX_BLOCKS)


@pytest.mark.parametrize("own", TEXTS)
def test_what_looks_like_a_language(own):
    assert {other for other in [*TEXTS, "ru", "xx"] if looks_like(TEXTS[own], other)} == {own, "xx"}
    assert looks_like(RUSSIAN, "ru")
    assert not looks_like(RUSSIAN, own)


def test_threads_that_begin_together_agree():
    """In a process of its own, where the profiles are not loaded yet."""
    code = f"""
from concurrent.futures import ThreadPoolExecutor
from transforms.language import detect_language
with ThreadPoolExecutor(4) as threads:
    print(len(set(threads.map(detect_language, [{'The ships of the line came home in the evening and were counted. ' * 5!r}] * 8))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr


@pytest.mark.parametrize("own", TEXTS)
def test_the_profiles_as_they_stand_give_what_the_library_gives(own):
    detector_factory.init_factory()
    theirs = detector_factory._factory.create()
    theirs.seed = language.SEED
    theirs.n_trial = DOCUMENT_TRIALS
    theirs.append(TEXTS[own])
    best = theirs.get_probabilities()[0]
    assert language._best(TEXTS[own], DOCUMENT_TRIALS) == (best.lang, round(best.prob, 4))


def test_a_page_has_its_documents_language_when_its_words_say_so(monkeypatch):
    asked = []
    monkeypatch.setattr(language, "detect_language", lambda text, **_: asked.append(text) or ("asked", 0.5))
    page = TEXTS["en"] * 2
    assert page_language(page, ("en", 0.99)) == ("en", 0.99)
    assert not asked
    for text, document in [(page, ("en", 0.8)), (page, (None, None)), (TEXTS["de"] * 2, ("en", 0.99)), (page + RUSSIAN, ("en", 0.99)), (RUSSIAN, ("ru", 0.99))]:
        assert page_language(text, document) == ("asked", 0.5)
    assert len(asked) == 5


def test_a_text_of_two_languages_is_tried_more_than_once(monkeypatch):
    trials = []
    best = language._best
    monkeypatch.setattr(language, "_best", lambda text, count: trials.append(count) or best(text, count))
    detect_language(TEXTS["en"] * 3)
    assert trials == [1]
    monkeypatch.setattr(language, "_best", lambda text, count: trials.append(count) or ("en", 0.7))
    detect_language(TEXTS["en"] * 3)
    assert trials == [1, 1, DOCUMENT_TRIALS]
