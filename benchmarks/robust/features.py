"""`make features`: check the tables that `pdfmill index` writes for cases of single PDF features, by a checker outside this repository.

    python -m benchmarks.robust.features CASES.jsonl PDFS [OUT]

Every file of the cases is read by one run. Each case with a password has a run of its own with that password, and so has each case with a
time limit, whose run is timed. `observe` converts the rows of one document to the names that the checker uses. The checker is in the folder
of the cases.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import pyarrow.parquet as pq

from pdfmill.schemas.codes import FURNITURE_ROLES
from pdfmill.transforms.pdf.facts.metadata import XML_HEADER

#: One row of a table, as read from Parquet.
Row = Mapping[str, Any]

_TABLES: Final = ("documents", "pages", "blocks", "assets")
_METHODS: Final = {"AESV2": "AESv2", "AESV3": "AESv3"}
#: The owners of attachments that the checker counts; it does not count associated files.
_COUNTED: Final = ("document", "annotation")
#: Columns that the checker calls as we do.
_SAME_NAMES: Final = (
    *("format", "pdf_version", "header_version", "header_offset", "catalog_version", "extension_level"),
    *("linearized", "revisions", "fdf_target"),
)
#: The checker's words for our statuses: it does not distinguish files that are no PDF from broken ones.
_STATUSES: Final = {"not_pdf": "failed"}


def observe(
    document: Row, pages: Sequence[Row], blocks: Sequence[Row], assets: Sequence[Row], nested: Sequence[Row] = ()
) -> dict[str, Any]:
    """Convert the rows of one document to the checker's names.

    pages, blocks, assets: its rows in order. nested: assets of the documents attached to it, on all levels.
    """
    attachments = [asset for asset in assets if asset["kind"] == "attachment"]
    return {
        **_identity(document),
        **_encryption(document),
        **_metadata(document),
        **_pages(document, pages, blocks),
        **_annotations(document, pages),
        **_forms(document),
        **_xfa(document, assets),
        **_images(assets),
        "inline_images": document["inline_images"],
        **_navigation(document),
        "attachments": [_attachment(asset) for asset in attachments],
        "attachment_count": sum(asset["attached_to"] in _COUNTED for asset in attachments),
        "nested_attachments": [_attachment(asset) for asset in nested if asset["kind"] == "attachment"],
        "portfolio": document["is_portfolio"],
        "javascript": bool(document["javascript"]),
        "javascript_count": len(document["javascript"] or []),
        "javascript_code": [script["code"] for script in document["javascript"] or []],
        "no_crash": document["error_code"] != "crashed",
    }


def _identity(document: Row) -> dict[str, Any]:
    status = document["status"]
    return {
        "status": _STATUSES.get(status, status),
        "opens": status in ("ok", "partial"),
        "error": document["error_code"] is not None,
        "warnings": bool(document["warnings"]),
        "pages": document["page_count"],
        "tagged": document["tagged"],
        "struct_tree": document["struct_types"] is not None,
        "struct_types": {each["type"]: each["count"] for each in document["struct_types"] or []},
        "incremental": (document["revisions"] or 1) > 1,
        "untrusted_fonts": [font["name"] for font in document["fonts"] or [] if not font["trusted"]],
        **{key: document[key] for key in _SAME_NAMES},
    }


def _encryption(document: Row) -> dict[str, Any]:
    facts = document["encryption"]
    if facts is None:
        return {"encrypted": document["status"] == "encrypted"}
    return {
        "encrypted": True,
        "encryption_revision": facts["revision"],
        "method": _METHODS.get(facts["method"], facts["method"]),
        "security_handler": facts["handler"],
        "extract_allowed": "extract" in (facts["permissions"] or []),
    }


def _metadata(document: Row) -> dict[str, Any]:
    custom = {each["key"]: each["value"] for each in document["info_custom"] or []}
    return {"metadata": dict(document["info"] or {}) | {"custom": custom}, "xmp": _xmp(document)}


def _xmp(document: Row) -> dict[str, Any]:
    if document["xmp"] is None:
        return {"present": False}
    packet = document["xmp"].removeprefix(XML_HEADER)
    listed = {each["name"]: each["values"] for each in document["xmp_properties"] or []}
    stored = {key: values[0] if len(values) == 1 else values for key, values in listed.items()}
    digest = {"sha256": document["xmp_sha256"], "bytes": document["xmp_size"]}
    return stored | digest | {"present": True, "well_formed": _is_xml(packet)}


def _is_xml(written: str | bytes) -> bool:
    try:
        ElementTree.fromstring(written)
    except (ElementTree.ParseError, ValueError):
        return False
    return True


def _pages(document: Row, pages: Sequence[Row], blocks: Sequence[Row]) -> dict[str, Any]:
    return {
        "page_texts": [page["text"] for page in pages],
        "paragraphs": [block["text"] for block in blocks if block["role"] not in FURNITURE_ROLES],
        "word_boxes": [box for page in pages for box in _word_boxes(page)],
        "hidden_text": [hidden["text"] for page in pages for hidden in page["hidden_text"] or []],
        "needs_ocr": any(page["needs_ocr"] for page in pages),
        "text_untrusted": any(page["untrusted_ratio"] or page["needs_ocr"] for page in pages),
        "page_geometry": [
            {
                "page": page["page"],
                "rotate": page["rotation"],
                "mediabox": page["media_box"],
                "cropbox": page["crop_box"],
                "user_unit": page["user_unit"],
            }
            for page in pages
        ],
        "page_labels": document["page_labels"],
    }


def _word_boxes(page: Row) -> Iterator[list[Any]]:
    for word in page["words"] or []:
        yield [page["page"], page["text"][word["start"] : word["end"]], word["x0"], word["top"], word["x1"], word["bottom"]]


def _annotations(document: Row, pages: Sequence[Row]) -> dict[str, Any]:
    """Return the annotations in the checker's names; one counts for its contents, its address and the text of its appearance separately."""
    found = [(page["page"], each) for page in pages for each in page["annotations"] or []]
    found += [(each["page"], each) for each in document["fdf_annotations"] or []]
    said = [[page, each["type"], each.get(key)] for page, each in found for key in ("contents", "uri", "appearance_text") if each.get(key)]
    return {
        "annotations": said,
        "annotation_types": {each["type"]: each["count"] for each in document["annotation_types"] or []},
        "annotation_texts": [written for _, _, written in said],
    }


