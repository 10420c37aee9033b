from __future__ import annotations

import re

import pikepdf

from pdfmill.transforms.pdf.facts.revisions import read_revisions
from pdfmill.transforms.pdf.open.document import open_document
from tests.pdf.make import make_pdf


def append(data: bytes, number: int, body: bytes) -> bytes:
    """An incremental update with one object."""
    previous = int(re.findall(rb"startxref\s+(\d+)", data)[-1])
    offset = len(data) + 1
    written = b"\n%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(data) + len(written)
    size = max(number + 1, 50)
    root = re.findall(rb"/Root (\d+ 0 R)", data)[-1]
    return (
        data
        + written
        + b"xref\n%d 1\n%010d 00000 n \ntrailer\n<</Size %d/Root %s/Prev %d>>\nstartxref\n%d\n%%%%EOF\n"
        % (number, offset, size, root, previous, table)
    )


def facts(data: bytes) -> dict[str, object]:
    return read_revisions(open_document(data, name="x"))


PLAIN = make_pdf(object_stream_mode=pikepdf.ObjectStreamMode.disable)


def test_saved_once() -> None:
    assert facts(PLAIN) == {"revisions": 1, "revision_ends": [len(PLAIN)], "has_obsolete_content": False}


def test_an_update_that_adds_and_one_that_replaces() -> None:
    added = append(PLAIN, 40, b"(new)")
    assert facts(added) == {"revisions": 2, "revision_ends": [len(PLAIN), len(added)], "has_obsolete_content": False}
    replaced = append(added, 40, b"(newer)")
    assert facts(replaced) == {"revisions": 3, "revision_ends": [len(PLAIN), len(added), len(replaced)], "has_obsolete_content": True}


def test_cross_reference_streams() -> None:
    data = make_pdf(object_stream_mode=pikepdf.ObjectStreamMode.generate)
    assert facts(data)["revisions"] == 1


def test_the_two_halves_of_a_linearized_file_are_one_revision() -> None:
    for mode in (pikepdf.ObjectStreamMode.generate, pikepdf.ObjectStreamMode.disable):
        assert facts(make_pdf(pages=3, linearize=True, object_stream_mode=mode))["revisions"] == 1


def test_offsets_count_from_the_signature() -> None:
    assert facts(b"junk\n" * 30 + PLAIN)["revisions"] == 1


def test_chains_that_loop_or_break_end() -> None:
    looping = append(PLAIN, 40, b"(x)")
    start = int(re.findall(rb"startxref\s+(\d+)", looping)[-1])
    looping = re.sub(rb"/Prev \d+", b"/Prev %d" % start, looping)
    assert facts(looping)["revisions"] == 1
    assert facts(re.sub(rb"startxref\s+\d+", b"startxref\n9", PLAIN))["revisions"] is None
