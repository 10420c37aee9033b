import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langdetect import detector_factory

from pdfmill.transforms.language import detect as language
from pdfmill.transforms.language import detect as language_profiles
from pdfmill.transforms.language.detect import SURE, block_languages, detect_language, detect_languages, looks_like, page_language, profiles
from tests.compiled import same_in_both

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
    monkeypatch.setattr(language, "detect_languages", lambda texts, **_: asked.extend(texts) or [("fr", 1.0)] * len(texts))
    found = block_languages([TEXTS["fr"]] * 20, ("en", 1.0))
    assert len(asked) == language.MAX_BLOCKS
    assert found == [("fr", 1.0)] * language.MAX_BLOCKS + [(None, None)] * (20 - language.MAX_BLOCKS)


def test_several_texts_at_once_are_told_as_each_by_itself():
    texts = [*TEXTS.values(), "too short", "1 " * 100, RUSSIAN]
    sample, parts = language.BLOCK_SAMPLE, language.BLOCK_PARTS
    assert detect_languages(texts, sample=sample, parts=parts) == [detect_language(text, sample=sample, parts=parts) for text in texts]
    assert detect_languages([], sample=sample, parts=parts) == []


@pytest.mark.parametrize("own", TEXTS)
def test_what_looks_like_a_language(own):
    assert {other for other in [*TEXTS, "ru", "xx"] if looks_like(TEXTS[own], other)} == {own, "xx"}
    assert looks_like(RUSSIAN, "ru")
    assert not looks_like(RUSSIAN, own)


