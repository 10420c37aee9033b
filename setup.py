"""Distribution `pdfmill`. A `setup.py` because Beam ships the package to its workers by `--setup_file ./setup.py`."""

import sys
from pathlib import Path

from setuptools import Extension, find_namespace_packages, setup

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from schemas.compiled import COMPILED, compiled_name, source_mark  # noqa: E402

STORES = ["azure-storage-blob>=12.28", "boto3>=1.40", "google-cloud-storage>=3.0", "requests>=2.32"]

#: Single precision stays single, sums keep their order: the compiled loops give the bits that numpy gives.
FLAGS = ["-O2", "-ffp-contract=off", "-g0"]


def extensions() -> list[Extension]:
    """What makes the text layer faster, all optional: loops over PDFium's functions, and the modules that Cython compiles."""
    calls = Extension("transforms.pdf._loops", ["transforms/pdf/_loops.c"], optional=True)
    try:
        from Cython.Build import cythonize
    except ImportError:  # `setup.py` by itself; pip brings it
        return [calls]
    made = [Extension(compiled_name(module), [marked_source(module)], extra_compile_args=FLAGS, optional=True) for module in COMPILED]
    return [calls, *cythonize(made, build_dir="build/c", include_path=["build/loops"], language_level=3, compiler_directives=DIRECTIVES)]


#: Every index is checked: what a hostile file makes of a page ends in an IndexError, not in foreign memory.
DIRECTIVES = {"boundscheck": True, "wraparound": False, "cdivision": True, "initializedcheck": False, "annotation_typing": False}


def marked_source(module: str) -> str:
    """A copy of a module and its types under the compiled name, which says what it was made of (`schemas.compiled`)."""
    source, copy = HERE / module.replace(".", "/"), HERE / "build" / "loops" / compiled_name(module).replace(".", "/")
    copy.parent.mkdir(parents=True, exist_ok=True)
    text = source.with_suffix(".py").read_bytes()
    copy.with_suffix(".py").write_bytes(text + b"\n\nSOURCE_MARK = %d\n" % source_mark(text))
    copy.with_suffix(".pxd").write_bytes(source.with_suffix(".pxd").read_bytes())
    return str(copy.with_suffix(".py").relative_to(HERE))


setup(
    name="pdfmill",
    version="0.1.0",
    description="PDFs in object storage in, Parquet for a search engine out: an Apache Beam pipeline",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11,<3.12",  # what the tests run on
    packages=find_namespace_packages(include=["pdfmill", "pipeline", "pipeline.*", "transforms", "transforms.*", "schemas", "schemas.*"]),
    package_data={
        "pdfmill": ["py.typed"],
        "transforms.pdf": ["cmap_resources/*.xz", "*.pxd"],
        "transforms.layout": ["languages/*.toml", "words/*.txt.gz", "*.pxd"],
        "pipeline.report_page": ["*.css", "*.js"],
        "pipeline.serve": ["templates/*", "static/*"],
    },
    ext_modules=extensions(),
    install_requires=[
        "apache-beam>=2.77,<2.78",
        "fonttools>=4.60",
        "langdetect==1.0.9",
        "lxml>=5",
        "numpy>=2.0",
        "pebble>=5.1",
        "pdfplumber>=0.11.10,<0.12",
        "pikepdf>=10.17,<11",
        "pillow>=12.1.1,<13",
        "pyarrow>=19,<26",
        "pyphen>=0.17",
        "pypdfium2>=5.15,<6",
        "smart_open[s3,gcs,http]>=7.1",
        "warcio>=1.7.5",
        *STORES,
    ],
    extras_require={
        "azure": ["azure-identity>=1.17"],
        "dataflow": ["google-cloud-dataflow-client>=0.13"],
        "serve": ["jinja2>=3.1.6", "starlette>=1.0", "uvicorn>=0.40"],  # a web server, which workers do without
    },
    entry_points={"console_scripts": ["pdfmill=pipeline.main:main"]},
)
