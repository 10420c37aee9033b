"""The benchmark's own arithmetic; what it measures is not asserted."""

import sys
from dataclasses import replace

import pypdfium2
import pytest

from benchmarks.speed.blocks import document_blocks
from benchmarks.speed.blocks import main as make_blocks
from benchmarks.speed.made_documents import book, letters
from benchmarks.speed.peers import Tool
from benchmarks.speed.processes import Cost, run_command
from benchmarks.speed.speed import (
    Measured,
    busy_warning,
    count_pages,
    find_files,
    lengths_table,
    measure,
    memory_table,
    parse,
    peers_table,
)
from pdfmill.pipeline.options.flag_values import PageSelection
from pdfmill.pipeline.run.one_document import find_one, read_one
from pdfmill.transforms.layout.settings.layout_settings import LayoutSettings
from pdfmill.transforms.road.job_settings import ReadSettings

COST = Cost(seconds=2.0, cpu=4.0, peak_mb=50.0, code=0)


def _tool(name, cpu=4.0, **more):
    return Measured(name, "1.0", 3, 10, replace(COST, cpu=cpu), **more)


def test_ratios_are_of_cpu_time():
    table = peers_table([_tool("pdfmill index", 8.0), _tool("pdftotext", 2.0), _tool("PDFium", 16.0)])
    line = next(line for line in table.splitlines() if line.startswith("pdfmill"))
    assert line.split()[-3:] == ["4.00", "0.50", "-"]
    assert line.split()[3] == "5"  # 10 pages in 2 s


def test_tools_run_in_turn_and_the_spread_of_their_ratios_is_told(tmp_path):
    log = tmp_path / "log"
    script = "import sys; open(sys.argv[1], 'a').write(sys.argv[2]); sum(range(int(sys.argv[3])))"
    tools = [
        Tool(name, "1", (sys.executable, "-c", script, str(log), name, work)) for name, work in (("a", "4000000"), ("pdftotext", "1000"))
    ]
    found = measure([*tools, Tool("c", "1", missing="no c")], [tmp_path / "x.pdf"], 1, 2)
    assert log.read_text() == "apdftotextapdftotext"
    assert [len(each.runs) for each in found] == [2, 2, 0]
    assert found[0].cost == min(found[0].runs, key=lambda cost: cost.cpu)
    low, high = sorted(a.cpu / b.cpu for a, b in zip(found[0].runs, found[1].runs, strict=True))
    line = next(line for line in peers_table(found).splitlines() if line.startswith("a "))
    assert line.split()[-3].endswith(f"({low:.2f}-{high:.2f})")


def test_a_busy_machine_is_warned_of():
    assert busy_warning(0.01) is None
    assert "37%" in busy_warning(0.37)


def test_a_tool_that_is_missing_says_why():
    table = peers_table([_tool("pdftotext"), Measured("PDFBox", "3", 3, 10, None, "no java")])
    assert "PDFBox 3 (not run)" in table
    assert table.endswith("PDFBox: no java")


def test_cost_per_page_without_the_start():
    found = [replace(_tool("1", 2.0), pages=1), replace(_tool("2", 3.0), pages=101)]
    assert lengths_table(found).splitlines()[-1].split() == ["101", "pages", "3.00", "29.7", "10.0", "50"]


def test_memory_is_told_against_the_smallest_folder():
    found = [replace(_tool("a"), documents=10), replace(_tool("b"), documents=100, cost=replace(COST, peak_mb=75.0))]
    assert memory_table(found).splitlines()[-1].split()[-1] == "1.50"


def test_made_documents_have_their_pages_and_are_the_same_each_time(tmp_path):
    for name in ("a.pdf", "b.pdf"):
        book(tmp_path / name, 7)
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()
    with pypdfium2.PdfDocument(tmp_path / "a.pdf") as document:
        assert len(document) == 7
        texts = {page.get_textpage().get_text_bounded() for page in document}
    assert len(texts) == 7
    letters(tmp_path / "letters", 3)
    files = find_files([tmp_path / "letters"])
    assert len({path.read_bytes() for path in files}) == count_pages(files) == 3


def test_a_file_that_is_no_pdf_has_no_pages(tmp_path):
    (tmp_path / "x.pdf").write_bytes(b"x")
    assert count_pages([tmp_path / "x.pdf"]) == 0


def test_a_process_tree_is_measured_whole():
    child = "b = bytearray(80_000_000)\nfor i in range(0, len(b), 4096): b[i] = 1\nimport time; time.sleep(0.5)"
    cost = run_command(
        [sys.executable, "-c", f"import subprocess, sys; sys.exit(subprocess.run([sys.executable, '-c', {child!r}]).returncode + 3)"]
    )
    assert cost.code == 3
    assert cost.peak_mb > 80
    assert cost.seconds >= 0.5


def test_blocks_alone_are_those_of_the_main_job(tmp_path, capsys):
    book(tmp_path / "a.pdf", 3)
    (tmp_path / "b.pdf").write_bytes(b"no pdf")
    rows = read_one(find_one(str(tmp_path / "a.pdf")), ReadSettings(), LayoutSettings(), PageSelection()).rows.blocks
    assert [block["text"] for block in document_blocks(tmp_path / "a.pdf")] == [row["text"] for row in rows]
    make_blocks([str(tmp_path / "b.pdf"), str(tmp_path / "a.pdf")])
    assert "b.pdf" in capsys.readouterr().err


def test_an_unknown_part_is_refused(capsys):
    with pytest.raises(SystemExit):
        parse(["--parts", "peers,all"])
    assert "choose from" in capsys.readouterr().err


def test_time_of_processes_that_outlive_their_parent_counts():
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {busy!r}])"
    assert run_command([sys.executable, "-c", orphan]).cpu >= 0.5
