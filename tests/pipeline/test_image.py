"""The image of `dataflow_templates/Dockerfile`, built as far as that goes without a container engine; see `tests/pipeline/image.py`."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from pdfmill.pipeline.jobs.template import JOBS
from tests.pdf.make import make_pdf
from tests.pipeline.image import Image, build, instructions
from tests.servers import GcsServer

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = ROOT / "dataflow_templates" / "Dockerfile"


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    return build(DOCKERFILE, ROOT, tmp_path_factory.mktemp("image"))


def test_the_versions_in_it_are_those_of_the_package():
    text = DOCKERFILE.read_text(encoding="utf-8")
    arguments = dict(words.partition("=")[::2] for name, words in instructions(text) if name == "ARG")
    assert f"apache-beam=={arguments['BEAM']}\n" in (ROOT / "constraints.txt").read_text(encoding="utf-8")
    needed = re.search(r'python_requires=">=([\d.]+)[,"]', (ROOT / "setup.py").read_text(encoding="utf-8"))
    assert needed is not None
    assert tuple(map(int, arguments["PYTHON"].split("."))) >= tuple(map(int, needed[1].split(".")))
    assert f"python{arguments['PYTHON'].replace('.', '')}-template-launcher-base" in text


def test_what_it_copies_is_sent_to_the_engine_of_containers():
    words = [each.split() for name, each in instructions(DOCKERFILE.read_text(encoding="utf-8")) if name == "COPY" and "--from" not in each]
    sent = {line.removeprefix("!") for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()}
    assert {source for *sources, _ in words for source in sources} - sent == set()
    assert {source for *sources, _ in words for source in sources if not (ROOT / source).exists()} == set()


@pytest.mark.slow
def test_what_is_not_tested_here(image: Image):
    """Whoever adds a step that cannot be done without a container engine says so here and in the README of the templates."""
    assert image.untested == [
        "FROM gcr.io/dataflow-templates-base/python311-template-launcher-base AS launcher",
        "FROM apache/beam_python3.11_sdk:2.77.0 AS sdk",
        "FROM python:3.11-slim",
        "COPY --from=sdk /opt/apache/beam /opt/apache/beam",
        "COPY --from=launcher /opt/google/dataflow/python_template_launcher /opt/google/dataflow/python_template_launcher",
        "RUN apt-get update",
        "RUN apt-get install -y --no-install-recommends gcc libc6-dev",
        "RUN apt-get purge -y --auto-remove gcc libc6-dev",
        "RUN useradd --uid 10001 --create-home pdfmill",
    ]


@pytest.mark.slow
def test_only_what_a_launcher_needs_is_left_beside_the_installed_package(image: Image):
    left = {path.name for path in image.place(".").iterdir() if not path.name.endswith(".egg-info")}
    assert left == {"constraints.txt", "pyproject.toml", "setup.py", "README.md", "LICENSE", "main.py", "crawl.py", "docs", "sbom.json"}
    assert [path.name for path in image.place("docs").iterdir()] == ["licenses.md"]
    assert not (image.root / "tmp" / "sbom").exists()
    where = image.run("python", "-c", "import pdfmill.pipeline as p; print(p.__file__)").stdout
    assert where.startswith(str(image.bin.parent))


@pytest.mark.slow
def test_a_list_tells_what_is_in_it_and_under_which_licence(image: Image):
    told = json.loads(image.place("sbom.json").read_text(encoding="utf-8"))
    assert told["bomFormat"] == "CycloneDX"
    found = {each["name"].lower(): each for each in told["components"]}
    assert {"apache-beam", "pypdfium2", "pyarrow", "pdfmill"} <= set(found)
    assert all(each["version"] for each in found.values())
    assert sum(not each.get("licenses") for each in found.values()) <= 0.1 * len(found), "some packages state none in their metadata"


def test_base_images_can_be_named_by_digest():
    text = DOCKERFILE.read_text(encoding="utf-8")
    images = [words.split()[0] for name, words in instructions(text) if name == "FROM"]
    arguments = {words.partition("=")[0] for name, words in instructions(text) if name == "ARG"}
    assert len(images) == 3
    for each in images:
        name = each.rpartition("${")[2].removesuffix("}")
        assert name.endswith("_DIGEST"), each
        assert name in arguments


@pytest.mark.slow
def test_root_is_what_dataflow_wants_and_another_user_is_there(image: Image):
    assert image.user == "root"
    assert image.environment["PDFMILL_SECRETS"] == ""


@pytest.mark.slow
def test_entry_point_and_environment_lead_to_files(image: Image):
    assert image.entrypoint == ["/opt/apache/beam/boot"]
    assert any(image.entrypoint[0].startswith(f"{folder}/") for folder in image.foreign)
    assert image.place(image.environment["FLEX_TEMPLATE_PYTHON_PY_FILE"]).is_file()
    assert image.environment["RUN_PYTHON_SDK_IN_DEFAULT_ENVIRONMENT"] == "1"


@pytest.mark.slow
def test_the_command_reads_pdfs_with_what_is_in_it(image: Image, tmp_path: Path):
    helped = image.run("pdfmill", "--help", cwd=tmp_path)
    assert (helped.returncode, "index" in helped.stdout) == (0, True), helped.stderr
    (tmp_path / "a.pdf").write_bytes(make_pdf(pages=3))
    ran = image.run("pdfmill", "index", "a.pdf", "--output", "out", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert pq.read_table(tmp_path / "out" / "pages")["text"].to_pylist() == ["Hello 1", "Hello 2", "Hello 3"]
    found = image.run("pdfmill", "search", "out", "hello", "--page", "2", cwd=tmp_path)
    assert (found.returncode, "a.pdf" in found.stdout) == (0, True), found.stderr


@pytest.mark.slow
@pytest.mark.servers
@pytest.mark.parametrize("launcher", ["main.py", "crawl.py"])
def test_the_launchers_make_a_job(image: Image, launcher: str, gcs_server: GcsServer):
    """As Google's launcher starts them, up to where the service would be asked."""
    assert set(JOBS) == {"index", "crawl"}
    bucket = gcs_server.make_bucket()
    image.environment |= gcs_server.environment
    parameters = [f"--sources=gs://{bucket}/in/", f"--output=gs://{bucket}/out"]
    offline = [
        "--runner=DataflowRunner", "--dry_run=True", "--no_auth", "--project=my-project", "--region=europe-west1",
        f"--temp_location=gs://{bucket}/temp", f"--staging_location=gs://{bucket}/staging",
    ]  # fmt: skip
    launched = image.run("python", launcher, *parameters, *offline, "--sdk_container_image=pdfmill:test")
    assert launched.returncode == 0, launched.stderr
    wrong = image.run("python", launcher, *parameters, "--max_page=8")
    assert (wrong.returncode, "did you mean --max_pages" in wrong.stderr) == (2, True), wrong.stderr


@pytest.mark.slow
def test_the_compiled_loops_are_in_it(image: Image):
    """Where this machine has the compiler that the image gets from Debian."""
    found = image.run("python", "-c", "import pdfmill.transforms.pdf.open._loops as loops; print(loops.__file__)")
    assert found.returncode == 0, found.stderr
    assert sys.version_info[:2] == tuple(map(int, re.findall(r"python(\d+)\.(\d+)", found.stdout)[-1]))
