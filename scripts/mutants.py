"""`make mutants`: insert small faults into the product, drawn by seed, and check whether tests fail.

    python scripts/mutants.py [FILE or FOLDER ...] [--count 60] [--seed 1] [--limit 150]

Each mutant changes one expression of one file: a comparison, `and` or `or`, a `not`, a sum or difference, or a number by a third. Without
files, mutants are drawn from the whole product; with `--changed COMMIT`, from the files that differ from a commit.

Near tests are the examples in the module's docstrings, the pages of docs that are made from its room, the test files that are named after
the module or import it, then those of its room, then those of the modules that import it; those marked servers, slow or flink are left
out. They run in a copy of the repository, nearest first, until one fails. A test that also fails without the mutant is ignored.

The verdict is `killed`, `survived`, or `undecided` (no near test, or the time ended). The exit code is 0 if at least `--bar` of the decided
ones are killed.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
PRODUCT: Final = ("pdfmill", "pipeline", "schemas", "transforms")
#: Files and folders that are copied: the product, its tests, and what the tests import or read.
COPIED: Final = (
    *PRODUCT,
    "tests",
    "samples",
    "benchmarks",
    "scripts",
    "dataflow_templates",
    "docs",
    "examples",
    "pyproject.toml",
    "setup.py",
    "README.md",
    "Makefile",
)
#: The test that runs the examples of a module's docstrings.
OF_EXAMPLES: Final = "tests/test_docstrings.py::test_examples_of_docstrings_hold"
#: The test of pages that are made from the source, and the rooms that they are made from: flags with their defaults, columns, codes.
OF_PAGES: Final = "tests/test_docs.py::test_the_pages_are_what_the_source_makes"
ON_PAGES: Final = ("pipeline/cli", "pipeline/options", "schemas")
#: Tests of a whole room, which import none of its files by name; they run after a file's own tests.
OF_A_ROOM: Final = {
    Path("pipeline/crawl"): (Path("tests/crawl/test_feed.py"), Path("tests/crawl/test_rules.py")),
    Path("transforms/layout"): (Path("tests/layout/test_gold_pages.py"), Path("tests/layout/test_structures.py")),
    Path("transforms/pdf"): (Path("tests/pdf/test_gold_rows.py"), Path("tests/layout/test_structures.py")),
    Path("transforms/language"): (Path("tests/layout/test_structures.py"),),
    Path("transforms/road"): (Path("tests/layout/test_structures.py"),),
}
#: A test that fails for every change in a compiled module, because the build is of another source.
OF_THE_BUILD: Final = Path("tests/schemas/test_compiled.py")
UNMARKED: Final = "not servers and not slow and not flink"
KINDS: Final = ("comparison", "connective", "not", "sum", "number")
_SWAPPED: Final = {
    "<=": "<",
    ">=": ">",
    "<": "<=",
    ">": ">=",
    "==": "!=",
    "!=": "==",
    "is not": "is",
    "is": "is not",
    "not in": "in",
    "in": "not in",
}
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (\S+?::.*?)(?: - .*)?$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a source file."""

    path: Path
    line: int
    kind: str  # kind of the change, e.g. comparison
    begin: int  # offset in the file's bytes
    end: int  # offset after the changed bytes
    old: str  # text before the change
    new: str  # text after the change

    def __str__(self) -> str:
        return f"{self.path}:{self.line} {self.kind}: `{self.old.strip()}` -> `{self.new.strip() or '(nothing)'}`"

    def of(self, source: bytes) -> bytes:
        """Return the file's bytes with this change."""
        return source[: self.begin] + self.new.encode() + source[self.end :]


class _Source:
    """The bytes of a file with the offset of each line, to find the text between two syntax nodes."""

    def __init__(self, path: Path, source: bytes) -> None:
        self.path, self.source, self.starts = path, source, [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def begin(self, node: ast.expr) -> int:
        return self.starts[node.lineno - 1] + node.col_offset

    def end(self, node: ast.expr) -> int:
        return self.starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)

    def between(self, kind: str, left: ast.expr, right: ast.expr, swapped: dict[str, str]) -> Iterator[Mutant]:
        """Yield the mutant that replaces the operator between two operands. swapped: the replacement of each operator."""
        begin, end = self.end(left), self.begin(right)
        old = self.source[begin:end].decode()
        for operator, other in swapped.items():
            words = r"\s+".join(re.escape(word) for word in operator.split())
            place = re.search(rf"(?<![\w=<>!]){words}(?![\w=<>])", old)
            if place:
                new = old[: place.start()] + other + old[place.end() :]
                yield Mutant(self.path, left.end_lineno or left.lineno, kind, begin, end, old, new)
                return


