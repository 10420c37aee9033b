"""The house holds: which room may import what. `WALLS` is the one table of it; a row names all that a folder may know."""

from __future__ import annotations

import ast
import re
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
#: No room may grow beyond so many lines.
ROOM_LINES = 5000
#: What records are made of, everywhere.
RECORDS = ("msgspec",)
#: A module of ours that is named in a string, which somebody imports by it: `module` or `module:function`.
NAMED = re.compile(r"(pdfmill(?:\.\w+)+)(?::\w+)?")
PDF = "PIL fontTools imagecodecs lxml numpy pdfminer pdfplumber pikepdf pypdfium2 pypdfium2_raw tifffile"
WORDS = "schemas transforms.language.language_words"
BELOW_DOCUMENT = "transforms.layout.settings transforms.layout.page transforms.layout.tables"
BELOW_CLI = " ".join(f"pipeline.{room}" for room in ("options", "render", "run", "search", "engine", "crawl", "jobs", "report", "serve"))
#: Parts of the standard library that touch the world or the clock: not for a room of pure functions.
IMPURE = {
    "asyncio", "concurrent", "ctypes", "datetime", "glob", "http", "io", "logging", "multiprocessing", "os", "pathlib", "random",
    "shutil", "signal", "socket", "sqlite3", "subprocess", "sys", "tempfile", "threading", "time", "urllib", "uuid",
}  # fmt: skip


@dataclass(frozen=True)
class Room:
    """What the modules of a folder may import. rooms: other rooms below `pdfmill`, whole or by a prefix. theirs: top-level names beyond the
    standard library. pure: nothing of the standard library that touches the world."""

    rooms: str = ""
    theirs: str = ""
    pure: bool = False


#: The walls of the house: each folder, and all that it may know. What is not in a row is not allowed.
WALLS: dict[str, Room] = {
    "schemas": Room(theirs="numpy pyarrow"),
    "transforms.storage": Room("schemas", "warcio pyarrow azure boto3 botocore google requests smart_open urllib3"),
    "transforms.delta": Room("schemas transforms.storage", "numpy pyarrow pyroaring"),
    "transforms.tables": Room("schemas transforms.storage transforms.delta transforms.tables.sinks", "numpy pyarrow"),
    "transforms.tables.sinks": Room("schemas transforms.storage", "pyarrow requests urllib3"),
    "transforms.language": Room("schemas", "langdetect numpy"),
    "transforms.pdf.open": Room("schemas", PDF),
    "transforms.pdf.fonts": Room("schemas transforms.pdf.open", PDF),
    "transforms.pdf.facts": Room("schemas transforms.pdf.open transforms.pdf.fonts", PDF),
    "transforms.pdf.text": Room("schemas transforms.pdf.open transforms.pdf.fonts transforms.pdf.facts", PDF),
    "transforms.pdf.draw": Room("schemas transforms.pdf.open", PDF),
    "transforms.layout.settings": Room("schemas", pure=True),
    "transforms.layout.lines": Room(f"{WORDS} transforms.layout.settings", "numpy bidi", pure=True),
    "transforms.layout.page": Room(f"{WORDS} transforms.layout.settings", "numpy pyphen", pure=True),
    "transforms.layout.tables": Room(f"{WORDS} transforms.layout.settings transforms.layout.page", "numpy", pure=True),
    "transforms.layout.document": Room(f"{WORDS} {BELOW_DOCUMENT}", "numpy", pure=True),
    "transforms.layout.blocks": Room(f"{WORDS} {BELOW_DOCUMENT} transforms.layout.document", "numpy", pure=True),
    "transforms.scans": Room(
        "schemas transforms.pdf transforms.layout.page transforms.layout.document transforms.language", "numpy rapidocr"
    ),
    "transforms.road": Room(
        "schemas transforms.storage transforms.tables transforms.pdf transforms.layout transforms.language transforms.scans", "numpy pebble"
    ),
    "transforms.steps": Room("schemas transforms.storage transforms.tables transforms.road", "apache_beam"),
    "pipeline": Room("pipeline.cli"),
    "pipeline.options": Room("schemas transforms", "apache_beam"),
    "pipeline.render": Room("schemas transforms.layout transforms.pdf transforms.storage transforms.road", "PIL numpy xlsxwriter"),
    "pipeline.run": Room("schemas transforms pipeline.options pipeline.render"),
    "pipeline.search": Room("schemas transforms.storage transforms.tables transforms.delta", "numpy pyarrow rapidfuzz tantivy"),
    "pipeline.engine": Room("schemas transforms pipeline.options pipeline.run", "apache_beam grpc google"),
    "pipeline.crawl": Room("schemas transforms pipeline.options pipeline.run pipeline.engine", "apache_beam numpy pyarrow opentelemetry"),
    "pipeline.jobs": Room("schemas transforms pipeline.options pipeline.run pipeline.engine pipeline.crawl"),
    "pipeline.report": Room("schemas transforms.tables transforms.storage pipeline.render pipeline.run pipeline.crawl", "pyarrow"),
    "pipeline.serve": Room(
        "schemas transforms pipeline.run pipeline.render pipeline.search", "jinja2 markupsafe starlette uvicorn numpy pyarrow PIL"
    ),
    "pipeline.cli": Room(f"schemas transforms {BELOW_CLI}", "PIL uvicorn apache_beam"),
    "": Room("schemas transforms pipeline", "PIL pandas polars pyarrow apache_beam"),
}


