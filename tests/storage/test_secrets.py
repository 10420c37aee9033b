"""Keys of stores out of Secret Manager: asked for once, by the variables that name them."""

from __future__ import annotations

import base64
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from pdfmill.transforms.storage.errors import SourceError
from pdfmill.transforms.storage.objects import list_files
from pdfmill.transforms.storage.secrets import ENDPOINT_VARIABLE, VARIABLE, fill_environment
from pdfmill.transforms.storage.sessions import forget_clients
from tests.pdf.make import make_pdf

ID = "projects/p/secrets/aws-id/versions/latest"
KEY = "projects/p/secrets/aws-key/versions/3"


@pytest.fixture
def manager():
    """A stand-in of the service; gives the variable that leads there, the secrets that it has, and the paths that it was asked for."""
    secrets: dict[str, str] = {}
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            text = secrets.get(self.path.removeprefix("/v1/").removesuffix(":access"))
            body = json.dumps({"payload": {"data": base64.b64encode((text or "").encode()).decode()}} if text != "strange" else []).encode()
            self.send_response(200 if text else 404)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield {ENDPOINT_VARIABLE: f"http://127.0.0.1:{server.server_port}/"}, secrets, asked
    server.shutdown()
    server.server_close()


def test_what_is_named_and_not_set_is_asked_for(manager):
    environment, secrets, asked = manager
    secrets |= {ID: "AKIA", KEY: "hush\n"}
    environment |= {VARIABLE: f"AWS_ACCESS_KEY_ID={ID}\nAWS_SECRET_ACCESS_KEY={KEY} AZURE_STORAGE_KEY={KEY}", "AZURE_STORAGE_KEY": "mine"}
    fill_environment(environment)
    assert [environment[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AZURE_STORAGE_KEY")] == ["AKIA", "hush", "mine"]
    fill_environment(environment)
    assert asked == [f"/v1/{ID}:access", f"/v1/{KEY}:access"], "once"


def test_nothing_is_asked_where_nothing_is_named():
    environment: dict[str, str] = {}
    fill_environment(environment)
    assert environment == {}


@pytest.mark.parametrize(
    ("named", "code", "told"),
    [
        ("AWS_ACCESS_KEY_ID=aws-id", "bad_source", "AWS_ACCESS_KEY_ID=aws-id is not NAME=projects/"),
        (f"AWS_ACCESS_KEY_ID={KEY}", "permission_denied", f"{KEY} does not exist, or access to it is denied"),
        (f"AWS_ACCESS_KEY_ID={ID}", "store_error", "the response of Secret Manager contains no secret"),
    ],
)
def test_what_cannot_be_had_is_told_without_any_secret(manager, named, code, told):
    environment, secrets, _ = manager
    secrets[ID] = "strange"
    with pytest.raises(SourceError, match=told) as error:
        fill_environment(environment | {VARIABLE: named})
    assert error.value.code == code


def test_a_service_that_is_away_is_told():
    with pytest.raises(SourceError, match="does not answer"):
        fill_environment({ENDPOINT_VARIABLE: "http://127.0.0.1:9/", VARIABLE: f"AWS_ACCESS_KEY_ID={ID}"})


def test_a_store_is_asked_with_them(manager, moto_process, monkeypatch):
    """The client of S3 has no other key than what the secret holds."""
    bucket = moto_process.make_bucket({"in/a.pdf": make_pdf(pages=1)})
    environment, secrets, asked = manager
    keys = {name: value for name, value in moto_process.environment.items() if name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    assert set(keys) == {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    for name in keys:
        monkeypatch.setenv(name, "taken back by the test")
        del os.environ[name]
    for name, value in (moto_process.environment | environment).items():
        if name not in keys:
            monkeypatch.setenv(name, value)
    secrets |= {f"projects/p/secrets/{name.lower()}/versions/1": value for name, value in keys.items()}
    monkeypatch.setenv(VARIABLE, " ".join(f"{name}=projects/p/secrets/{name.lower()}/versions/1" for name in keys))
    forget_clients()
    try:
        assert list_files(f"s3://{bucket}", ".pdf") == [f"s3://{bucket}/in/a.pdf"]
    finally:
        forget_clients()
    assert len(asked) == 2