def mutants_of(path: Path, source: bytes) -> Iterator[Mutant]:
    """Yield every possible mutant of one file. Annotations are left out, because they are never executed."""
    text, tree = _Source(path, source), ast.parse(source)
    skipped = {id(each) for node in ast.walk(tree) for part in _annotations(node) for each in ast.walk(part)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Compare):
            for left, right in zip((node.left, *node.comparators), node.comparators, strict=False):
                yield from text.between("comparison", left, right, _SWAPPED)
        elif isinstance(node, ast.BoolOp):
            swapped = {"and": "or"} if isinstance(node.op, ast.And) else {"or": "and"}
            yield from text.between("connective", node.values[0], node.values[1], swapped)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            begin = text.begin(node)
            yield Mutant(path, node.lineno, "not", begin, begin + 3, "not", "")
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub):
            yield from text.between("sum", node.left, node.right, {"+": "-"} if isinstance(node.op, ast.Add) else {"-": "+"})
        elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
            begin, end = text.begin(node), text.end(node)
            yield Mutant(path, node.lineno, "number", begin, end, source[begin:end].decode(), _by_a_third(node.value))


def _annotations(node: ast.AST) -> list[ast.expr]:
    parts = (getattr(node, name, None) for name in ("annotation", "returns"))
    return [part for part in parts if isinstance(part, ast.expr)]


def _by_a_third(value: object) -> str:
    """Return the number raised by a third, an integer by at least one.

    >>> _by_a_third(3), _by_a_third(0), _by_a_third(0.6)
    ('4', '1', '0.8')
    """
    if isinstance(value, int):
        return str(value + max(1, round(value / 3)))
    assert isinstance(value, float)
    return repr(round(value * 4 / 3, 9) if value else 1 / 3)


def draw(paths: Sequence[Path], count: int, seed: int) -> list[Mutant]:
    """Return `count` mutants of these files, equally many of each kind, drawn by seed. The same files and seed give the same mutants."""
    by_kind: dict[str, list[Mutant]] = {kind: [] for kind in KINDS}
    for path in paths:
        for each in mutants_of(path, (ROOT / path).read_bytes()):
            by_kind[each.kind].append(each)
    random_ = random.Random(seed)
    drawn: list[Mutant] = []
    for places in by_kind.values():
        random_.shuffle(places)
    while len(drawn) < count and any(by_kind.values()):
        drawn += [places.pop() for places in by_kind.values() if places]
    return drawn[:count]


