"""The house holds: which room may import what, as DESIGN says it in words.

pipeline ──► transforms (steps) ──► transforms.pdf, transforms.layout, transforms.storage ──► schemas
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pipeline", "transforms", "schemas", "pdfmill")
PDF_LIBRARIES = {"pikepdf", "pypdfium2", "pypdfium2_raw", "pdfplumber", "pdfminer", "fontTools", "imagecodecs", "tifffile"}
STORE_CLIENTS = {"warcio", "pyarrow", "azure", "boto3", "botocore", "google", "requests", "smart_open", "urllib3"}
#: Parts of the standard library that touch the world or the clock: not for a room of pure functions.
IMPURE = {
    "asyncio", "concurrent", "ctypes", "datetime", "glob", "http", "io", "logging", "multiprocessing", "os", "pathlib", "random",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip


@dataclass(frozen=True)
class Room:
    """What a room may import. ours: prefixes of our own modules; theirs: top-level names beyond the standard library."""

    ours: tuple[str, ...]
    theirs: frozenset[str]
    pure: bool = False


def room_of(module: str) -> Room:
    """The rule for a module."""
    if module.startswith("schemas"):
        return Room(("schemas",), frozenset({"numpy", "pyarrow"}))
    if module.startswith("transforms.layout"):
        return Room(("schemas", "transforms.layout"), frozenset({"numpy", "pyphen", "bidi"}), pure=True)
    if module.startswith("transforms.pdf"):
        return Room(("schemas", "transforms.pdf"), frozenset({"lxml", "numpy", "PIL", *PDF_LIBRARIES}))
    if module.startswith("transforms.storage"):
        return Room(("schemas", "transforms.storage"), frozenset(STORE_CLIENTS))
    if module == "transforms.snapshots.vectors":
        return Room(("schemas", "transforms"), frozenset({"numpy", "pyarrow", "pyroaring"}))
    if module == "transforms.scans.rapid":
        return Room(("schemas", "transforms"), frozenset({"numpy", "rapidocr"}))
    steps = {"apache_beam", "numpy", "pyarrow", "langdetect", "pebble"}
    if module.startswith("transforms.tables.sinks"):
        return Room(("schemas", "transforms"), frozenset({"pyarrow", "requests", "urllib3"}))
    if module.startswith("transforms"):
        return Room(("schemas", "transforms"), frozenset(steps))
    if module.startswith("pdfmill"):
        engine = {"apache_beam"} if module == "pdfmill.beam" else set()
        return Room(PACKAGES, frozenset({*engine, "PIL", "pandas", "polars", "pyarrow"}))
    web = {"jinja2", "markupsafe", "starlette", "uvicorn"} if module.startswith(("pipeline.serve", "pipeline.commands.serve")) else set()
    return Room(("schemas", "transforms", "pipeline"), frozenset({*steps, *web, "PIL", "grpc", "google", "xlsxwriter", "zstandard"}))


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of ours with its dotted name."""
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            parts = path.relative_to(ROOT).with_suffix("").parts
            yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imports_of(source: str) -> Iterator[str]:
    """Every absolute name that is imported anywhere in a module; `from a import b` gives `a.b`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def is_under(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def breaches(room: Room, source: str) -> list[str]:
    """The imports that the room does not allow."""
    return [name for name in imports_of(source) if not is_allowed(room, name)]


def is_allowed(room: Room, name: str) -> bool:
    top = name.partition(".")[0]
    if top in PACKAGES:
        return any(is_under(name, prefix) for prefix in room.ours)
    if top in sys.stdlib_module_names:
        return not (room.pure and top in IMPURE)
    return top in room.theirs


ALL = list(modules())


@pytest.mark.parametrize(("module", "path"), ALL, ids=[module for module, _ in ALL])
def test_imports_point_the_right_way(module: str, path: Path) -> None:
    assert breaches(room_of(module), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("schemas.records", "import transforms.pdf.page"),
        ("transforms.layout.lines", "from transforms.pdf import page"),
        ("transforms.layout.lines", "import pikepdf"),
        ("transforms.layout.lines", "def f():\n    import logging"),
        ("transforms.pdf.page", "from transforms.layout.lines import x"),
        ("transforms.pdf.page", "import apache_beam as beam"),
        ("transforms.pdf.page", "from transforms import find_documents"),
        ("transforms.storage.local", "import transforms.pdf"),
        ("transforms.steps.find_documents", "import pipeline.options"),
        ("transforms.steps.find_documents", "import pikepdf"),
        ("transforms.steps.find_documents", "import boto3"),
        ("pipeline.commands.draw", "import pypdfium2"),
        ("pipeline.commands.draw", "import pdfmill"),
        ("pipeline.commands.draw", "import starlette"),
    ],
)
def test_a_breach_is_seen(module: str, source: str) -> None:
    assert len(breaches(room_of(module), source)) == 1


def test_init_files_hold_at_most_a_docstring() -> None:
    for _, path in ALL:
        if path.name == "__init__.py" and path.parent.name != "pdfmill":
            body = ast.parse(path.read_text(encoding="utf-8")).body
            assert not body or (len(body) == 1 and ast.get_docstring(ast.Module(body, [])) is not None), path


def test_nothing_is_defined_in_main_modules() -> None:
    """Beam pickles what `__main__` defines by value."""
    for _, path in ALL:
        if path.name == "__main__.py":
            body = ast.parse(path.read_text(encoding="utf-8")).body
            assert not [node for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)], path


def test_the_processes_of_beam_do_not_load_the_parsers() -> None:
    """They parse in a guarded process; loading the parsers twice costs each worker half a second and 60 MB."""
    code = "import sys, pipeline.graph, pipeline.commands.index as i; "
    code += "print([n for n in ('pikepdf', 'pypdfium2', 'pdfplumber', 'fontTools') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip() == "[]"


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_name_has_one_owner(package: str) -> None:
    owners = set(packages_distributions().get(package, ()))
    assert owners == {"pdfmill"}, f"{package} belongs to {sorted(owners) or 'nobody: run `make setup`'}"


#: Inner parts of Beam and multiprocessing: a module with any of these in its name, or any name that begins with an underscore.
PRIVATE_MODULES = (
    "fn_api_runner",
    "bundle_processor",
    "statesampler",
    "userstate",
    "worker_handlers",
    "multiprocessing.forkserver",
    "resource_tracker",
)
LIBRARIES = (
    "apache_beam",
    "multiprocessing",
    "concurrent.futures",
    "pebble",
    "langdetect",
    "smart_open",
    "pdfplumber",
    "pikepdf",
    "pyarrow",
    "pypdfium2",
)
#: What is used all the same, by module.
ALLOWED_PRIVATE: dict[str, tuple[str, ...]] = {}


def private_uses(source: str) -> Iterator[str]:
    """Imports of private parts of the libraries, and private attributes of what is imported from them."""
    tree = ast.parse(source)
    names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {(alias.asname or alias.name.partition(".")[0]): alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {(alias.asname or alias.name): f"{node.module}.{alias.name}" for alias in node.names}
    theirs = {name: full for name, full in names.items() if any(is_under(full, library) for library in LIBRARIES)}
    for full in theirs.values():
        if any(part in full for part in PRIVATE_MODULES) or any(part.startswith("_") for part in full.split(".")):
            yield full
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in theirs
            and node.attr.startswith("_")
            and not node.attr.endswith("__")
        ):
            yield f"{theirs[node.value.id]}.{node.attr}"


@pytest.mark.parametrize(("module", "path"), ALL, ids=[module for module, _ in ALL])
def test_no_private_part_of_a_library_is_used(module: str, path: Path) -> None:
    assert [use for use in private_uses(path.read_text(encoding="utf-8")) if use not in ALLOWED_PRIVATE.get(module, ())] == []


@pytest.mark.parametrize(
    "source",
    [
        "from apache_beam.runners.portability.fn_api_runner import FnApiRunner",
        "import multiprocessing.forkserver",
        "from multiprocessing import forkserver as server",
        "from apache_beam.options.pipeline_options import PipelineOptions\nPipelineOptions._add_argparse_args",
    ],
)
def test_a_private_part_is_seen(source: str) -> None:
    assert list(private_uses(source))


def bare_numbers(source: str) -> list[float]:
    """Numbers in the bodies of functions that may be thresholds: those with a fraction, those that something is compared with beyond 0, 1
    and 2 (none, one, several; a half is `2 * n > total`), and multiples of a size. Angles of right angles, places in arrays and what
    `round` takes are none.
    """
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef | ast.Lambda))
    bodies = (part for function in functions for part in (function.body if isinstance(function.body, list) else [function.body]))
    inside = {id(node): node for part in bodies for node in ast.walk(part)}
    found: dict[int, float] = {}
    for node in inside.values():
        if isinstance(value := number(node), float) and value not in (0.0, 1.0):
            found[id(node)] = value
        for one in compared(node) if isinstance(node, ast.Compare) else multiples(node):
            found[id(one)] = number(one) or 0
    return list(found.values())


def number(node: ast.AST) -> float | None:
    """The number that a literal stands for; None where it stands for something else."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def compared(node: ast.Compare) -> Iterator[ast.expr]:
    """Numbers in a comparison of more and less: alone, or in a sum or product of it."""
    if any(isinstance(sign, ast.Lt | ast.LtE | ast.Gt | ast.GtE) for sign in node.ops):
        sides = [node.left, *node.comparators]
        while sides:
            side = sides.pop()
            if isinstance(side, ast.BinOp) and isinstance(side.op, ast.Add | ast.Sub):
                sides += [side.left, side.right]
            elif (value := number(side)) is not None and (value == 1.0 if isinstance(value, float) else value > 2):
                yield side


