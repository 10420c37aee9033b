"""The Nu HTML checker, from Maven Central, over pages that we write."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.servers import unavailable

#: The Nu HTML checker, https://validator.github.io/validator/
NU = "nu.validator:validator:20.7.2"


@pytest.fixture(scope="session")
def nu_jars(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of the Nu checker's jars: PDFMILL_NU_JARS, else fetched by Maven."""
    if shutil.which("java") is None:
        unavailable("no Java: the Nu HTML checker cannot run")
    if given := os.environ.get("PDFMILL_NU_JARS"):
        return Path(given)
    if shutil.which("mvn") is None:
        unavailable("no Maven to fetch the Nu HTML checker with, and PDFMILL_NU_JARS is not set")
    folder = tmp_path_factory.mktemp("nu")
    group, name, version = NU.split(":")
    dependency = f"<dependency><groupId>{group}</groupId><artifactId>{name}</artifactId><version>{version}</version></dependency>"
    head = "<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>"
    (folder / "pom.xml").write_text(f"{head}<dependencies>{dependency}</dependencies></project>")
    command = ["mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib", "-DincludeScope=runtime"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        unavailable(f"Maven could not fetch {NU}: {done.stdout[-300:]}")
    return folder / "lib"


def errors_of(nu_jars: Path, *pages: Path) -> str:
    """What the checker calls an error."""
    command = ["java", "-cp", f"{nu_jars}/*", "nu.validator.client.SimpleCommandLineValidator", "--errors-only", *map(str, pages)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    errors = [line for line in done.stderr.splitlines() if "error" in line]
    return "\n".join(errors) if errors or not done.returncode else done.stderr