def test_threads_that_begin_together_agree():
    """In a process of its own, where the profiles are not loaded yet."""
    code = f"""
from concurrent.futures import ThreadPoolExecutor
from pdfmill.transforms.language.detect import detect_language
with ThreadPoolExecutor(4) as threads:
    print(len(set(threads.map(detect_language, [{"The ships of the line came home in the evening and were counted. " * 5!r}] * 8))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout, done.returncode) == ("1\n", 0), done.stderr


def names(ngrams):
    """The n-grams at some places of the table."""
    found = []
    for key in profiles().keys[ngrams].tolist():
        codes = [key >> bits & (1 << 21) - 1 for bits in (42, 21, 0)]
        found.append("".join(chr(code) for code in codes if code))
    return found


@pytest.mark.parametrize("own", [
    *TEXTS.values(), RUSSIAN, f"{RUSSIAN} apt", f"{TEXTS['en']} {RUSSIAN}", "ends in a space ", "", " ", "a", "NATO and UNICEF", "  two  spaces",
    "see https://example.org/a?b=c or write to a.b@example.org at once", "tie\u0302\u0301ng Vie\u0323\u0302t, ho\u0323c", "ひらがなとカタカナと漢字", "한국어 문장", "x\x00y", "\U0001f600 𝐀𝐁 \U0010ffff",
])  # fmt: skip
def test_ngrams_and_answers_are_those_of_the_library(own):
    detector_factory.init_factory()
    theirs = detector_factory._factory.create()
    theirs.append(own)
    theirs.cleaning_text()
    (ours,) = profiles().find([language.clean(own)])
    assert names(ours) == theirs._extract_ngrams()
    if own in TEXTS.values():
        assert detect_language(own)[0] == theirs.detect()


def test_parts_of_a_text_have_n_grams_of_their_own():
    parts = ["The first ", "second", "", "THIRD PART"]
    together = profiles().find(parts)
    assert [names(each) for each in together] == [names(profiles().find([part])[0]) for part in parts]


def test_likelihoods_are_those_of_the_library():
    detector_factory.init_factory()
    known = detector_factory._factory.word_lang_prob_map
    grams = ["th", "e", " an", "ung", "щ", "あ"]
    places = [int(place) for gram in grams for (found,) in [profiles().find([f"x{gram}"])] for place in found if names([place]) == [gram]]
    assert names(places) == grams
    order = [detector_factory._factory.langlist.index(code) for code in profiles().languages]
    theirs = [np.log(np.array(known[gram])[order] + 0.5 / 10_000) for gram in grams]
    ours = profiles().weigh([np.array([place]) for place in places])
    assert np.allclose(np.array(theirs) - np.log(0.5 / 10_000), ours)


def test_the_table_is_made_once_and_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    made = []
    monkeypatch.setattr(language_profiles, "make_profiles", lambda: made.append(1) or profiles())
    for _ in range(2):
        assert np.array_equal(language_profiles.profiles.__wrapped__().gain, profiles().gain)
    assert made == [1]
    (file,) = (tmp_path / "pdfmill").iterdir()
    file.write_bytes(file.read_bytes()[:1000])  # a disk that was full
    assert np.array_equal(language_profiles.profiles.__wrapped__().keys, profiles().keys)
    assert made == [1, 1]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert len(language_profiles.profiles.__wrapped__().languages) == 55


def test_a_page_has_its_documents_language_when_its_words_say_so(monkeypatch):
    asked = []
    monkeypatch.setattr(language, "detect_language", lambda text, **_: asked.append(text) or ("asked", 0.5))
    page = TEXTS["en"] * 2
    assert page_language(page, ("en", 0.99)) == ("en", 0.99)
    assert not asked
    for text, document in [
        (page, ("en", 0.7)),
        (page, (None, None)),
        (TEXTS["de"] * 2, ("en", 0.99)),
        (page + RUSSIAN, ("en", 0.99)),
        (RUSSIAN, ("ru", 0.99)),
    ]:
        assert page_language(text, document) == ("asked", 0.5)
    assert len(asked) == 5


SENTENCES = {
    "cs": "Každý dopis, který byl kdy poslán do kanceláře, zůstává uložen v archivu, a vyhledávač jej najde během okamžiku.",
    "el": "Το αρχείο φυλάσσει κάθε επιστολή που στάλθηκε ποτέ στο γραφείο, και μια μηχανή αναζήτησης τη βρίσκει αμέσως.",
    "es": "El archivo guarda todas las cartas que alguna vez se enviaron a la oficina, y un buscador las encuentra en un momento.",
    "fi": "Arkisto säilyttää jokaisen kirjeen, joka on joskus lähetetty toimistoon, ja hakukone löytää niistä jokaisen hetkessä.",
    "he": "הארכיון שומר כל מכתב שנשלח אי פעם למשרד, ומנוע חיפוש מוצא כל אחד מהם שוב בתוך רגע קצר, גם אם עברו שנים רבות מאז שנשלח.",
    "hu": "A levéltár megőriz minden levelet, amelyet valaha a hivatalba küldtek, és egy kereső bármelyiket megtalálja egy pillanat alatt.",
    "it": "L'archivio conserva ogni lettera che sia mai stata spedita all'ufficio, e un motore di ricerca le ritrova tutte in un attimo.",
    "pl": "Archiwum przechowuje każdy list, który kiedykolwiek wysłano do urzędu, a wyszukiwarka odnajduje każdy z nich w jednej chwili.",
    "pt": "O arquivo guarda todas as cartas que alguma vez foram enviadas ao escritório, e um motor de busca encontra-as num instante.",
    "ru": RUSSIAN,
    "tr": "Arşiv, ofise gönderilmiş olan her mektubu saklar ve bir arama motoru bunların her birini bir an içinde yeniden bulur.",
    "vi": "Kho lưu trữ giữ lại mọi lá thư đã từng được gửi đến văn phòng, và một công cụ tìm kiếm sẽ tìm thấy chúng trong chốc lát.",
    **TEXTS,
}


@pytest.mark.parametrize("own", SENTENCES)
def test_one_sentence_is_enough_to_be_sure(own):
    found, confidence = detect_language(SENTENCES[own])
    assert found == own
    assert confidence > SURE


@pytest.mark.parametrize(
    ("one", "other"),
    [("en", "fr"), ("de", "it"), ("ru", "en"), ("cs", "pl"), ("es", "pt"), ("el", "de"), ("he", "en"), ("vi", "fr"), ("tr", "hu")],
)
@pytest.mark.parametrize("times", [1, 6])
def test_of_two_languages_neither_is_sure(one, other, times):
    found, confidence = detect_language(f"{SENTENCES[one] * times} {SENTENCES[other] * times}")
    assert found in (one, other)
    assert 0.3 < confidence < SURE


def test_the_greater_part_counts_for_more():
    shares = [detect_language(TEXTS["en"] * (8 - n) + TEXTS["fr"] * n) for n in (0, 1, 3, 7, 8)]
    assert [language for language, _ in shares] == ["en", "en", "en", "fr", "fr"]
    assert shares[0][1] > shares[1][1] > shares[2][1]
    assert shares[4][1] > shares[3][1]


def test_what_is_in_no_language_is_a_guess():
    units = (
        "Tl 4.5 kg 12 mm, X-2 / Q7 ... 88 W, Rt 9; Vx (3) Lm Zc 17 nF 0.2 uH k9 Bq 55 ppm hPa 31 dB GHz 8 Wh pcs 4 vol% xs 7 rpm oz 2 qt"
    )
    assert detect_language(units)[1] < SURE
    assert detect_language(" ".join(f"#{number:02X}" for number in range(160, 256)))[1] < SURE


def test_a_page_and_a_block_in_two_languages_are_asked():
    text = f"{TEXTS['en'] * 2} {TEXTS['de'] * 2}"
    assert page_language(text, ("en", 1.0))[1] < SURE
    assert block_languages([text], ("en", 1.0))[0][1] < SURE


GEORGIAN = "ვინაიდან ადამიანთა ოჯახის ყველა წევრისათვის დამახასიათებელი ღირსების და თანასწორი და განუყოფელი უფლებების აღიარება წარმოადგენს თავისუფლების, სამართლიანობის და საყოველთაო მშვიდობის საფუძველს; და ვინაიდ"
ICELANDIC = "Það ber að viðurkenna, að hver maður sé jafnborinn til virðingar og réttinda, er eigi verði af honum tekin, og er þetta undirstaða frelsis, réttlætis og friðar i heiminum. Hafi mannréttindi verið fyrir borð borin og líti"
TRADITIONAL = "鑑於對人類家庭所有成員的固有尊嚴及其平等的和不移的權利的承認，乃是世界自由、正義與和平的基礎， 鑑於對人權的無視和侮蔑已發展為野蠻暴行，這些暴行沾污了人類的良心，而一個人人享有言論和信仰自由並免予恐懼和匱乏的世界的來臨，已被宣布為普通人民的最高願望， 鑑於為使人類不致迫不得已鋌而走險對暴政和壓迫進行"
OLD_GREEK = "Ἐπειδὴ ἡ ἀναγνώριση τῆς ἀξιοπρέπειας, ποὺ εἶναι σύμφυτη σὲ ὅλα τὰ μέλη τῆς ἀνθρώπινης οἰκογένειας, καθὼς καὶ τῶν ἴσων καὶ ἀναπαλλοτρίωτων δικαιωμάτων τους ἀποτελεῖ τὸ θεμέλιο τῆς ἐλευθερίας, τῆς δικαιοσύνης καὶ τῆς εἰρήν"


@pytest.mark.parametrize("text", [GEORGIAN, ICELANDIC])
def test_text_in_letters_that_no_known_language_has_is_in_none(text):
    assert detect_language(text) == (None, None)


def test_chinese_characters_without_hangul_are_not_korean():
    assert detect_language(TRADITIONAL)[0] == "zh-tw"
    assert detect_language(OLD_GREEK)[0] == "el"


def test_foreign_words_in_another_script_take_no_language_away():
    found, confidence = detect_language(f"{TEXTS['en']} {RUSSIAN} {TEXTS['en']}")
    assert found == "en"
    assert 0.5 < confidence < 1


@settings(deadline=None, max_examples=100)
@given(st.text(st.sampled_from("aeZÉ  .\x00щЩあ漢\U0001f600\U00010400\ud800"), max_size=40))
def test_n_grams_and_their_gains_are_the_same_compiled(text):
    table, room = profiles(), np.zeros(3 * len(text), np.int64)
    name = "pdfmill.transforms.language.ngram_loops"
    count, after = same_in_both(name, "find_ngrams", text, language_profiles._normal_text(), table.keys, table.slots, room)
    same_in_both(name, "add_gains", after[4][:count], table.first, table.language, table.gain, np.zeros(len(table.languages)))


def test_the_hash_table_is_the_same_compiled():
    keys = np.array([1, 5, 1 << 13, 1 << 29, (1 << 42) + 7, (1 << 62) + 3], np.uint64)
    _, after = same_in_both("pdfmill.transforms.language.ngram_loops", "fill_slots", keys, np.full(16, -1, np.int32))
    assert sorted(after[1][after[1] >= 0].tolist()) == list(range(len(keys)))
