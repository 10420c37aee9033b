"""Near-duplicates have signatures that agree; other texts have not."""

from transforms.snapshots.duplicates import content_key
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


def test_what_says_something_about_content():
    md5 = "d41d8cd98f00b204e9800998ecf8427e"
    assert content_key("s3://b/a", md5, 7) == content_key("s3://c/d", md5, 7)
    assert content_key("s3://b/a", f"{md5}-2", 7) is None
    assert content_key("gs://b/a", "1700000000", 7) is None
    assert content_key("file:///a", None, 7) == "size/7"
