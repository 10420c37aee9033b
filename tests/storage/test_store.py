"""The registry holds stores and nothing but stores, and nobody but the registry asks for a scheme."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.store import STORES, Kind, Source, Store, parse, shared_schemes, source_of, store_of

ROOT = Path(__file__).resolve().parent.parent.parent


def offered(protocol: type) -> dict[str, inspect.Signature]:
    functions = {
        name: inspect.signature(member) for name, member in inspect.getmembers(protocol, inspect.isfunction) if not name.startswith("_")
    }
    return {name: told.replace(parameters=list(told.parameters.values())[1:]) for name, told in functions.items()}


@pytest.mark.parametrize(("scheme", "kind"), STORES.items())
def test_a_store_offers_what_its_protocol_says(scheme: str, kind: Kind) -> None:
    module = source_of(kind.address(scheme, "bucket", "/key"))
    for name, told in offered(Store if kind.writable else Source).items():
        has = inspect.signature(getattr(module, name))
        assert has.parameters == told.parameters, name
        assert str(has.return_annotation) in (str(told.return_annotation), str(told.return_annotation).removesuffix(" | None")), name


def test_what_is_only_read_is_refused_as_a_place_to_write() -> None:
    for scheme in set(shared_schemes(writable=False)) - set(shared_schemes(writable=True)):
        with pytest.raises(SourceError, match=r"cannot be written.*s3://"):
            store_of(parse(f"{scheme}://host/a"))


@pytest.mark.parametrize("scheme", STORES)
def test_an_address_reads_back(scheme: str) -> None:
    at = parse(f"{scheme}:///a/b.pdf" if scheme == "file" else f"{scheme}://host/a/b.pdf")
    assert parse(at.uri) == at
    assert at.below("c").uri.endswith("/a/b.pdf/c")


def test_parsing_an_address_imports_no_client() -> None:
    code = "import sys; from pdfmill.transforms.storage.store import STORES, parse; [parse(s + '://h/k') for s in STORES if s != 'file']; "
    code += "print(len([n for n in sys.modules if n.startswith(('boto', 'google.cloud', 'azure', 'requests'))]))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "0"


def literals(source: str) -> list[str]:
    return [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def compared(source: str) -> list[str]:
    """Texts that something is compared with or asked to begin with."""
    asked: list[ast.AST] = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Compare)]
    asked += [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("startswith", "removeprefix")
    ]
    return [text for node in asked for text in literals(ast.unparse(node))]


STORE_WORDS = {*STORES, *(f"{scheme}://" for scheme in STORES)}
#: What is no address of an object: links in documents, an operator of PDF, where Dataflow stages its files, a kind of request, a service.
ELSEWHERE = {
    ("pipeline/render/joined_blocks.py", "http"),
    ("pipeline/render/joined_blocks.py", "https"),
    ("transforms/pdf/text/text_objects.py", "gs"),
    ("pipeline/engine/engine_flags.py", "gs://"),
    ("pipeline/serve/safety.py", "http"),
    ("transforms/storage/secrets.py", "http://"),
}


def test_nobody_but_the_registry_asks_for_a_scheme() -> None:
    paths = [path for package in ("pipeline", "transforms") for path in (ROOT / package).rglob("*.py")]
    asking = {(path.relative_to(ROOT).as_posix(), text) for path in paths for text in compared(path.read_text(encoding="utf-8"))}
    assert {(name, text) for name, text in asking if text in STORE_WORDS} == ELSEWHERE
