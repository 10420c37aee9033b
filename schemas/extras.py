"""The extras of the distribution that install packages beyond `pip install pdfmill`.

The core reads and shows documents; each command that needs more has an extra of its name, so have the stores and Apache Beam. What each
extra requires stands in setup.py.
"""

from __future__ import annotations

from typing import Final

#: Top-level import, and the smallest extra that brings it.
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
    "tantivy": "search",
    "urllib3": "stores",
    "uvicorn": "serve",
    "warcio": "index",
    "xlsxwriter": "xlsx",
}

#: Environment variable that is set while Beam makes the source distribution for its workers (setup.py).
FOR_WORKERS_VARIABLE: Final = "PDFMILL_FOR_WORKERS"

#: Extras that bring all that the command of their name needs.
COMMAND_EXTRAS: Final = frozenset({"crawl", "export", "index", "search", "serve"})


def missing_extra(error: ModuleNotFoundError, asked: str) -> str | None:
    """Return the message for a module that cannot be imported; None if no extra provides it, which means that the installation is broken.

    asked: what was to be done. The command's own extra is preferred to a smaller one, unless it lacks the module.

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
