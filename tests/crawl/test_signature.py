"""Near-duplicates have signatures that agree; other texts have not."""

from transforms.snapshots.signature import PLACES, text_signature

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
