"""In which language a document is read: by its pages with text, else by a first pass, script first."""

import numpy as np
import pytest

from pdfmill.transforms.scans.ocr_languages import beside, by_pictures, by_texts, further, language_of, text_bands
from pdfmill.transforms.scans.recognizers import OcrError, Word
from tests.scans.drawn import draw, plain

ENGLISH = (
    "Letters from the archive came in boxes that no person had opened since the war and nobody knew how many of them there were or who"
)
FRENCH = "Les lettres des archives sont venues dans des boites que personne avait ouvertes depuis la guerre et on ne savait pas combien"
RUSSIAN = "Письма из архива пришли в коробках, которые никто не открывал со времени войны, и никто не знал, сколько их было и кто их писал"
GREEK = "Οι επιστολές του αρχείου ήρθαν σε κουτιά που κανείς δεν είχε ανοίξει από τον πόλεμο και κανείς δεν ήξερε πόσες ήταν"
PAPER = np.full((20, 20), 250, np.uint8)


class Reader:
    """A recogniser that reads a text in its own script and nonsense in others."""

    def __init__(self, text, script):
        self.text, self.script, self.asked = text, script, []

    def missing(self):
        return None

    def languages(self):
        return INSTALLED

    def read(self, picture, dpi, language, seconds):
        self.asked.append(language)
        sure = 0.95 if language in self.script else 0.3
        return [Word(("1",), word, (0, 0, 9, 9), sure) for word in self.text.split()]


LATIN = ("deu", "eng", "fra")
INSTALLED = ("deu", "ell", "eng", "fra", "rus")


@pytest.mark.parametrize(
    ("text", "script", "named", "asked"),
    [
        (ENGLISH, LATIN, "eng", ["eng"]),
        (FRENCH, LATIN, "fra", ["eng"]),
        (RUSSIAN, ("rus",), "rus", ["eng", "rus"]),
        (GREEK, ("ell",), "ell", ["eng", "rus", "ell"]),
        (GREEK, ("chi_sim",), None, ["eng", "rus", "ell"]),
    ],
)
def test_a_first_pass_tells_script_and_then_language(text, script, named, asked):
    reader = Reader(text, script)
    assert by_pictures([(PAPER, 200)], reader, INSTALLED, 9) == named
    assert reader.asked == asked


def test_several_languages_at_once():
    class Pages(Reader):
        def read(self, picture, dpi, language, seconds):
            self.text, self.script = (FRENCH, LATIN) if picture is PAPER else (RUSSIAN, ("rus",))
            return super().read(picture, dpi, language, seconds)

    assert by_pictures([(PAPER, 200), (PAPER, 200), (PAPER + 1, 200)], Pages("", ()), INSTALLED, 9) == "fra+rus"
    assert by_texts(["de"] * 9 + ["fr"], INSTALLED) == "deu"
    assert by_texts(["xx", "fi"], INSTALLED) is None


def lines_of(texts):
    """The words of a page of lines. texts: each with how surely it was read."""
    return [
        Word((str(number),), word, (60 * place, 40 * number, 60 * place + 50, 40 * number + 20), sure)
        for number, (text, sure) in enumerate(texts)
        for place, word in enumerate(text.split()[:12])
    ]


class Lines(Reader):
    """A reader that sees only what is drawn."""

    def read(self, picture, dpi, language, seconds):
        self.seen = picture
        return super().read(picture, dpi, language, seconds)


@pytest.mark.parametrize(
    ("texts", "script", "named", "asked"),
    [
        ([(ENGLISH, 0.9), (RUSSIAN, 0.4), (RUSSIAN, 0.4)], ("rus",), "rus", ["rus"]),
        ([(ENGLISH, 0.9), (GREEK, 0.4), (GREEK, 0.4)], ("ell",), "ell", ["rus", "ell"]),
        ([(ENGLISH, 0.9), (ENGLISH, 0.4), (ENGLISH, 0.4)], ("eng",), None, ["rus", "ell"]),  # a script that nobody can read better
        ([(ENGLISH, 0.9), ("а б", 0.4)], ("rus",), None, []),  # too few letters
        ([(ENGLISH, 0.9), (RUSSIAN, 0.8)], ("rus",), None, []),
    ],
)
def test_lines_that_were_read_unsurely_tell_of_another_script(texts, script, named, asked):
    picture = np.full((200, 800), 200, np.uint8)
    picture[40:60] = 0  # the second line
    reader = Lines(RUSSIAN, script)
    assert beside(picture, lines_of(texts), 300, reader, "eng+fra", 9) == named
    assert reader.asked == asked
    if asked:
        assert (reader.seen == 0).any()
        assert reader.seen.shape[0] < picture.shape[0]  # and not the rest


def test_the_words_of_a_page_tell_a_further_language():
    reader = Reader("", ())
    assert further(PAPER, lines_of([(FRENCH, 0.9)] * 3), 300, reader, "eng", 9) == "fra"
    assert further(PAPER, lines_of([(FRENCH, 0.9)] * 3), 300, reader, "eng+fra", 9) is None
    assert further(PAPER, lines_of([(FRENCH, 0.9)]), 300, reader, "eng", 9) is None  # too short
    assert further(PAPER, [], 300, reader, "eng", 9) is None
    assert reader.asked == []


def test_a_language_that_cannot_be_read_is_passed_over():
    class Broken(Reader):
        def read(self, picture, dpi, language, seconds):
            if language == "eng":
                raise OcrError("its data is broken")
            return super().read(picture, dpi, language, seconds)

    assert by_pictures([(PAPER, 200)], Broken(RUSSIAN, ("rus",)), INSTALLED, 9) == "rus"


def test_texts_tell_their_language_where_they_are_long_enough():
    assert language_of(2 * ENGLISH) == "en"
    assert language_of("A title") is None


def test_bands_are_where_the_lines_are():
    picture = draw([plain(40, 400 + 14 * n, 10, ENGLISH[:60]) for n in range(12)])[0].copy()
    picture[100:160] = 0  # a bar
    (band,) = text_bands(picture, 200)
    first = next(row for row in range(picture.shape[0]) if np.array_equal(picture[row : row + len(band)], band))
    assert 385 * 200 / 72 < first < 500 * 200 / 72
    assert len(list(text_bands(picture, 200, 3))) == 3
