"""The optional dependencies ("extras") of the distribution, which install packages beyond `pip install pdfmill`.

The core reads and shows documents. Each command that needs more packages has an extra of its name; so have the stores and Apache Beam.
setup.py lists the packages of each extra.
"""

from __future__ import annotations

from typing import Final

#: The smallest extra that installs each package. The keys are the names under which the packages are imported.
EXTRA_OF: Final = {
    "apache_beam": "beam",
    "azure": "stores",
    "boto3": "stores",
    "botocore": "stores",
    "google": "stores",
    "grpc": "beam",
    "jinja2": "serve",
    "onnxruntime": "rapidocr",
    "opentelemetry": "otel",
    "pebble": "index",
    "pyarrow": "index",
    "pyroaring": "index",
    "rapidocr": "rapidocr",
    "requests": "stores",
    "smart_open": "stores",
    "starlette": "serve",
    "rapidfuzz": "search",
    "tantivy": "search",
    "urllib3": "stores",
    "uvicorn": "serve",
    "warcio": "index",
    "xlsxwriter": "xlsx",
}

#: The name of an environment variable, set while Apache Beam builds the source distribution for its workers (setup.py).
FOR_WORKERS_VARIABLE: Final = "PDFMILL_FOR_WORKERS"

#: Extras named after a command, which install all that it needs.
COMMAND_EXTRAS: Final = frozenset({"crawl", "export", "index", "search", "serve"})


def missing_extra(error: ModuleNotFoundError, asked: str) -> str | None:
    """Return a message that names the extra to install for a module that cannot be imported; None if no extra provides it, because then the
    installation is broken.

    asked: the command or feature that needs the module. If the extra of that name provides the module, the message names that extra, even
    if a smaller one would do.

    >>> missing_extra(ModuleNotFoundError(name="pyarrow.parquet"), "search")
    "search needs pyarrow, which is not installed: pip install 'pdfmill[search]'"
    >>> missing_extra(ModuleNotFoundError(name="transforms.none"), "search") is None
    True
    """
    module = (error.name or "").partition(".")[0]
    extra = EXTRA_OF.get(module)
    if extra is None:
        return None
    if asked in COMMAND_EXTRAS and extra not in ("beam", "otel"):
        extra = asked
    return f"{asked} needs {module}, which is not installed: pip install 'pdfmill[{extra}]'"
