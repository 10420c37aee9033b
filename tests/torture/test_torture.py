"""`make torture` and `make soak` in short: mutated files, some of the robust corpus,
and small whole ones through the main job with two workers."""

from __future__ import annotations

import contextlib
import io
import random
import shutil

import pikepdf
import pytest

from benchmarks.robust.mutations import mutate, mutations
from benchmarks.robust.object_mutations import mutate_objects, object_mutations
from benchmarks.robust.torture import prepare, torture
from benchmarks.speed.made_documents import letters
from tests.pdf.make import make_pdf

MUTATED, OBJECTS, STRUCTURES, WHOLE, LETTERS = 90, 60, 60, 60, 300


@pytest.mark.corpus
@pytest.mark.slow
def test_every_broken_file_has_its_row(corpus, tmp_path):
    some = tmp_path / "robust"
    some.mkdir()
    for path in random.Random(1).sample(sorted((corpus / "robust").rglob("*.pdf")), WHOLE):
        shutil.copyfile(path, some / path.name)
    source = tmp_path / "in"
    source.mkdir()
    files = prepare(source, [corpus / "robust", corpus / "features"], some, (MUTATED, OBJECTS, STRUCTURES), seed=1)
    assert files == MUTATED + OBJECTS + STRUCTURES + WHOLE
    result = torture(source, tmp_path / "out", files, timeout=500)
    assert result.problems == [], "\n".join(result.lines())


@pytest.mark.slow
def test_every_small_document_has_its_row(tmp_path):
    letters(tmp_path / "in", LETTERS)
    result = torture(tmp_path / "in", tmp_path / "out", LETTERS, timeout=500)
    assert result.problems == [], "\n".join(result.lines())
    assert (result.statuses, result.pages) == ({"ok": LETTERS}, LETTERS)


def test_mutations_are_the_same_whatever_their_number(tmp_path):
    seed = tmp_path / "seed.pdf"
    seed.write_bytes(b"%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n" * 20)
    few, many = list(mutations([seed], 5)), list(mutations([seed], 20))
    assert many[:5] == few
    assert len({data for _, data in many}) > 10


def test_nothing_is_too_short_to_mutate():
    for number in range(300):
        mutate(b"", b"x", random.Random(number))


def test_objects_are_mutated_and_the_file_stays_one(tmp_path):
    seed = tmp_path / "seed.pdf"
    seed.write_bytes(make_pdf(text="Letter"))
    few, many = list(object_mutations([seed], 5)), list(object_mutations([seed], 40))
    assert many[:5] == few
    assert len({data for _, data in many}) > 30
    opened = 0
    for _, data in many:
        with contextlib.suppress(pikepdf.PdfError), pikepdf.open(io.BytesIO(data)):
            opened += 1
    assert opened > 30, "what is left of a file whose catalog was hit may be none"
    assert mutate_objects(b"no PDF", random.Random(0)) is None
