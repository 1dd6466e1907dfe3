"""Installs a peer's pinned packages under `.conformance/`: npm packages, or a virtual environment.

A folder is done when its stamp says what was asked for; then nothing is touched. Otherwise it is made anew.
What cannot be installed raises CannotInstall with a reason short enough for a table.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec

from conformance.commands import Finished, run_bounded
from conformance.pins import OLDEST_NODE, Pin

INSTALL_SECONDS = 600.0
STAMP = "installed.json"


class CannotInstall(Exception):
    """Why a peer is not run."""


def installed(peer: str, pin: Pin, root: Path) -> Path:
    """The folder where the peer's packages are, installed now if they were not."""
    place = root / pin.registry / peer
    python = sys.executable if pin.registry == "npm" else python_for(pin)
    wanted = stamp(pin, _node_version() if pin.registry == "npm" else python_version(python))
    if _stamped(place) == wanted:
        return place
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if pin.registry == "npm":
        _install_from_npm(place, pin)
    else:
        _install_from_pypi(place, pin, python)
    found = found_version(place, pin)
    if found != pin.version:
        raise CannotInstall(f"{pin.name} {pin.version} was asked for, {found or 'nothing'} was installed")
    (place / STAMP).write_bytes(msgspec.json.encode(wanted))
    return place


def python_for(pin: Pin) -> str:
    """A Python that is new enough: this one, one on the PATH, or the oldest such that pyenv has."""
    names = [f"python3.{minor}" for minor in range(pin.oldest_python[1], 15)]
    for python in (sys.executable, *filter(None, map(shutil.which, names)), *_kept_by_pyenv()):
        if _numbers(python_version(python)) >= pin.oldest_python:
            return python
    oldest = ".".join(map(str, pin.oldest_python))
    raise CannotInstall(f"there is no Python {oldest} or later here")


def _kept_by_pyenv() -> list[str]:
    """The Pythons of pyenv, the oldest first: in the home, or, where that is another one, beside this one."""
    roots = {Path.home() / ".pyenv/versions", Path(sys.base_prefix).parent}
    pythons = {path for root in roots for path in root.glob("3.*/bin/python")}
    return list(map(str, sorted(pythons, key=lambda path: _numbers(path.parts[-3]))))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:2])


def python_version(python: str) -> str:
    """What a Python says its version is; empty when it does not run."""
    program = "import sys; print(sys.version.split()[0])"
    try:
        said = subprocess.run([python, "-c", program], capture_output=True, encoding="utf-8", check=False)
    except OSError:
        return ""
    return said.stdout.strip() if said.returncode == 0 else ""


def stamp(pin: Pin, runtime: str) -> dict[str, object]:
    """What must be the same for an installed folder to be used again."""
    return {"packages": list(pin.specifications), "runtime": runtime}


def found_version(place: Path, pin: Pin) -> str:
    """The version of the peer's own package that is in the folder; empty when there is none."""
    if pin.registry == "npm":
        manifest = place / "node_modules" / pin.name / "package.json"
        return (
            str(msgspec.json.decode(manifest.read_bytes()).get("version", "")) if manifest.is_file() else ""
        )
    name = re.sub(r"[-_.]+", "_", pin.name.partition("[")[0]).lower()
    for folder in place.glob(f"lib/python*/site-packages/{name}-*.dist-info"):
        return folder.name.removeprefix(f"{name}-").removesuffix(".dist-info")
    return ""


def node_is_too_old(version: str) -> bool:
    """Whether `20.1.2` is below what the peers need."""
    return _numbers(version) < OLDEST_NODE


def reason_in(done: Finished) -> str:
    """Why an installation failed, in one line."""
    if done.timed_out:
        return f"the installation took longer than {INSTALL_SECONDS:.0f} s"
    lines = [line.strip() for line in (done.err + done.out).splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"error|ERR!|not find|unable", line, re.IGNORECASE)]
    return (telling or lines or [f"exit code {done.code}"])[0][:160]


def program_version(program: str) -> str:
    """The version a program of this machine says it has; empty when there is no such program."""
    if not shutil.which(program):
        return ""
    said = subprocess.run([program, "--version"], capture_output=True, encoding="utf-8", check=False).stdout
    found = re.search(r"\d+(\.\d+)+", said)
    return found[0] if found else ""


def _stamped(place: Path) -> object:
    try:
        return msgspec.json.decode((place / STAMP).read_bytes())
    except (OSError, msgspec.DecodeError):
        return None


def _node_version() -> str:
    if not shutil.which("node") or not shutil.which("npm"):
        raise CannotInstall("node and npm are not installed")
    version = program_version("node")
    if node_is_too_old(version):
        oldest = ".".join(map(str, OLDEST_NODE))
        raise CannotInstall(f"node {version} is too old, {oldest} or later is needed")
    return version


def _install_from_npm(place: Path, pin: Pin) -> None:
    (place / "package.json").write_text('{"private": true}\n', encoding="utf-8")
    _try(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", *pin.specifications], place)


def _install_from_pypi(place: Path, pin: Pin, python: str) -> None:
    _try([python, "-m", "venv", str(place)], place)
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    ours = ["--editable", str(Path(__file__).parents[1])] if pin.with_groundwire else []
    _try([*pip, *pin.specifications, *ours], place)


def _try(words: list[str], place: Path) -> None:
    done = run_bounded(
        words, environment=os.environ, folder=place, log=place / "install", seconds=INSTALL_SECONDS
    )
    if done.code != 0 or done.timed_out:
        raise CannotInstall(reason_in(done))
