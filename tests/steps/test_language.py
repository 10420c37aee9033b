import pytest

from transforms.language import detect_language

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