def module_of(path: Path) -> str:
    """Return the dotted module name of a file.

    >>> module_of(Path("transforms/pdf/text/page.py"))
    'pdfmill.transforms.pdf.text.page'
    """
    parts = path.with_suffix("").parts
    package = () if parts[0] == "pdfmill" else ("pdfmill",)
    return ".".join((*package, *(parts[:-1] if parts[-1] == "__init__" else parts)))


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Return the dotted names that a file imports, or contains as text."""
    names: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / path).read_bytes())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"[\w.]+(:\w+)?", node.value):
            dotted = node.value.partition(":")[0]
            names.update((dotted, dotted.rpartition(".")[0]))
    return frozenset(names)


def _files(folders: Sequence[str], pattern: str) -> list[Path]:
    return sorted(path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob(pattern))


@cache
def _tests_of(module: str) -> tuple[Path, ...]:
    """Return the test files of a module: those with its name first, then those with the fewest other imports."""
    stem = module.rpartition(".")[2]
    files = [path for path in _files(("tests",), "test_*.py") if path != OF_THE_BUILD]
    near = [path for path in files if path.stem == f"test_{stem}" or module in imports_of(path)]
    return tuple(sorted(near, key=lambda path: (path.stem != f"test_{stem}", len(imports_of(path)))))


@cache
def near_tests(path: Path) -> tuple[Path, ...]:
    """Return the test files that run for mutants of this file, nearest first."""
    module = module_of(path)
    users = [each for each in _files(PRODUCT, "*.py") if module in imports_of(each)]
    of_users = (test for each in users for test in _tests_of(module_of(each)))
    of_room = (test for room, tests in OF_A_ROOM.items() if path.is_relative_to(room) for test in tests)
    return tuple(dict.fromkeys((*_tests_of(module), *of_room, *of_users)))


def written_tests(path: Path) -> list[str]:
    """Return the tests of what is written about this file: the examples in its docstrings, and pages made from its room."""
    examples = [f"{OF_EXAMPLES}[{module_of(path)}]"] if b"\n    >>> " in (ROOT / path).read_bytes() else []
    return [*examples, *([OF_PAGES] if any(path.is_relative_to(room) for room in ON_PAGES) else [])]


class Bench:
    """A copy of the repository in which mutants are tested. limit: seconds of CPU time for the tests of a mutant; five times as many of
    wall time."""

    def __init__(self, folder: Path, limit: float) -> None:
        self.folder, self.limit = folder, limit
        self._fails_anyway: dict[str, bool] = {}
        for name in COPIED:
            source, target = ROOT / name, folder / name
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy2(source, target)

    def verdict(self, mutant: Mutant) -> tuple[str, str]:
        """Return (verdict, the test that failed or the reason why it is undecided)."""
        tests = [*written_tests(mutant.path), *(str(test) for test in near_tests(mutant.path) if (self.folder / test).exists())]
        if not tests:
            return "undecided", "no near test"
        changed = self.folder / mutant.path
        source = changed.read_bytes()  # of the copy: the repository may have changed meanwhile
        changed.write_bytes(mutant.of(source))
        try:
            done = self._pytest(tests)
        except subprocess.TimeoutExpired:
            return "undecided", "the time ended"
        finally:
            changed.write_bytes(source)
        if done.returncode in (0, 5):  # 5: every near test is marked
            return ("survived", f"{len(tests)} test files") if done.returncode == 0 else ("undecided", "no near test without servers")
        failed = _FAILED.search(done.stdout)
        if failed and self._fails_without(failed[1]):
            return "undecided", f"fails without it too: {failed[1]}"
        return "killed", failed[1] if failed else done.stdout[-200:] + done.stderr[-200:]

    def _fails_without(self, test: str) -> bool:
        if test not in self._fails_anyway:
            try:
                self._fails_anyway[test] = self._pytest([test]).returncode == 1
            except subprocess.TimeoutExpired:
                self._fails_anyway[test] = True
        return self._fails_anyway[test]

    def _pytest(self, what: list[str]) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-B", "-m", "pytest", "-q", "-x", "--tb=no", "-m", UNMARKED, *what]
        beside = os.environ.get("PDFMILL_CORPUS") or str(ROOT.parent / "shared" / "corpus")
        env = {**os.environ, "PYTHONPATH": str(self.folder), "PDFMILL_CORPUS": beside}
        cpu = (round(self.limit), round(self.limit))

        def limit() -> None:
            resource.setrlimit(resource.RLIMIT_CPU, cpu)

        done = subprocess.run(
            command, cwd=self.folder, env=env, capture_output=True, text=True, timeout=5 * self.limit, check=False, preexec_fn=limit
        )
        if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            raise subprocess.TimeoutExpired(command, self.limit)
        return done


def _chosen(flags: argparse.Namespace) -> list[Path]:
    """Return the product's files that the flags select."""
    everything = _files(PRODUCT, "*.py")
    if flags.changed:
        names = subprocess.run(
            ["git", "diff", "--name-only", flags.changed], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split()
        everything = [path for path in everything if str(path) in names]
    for each in flags.paths:
        if not (ROOT / each).exists():
            raise SystemExit(f"mutants: no file or folder {each}")
    roots = [(ROOT / each).resolve().relative_to(ROOT) for each in flags.paths]
    chosen = [path for path in everything if not roots or any(path.is_relative_to(root) for root in roots)]
    return [path for path in chosen if not any(re.search(each, str(path)) for each in flags.without)]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the script, and return the exit code."""
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, help="files or folders of the product; none: all of it")
    parser.add_argument("--changed", metavar="COMMIT", help="only files that differ from this commit")
    parser.add_argument("--without", action="append", default=[], metavar="REGEX", help="leave out files whose path has this")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=150, help="seconds of CPU for the tests of one mutant")
    parser.add_argument("--bar", type=float, default=0.8, help="share of the decided that must be killed")
    parser.add_argument("--json", type=Path, help="write each verdict as a line here")
    flags = parser.parse_args(argv)
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory(prefix="mutants") as folder:
        bench = Bench(Path(folder), flags.limit)
        for number, mutant in enumerate(draw(_chosen(flags), flags.count, flags.seed), 1):
            verdict, why = bench.verdict(mutant)
            verdicts[verdict] += 1
            print(f"{number:3} {verdict:9} {mutant}   [{why}]", flush=True)
            if flags.json:
                with flags.json.open("a") as lines:
                    told = {"seed": flags.seed, "mutant": str(mutant), "kind": mutant.kind, "verdict": verdict, "why": why}
                    lines.write(json.dumps(told) + "\n")
    decided = verdicts["killed"] + verdicts["survived"]
    share = verdicts["killed"] / decided if decided else 1.0
    print(f"{dict(verdicts)}: {share:.0%} of {decided} decided are killed, the bar is {flags.bar:.0%}")
    return 0 if share >= flags.bar else 1


if __name__ == "__main__":
    sys.exit(main())
