"""The OAuth client of an installed Gemini CLI: found where npm puts it, in the forms its programs have."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.config import load_config
from groundwire.credentials.gemini_cli_client import gemini_cli_client
from groundwire.credentials.google_client import configured_client
from groundwire.credentials.google_oauth import GEMINI_CLI_CLIENT_ID
from groundwire.errors import MissingGoogleClient

DECLARED = """
{word} OAUTH_CLIENT_ID = {quote}the-id.apps.googleusercontent.com{quote};
// why it may stand here
{word} OAUTH_CLIENT_SECRET = {quote}not-a-secret{quote};
"""
BUNDLED = DECLARED.format(word="var", quote='"')
COMPILED = DECLARED.format(word="const", quote="'")


def install(root: Path, package: str, script: str, content: str) -> Path:
    path = root / "node_modules" / package / script
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="utf-8")
    return path


def on_path(folder: Path, name: str, target: Path) -> str:
    """A folder for PATH with a command that is a link, as npm makes it."""
    folder.mkdir(exist_ok=True)
    target.chmod(0o755)
    (folder / name).symlink_to(target)
    return str(folder)


@pytest.mark.parametrize(
    ("package", "script", "content"),
    [
        ("@google/gemini-cli", "bundle/chunk-ABC.js", BUNDLED),
        ("@google/gemini-cli-core", "dist/src/code_assist/oauth2.js", COMPILED),
    ],
)
def test_it_is_found_behind_the_command_gemini(
    tmp_path: Path, package: str, script: str, content: str
) -> None:
    install(tmp_path / "lib", package, script, content)
    program = (
        install(tmp_path / "lib", "@google/gemini-cli", "bundle/gemini.js", "")
        if "core" in package
        else (tmp_path / "lib/node_modules/@google/gemini-cli/bundle/gemini.js")
    )
    program.write_text("#!/usr/bin/env node\n", encoding="utf-8")
    path = on_path(tmp_path / "bin", "gemini", program)
    client = gemini_cli_client({"PATH": path}, tmp_path)
    assert client is not None
    assert (client.client_id, client.secret.reveal()) == ("the-id.apps.googleusercontent.com", "not-a-secret")
    assert "Gemini CLI" in client.where
    assert "not-a-secret" not in repr(client)


def test_it_is_found_in_npms_global_folder(tmp_path: Path) -> None:
    install(tmp_path / "lib", "@google/gemini-cli", "bundle/chunk.js", BUNDLED)
    (tmp_path / "bin").mkdir()
    node = tmp_path / "bin/node"
    node.write_text("#!/bin/sh\n", encoding="utf-8")
    node.chmod(0o755)
    assert gemini_cli_client({"PATH": str(tmp_path / "bin")}, tmp_path) is not None


@pytest.mark.parametrize(
    "content", ["", "var OAUTH_CLIENT_ID = 'x';", "\x00\xff", BUNDLED.replace("SECRET", "S")]
)
def test_a_program_without_a_client_gives_none(tmp_path: Path, content: str) -> None:
    install(tmp_path / "lib", "@google/gemini-cli", "bundle/chunk.js", content)
    assert gemini_cli_client({"PATH": "", "npm_config_prefix": str(tmp_path)}, tmp_path) is None


def test_it_is_taken_only_when_asked_for(tmp_path: Path) -> None:
    install(tmp_path / "lib", "@google/gemini-cli", "bundle/chunk.js", BUNDLED)
    env = {"PATH": "", "npm_config_prefix": str(tmp_path)}
    config = load_config(env=env, cwd=tmp_path, home=tmp_path)
    with pytest.raises(MissingGoogleClient, match="ships none"):
        configured_client(config, env)
    assert configured_client(config, env, use_gemini_cli=True).secret.reveal() == "not-a-secret"
    env["GROUNDWIRE_GOOGLE_USE_GEMINI_CLI_CLIENT"] = "1"
    config = load_config(env=env, cwd=tmp_path, home=tmp_path)
    assert configured_client(config, env).client_id == "the-id.apps.googleusercontent.com"


def test_asked_for_and_not_there_says_how_to_install_it(tmp_path: Path) -> None:
    config = load_config(env={"PATH": ""}, cwd=tmp_path, home=tmp_path)
    with pytest.raises(MissingGoogleClient) as caught:
        configured_client(config, {"PATH": ""}, use_gemini_cli=True)
    assert "npm install -g @google/gemini-cli" in caught.value.hint


def test_a_client_of_ones_own_needs_its_id_and_its_secret(tmp_path: Path) -> None:
    env = {"GROUNDWIRE_GOOGLE_CLIENT_SECRET": "mine"}
    config = load_config(env=env, cwd=tmp_path, home=tmp_path)
    assert configured_client(config, env).client_id == GEMINI_CLI_CLIENT_ID
    env["GROUNDWIRE_GOOGLE_CLIENT_ID"] = "my-id"
    config = load_config(env=env, cwd=tmp_path, home=tmp_path)
    assert configured_client(config, env).client_id == "my-id"


def test_a_repository_cannot_choose_the_client(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    repository.mkdir()
    (repository / "groundwire.toml").write_text('[google]\nclient_secret = "theirs"\n', encoding="utf-8")
    config = load_config(env={}, cwd=repository, home=tmp_path)
    assert config.google.client_secret is None
    assert any("counts only in your own file" in problem.reason for problem in config.problems)
