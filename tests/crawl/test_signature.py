"""Near-duplicates have signatures that agree; other texts have not."""

from pdfmill.pipeline.crawl.texts import PLACES, minhash, text_signature

WORDS = [f"word{number * 7919 % 1000}" for number in range(2000)]


def likeness(one, other):
    return sum(a == b for a, b in zip(text_signature([one]), text_signature([other]), strict=True)) / PLACES


def test_likeness():
    text = " ".join(WORDS[:500])
    assert likeness(text, text.upper()) == 1
    near = " ".join("other" if place % 50 == 9 else word for place, word in enumerate(WORDS[:500]))
    assert 0.6 < likeness(text, near) < 1
    assert likeness(text, " ".join(WORDS[1:500:2])) < 0.2


def test_a_text_in_parts_is_one_text_and_no_text_has_no_signature():
    assert text_signature(["one two three", "four five six"]) == text_signature(["one two three four five six"])
    assert text_signature(["", " - "]) is None


def test_signatures_can_be_compared_with_those_of_old_snapshots():
    """As datasketch 2.0 gave them, by which the first snapshots were written."""
    assert text_signature(["the quick brown fox jumps over the lazy dog and runs away"])[:5] == [
        130533969,
        769300165,
        193059016,
        251179226,
        244447999,
    ]
    assert text_signature(["x"])[:4] == [1286738140, 2708072564, 153585830, 1793106248]


def test_the_likeness_of_sets_is_that_of_their_signatures():
    one, other = ({b"%d" % number for number in range(start, start + 1000)} for start in (0, 500))
    agree = sum(a == b for a, b in zip(minhash(one), minhash(other), strict=True)) / PLACES
    assert abs(agree - 500 / 1500) < 0.125
