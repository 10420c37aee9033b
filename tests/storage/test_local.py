"""Local files: what a specification names, pinned reads, whole writes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import pytest

from pdfmill.schemas.records import DocumentRef
from pdfmill.transforms.storage.addresses import failed, found, local_uri
from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import check_writable, delete_file, join_uri, list_files, read_bytes, read_file, write_bytes
from pdfmill.transforms.storage.settings import LIST_DEPTH
from pdfmill.transforms.storage.sources import absolute_source, expand_lists, list_source, list_sources
from pdfmill.transforms.storage.store import parse

ODD_NAMES = [
    "a b.pdf",
    "50%.pdf",
    "50%25.pdf",
    "a#b.pdf",
    "a?b.pdf",
    "a+b.pdf",
    "é.pdf",
    "e\u0301.pdf",
    "文書.PDF",
    "a\nb.pdf",
    "a[1].pdf",
    "*.pdf",
]


def put(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())


def names(folder: Path, spec: str) -> list[str]:
    """The paths that were found, relative to the folder; each must be readable and hold its own name."""
    listed = list(list_source(spec))
    assert [ref.failure for ref in listed] == [None] * len(listed)
    contents = [read_bytes(ref).decode() for ref in listed]
    assert [os.path.relpath(parse(ref.uri).key, folder) for ref in listed] == contents
    return contents


def failure_of(spec: str) -> tuple[str, str]:
    (ref,) = list_source(spec)
    assert ref.failure is not None
    return ref.failure.code, ref.failure.message


def test_a_folder_gives_its_documents_at_any_depth_in_order(tmp_path: Path) -> None:
    put(tmp_path, "b.pdf", "a/z.PDF", "a/y.txt", "c.fdf", "d.xfdf", "e.pdf.bak", "pdf")
    assert names(tmp_path, str(tmp_path)) == ["a/z.PDF", "b.pdf", "c.fdf", "d.xfdf"]
    assert names(tmp_path, f"{tmp_path}/") == names(tmp_path, str(tmp_path))
    assert names(tmp_path, local_uri(str(tmp_path))) == names(tmp_path, str(tmp_path))


def test_a_named_file_and_a_glob_take_any_name(tmp_path: Path) -> None:
    put(tmp_path, "scan", "a/scan.bin", "a/b/scan.pdf")
    assert names(tmp_path, f"{tmp_path}/scan") == ["scan"]
    assert names(tmp_path, f"{tmp_path}/*") == ["scan"]
    assert names(tmp_path, f"{tmp_path}/*/*") == ["a/scan.bin"]
    assert names(tmp_path, f"{tmp_path}/**") == ["a/b/scan.pdf", "a/scan.bin", "scan"]
    assert names(tmp_path, f"{tmp_path}/**/scan*") == ["a/b/scan.pdf", "a/scan.bin", "scan"]
    assert names(tmp_path, f"{tmp_path}/?/**/*.pdf") == ["a/b/scan.pdf"]


@pytest.mark.parametrize("name", ODD_NAMES)
def test_odd_names_are_found_read_and_come_back_from_their_uri(tmp_path: Path, name: str) -> None:
    put(tmp_path, name)
    assert names(tmp_path, str(tmp_path)) == [name]
    assert names(tmp_path, f"{tmp_path}/{name}") == [name]
    (ref,) = list_source(f"{tmp_path}/{name}")
    assert ref.uri.isascii()
    assert list(list_source(ref.uri)) == [ref]


def test_a_name_that_is_not_utf8_is_kept(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.pdf")).write_bytes(b"x")
    (ref,) = list_source(str(tmp_path))
    assert ref.uri.endswith("/%FF.pdf")
    assert read_bytes(ref) == b"x"


def test_links_are_followed_but_not_in_circles(tmp_path: Path) -> None:
    put(tmp_path, "a/x.pdf")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert [ref.uri.removeprefix(local_uri(str(tmp_path))) for ref in list_source(str(tmp_path))] == ["/a/x.pdf", "/b/x.pdf"]


def test_one_bad_entry_does_not_hide_the_others(tmp_path: Path) -> None:
    put(tmp_path, "a.pdf", "z.pdf")
    (tmp_path / "gone.pdf").symlink_to("nowhere")
    os.mkfifo(tmp_path / "pipe.pdf")
    listed = list(list_source(str(tmp_path)))
    assert [ref.failure and ref.failure.code for ref in listed] == [None, "not_found", "bad_source", None]
    assert "broken link" in listed[1].failure.message  # type: ignore[union-attr]


def test_a_folder_that_may_not_be_read_is_told(tmp_path: Path) -> None:
    put(tmp_path, "a.pdf", "locked/b.pdf", "z.pdf")
    real = os.listdir

    def listdir(path: str) -> list[str]:  # permission bits do not stop root, who runs many a CI
        if path.endswith("/locked"):
            raise PermissionError(13, "Permission denied", path)
        return real(path)

    with patch("os.listdir", listdir):
        listed = list(list_source(str(tmp_path)))
        deep = list(list_source(f"{tmp_path}/*/*.pdf"))
    assert [ref.failure and ref.failure.code for ref in listed] == [None, "permission_denied", None]
    assert [ref.failure and ref.failure.code for ref in deep] == ["permission_denied"]


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("", "bad_source"),
        ("  ", "bad_source"),
        ("a\0b", "bad_source"),
        ("ftp://host/a.pdf", "bad_source"),
        ("s3://", "bad_source"),
        ("gs:///a.pdf", "bad_source"),
        ("https://", "bad_source"),
        ("http://[::1/a.pdf", "bad_source"),
        ("file://host/a.pdf", "bad_source"),
        ("file:///a%00b", "bad_source"),
        ("/no/such/file.pdf", "not_found"),
        ("/no/such/*.pdf", "not_found"),
        ("@/no/such/list", "not_found"),
        ("/" + "x" * 300, "bad_source"),
        ("@", "bad_source"),
    ],
)
def test_what_cannot_be_listed_is_one_reference_that_says_why(spec: str, code: str) -> None:
    found_code, message = failure_of(spec)
    assert found_code == code
    assert spec.strip("@ ").partition("\0")[0].partition("%")[0] in message


def test_an_empty_folder_is_told(tmp_path: Path) -> None:
    put(tmp_path, "a.txt")
    code, message = failure_of(str(tmp_path))
    assert code == "not_found"
    assert str(tmp_path) in message
    assert "*.pdf" in message


def test_lists_with_comments_relative_paths_and_lists(tmp_path: Path) -> None:
    put(tmp_path, "a.pdf", "b c.pdf", "sub/d.pdf", "#e.pdf")
    (tmp_path / "inner").write_text("sub\n")
    (tmp_path / "list").write_text(
        f"\ufeff# comment\n\n  a.pdf \r\nb c.pdf\n@inner\nmissing.pdf\n{tmp_path}/a.pdf\n./#e.pdf\n", encoding="utf-8"
    )
    listed = list(list_source(f"@{tmp_path}/list"))
    shown = [(os.path.basename(parse(ref.uri).key), ref.failure and ref.failure.code) for ref in listed]
    assert shown == [("a.pdf", None), ("b c.pdf", None), ("d.pdf", None), ("missing.pdf", "not_found"), ("a.pdf", None), ("#e.pdf", None)]


def test_a_line_counts_from_the_working_directory_when_it_is_not_beside_the_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path, "here/a.pdf")
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "list").write_text("here/*.pdf\n")
    monkeypatch.chdir(tmp_path)
    assert names(tmp_path, "@lists/list") == ["here/a.pdf"]


def test_a_list_that_names_itself_ends(tmp_path: Path) -> None:
    put(tmp_path, "a.pdf")
    (tmp_path / "list").write_text("a.pdf\n@list\n")
    items = list(expand_lists(f"@{tmp_path}/list"))
    assert len(items) == LIST_DEPTH + 1
    assert isinstance(items[-1], DocumentRef)
    assert items[-1].failure is not None
    assert items[-1].failure.code == "bad_source"


def test_absolute_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert absolute_source("a/*.pdf") == f"{tmp_path}/a/*.pdf"
    assert absolute_source("@a") == f"@{tmp_path}/a"
    assert absolute_source("a/") == f"{tmp_path}/a/"
    assert absolute_source("/") == "/"
    assert absolute_source("s3://b/a") == "s3://b/a"
    assert absolute_source("") == ""


def test_ids_are_the_same_for_ever() -> None:
    assert found("s3://bucket/a.pdf").doc_id == "e11a5cfcb48d1c5c6c2889dab3eb6c91"
    assert found("s3://bucket/a.pdf").child(0).doc_id == "7766bf220191d06881ea5ec423d38194"
    assert found(local_uri("/a/../b.pdf")).doc_id == found("file:///b.pdf").doc_id


@pytest.mark.parametrize("uri", ["s3://b/\udc80.pdf", "s3://b/é.pdf"])
def test_one_recipe_makes_the_id_of_every_address(uri: str) -> None:
    assert found(uri).doc_id == failed(uri, SourceError("not_found", "x")).doc_id == DocumentRef.of_uri(uri).doc_id


def test_a_read_is_pinned_to_size_and_time(tmp_path: Path) -> None:
    put(tmp_path, "a.pdf")
    (ref,) = list_source(str(tmp_path))
    os.utime(tmp_path / "a.pdf", ns=(1, 1))
    with pytest.raises(SourceError, match=r"a\.pdf: changed since it was listed") as later:
        read_bytes(ref)
    (tmp_path / "a.pdf").write_bytes(b"longer than before")
    with pytest.raises(SourceError, match="listed: 5, now: 18") as longer:
        read_bytes(ref)
    (tmp_path / "a.pdf").unlink()
    with pytest.raises(SourceError) as gone:
        read_bytes(ref)
    assert [error.value.code for error in (later, longer, gone)] == ["changed", "changed", "not_found"]


def test_limits(tmp_path: Path) -> None:
    put(tmp_path, "abcde")
    uri = local_uri(str(tmp_path / "abcde"))
    assert read_bytes(found(uri), max_bytes=5) == b"abcde"
    with pytest.raises(SourceError, match="5 bytes, the limit is 4 bytes"):
        read_bytes(found(uri), max_bytes=4)
    (tmp_path / "empty").touch()
    assert read_file(str(tmp_path / "empty")) == b""
    with pytest.raises(SourceError, match="not a regular file"):
        read_file(str(tmp_path))


def test_a_write_is_whole_or_absent(tmp_path: Path) -> None:
    uri = join_uri(str(tmp_path), "pages/a b.parquet")
    write_bytes(uri, b"one")
    with patch("os.replace", side_effect=OSError(28, "No space left on device")), pytest.raises(SourceError, match="No space left") as full:
        write_bytes(uri, b"two")
    assert full.value.code == "store_error"
    assert read_file(uri) == b"one"
    assert os.listdir(tmp_path / "pages") == ["a b.parquet"]
    assert list_files(str(tmp_path), ".parquet") == [uri]
    assert list_files(str(tmp_path / "nowhere"), ".parquet") == []
    delete_file(uri)
    delete_file(uri)
    assert list_files(str(tmp_path), ".parquet") == []


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    put(tmp_path, "file")
    with pytest.raises(SourceError) as under_a_file:
        check_writable(f"{tmp_path}/file/out")
    with pytest.raises(SourceError) as on_the_web:
        check_writable("https://host/out")
    assert under_a_file.value.code in ("not_found", "store_error")
    assert on_the_web.value.code == "bad_source"


def test_local_work_imports_no_store_client(tmp_path: Path) -> None:
    put(tmp_path, "a.pdf")
    code = (
        "import sys\nfrom pdfmill.transforms.storage.sources import list_source\n"
        "from pdfmill.transforms.storage.objects import read_bytes\n"
        "assert [read_bytes(ref) for ref in list_source(sys.argv[1])] == [b'a.pdf']\n"
        "print(sorted({'boto3', 'google.cloud', 'requests', 'smart_open', 'apache_beam'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_what_is_named_twice_comes_once(tmp_path: Path) -> None:
    put(tmp_path, "a.pdf", "b.pdf")
    (tmp_path / "list").write_text("b.pdf\nb.pdf\nmissing.pdf\n")
    refs = list(list_sources([f"{tmp_path}/b.pdf", str(tmp_path), f"{tmp_path}/missing.pdf", f"@{tmp_path}/list"]))
    assert [ref.uri.rpartition("/")[2] for ref in refs] == ["b.pdf", "a.pdf", "missing.pdf"]
