"""What every command does with the log, with help, and with the standard input."""

import io
import json
import logging
import os
import pty
import select
import shutil
import subprocess
import sys

import pytest

from pdfmill.pipeline.cli.completion import SCRIPTS, flags_of
from pdfmill.pipeline.cli.index import _printing
from pdfmill.pipeline.cli.main import COMMANDS, run
from pdfmill.pipeline.run.errors import EXIT_NOTHING_DONE, EXIT_OK, EXIT_SOME_FAILED
from pdfmill.pipeline.run.logs import LogFlagError, LogSettings, take_log_flags
from tests.servers import unavailable


def command(*words, **more):
    return subprocess.run([sys.executable, "-m", "pdfmill", *map(str, words)], capture_output=True, check=False, **more)


@pytest.mark.parametrize(
    ("line", "rest", "settings"),
    [
        ("index a -q", "index a", LogSettings(logging.WARNING)),
        ("-v index a", "index a", LogSettings(logging.DEBUG)),
        ("index --log_format=json a", "index a", LogSettings(as_json=True)),
        ("index --log-format json a", "index a", LogSettings(as_json=True)),
        ("highlight a -- -q", "highlight a -- -q", LogSettings()),
    ],
)
def test_flags_of_the_log_stand_anywhere(line, rest, settings):
    assert take_log_flags(line.split()) == (rest.split(), settings)


def test_an_unknown_format_is_refused():
    with pytest.raises(LogFlagError, match="choose from text, json"):
        take_log_flags(["index", "--log_format", "xml"])
    assert run(["index", "--log_format", "xml"]) == EXIT_NOTHING_DONE


def test_json_lines_and_quiet(samples, tmp_path):
    code = (
        "import logging, pdfmill.pipeline.run.logs as l; l.configure_logging(l.LogSettings({level}, True)); "
        "ours = logging.getLogger('pdfmill'); ours.info('read %d', 3); logging.getLogger('botocore').info('x'); ours.error('bad')"
    )
    told = subprocess.run([sys.executable, "-c", code.format(level=20)], capture_output=True, text=True, check=True).stderr.splitlines()
    assert [(each["level"], each["logger"], each["message"]) for each in map(json.loads, told)] == [
        ("INFO", "pdfmill", "read 3"),
        ("ERROR", "pdfmill", "bad"),
    ]
    told = subprocess.run([sys.executable, "-c", code.format(level=30)], capture_output=True, text=True, check=True).stderr.splitlines()
    assert [json.loads(each)["message"] for each in told] == ["bad"]


def test_the_summary_as_json(samples, tmp_path, capsys):
    assert run(["index", str(samples), "--output", str(tmp_path / "out"), "--json"]) == EXIT_SOME_FAILED
    told = json.loads(capsys.readouterr().out)
    assert (told["exit_code"], told["documents"], told["statuses"]["ok"], told["runner"]) == (1, 8, 4, "local")
    assert {each["error_code"] for each in told["failures"]} >= {"not_pdf", "empty", "password_needed"}


def test_a_dry_run_reads_and_writes_nothing(samples, tmp_path, capsys):
    output = tmp_path / "out"
    assert run(["index", str(samples), "--output", str(output), "--dry-run"]) == EXIT_OK
    told = capsys.readouterr()
    assert len(told.out.splitlines()) == 8
    assert "8 documents" in told.err
    assert not output.exists()
    assert run(["index", str(samples), "--output", str(output), "--dry_run", "--json"]) == EXIT_OK
    assert {json.loads(line)["source_uri"].rpartition("/")[2] for line in capsys.readouterr().out.splitlines()} >= {"letter.pdf"}
    assert run(["index", str(samples / "typo"), "--output", str(output), "--dry_run"]) == EXIT_NOTHING_DONE
    assert "not_found" in capsys.readouterr().err


def test_one_document_is_told_in_the_singular(samples, tmp_path, capsys):
    (source, *_), output = sorted(samples.glob("*.pdf")), str(tmp_path / "out")
    assert run(["index", str(source), "--output", output, "--dry-run"]) == EXIT_OK
    assert capsys.readouterr().err.startswith("1 document, ")
    run(["index", str(source), "--output", output])
    assert "documents 1 row (" in capsys.readouterr().out


def test_a_dry_run_with_a_value_is_beams():
    assert [option.name for option in _printing(["a", "--dry_run=True", "--runner=DataflowRunner"])] == ["json", "report", "metrics"]
    assert [option.name for option in _printing(["a", "--dry-run"])] == ["dry_run", "json", "report", "metrics"]


def test_the_standard_input_is_a_document(samples):
    data = (samples / "letter.pdf").read_bytes()
    told = command("show", "-", input=data)
    assert told.returncode == EXIT_OK
    assert told.stdout == command("show", samples / "letter.pdf").stdout
    refused = command("show", "-", input=b"hello")
    assert refused.returncode == EXIT_NOTHING_DONE
    assert b"not_pdf" in refused.stderr