#: What a length is measured in. `em / 2` is a half, no threshold.
_UNITS = ("em", "size", "spacing", "line_spacing")


def multiples(node: ast.AST) -> Iterator[ast.expr]:
    """The number in `2 * em`."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        for factor, unit in ((node.left, node.right), (node.right, node.left)):
            name = unit.attr if isinstance(unit, ast.Attribute) else unit.id if isinstance(unit, ast.Name) else None
            if number(factor) is not None and name in _UNITS:
                yield factor


def test_no_threshold_of_layout_stands_bare() -> None:
    """It stands in a settings class, or where it is no matter of layout as a constant of its module: with name, unit and reason."""
    root = ROOT / "transforms" / "layout"
    found = {str(path.relative_to(root)): bare_numbers(path.read_text(encoding="utf-8")) for path in sorted(root.rglob("*.py"))}
    assert {name: numbers for name, numbers in found.items() if numbers} == {}, "give these a name, a unit and a reason"


def thresholds(source: str) -> Iterator[tuple[str, bool]]:
    """The numbers in settings classes by name, and whether a comment stands beside each."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef) and node.name.endswith("Settings"):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and field.value and any(number(each) is not None for each in ast.walk(field.value)):
                    assert isinstance(field.target, ast.Name)
                    yield field.target.id, any("  # " in line for line in lines[field.lineno - 1 : field.end_lineno])


