"""Files of Application Default Credentials for tests, with a key of our own."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa


@cache
def private_key() -> str:
    """A key that signs for nobody but these tests."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    ).decode()


def service_account(folder: Path, **changes: str) -> Path:
    """The key file of a service account."""
    content = {
        "type": "service_account",
        "project_id": "robots-project",
        "private_key_id": "1",
        "private_key": private_key(),
        "client_email": "robot@robots-project.iam.gserviceaccount.com",
        "client_id": "1",
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    path = folder / "service-account.json"
    path.write_text(json.dumps(content | changes), encoding="utf-8")
    return path


def authorized_user(folder: Path, **changes: str) -> Path:
    """What `gcloud auth application-default login` leaves, at its place below HOME."""
    content = {
        "type": "authorized_user",
        "client_id": "client.apps.googleusercontent.com",
        "client_secret": "of-gcloud",
        "refresh_token": "1//mine",
        "quota_project_id": "persons-project",
    }
    path = folder / ".config" / "gcloud" / "application_default_credentials.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content | changes), encoding="utf-8")
    return path