def room_of(module: str) -> str:
    """The folder of a module, below `pdfmill`."""
    return module.rpartition(".")[0].removeprefix("pdfmill").removeprefix(".")


def modules() -> Iterator[tuple[str, Path]]:
    """Every module of ours with its dotted name."""
    for path in sorted(
        path
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if "pdfmill/" not in f"{package}/" or path.parent.name == "pdfmill"
    ):
        parts = ("pdfmill", *(part for part in path.relative_to(ROOT).with_suffix("").parts if part not in ("pdfmill", "__init__")))
        yield ".".join(parts), path


def imports_of(source: str) -> Iterator[str]:
    """Every absolute name that is imported anywhere in a module, by name in a string too; `from a import b` gives `a.b`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (name := NAMED.fullmatch(node.value)):
            yield from {name[1]} & NAMES


def is_under(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(prefix + ".")


def breaches(module: str, source: str) -> list[str]:
    """The imports that the module's room does not allow."""
    return [name for name in imports_of(source) if not is_allowed(room_of(module), name)]


def is_allowed(room: str, name: str) -> bool:
    top, _, inner = name.partition(".")
    if top == "pdfmill":
        return room in (inner, room_of(ours(name))) or any(is_under(inner, prefix) for prefix in WALLS[room].rooms.split())
    if top in sys.stdlib_module_names:
        return not (WALLS[room].pure and top in IMPURE)
    return top in RECORDS or top in WALLS[room].theirs.split()


def ours(name: str) -> str:
    """The module of ours that a name is of, or is."""
    while name and name not in NAMES:
        name = name.rpartition(".")[0]
    return name


ALL = list(modules())
NAMES = {module for module, _ in ALL}


@pytest.mark.parametrize(("module", "path"), ALL, ids=[module for module, _ in ALL])
def test_imports_point_the_right_way(module: str, path: Path) -> None:
    """What `schemas.compiled` names are data: `setup.py` compiles them."""
    if module != "pdfmill.schemas.compiled":
        assert breaches(module, path.read_text(encoding="utf-8")) == []


def test_every_room_is_in_the_table() -> None:
    assert {room_of(module) for module, path in ALL if path.name != "__init__.py"} == set(WALLS)


def test_no_circle_between_folders() -> None:
    """A folder may only know folders that do not know it, at whatever distance: the table has an order."""
    known = {
        room: {other for other in WALLS if other and other != room and any(is_under(other, each) for each in row.rooms.split())}
        for room, row in WALLS.items()
    }
    while known:
        lowest = [room for room, others in known.items() if not others & known.keys()]
        assert lowest, f"these know each other: {sorted(known)}"
        for room in lowest:
            del known[room]


