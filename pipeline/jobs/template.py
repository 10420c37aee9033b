"""Make the metadata of a Dataflow flex template from the options of a job, and a command line from its parameters.
The format: Google Cloud, Dataflow, "Configure Flex Templates". The sources become the parameter `sources`, separated by commas or blanks,
because all parameters have names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from pdfmill.pipeline.crawl.config import CRAWL_OPTIONS
from pdfmill.pipeline.options.flag_values import WholeNumber
from pdfmill.pipeline.options.options import INDEX_OPTIONS, OPTIONS, SUBMITTED_OPTIONS, Option, UsageError
from pdfmill.transforms.storage.store import output_places, shared_schemes, source_places


class Job(Struct, frozen=True):
    """A command that a Dataflow template can run. output: help text of its parameter `output`. more: options that `pdfmill index` lacks."""

    metadata_file: str  # name of the template's metadata file
    description: str
    output: str
    more: tuple[Option, ...] = ()


JOBS: Final = {
    "index": Job(
        "metadata.json",
        "Read PDFs from storage and write Parquet tables of their text, structure and metadata.",
        next(option.help for option in OPTIONS if option.name == "output"),
        (*INDEX_OPTIONS, *SUBMITTED_OPTIONS),
    ),
    "crawl": Job(
        "metadata-crawl.json",
        "Read the PDFs in storage that have changed since the last run, and publish them in one step, as a new snapshot of a Delta table.",
        f"The Delta table: {output_places()}. Each run adds a snapshot.",
        CRAWL_OPTIONS,
    ),
}
#: Flags that only apply to a run on one machine.
LOCAL_ONLY: Final = frozenset({"workers", "batch_documents", "batch_bytes"})
SOURCES: Final = "sources"
_SCHEMES: Final = "|".join(shared_schemes(writable=False))
_SOURCE: Final = rf"@?({_SCHEMES})://\S+"
#: Separator between sources: commas or blanks before an address. Names of objects may contain commas and blanks themselves.
_BETWEEN: Final = re.compile(rf"[,\s]+(?=@?(?:{_SCHEMES})://)")
_GROUPS: Final = {
    "output": "Source and target",
    "passwords": "Source and target",
    "stores": "Source and target",
    "shards": "Source and target",
    "waves": "Source and target",
    "replace_anyway": "Source and target",
}
_TYPES: Final = {"passwords": "GCS_READ_FILE", "stores": "GCS_READ_FILE"}
_REGEXES: Final = {
    "output": rf"^({'|'.join(shared_schemes(writable=True))})://[^/\s]+(/\S*)?$",
    "export": r"^(none|(attachment|xfa|image|thumbnail)(,(attachment|xfa|image|thumbnail))*)$",
}
_NUMBER: Final = r"^[0-9]+(\.[0-9]+)?$"
#: Patterns of whole numbers from 0, and from 1.
_WHOLE: Final = (r"^[0-9]+$", r"^[1-9][0-9]*$")


def metadata(command: str) -> dict[str, object]:
    """Return the metadata of a command's template, from which Dataflow knows its parameters. command: a key of `JOBS`."""
    return {
        "name": f"pdfmill {command}",
        "description": JOBS[command].description,
        "streaming": False,
        "parameters": [_sources(), *(_parameter(option) for option in template_options(command))],
    }


def template_options(command: str) -> list[Option]:
    """Return the options that a template offers as parameters."""
    shared = [replace(option, help=JOBS[command].output) if option.name == "output" else option for option in OPTIONS]
    return [option for option in (*shared, *JOBS[command].more) if option.name not in LOCAL_ONLY]


def _sources() -> dict[str, object]:
    return {
        "name": SOURCES,
        "label": "Sources",
        "helpText": f"What to read: {source_places('prefix')}; prefixes ending in /, objects or globs, "
        "and @ before the address of a list; several with a comma between.",
        "isOptional": False,
        "paramType": "TEXT",
        "groupName": "Source and target",
        "regexes": [f"^{_SOURCE}([, ]+{_SOURCE})*$"],
    }


def _parameter(option: Option) -> dict[str, object]:
    unit = f" Unit: {option.unit}." if option.unit else ""
    if isinstance(option.convert, WholeNumber) and option.convert.least > 1:
        unit += f" At least {option.convert.least}."
    parameter: dict[str, object] = {
        "name": option.name,
        "label": option.name.replace("_", " ").capitalize(),
        "helpText": option.help + unit,
        "isOptional": option.name != "output",
        "paramType": _type(option),
        "groupName": "Crawl" if option in CRAWL_OPTIONS else _GROUPS.get(option.name, "How documents are read"),
    }
    if option.default is not None:
        parameter["defaultValue"] = str(option.default).lower() if option.convert is None else str(option.default)
    if option.choices:
        parameter["enumOptions"] = [{"label": choice, "value": choice} for choice in option.choices]
    if pattern := _REGEXES.get(option.name) or _pattern_of_number(option):
        parameter["regexes"] = [pattern]
    return parameter


def _pattern_of_number(option: Option) -> str | None:
    """Return the regular expression with which Google's console checks a number, None for other options. Lower bounds above 1 are checked
    later."""
    if _type(option) != "NUMBER":
        return None
    return _WHOLE[min(1, option.convert.least)] if isinstance(option.convert, WholeNumber) else _NUMBER


def _type(option: Option) -> str:
    if option.choices:
        return "ENUM"
    if option.convert is None:
        return "BOOLEAN"
    return _TYPES.get(option.name) or ("NUMBER" if isinstance(option.default, int | float) else "TEXT")


def command_line(parameters: Sequence[str]) -> list[str]:
    """Convert a launcher's parameters to a command line for the command's parser. Empty parameters are omitted.

    >>> command_line(["--sources=gs://b/in/,gs://c/x.pdf", "--keep_furniture=true", "--passwords=", "--output=gs://b/out"])
    ['gs://b/in/', 'gs://c/x.pdf', '--keep_furniture', '--output=gs://b/out']

    Raises:
        UsageError: a switch with a value other than true or false.
    """
    switches = {option.name for option in (*OPTIONS, *INDEX_OPTIONS, *CRAWL_OPTIONS) if option.convert is None}
    words: list[str] = []
    for parameter in parameters:
        name, equals, value = parameter.removeprefix("--").partition("=")
        if not equals:
            words.append(parameter)
        elif name == SOURCES:
            words[:0] = [source for source in _BETWEEN.split(value.strip()) if source]
        elif name in switches:
            words += [f"--{name}"] if _truth(name, value) else []
        elif value:
            words.append(parameter)
    return words


def _truth(name: str, value: str) -> bool:
    if value.lower() not in ("true", "false", ""):
        raise UsageError(f"--{name} must be true or false, not {value!r}")
    return value.lower() == "true"
