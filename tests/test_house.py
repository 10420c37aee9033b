"""The house holds: which room may import what, as DESIGN says it in words.

pipeline ──► transforms (steps) ──► transforms.pdf, transforms.layout, transforms.storage ──► schemas
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("pipeline", "transforms", "schemas")
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
    steps = {"apache_beam", "numpy", "pyarrow", "langdetect", "pebble"}
    if module.startswith("transforms"):
        return Room(("schemas", "transforms"), frozenset(steps))
    return Room(("schemas", "transforms", "pipeline"), frozenset({*steps, "PIL", "grpc", "google"}))


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
    ],
)
def test_a_breach_is_seen(module: str, source: str) -> None:
    assert len(breaches(room_of(module), source)) == 1


def test_init_files_hold_at_most_a_docstring() -> None:
    for _, path in ALL:
        if path.name == "__init__.py":
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
    code = "import sys, pipeline.graph, pipeline.commands.index as i; print([n for n in ('pikepdf', 'pypdfium2', 'pdfplumber', 'fontTools') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip() == "[]"


@pytest.mark.parametrize("package", PACKAGES)
def test_each_package_name_has_one_owner(package: str) -> None:
    owners = set(packages_distributions().get(package, ()))
    assert owners == {"pdfmill"}, f"{package} belongs to {sorted(owners) or 'nobody: run `make setup`'}"