def test_no_room_is_too_large() -> None:
    sizes = Counter[str]()
    for module, path in ALL:
        sizes[room_of(module)] += len(path.read_text(encoding="utf-8").splitlines())
    assert {room: lines for room, lines in sizes.items() if lines > ROOM_LINES} == {}


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("pdfmill.schemas.records", "import pdfmill.transforms.pdf.text.page"),
        ("pdfmill.schemas.records", "from transforms import pdf"),
        ("pdfmill.transforms.layout.lines.lines", "from pdfmill.transforms.pdf.text import page"),
        ("pdfmill.transforms.layout.lines.lines", "import pikepdf"),
        ("pdfmill.transforms.layout.lines.lines", "def f():\n    import logging"),
        ("pdfmill.transforms.layout.page.columns", "from pdfmill.transforms.layout.tables.find import x"),
        ("pdfmill.transforms.pdf.text.page", "from pdfmill.transforms.layout.lines.lines import x"),
        ("pdfmill.transforms.pdf.text.page", "import apache_beam as beam"),
        ("pdfmill.transforms.pdf.facts.tags", "from pdfmill.transforms.pdf.text import page"),
        ("pdfmill.transforms.storage.local", "import pdfmill.transforms.pdf.open.document"),
        ("pdfmill.transforms.tables.parts", "call = 'pdfmill.transforms.road.document_road:read'"),
        ("pdfmill.transforms.steps.find_documents", "import pdfmill.pipeline.options.options"),
        ("pdfmill.transforms.steps.find_documents", "import pikepdf"),
        ("pdfmill.transforms.steps.find_documents", "import boto3"),
        ("pdfmill.pipeline.cli.draw", "import pypdfium2"),
        ("pdfmill.pipeline.cli.draw", "import pdfmill.reading"),
        ("pdfmill.pipeline.cli.draw", "import starlette"),
    ],
)
def test_a_breach_is_seen(module: str, source: str) -> None:
    assert len(breaches(module, source)) == 1


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
    code = "import sys, pdfmill.pipeline.engine.graph, pdfmill.pipeline.cli.index as i; "
    code += "print([n for n in ('pikepdf', 'pypdfium2', 'pdfplumber', 'fontTools') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip() == "[]"


def test_only_pdfmill_is_installed() -> None:
    """Programs of others have modules called `pipeline`, `schemas` and `transforms`."""
    owners = packages_distributions()
    assert set(owners.get("pdfmill", ())) == {"pdfmill"}, "run `make setup`"
    assert [package for package in PACKAGES if "pdfmill" in owners.get(package, ())] == ["pdfmill"]


@pytest.mark.parametrize("folder", ["pipeline", "schemas", "transforms"])
def test_the_folders_are_linked_below_the_package(folder: str) -> None:
    assert (ROOT / "pdfmill" / folder).is_symlink()
    assert (ROOT / "pdfmill" / folder).resolve() == ROOT / folder


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


@pytest.mark.parametrize(("module", "path"), ALL, ids=[module for module, _ in ALL])
def test_parquet_is_read_by_threads_that_are_waited_for(module: str, path: Path) -> None:
    """`read_table` and datasets over a file or bytes of Python abort every tenth busy process at its end, see `table_file`."""
    source = path.read_text(encoding="utf-8")
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    assert [ast.unparse(node) for node in calls if node.attr in ("read_table", "to_table")] == []
    assert "pyarrow.dataset" not in source


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
    assert len(found) > 200
    assert [(path, name) for path, name, said in found if not said] == []


def test_bare_numbers_are_seen() -> None:
    source = "LIMIT = 0.3\n\nclass Settings:\n    share: float = 0.4\n\n"
    source += "def f(x: float = 0.5) -> bool:\n    return x > 0.6 or any(map(lambda y: y < 0.7, [1.0]))\n\n"
    source += "def g(em: float, row: list[int]) -> bool:\n    return row[3] > 2 * em or len(row) > 80 or len(row) < 2 or em > row[0] + 1.0"
    assert sorted(bare_numbers(source)) == [0.6, 0.7, 1.0, 2, 80]


#: Names of modules that stand in several rooms, where each is the room's own word for one thing. Another name is taken for a new module.
SHARED_NAMES = {
    "columns.py",
    "crawl.py",
    "errors.py",
    "glyphs.py",
    "images.py",
    "local.py",
    "objects.py",
    "parts.py",
    "report.py",
    "rows.py",
}


def test_names_of_modules_are_not_used_again() -> None:
    """A name in an editor's tab, a traceback or an import says which module is meant."""
    names = Counter(path.name for _, path in ALL if path.name not in ("__init__.py", "__main__.py"))
    assert {name for name, count in names.items() if count > 1} == SHARED_NAMES, (
        "give a new module a name of its own, or take one off the list"
    )
