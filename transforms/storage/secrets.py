"""Fetch credentials for other clouds from Google Secret Manager, for workers that have no other way to get them (Dataflow).
The variable PDFMILL_SECRETS names the secret for each environment variable of a store; a container image can set it:

 PDFMILL_SECRETS="AWS_ACCESS_KEY_ID=projects/P/secrets/id/versions/latest AWS_SECRET_ACCESS_KEY=projects/P/secrets/key/versions/3"

Each process fetches them once, with the rights of its service account (role `roles/secretmanager.secretAccessor` on these secrets).
Variables that are set already are kept. Secret Manager API v1, `projects.secrets.versions.access`."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import MutableMapping
from typing import Any, Final

from pdfmill.transforms.storage.errors import SourceError

VARIABLE: Final = "PDFMILL_SECRETS"
#: gcloud's variable for another address of the service; if that address begins with http://, requests carry no token.
ENDPOINT_VARIABLE: Final = "CLOUDSDK_API_ENDPOINT_OVERRIDES_SECRETMANAGER"
_ENDPOINT: Final = "https://secretmanager.googleapis.com/"
_SCOPE: Final = "https://www.googleapis.com/auth/cloud-platform"
_ASK_S: Final = 30.0
_NAMED: Final = re.compile(r"([A-Z][A-Z0-9_]*)=(projects/[^/\s]+/(?:locations/[^/\s]+/)?secrets/[\w-]+/versions/\w+)")


def fill_environment(environment: MutableMapping[str, str] | None = None) -> None:
    """Set each unset environment variable that PDFMILL_SECRETS names to the value of its secret. environment: None for `os.environ`.

    Raises:
        SourceError: bad_source, an entry names no secret; permission_denied, it may not be read; store_error, the service does not answer.
    """
    environment = os.environ if environment is None else environment
    missing = {name: secret for name, secret in _named(environment.get(VARIABLE, "")) if name not in environment}
    if not missing:
        return
    endpoint = environment.get(ENDPOINT_VARIABLE) or _ENDPOINT
    session = _session(endpoint)
    for name, secret in missing.items():
        environment[name] = _secret(session, endpoint, secret)


def _named(setting: str) -> list[tuple[str, str]]:
    found = []
    for word in setting.split():
        match = _NAMED.fullmatch(word)
        if match is None:
            raise SourceError("bad_source", f"{VARIABLE}: {word} is not NAME=projects/PROJECT/secrets/SECRET/versions/VERSION")
        found.append((match[1], match[2]))
    return found


def _session(endpoint: str) -> Any:
    import requests

    if endpoint.startswith("http://"):
        return requests.Session()
    import google.auth
    from google.auth.transport.requests import AuthorizedSession

    try:
        credentials, _ = google.auth.default(scopes=[_SCOPE])
    except google.auth.exceptions.GoogleAuthError as error:
        raise SourceError("permission_denied", f"{VARIABLE}: there is no account with which to read secrets: {error}") from error
    return AuthorizedSession(credentials)


def _secret(session: Any, endpoint: str, secret: str) -> str:
    import requests
    from google.auth.exceptions import GoogleAuthError

    try:
        answer = session.get(f"{endpoint.rstrip('/')}/v1/{secret}:access", timeout=_ASK_S)
        if answer.status_code in (401, 403, 404):
            raise SourceError(
                "permission_denied", f"{VARIABLE}: {secret} does not exist, or access to it is denied (status {answer.status_code})"
            )
        answer.raise_for_status()
        return base64.b64decode(answer.json()["payload"]["data"], validate=True).decode().strip()
    except (requests.RequestException, GoogleAuthError) as error:
        raise SourceError("store_error", f"{VARIABLE}: {secret}: Secret Manager does not answer: {error}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise SourceError("store_error", f"{VARIABLE}: {secret}: the response of Secret Manager contains no secret") from error