def test_help_of_a_command(capsys):
    with pytest.raises(SystemExit) as ended:
        run(["help", "show"])
    assert ended.value.code == 0
    assert "--format" in capsys.readouterr().out
    assert run(["help"]) == EXIT_OK
    assert "exit codes" in capsys.readouterr().out


def test_a_typo_in_a_command(capsys):
    assert run(["indx"]) == EXIT_NOTHING_DONE
    assert "did you mean index?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("draw a.pdf --page x -o a.png", "--page: 'x' is not a whole number"),
        ("draw a.pdf --page 1 --scale z -o a.png", "--scale: 'z' is not a number"),
        ("draw a.pdf --page 1 --scale 99 -o a.png", "--scale: 99.0 is more than 20.0"),
        ("serve out --port abc", "--port: 'abc' is not a whole number"),
        ("search out words --from monday", "--from: 'monday' is not a date; write it as 2026-01-31"),
        ("highlight a.pdf --start 3", "--page N, --start (0 or more) and an --end after it"),
        ("index a.pdf --output /proc/none", "--output /proc/none cannot be written: No such file or directory"),
    ],
)
def test_a_message_names_the_flag_and_nothing_of_ours(line, told, samples, monkeypatch, capsys):
    monkeypatch.chdir(samples)
    code: object = None
    try:
        code = run(line.replace("a.pdf", "letter.pdf").split())
    except SystemExit as ended:
        code = ended.code
    shown = capsys.readouterr().err.splitlines()[-1]
    assert (code, shown.removesuffix(f" (see pdfmill {line.split()[0]} --help)").endswith(told)) == (EXIT_NOTHING_DONE, True), shown


def test_flags_are_read_from_the_help():
    assert {"--output", "--workers", "--max_bytes"} <= set(flags_of("index"))
    assert "--help" in flags_of("report")
    assert "--output" not in flags_of("report")


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    """The script of each shell."""
    folder = tmp_path_factory.mktemp("completion")
    flags = {name: flags_of(name) for name in COMMANDS if name != "completion"}
    for shell, made in SCRIPTS.items():
        (folder / shell).write_text(made(flags), encoding="utf-8")
    return folder


#: What is typed, and what must be offered.
TYPED = [
    ("sho", "show"), ("show --form", "--format"), ("index --dry", "--dry-run"), ("help sho", "show"), ("completion z", "zsh"),
    ("show let", "letter.pdf"),
]  # fmt: skip


def test_bash_completes(scripts, samples):
    ask = "source {}; COMP_WORDS=(pdfmill {}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _pdfmill 2>/dev/null; echo ${{COMPREPLY[@]}}"
    for typed, wanted in TYPED:
        told = subprocess.run(["bash", "-c", ask.format(scripts / "bash", typed)], capture_output=True, text=True, check=True, cwd=samples)
        assert wanted in told.stdout.split()


def test_fish_completes(scripts, samples):
    shell = shutil.which("fish") or unavailable("no fish on PATH")
    for typed, wanted in TYPED:
        ask = f"source {scripts / 'fish'}; complete -C 'pdfmill {typed}'"
        told = subprocess.run([shell, "--no-config", "-c", ask], capture_output=True, text=True, check=True, cwd=samples)
        assert wanted in told.stdout.split(), told.stderr


def test_zsh_completes(scripts, samples):
    """In a terminal, for zsh completes nowhere else."""
    shell = shutil.which("zsh") or unavailable("no zsh on PATH")
    terminal, its_end = pty.openpty()
    environment = {**os.environ, "TERM": "dumb", "PS1": "> "}
    with subprocess.Popen([shell, "-f", "-i"], stdin=its_end, stdout=its_end, stderr=its_end, env=environment, cwd=samples) as zsh:
        try:
            os.write(terminal, f"source {scripts / 'zsh'}; unsetopt zle_bracketed_paste; echo rea''dy\n".encode())
            read_until(terminal, "ready\r")
            for typed, wanted in TYPED:
                os.write(terminal, f"pdfmill {typed}\t".encode())
                read_until(terminal, wanted)
                os.write(terminal, b"\x15")  # Ctrl-U: the line is dropped
        finally:
            zsh.kill()
            os.close(its_end)
            os.close(terminal)


def read_until(terminal, wanted):
    """What a terminal shows until these letters come; fails when they do not."""
    shown = ""
    while wanted not in shown:
        ready, _, _ = select.select([terminal], [], [], 20)
        assert ready, shown
        shown += os.read(terminal, 4096).decode(errors="replace")


def test_stdin_over_the_limit_is_not_read_whole(monkeypatch):
    from pdfmill.pipeline.run import one_document

    asked = []

    class Endless(io.RawIOBase):
        def read(self, size=-1):
            asked.append(size)
            return b"%PDF"

    monkeypatch.setattr(sys, "stdin", type("In", (), {"buffer": Endless()}))
    one_document.find_one("-")
    assert asked == [one_document.ReadSettings().max_bytes + 1]
