"""Material for the edit benchmark: two releases each of some packages, got by pip and npm and unpacked."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

PYPI = {
    "flask": ("2.3.3", "3.0.0"), "click": ("8.1.3", "8.1.7"), "rich": ("13.5.0", "13.9.4"),
    "httpx": ("0.25.0", "0.27.0"), "django": ("4.2", "5.0"), "sqlalchemy": ("2.0.20", "2.0.30"),
    "fastapi": ("0.100.0", "0.110.0"), "pydantic": ("2.4.0", "2.7.0"), "werkzeug": ("2.3.7", "3.0.1"),
    "aiohttp": ("3.8.5", "3.9.5"),
}  # fmt: skip
NPM = {
    "express": ("4.18.2", "4.21.2"), "eslint": ("8.50.0", "8.57.0"), "webpack": ("5.88.0", "5.95.0"),
    "commander": ("11.0.0", "12.1.0"), "zod": ("3.22.0", "3.23.8"), "yargs": ("17.5.0", "17.7.2"),
    "axios": ("1.5.0", "1.7.7"), "three": ("0.155.0", "0.160.0"),
}  # fmt: skip


def fetched(folder: Path) -> Path | None:
    """The folder with every package and version that could be got; None when there is none of them."""
    for names, get in ((PYPI, _from_pypi), (NPM, _from_npm)):
        for name, versions in names.items():
            for version in versions:
                target = folder / name / version
                if not target.is_dir():
                    with tempfile.TemporaryDirectory(prefix="groundwire-") as place:
                        get(name, version, Path(place), target)
    return folder if folder.is_dir() else None


def _from_pypi(name: str, version: str, place: Path, target: Path) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run(
        [*command, "--dest", str(place), f"{name}=={version}"], check=False, capture_output=True
    )
    for wheel in place.glob("*.whl") if done.returncode == 0 else ():
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(target)


def _from_npm(name: str, version: str, place: Path, target: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        return
    subprocess.run(
        [npm, "pack", "--silent", f"{name}@{version}"], cwd=place, check=False, capture_output=True
    )
    for packed in place.glob("*.tgz"):
        with tarfile.open(packed) as archive:
            archive.extractall(target, filter="data")
