"""Distribution `pdfmill`. A `setup.py` because Beam ships the package to its workers by `--setup_file ./setup.py`."""

from pathlib import Path

from setuptools import Extension, find_namespace_packages, setup

HERE = Path(__file__).parent
STORES = ["azure-storage-blob>=12.28", "boto3>=1.40", "google-cloud-storage>=3.0", "requests>=2.32"]

setup(
    name="pdfmill",
    version="0.1.0",
    description="PDFs in object storage in, Parquet for a search engine out: an Apache Beam pipeline",
    long_description=(HERE / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    license="Apache-2.0",
    python_requires=">=3.11,<3.12",  # what the tests run on
    packages=find_namespace_packages(include=["pipeline", "pipeline.*", "transforms", "transforms.*", "schemas", "schemas.*"]),
    package_data={
        "transforms.pdf": ["cmap_resources/*.xz"],
        "transforms.layout": ["languages/*.toml", "words/*.txt.gz"],
        "pipeline.serve": ["templates/*", "static/*"],
    },
    # Makes the text layer faster; without a C compiler its loops run in Python (`transforms/pdf/loops.py`).
    ext_modules=[Extension("transforms.pdf._loops", ["transforms/pdf/_loops.c"], optional=True)],
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
