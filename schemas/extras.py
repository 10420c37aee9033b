"""The optional dependencies ("extras") of the distribution, which install packages beyond `pip install pdfmill`.

The core reads and shows documents. Each command that needs more packages has an extra of its name; so have the stores and Apache Beam.
"""

from __future__ import annotations

from typing import Final

#: The extras that are in `all`: each requirement with the names, parted by spaces, under which this extra is named when one of them cannot
#: be imported. setup.py adds the requirements of `index` to the extras of commands.
EXTRAS: Final[dict[str, dict[str, str]]] = {
    "index": {
        "pebble>=5.1": "pebble",
        "pyarrow>=19,<26": "pyarrow",
        "pyroaring>=1.0,<2": "pyroaring",  # Roaring bitmaps: what a crawl marks as deleted
        "warcio>=1.7.5": "warcio",
    },
    "search": {"rapidfuzz>=3.14": "rapidfuzz", "tantivy>=0.27,<0.28": "tantivy"},
    "crawl": {},
    "serve": {
        "jinja2>=3.1.6": "jinja2",
        "rapidfuzz>=3.14": "",
        "starlette>=1.0": "starlette",
        "tantivy>=0.27,<0.28": "",
        "uvicorn>=0.40": "uvicorn",
    },
    "export": {"requests>=2.32": ""},
    "stores": {
        "azure-storage-blob>=12.28": "azure",
        "boto3>=1.40": "boto3 botocore",
        "google-cloud-storage>=3.0": "google",
        "requests>=2.32": "requests urllib3",
        "smart_open[s3,gcs,http]>=7.1": "smart_open",
    },
    "beam": {"apache-beam>=2.77,<2.78": "apache_beam grpc"},
    "otel": {"opentelemetry-exporter-otlp-proto-http>=1.40": "opentelemetry", "opentelemetry-sdk>=1.40": ""},  # metrics of crawls
    "xlsx": {"xlsxwriter>=3.2": "xlsxwriter"},
}
#: Extras of one provider each, which are not in `all`; the last is a second recogniser with its models, 130 MB.
PROVIDERS: Final[dict[str, dict[str, str]]] = {
    "azure": {"azure-identity>=1.17": ""},
    "dataflow": {"google-cloud-dataflow-client>=0.13": ""},
    "rapidocr": {"onnxruntime>=1.20": "onnxruntime", "rapidocr>=3.10,<4": "rapidocr"},
}
#: The extra to install for each package, by the name under which it is imported.
EXTRA_OF: Final = {name: extra for extra, packages in (EXTRAS | PROVIDERS).items() for names in packages.values() for name in names.split()}

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
