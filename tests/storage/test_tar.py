"""PDFs in tar archives: listed by their headers, each read by its range."""

from __future__ import annotations

import io
import os
import random
import tarfile
from pathlib import Path

import pytest
from msgspec.structs import replace

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.access import Access, Stores
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import read_bytes
from pdfmill.transforms.storage.sessions import forget_clients
from pdfmill.transforms.storage.sources import list_source
from pdfmill.transforms.storage.store import file_name
from tests.crawl.help import Crawl, configure, snapshot_tables, tiny
from tests.servers import Answer, S3Server, gate_before

LONG = "2401/" + "x" * 150 + "/2401.00002v1.pdf"
MEMBERS = [("2401/2401.00001v1.pdf", b"%PDF one"), ("2401/readme.txt", b"text"), (LONG, b"%PDF two " * 200), ("2401/É.PDF", b"%PDF three")]


def packed(members: list[tuple[str, bytes]], form: int = tarfile.PAX_FORMAT, mtime: int = 1_700_000_000) -> bytes:
    sink = io.BytesIO()
    with tarfile.open(fileobj=sink, mode="w", format=form) as tar:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(data), mtime
            tar.addfile(info, io.BytesIO(data))
        folder = tarfile.TarInfo("2401/folder.pdf")
        folder.type = tarfile.DIRTYPE
        tar.addfile(folder)
        link = tarfile.TarInfo("2401/link.pdf")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    return sink.getvalue()


def listed(path: Path) -> list[DocumentRef]:
    return list(list_source(str(path)))


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_members_by_name_and_range(tmp_path: Path, form: int) -> None:
    (tmp_path / "a.tar").write_bytes(packed(MEMBERS, form))
    refs = listed(tmp_path / "a.tar")
    assert [(file_name(ref.uri), ref.size, read_bytes(ref)) for ref in refs] == [
        ("2401.00001v1.pdf", 8, MEMBERS[0][1]), ("2401.00002v1.pdf", 1800, MEMBERS[2][1]), ("É.PDF", 10, MEMBERS[3][1]),
    ]  # fmt: skip
    assert {ref.modified.timestamp() for ref in refs if ref.modified} == {1_700_000_000.0}
    with pytest.raises(SourceError) as refused:
        read_bytes(refs[1], max_bytes=1799)
    assert refused.value.code == "too_large"


def test_an_id_is_that_of_the_name_wherever_it_lies_and_of_several_each_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(packed(MEMBERS))
    before = {file_name(ref.uri): ref.doc_id for ref in listed(tmp_path / "a.tar")}
    (tmp_path / "a.tar").write_bytes(packed([*reversed(MEMBERS), (MEMBERS[0][0], b"%PDF newer")]))
    after = listed(tmp_path / "a.tar")
    assert {file_name(ref.uri): ref.doc_id for ref in after[:3]} == before
    assert after[3].doc_id not in before.values()
    assert read_bytes(after[3]) == b"%PDF newer"


@pytest.mark.parametrize("cut", [100, 512, 1100, 2000, -10_240])
def test_a_cut_archive_is_told(tmp_path: Path, cut: int) -> None:
    (tmp_path / "a.tar").write_bytes(packed(MEMBERS)[:cut])
    *_, last = listed(tmp_path / "a.tar")
    assert last.failure is not None
    assert last.failure.code == "damaged"


def test_what_is_no_archive_is_told(tmp_path: Path) -> None:
    for data in (b"", b"%PDF-1.7" * 500, os.urandom(4096)):
        (tmp_path / "a.tar").write_bytes(data)
        (ref,) = listed(tmp_path / "a.tar")
        assert ref.failure is not None
        assert ref.failure.code == "damaged"


def test_a_member_that_lies_elsewhere_now_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(packed(MEMBERS))
    refs = listed(tmp_path / "a.tar")
    (tmp_path / "a.tar").write_bytes(packed(MEMBERS[1:]))
    for ref in refs:
        with pytest.raises(SourceError) as refused:
            read_bytes(ref)
        assert refused.value.code == "changed"


@pytest.mark.servers
def test_of_a_bucket_that_bills_little_more_is_fetched_than_headers_and_what_is_read(strict_s3_server: S3Server) -> None:
    """The recipe for arXiv's bucket: requester pays, tar archives of half a gigabyte."""
    members = [(f"2401/{number}.pdf", os.urandom(300_000)) for number in range(12)]
    bucket = strict_s3_server.make_bucket({"pdf/arXiv_pdf_2401_001.tar": packed(members), "pdf/arXiv_pdf_manifest.xml": b"<xml/>"})
    refused = Answer(403, b"<Error><Code>AccessDenied</Code><Message>no</Message></Error>", {"Content-Type": "application/xml"})
    ranges: list[str] = []

    def stops(method: str, path: str, headers: object) -> Answer | None:
        told = dict(headers.items())  # type: ignore[attr-defined]
        ranges.append(told.get("Range", ""))
        return None if told.get("x-amz-request-payer") == "requester" else refused

    with gate_before(strict_s3_server.endpoint) as gate:
        gate.stops = stops
        Stores((Access(f"s3://{bucket}/", endpoint=gate.endpoint, requester_pays=True),))
        refs = list(list_source(f"s3://{bucket}/pdf/*.tar"))
        asked = [each.removeprefix("bytes=").split("-") for each in ranges if each]
        assert len(refs) == 12
        assert sum(int(end) - int(begin) + 1 for begin, end in asked) < 14 * 16 * 1024
        assert read_bytes(refs[7]) == members[7][1]
    forget_clients()