def _forms(document: Row) -> dict[str, Any]:
    fields = document["form_fields"] or []
    signatures = document["signatures"] or []
    return {
        "form_fields": [[each["name"], each["type"], _value(each["value"])] for each in fields],
        "form_field_count": len(fields),
        "form_alt_names": [[each["name"], each["alternate_name"]] for each in fields if each["alternate_name"]],
        "form_mapping_names": [[each["name"], each["mapping_name"]] for each in fields if each["mapping_name"]],
        "signed": bool(signatures),
        "signature_count": len(signatures),
        "signature_subfilters": [each["subfilter"] for each in signatures],
        "signature_names": [each["name"] for each in signatures],
    }


def _value(values: Sequence[str] | None) -> str | Sequence[str] | None:
    return values[0] if values and len(values) == 1 else values or None


def _xfa(document: Row, assets: Sequence[Row]) -> dict[str, Any]:
    joined = next((asset for asset in assets if asset["kind"] == "xfa"), None)
    if joined is None:
        return {"xfa": document["xfa_packets"] is not None}
    data = _exported(joined)
    return {
        "xfa": True,
        "xfa_packets": [[each["name"], each["byte_size"]] for each in document["xfa_packets"] or []],
        "xfa_bytes": joined["byte_size"],
        "xfa_sha256": joined["sha256"],
        "xfa_well_formed": data is not None and _is_xml(data),
        "xfa_dynamic": document["xfa_dynamic"],
    }


def _exported(asset: Row) -> bytes | None:
    """Return the exported bytes of an asset, read from the address in its row and compared with their checksum."""
    path = Path(str(asset["uri"] or "").removeprefix("file://"))
    if not asset["uri"] or not path.is_file():
        return None
    data = path.read_bytes()
    return data if sha256(data).hexdigest() == asset["sha256"] else None


def _images(assets: Sequence[Row]) -> dict[str, Any]:
    images = [asset for asset in assets if asset["kind"] == "image"]
    thumbnails = [asset for asset in assets if asset["kind"] == "thumbnail"]
    return {
        "images": [[box["page"], each["width"], each["height"], each["filter"]] for each in images for box in each["boxes"] or []],
        "image_colorspaces": [each["color_space"] for each in images],
        "thumbnails": [[each["page"], each["width"], each["height"]] for each in thumbnails],
        "thumbnail_count": len(thumbnails),
    }


