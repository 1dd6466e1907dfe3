"""Application Default Credentials, Google Cloud's own way to say who a program is: where they are.

Nothing is loaded or sent here; `adc_tokens` gets tokens with what was found.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec

from groundwire.errors import InvalidConfig

INSTALL = "pip install 'groundwire[vertex]'"
LOG_IN = "gcloud auth application-default login"
NAMED = "GOOGLE_APPLICATION_CREDENTIALS"


@dataclass(frozen=True, slots=True)
class AdcPlace:
    """A file of credentials; without a path, the metadata server that machines of Google Cloud have."""

    path: Path | None
    where: str


METADATA_SERVER = AdcPlace(None, "the metadata server of Google Cloud")


def is_installed() -> bool:
    """Whether google-auth is there; it is not loaded."""
    try:
        return find_spec("google.auth") is not None
    except ModuleNotFoundError:
        return False


def adc_file(env: Mapping[str, str], home: Path) -> AdcPlace | None:
    """The file that counts: the one a variable names, whether it is there or not, or else gcloud's."""
    if named := env.get(NAMED):
        return AdcPlace(Path(named), f"{named} (environment variable {NAMED})")
    folder = Path(env["CLOUDSDK_CONFIG"]) if env.get("CLOUDSDK_CONFIG") else _gcloud_folder(env, home)
    path = folder / "application_default_credentials.json"
    return AdcPlace(path, str(path)) if path.is_file() else None


def _gcloud_folder(env: Mapping[str, str], home: Path) -> Path:
    if sys.platform == "win32" and env.get("APPDATA"):
        return Path(env["APPDATA"]) / "gcloud"
    return home / ".config" / "gcloud"


def described(path: Path) -> dict[str, Any]:
    """What a file of credentials says. Raises InvalidConfig when it is none."""
    try:
        content = msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise InvalidConfig(f"{path} cannot be read ({error.strerror}).") from error
    except (msgspec.DecodeError, RecursionError):
        raise InvalidConfig(f"{path} is not a JSON file.") from None
    if not isinstance(content, dict) or not isinstance(content.get("type"), str):
        raise InvalidConfig(f"{path} is not a file of Google credentials: it names no type.")
    return content


def project_in(content: Mapping[str, Any]) -> str | None:
    """The project that credentials belong to: a service account's own, or the one a person pays with."""
    project = content.get("project_id") or content.get("quota_project_id")
    return project if isinstance(project, str) else None