def test_a_crawl_of_archives(tmp_path: Path) -> None:
    """A second night lists no archive that is as it was; one that grew is read where it grew."""
    (tmp_path / "in").mkdir()
    members = [(f"{number}.pdf", tiny(f"number {number}")) for number in range(3)]
    (tmp_path / "in" / "a.tar").write_bytes(packed(members))
    crawl: Crawl = configure(tmp_path, f"{tmp_path}/in/*.tar", str(tmp_path / "out"))
    assert crawl.report()["plan"] == {"new": 3}
    assert crawl.report()["outcome"] == "unchanged"
    (tmp_path / "in" / "a.tar").write_bytes(packed([("0.pdf", tiny("before")), *members[1:], ("9.pdf", tiny("nine"))]))
    assert crawl.report()["plan"] == {"new": 1, "changed": 1, "unchanged": 2}
    names = sorted(row["file_name"] for row in snapshot_tables(crawl.output)["documents"].to_pylist())
    assert names == ["0.pdf", "1.pdf", "2.pdf", "9.pdf"]
    whole = (tmp_path / "in" / "a.tar").read_bytes()
    (tmp_path / "in" / "a.tar").write_bytes(whole[:2000])
    assert crawl.report()["exit_code"] != 0
    assert snapshot_tables(crawl.output)["documents"].num_rows == 4


def test_a_reference_that_names_no_place(tmp_path: Path) -> None:
    ref = DocumentRef.of_uri(f"tar+file://{tmp_path}/a.tar#name=x.pdf")
    with pytest.raises(SourceError) as refused:
        read_bytes(replace(ref, size=None))
    assert refused.value.code == "bad_source"


SIZES = [
    each.ljust(12)
    for each in (b"77777777777", b"00000000000", b"\x80" + b"\xff" * 11, b"\xff" * 12, b"\xff" * 10 + b"\xfc\x00", b"xx", b"-0000000001")
]


def mutated(data: bytes, chance: random.Random) -> bytes:
    """An archive with some of its blocks wrong; headers get their check sum anew, so that what they say is heeded."""
    blocks = [bytearray(data[at : at + tarfile.BLOCKSIZE]) for at in range(0, len(data), tarfile.BLOCKSIZE)]
    headers = [number for number, block in enumerate(blocks) if block[257:262] == b"ustar"]
    for _ in range(chance.randint(1, 3)):
        block = blocks[chance.choice(headers)]
        match chance.randrange(7):
            case 0:  # how long the member is
                block[124:136] = chance.choice(SIZES)
            case 1:  # what it is
                block[156] = chance.choice(b"\x000123456789DKLMNSVXgx~")
            case 2:  # its name, or that of a link
                at = chance.choice([0, 157, 345])
                block[at : at + 20] = chance.choice([b"../" * 6 + b"\0\0", b"\xff" * 20, b"/" * 20, b"\0" * 20, b"a.pdf".ljust(20, b"\0")])
            case 3:  # when it was changed
                block[136:148] = chance.choice([b"\x80" + b"\x7f" * 11, b"77777777777\0", b"99999999999\0", b"\xff" * 12])
            case 4:
                blocks.insert(chance.randrange(len(blocks)), bytearray(chance.randbytes(tarfile.BLOCKSIZE)))
            case 5:
                del blocks[chance.randrange(len(blocks))]
                headers = [number for number, each in enumerate(blocks) if each[257:262] == b"ustar"] or [0]
            case 6:
                block[chance.randrange(tarfile.BLOCKSIZE)] = chance.randrange(256)
        told = sum(block[:148]) + sum(block[156:]) + 8 * 32
        block[148:156] = b"%06o\0 " % told
    made = b"".join(bytes(each) for each in blocks)
    return made[: chance.randrange(len(made))] if chance.random() < 0.2 else made


def test_mutated_archives_are_listed_to_an_end_or_told_and_twice_alike(tmp_path: Path) -> None:
    """PDFMILL_MUTATIONS: how many, for a longer run."""
    chance = random.Random(20261124)
    for number in range(int(os.environ.get("PDFMILL_MUTATIONS", "150"))):
        form = chance.choice([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
        members = [each for each in MEMBERS if form != tarfile.USTAR_FORMAT or each[0] != LONG]
        (tmp_path / "a.tar").write_bytes(mutated(packed(members, form), chance))
        refs = listed(tmp_path / "a.tar")
        assert refs == listed(tmp_path / "a.tar"), number
        assert len({ref.doc_id for ref in refs}) == len(refs), number
        for ref in refs:
            assert ref.failure is None or ref.failure.code == "damaged", (number, ref.failure)
            if ref.failure is None:
                assert outcome(ref) in (ref.size, "changed", "too_large"), number


def outcome(ref: DocumentRef) -> int | str:
    """How many bytes are read, or why none are."""
    try:
        return len(read_bytes(ref, max_bytes=1 << 20))
    except SourceError as error:
        return error.code