def _navigation(document: Row) -> dict[str, Any]:
    threads = document["article_threads"] or []
    outline = document["outline"] or []
    return {
        "outline": [[each["title"], each["level"], each["page"]] for each in outline],
        "outline_count": len(outline),
        "layers": [[each["name"], each["visible"]] for each in document["layers"] or []],
        "article_threads": [
            {
                "title": each["title"],
                "author": each["author"],
                "beads": len(each["beads"]),
                "pages": _distinct(bead["page"] for bead in each["beads"]),
            }
            for each in threads
        ],
        "article_thread_count": len(threads),
    }


def _distinct(pages: Iterable[int | None]) -> list[int]:
    return sorted({page for page in pages if page is not None})


def _attachment(asset: Row) -> list[Any]:
    return [asset["name"], asset["byte_size"], asset["sha256"]]


def read_tables(output: Path) -> dict[str, list[dict[str, Any]]]:
    """Return all rows of a run by table."""
    return {
        table: [row for part in sorted((output / table).glob("*.parquet")) for row in pq.read_table(part).to_pylist()] for table in _TABLES
    }


def observe_run(output: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (file name, observation) for each input of a run."""
    tables = read_tables(output)
    rows_of: dict[str, dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for table in _TABLES[1:]:
        for row in tables[table]:
            rows_of[row["doc_id"]][table].append(row)
    children: dict[str | None, list[str]] = defaultdict(list)
    for row in tables["documents"]:
        children[row["parent_doc_id"]].append(row["doc_id"])
    for row in tables["documents"]:
        if row["parent_doc_id"] is None:
            own = rows_of[row["doc_id"]]
            nested = [asset for child in _below(row["doc_id"], children) for asset in rows_of[child]["assets"]]
            yield Path(row["source_uri"]).name, observe(row, own["pages"], own["blocks"], own["assets"], nested)


def _below(doc_id: str, children: Mapping[str | None, list[str]]) -> Iterator[str]:
    for child in children[doc_id]:
        yield child
        yield from _below(child, children)


def run_job(files: Sequence[Path], output: Path, password: str | None = None) -> float:
    """Run `pdfmill index` on the files; return the wall time in seconds."""
    listed = output.with_suffix(".list")
    listed.write_text("".join(f"{path}\n" for path in files))
    command = [sys.executable, "-m", "pdfmill", "index", f"@{listed}", "--output", str(output)]
    command += ["--export", "attachment,xfa,image,thumbnail"]
    if password is not None:
        candidates = output.with_suffix(".passwords")
        candidates.write_text(f"{password}\n")
        command += ["--passwords", str(candidates)]
    started = time.monotonic()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not any((output / "documents").glob("*.parquet")):
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return time.monotonic() - started


def observe_cases(cases: Sequence[Row], pdfs: Path, work: Path, out: Path) -> None:
    """Make the runs that the cases need, and write one JSON file for each PDF, and for each case with a password or a time limit."""
    alone = [case for case in cases if case.get("password") is not None or "max_seconds" in case["expect"]]
    files = sorted({pdfs / case["file"] for case in cases if case.get("password") is None and "max_seconds" not in case["expect"]})
    run_job(files, work / "all")
    for name, observation in observe_run(work / "all"):
        (out / f"{name}.json").write_text(json.dumps(observation, default=str))
    for case in alone:
        seconds = run_job([pdfs / case["file"]], work / case["id"], case.get("password"))
        for _, observation in observe_run(work / case["id"]):
            (out / f"{case['id']}.json").write_text(json.dumps(observation | {"seconds": seconds}, default=str))


def main(argv: Sequence[str]) -> int:
    """Run the script, and return the checker's exit code; 2 for wrong arguments."""
    if len(argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    cases_path, pdfs = Path(argv[0]).resolve(), Path(argv[1]).resolve()
    cases = [json.loads(line) for line in cases_path.read_text().splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as scratch:
        work = Path(scratch)
        out = Path(argv[2]).resolve() if len(argv) == 3 else work / "observed"
        out.mkdir(parents=True, exist_ok=True)
        observe_cases(cases, pdfs, work, out)
        print(f"{len(cases)} cases by row: {dict(sorted(Counter(case['row'] for case in cases).items()))}")
        return subprocess.run(
            [sys.executable, str(cases_path.parent / "check.py"), str(cases_path), str(out), "--fail"], check=False
        ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