def test_each_threshold_of_layout_says_its_unit_and_reason() -> None:
    paths = sorted((ROOT / "transforms" / "layout").rglob("*.py"))
    found = [(path.name, name, said) for path in paths for name, said in thresholds(path.read_text(encoding="utf-8"))]
    assert len(found) > 300
    assert [(path, name) for path, name, said in found if not said] == []


def test_bare_numbers_are_seen() -> None:
    source = "LIMIT = 0.3\n\nclass Settings:\n    share: float = 0.4\n\n"
    source += "def f(x: float = 0.5) -> bool:\n    return x > 0.6 or any(map(lambda y: y < 0.7, [1.0]))\n\n"
    source += "def g(em: float, row: list[int]) -> bool:\n    return row[3] > 2 * em or len(row) > 80 or len(row) < 2 or em > row[0] + 1.0"
    assert sorted(bare_numbers(source)) == [0.6, 0.7, 1.0, 2, 80]


#: Names of modules that stand in several rooms, where each is the room's own word for one thing. Another name is taken for a new module.
SHARED_NAMES = {
    "addresses.py",
    "columns.py",
    "drawn.py",
    "html.py", "crawl.py", "errors.py", "glyphs.py", "images.py", "local.py", "names.py", "objects.py",
    "parts.py", "picture.py", "report.py", "rows.py", "settings.py", "statistics.py", "version.py",
}  # fmt: skip


def test_names_of_modules_are_not_used_again() -> None:
    """A name in an editor's tab, a traceback or an import says which module is meant."""
    names = Counter(path.name for _, path in ALL if path.name not in ("__init__.py", "__main__.py"))
    assert {name for name, count in names.items() if count > 1} == SHARED_NAMES, (
        "give a new module a name of its own, or take one off the list"
    )
