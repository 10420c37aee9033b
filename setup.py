"""Distribution `pdfmill`. A `setup.py` because Beam ships the package to its workers by `--setup_file ./setup.py`."""

import os
import re
import sys
from pathlib import Path

from setuptools import Extension, find_namespace_packages, setup
from setuptools.command.sdist import sdist

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "pdfmill"))  # not HERE: what this file needs is imported without the package, which needs more

from schemas.compiled import COMPILED, compiled_name, source_mark  # noqa: E402
from schemas.extras import EXTRAS, FOR_WORKERS_VARIABLE, PROVIDERS  # noqa: E402

#: What reading one document needs: `pdfmill.read`, `show`, `draw`, `highlight`.
CORE = [
    "fonttools>=4.60",
    "langdetect==1.0.9",
    "lxml>=5",
    "msgspec>=0.19,<1",
    "numpy>=2.0",
    "pdfplumber>=0.11.10,<0.12",
    "pikepdf>=10.17,<11",
    "pillow>=12.1.1,<13",
    "pyphen>=0.17",
    "pypdfium2>=5.15,<6",
]
WITH_INDEX = ("beam", "crawl", "export", "search", "serve")
ALL = sorted({each for extra in EXTRAS.values() for each in extra})

#: Beam's workers install the source distribution that `--setup_file` makes, and know no extras: it has this file in it, which says that
#: these extras are required. pdfmill sets the variable for Beam (`pipeline/engine/engine.py`).
FOR_WORKERS, OF_WORKERS = HERE / "for-workers", [*EXTRAS["index"], *EXTRAS["stores"], *EXTRAS["beam"]]

#: Environment variable that leaves out the loops that Cython compiles, which takes a minute of CPU: `make demo` sets it.
NO_LOOPS = "PDFMILL_NO_LOOPS"

#: Single precision stays single, sums keep their order: the compiled loops give the bits that numpy gives.
FLAGS = ["-O3", "-ffp-contract=off", "-g0"]


def extensions() -> list[Extension]:
    """What makes the text layer faster, all optional: loops over PDFium's functions, and the modules that Cython compiles."""
    calls = Extension("pdfmill.transforms.pdf.open._loops", ["pdfmill/transforms/pdf/open/_loops.c"], optional=True)
    if os.environ.get(NO_LOOPS):
        return [calls]
    try:
        from Cython.Build import cythonize
    except ImportError:  # `setup.py` by itself; pip brings it
        return [calls]
    made = [Extension(compiled_name(module), [marked_source(module)], extra_compile_args=FLAGS, optional=True) for module in COMPILED]
    return [calls, *cythonize(made, build_dir="build/c", include_path=["build/loops"], language_level=3, compiler_directives=DIRECTIVES)]


#: Every index is checked: what a hostile file makes of a page ends in an IndexError, not in foreign memory.
DIRECTIVES = {"boundscheck": True, "wraparound": False, "cdivision": True, "initializedcheck": False, "annotation_typing": False}


def marked_source(module: str) -> str:
    """A copy of a module and its types under the compiled name, which says what it was made of (`pdfmill.schemas.compiled`)."""
    source, copy = HERE / module.replace(".", "/"), HERE / "build" / "loops" / compiled_name(module).replace(".", "/")
    copy.parent.mkdir(parents=True, exist_ok=True)
    text = source.with_suffix(".py").read_bytes()
    copy.with_suffix(".py").write_bytes(text + b"\n\nSOURCE_MARK = %d\n" % source_mark(text))
    copy.with_suffix(".pxd").write_bytes(source.with_suffix(".pxd").read_bytes())
    return str(copy.with_suffix(".py").relative_to(HERE))


class SourceDistribution(sdist):
    """With a mark where it is for Beam's workers."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Copy what is distributed."""
        super().make_release_tree(base_dir, files)
        if os.environ.get(FOR_WORKERS_VARIABLE):
            Path(base_dir, FOR_WORKERS.name).touch()


def version() -> str:
    """Where it stands."""
    text = (HERE / "pdfmill" / "schemas" / "version.py").read_text(encoding="utf-8")
    found = re.search(r'^VERSION: Final = "(.+)"$', text, re.MULTILINE)
    assert found is not None, "schemas/version.py names no version"
    return found[1]


def readme() -> str:
    """README.md as an index of packages shows it: without pictures, and without links to files beside it, which lead nowhere there."""
    text = (HERE / "README.md").read_text(encoding="utf-8")
    return re.sub(r"\[([^\]]*)\]\((?!\w+:)[^)]*\)", r"\1", re.sub(r"!\[[^\]]*\]\((?!\w+:)[^)]*\)\n*", "", text))


setup(
    name="pdfmill",
    version=version(),
    description="PDFs in object storage in, Parquet for a search engine out",
    long_description=readme(),
    long_description_content_type="text/markdown",
    author="The pdfmill maintainers",
    license_expression="Apache-2.0",
    license_files=["LICENSE", "docs/licenses.md"],
    keywords=["pdf", "text extraction", "layout analysis", "tables", "parquet", "search", "apache beam"],
    classifiers=[
        "Development Status :: 4 - Beta",
        "Environment :: Console",
        "Intended Audience :: Developers",
        "Intended Audience :: Information Technology",
        "Operating System :: POSIX :: Linux",
        "Programming Language :: Python :: 3",
        "Programming Language :: Python :: 3.11",
        "Programming Language :: Python :: 3.12",
        "Topic :: Text Processing :: General",
        "Topic :: Text Processing :: Indexing",
        "Typing :: Typed",
    ],
    python_requires=">=3.11,<3.13",  # what the tests run on
    packages=find_namespace_packages(include=["pdfmill", "pdfmill.*"]),
    package_data={
        "pdfmill": ["py.typed"],
        "pdfmill.transforms.language": ["*.pxd", "languages/*.toml", "words/*.txt.gz"],
        "pdfmill.transforms.layout.blocks": ["*.json", "*.pxd"],
        "pdfmill.transforms.layout.document": ["weights.json"],
        "pdfmill.transforms.layout.lines": ["*.pxd"],
        "pdfmill.transforms.layout.page": ["*.pxd"],
        "pdfmill.transforms.layout.tables": ["*.pxd"],
        "pdfmill.transforms.pdf.fonts": ["*.json", "cmap_resources/*.xz"],
        "pdfmill.transforms.pdf.text": ["*.pxd"],
        "pdfmill.pipeline.search": ["*.pxd"],
        "pdfmill.pipeline.report": ["*.css", "*.js"],
        "pdfmill.pipeline.serve": ["templates/*", "static/*"],
    },
    ext_modules=extensions(),
    install_requires=[*CORE, *OF_WORKERS] if FOR_WORKERS.exists() else CORE,
    extras_require={name: [*more, *(EXTRAS["index"] if name in WITH_INDEX else [])] for name, more in (EXTRAS | PROVIDERS).items()}
    | {"all": ALL},
    cmdclass={"sdist": SourceDistribution},
    entry_points={"console_scripts": ["pdfmill=pdfmill.pipeline.cli.main:main"]},
)
