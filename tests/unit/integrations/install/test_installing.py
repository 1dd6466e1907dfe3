"""Installing, installing again and uninstalling, for every host, on a disk."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.errors import CannotInstall
from groundwire.integrations.install import carrying
from groundwire.integrations.install.disk import read
from groundwire.integrations.install.hosts import HOSTS, Host
from groundwire.integrations.install.jsonc import look_up
from groundwire.integrations.install.jsonc import parse as parse_json
from groundwire.integrations.install.machine import Machine
from groundwire.integrations.install.parts import Entry, OwnFile, Part, Wish
from groundwire.integrations.install.plan import Plan
from groundwire.integrations.install.toml import parse as parse_toml
from groundwire.search_tools import SEARCH_TOOLS

JSON_TEXTS = {
    "none": None,
    "empty": b"",
    "bare": b"{}",
    "one line": b'{"theme": "dark"}\n',
    "comments": b'// mine\n{\n  "theme": "dark", // why\n\n  /* more */ "mcpServers": {"x": {}},\n}\n',
    "tabs": b'{\n\t"a": [1,\n\t2]\n}',
    "CRLF and a byte order mark": b'\xef\xbb\xbf{\r\n  "a": 1\r\n}\r\n',
    "an emoji that its program cut in two": b'{\n  "history": ["\\ud83d"],\n  "\\ude00": 1e999\n}\n',
    "no last line end": b'{\n    "mcp": {},\n    "servers": {\n    }\n}',
}
TOML_TEXTS = {
    "none": None,
    "empty": b"",
    "comments": b'# mine\nmodel = "x" # why\n\n[mcp_servers.other]\ncommand = "y"\n',
    "CRLF": b"a = 1\r\n[b]\r\nc = 2\r\n",
    "no last line end": b"a = 1",
}
SCOPES = [(name, project) for name, host in HOSTS.items() for project in sorted({False, host.for_projects})]


def change(host: Host, machine: Machine, wish: Wish, *, uninstall: bool = False) -> Plan:
    known = carrying.remembered(host, machine, wish)
    plan = carrying.planned(host, machine, wish, known, uninstall=uninstall, read=read)
    if plan.is_change:
        carrying.carry_out(host, machine, wish, plan, known, uninstall=uninstall)
    return plan


def everything(folder: Path) -> dict[str, bytes | None]:
    """Every path below a folder, with the bytes of files and the targets of links."""
    found: dict[str, bytes | None] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = os.readlink(path).encode() if path.is_symlink() else None
        if path.is_file() and not path.is_symlink():
            found[name] = path.read_bytes()
    return found


def value_in(part: Part) -> object:
    content = read(part.file)
    assert content is not None
    if isinstance(part, OwnFile):
        return part.content if content == part.content.encode() else content
    parse: Callable[[str], dict[str, object]] = parse_toml if part.format == "toml" else parse_json
    return look_up(parse(content.decode()), part.path)


@pytest.mark.parametrize("situation", JSON_TEXTS)
@pytest.mark.parametrize(("name", "project"), SCOPES)
def test_in_again_and_out_leaves_every_byte_as_it_was(
    machine: Machine, wish: Wish, name: str, project: bool, situation: str
) -> None:
    host, wish = HOSTS[name], replace(wish, project=project, tools="all")
    for part in host.parts(machine, wish):
        texts = TOML_TEXTS if isinstance(part, Entry) and part.format == "toml" else JSON_TEXTS
        if isinstance(part, Entry) and (text := texts.get(situation)) is not None:
            part.file.parent.mkdir(parents=True, exist_ok=True)
            part.file.write_bytes(text)
    before = everything(machine.home)
    parts = host.parts(machine, wish)
    assert change(host, machine, wish).is_change
    for part in parts:
        expected = part.value if isinstance(part, Entry) else part.content
        assert value_in(part) == expected
    installed = everything(machine.home)
    assert not change(host, machine, wish).is_change
    assert everything(machine.home) == installed
    assert change(host, machine, wish, uninstall=True).is_change
    assert everything(machine.home) == before
    assert not change(host, machine, wish, uninstall=True).is_change


@pytest.mark.parametrize("name", HOSTS)
def test_another_groundwire_replaces_the_first_one(machine: Machine, wish: Wish, name: str) -> None:
    host = HOSTS[name]
    before = everything(machine.home)
    change(host, machine, wish)
    newer = replace(wish, command=("/new/groundwire",))
    assert change(host, machine, newer).is_change
    part = host.parts(machine, newer)[0]
    assert value_in(part) == (part.value if isinstance(part, Entry) else part.content)
    change(host, machine, newer, uninstall=True)
    assert everything(machine.home) == before


CURSOR = HOSTS["cursor"]


def cursor_file(machine: Machine, text: str) -> Path:
    file = machine.home / ".cursor" / "mcp.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def test_what_the_owner_adds_to_our_entry_survives_an_update(machine: Machine, wish: Wish) -> None:
    change(CURSOR, machine, wish)
    file = machine.home / ".cursor" / "mcp.json"
    text = file.read_text(encoding="utf-8").replace('"args"', '"env": {"GEMINI_API_KEY": "k"},\n      "args"')
    file.write_text(text, encoding="utf-8")
    assert not change(CURSOR, machine, wish).is_change
    change(CURSOR, machine, replace(wish, command=("/new/groundwire",)))
    entry = look_up(parse_json(file.read_text(encoding="utf-8")), ("mcpServers", "groundwire"))
    assert isinstance(entry, dict)
    assert (entry["env"], entry["command"]) == ({"GEMINI_API_KEY": "k"}, "/new/groundwire")


def test_half_a_character_beside_our_entry_is_told_and_left_alone(machine: Machine, wish: Wish) -> None:
    ours = '{"command": "/old/groundwire", "args": ["mcp"], "env": {"A": "\\ud83d"}}'
    text = f'{{"mcpServers": {{\n"groundwire": {ours}}}}}\n'
    file = cursor_file(machine, text)
    with pytest.raises(CannotInstall, match=r"mcp.json.*half a character"):
        change(CURSOR, machine, wish)
    assert file.read_text(encoding="utf-8") == text


def test_what_was_added_since_stays_when_we_go(machine: Machine, wish: Wish) -> None:
    change(CURSOR, machine, wish)
    file = machine.home / ".cursor" / "mcp.json"
    ours = '{"command":"/opt/groundwire/bin/groundwire","args":["mcp"]}'
    file.write_text(f'{{"mcpServers":{{"groundwire":{ours},"mine":{{}}}}}}', encoding="utf-8")
    change(CURSOR, machine, wish, uninstall=True)
    assert file.read_text(encoding="utf-8") == '{"mcpServers":{"mine":{}}}'


def test_an_entry_its_owner_made_into_something_else_stays(machine: Machine, wish: Wish) -> None:
    change(CURSOR, machine, wish)
    file = machine.home / ".cursor" / "mcp.json"
    text = '{"mcpServers":{"groundwire":{"url":"https://elsewhere"}}}'
    file.write_text(text, encoding="utf-8")
    with pytest.raises(CannotInstall, match="is there already"):
        change(CURSOR, machine, wish)
    assert not change(CURSOR, machine, wish, uninstall=True).is_change
    assert file.read_text(encoding="utf-8") == text


def test_an_installation_nobody_remembers_is_found_and_removed(machine: Machine, wish: Wish) -> None:
    file = cursor_file(
        machine,
        '{\n  "mcpServers": {\n    "groundwire": {"command": "/old/groundwire", "args": ["mcp"]}\n  }\n}',
    )
    assert change(CURSOR, machine, wish, uninstall=True).is_change
    assert parse_json(file.read_text(encoding="utf-8")) == {"mcpServers": {}}


def test_an_entry_of_the_same_name_that_is_not_ours_is_refused_with_its_line(
    machine: Machine, wish: Wish
) -> None:
    host = HOSTS["opencode"]
    file = machine.config_home / "opencode" / "opencode.json"
    file.parent.mkdir(parents=True)
    text = '{\n  "mcp": {\n    "websearch": {"type": "remote", "url": "https://other"}\n  }\n}'
    file.write_text(text, encoding="utf-8")
    before = everything(machine.home)
    with pytest.raises(CannotInstall, match=r"opencode\.json:3: mcp\.websearch is there already"):
        change(host, machine, wish)
    assert everything(machine.home) == before


def test_a_broken_file_is_left_alone_and_told_with_its_line(machine: Machine, wish: Wish) -> None:
    cursor_file(machine, '{\n  "mcpServers": {\n    "x": {},\n    "y" {}\n  }\n}')
    before = everything(machine.home)
    for uninstall in (False, True):
        with pytest.raises(CannotInstall, match=r"mcp\.json:4: not valid JSON"):
            change(CURSOR, machine, wish, uninstall=uninstall)
    assert everything(machine.home) == before


def test_a_file_that_is_not_text_is_left_alone_and_told_with_its_line(machine: Machine, wish: Wish) -> None:
    file = cursor_file(machine, "")
    file.write_bytes(b'{\n"a": "\xff"}')
    with pytest.raises(CannotInstall, match=r"mcp\.json:2: not valid UTF-8"):
        change(CURSOR, machine, wish)


def test_a_link_stays_a_link_and_its_target_is_written(machine: Machine, wish: Wish) -> None:
    dotfiles = machine.home / "dotfiles" / "cursor.json"
    dotfiles.parent.mkdir()
    dotfiles.write_text('{"a": 1}', encoding="utf-8")
    dotfiles.chmod(0o640)
    link = machine.home / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to("../dotfiles/cursor.json")
    before = everything(machine.home)
    change(CURSOR, machine, wish)
    assert link.is_symlink()
    assert "groundwire" in dotfiles.read_text(encoding="utf-8")
    assert stat.S_IMODE(dotfiles.stat().st_mode) == 0o640
    change(CURSOR, machine, wish, uninstall=True)
    assert everything(machine.home) == before


def test_a_file_that_changed_since_it_was_read_is_left_alone(machine: Machine, wish: Wish) -> None:
    file = cursor_file(machine, "{}")
    known = carrying.remembered(CURSOR, machine, wish)
    plan = carrying.planned(CURSOR, machine, wish, known, uninstall=False, read=read)
    file.write_text('{"new": 1}', encoding="utf-8")
    with pytest.raises(CannotInstall, match="changed by another program"):
        carrying.carry_out(CURSOR, machine, wish, plan, known, uninstall=False)
    assert file.read_text(encoding="utf-8") == '{"new": 1}'
    assert not machine.state_dir.exists()


NOBODY = 65534


@contextmanager
def as_somebody(machine: Machine) -> Iterator[None]:
    """As a person who is not root, for whom permissions count; nothing changes for who is not root anyway."""
    if os.geteuid() != 0:
        yield
        return
    for path in (machine.home, *machine.home.rglob("*")):
        os.chown(path, NOBODY, -1)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def persons_machine(machine: Machine) -> Iterator[Machine]:
    """The machine below a folder that everybody can reach, as pytest's own is not."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        home = Path(folder) / "home"
        shutil.copytree(machine.home, home)
        yield replace(machine, home=home, cwd=home / "project", state_dir=home / ".local/state/groundwire")


@pytest.mark.parametrize(("read_only", "mode"), [("", 0o500), ("mcp.json", 0o400)])
def test_a_folder_or_a_file_without_permission_is_told_and_left_alone(
    persons_machine: Machine, wish: Wish, read_only: str, mode: int
) -> None:
    file = cursor_file(persons_machine, "{}")
    (file.parent / read_only).chmod(mode)
    before = everything(persons_machine.home)
    try:
        with as_somebody(persons_machine), pytest.raises(CannotInstall, match="written: Permission denied"):
            change(CURSOR, persons_machine, wish)
        assert everything(persons_machine.home) == before
    finally:
        file.parent.chmod(0o700)


def test_a_file_where_a_folder_should_be_is_told(machine: Machine, wish: Wish) -> None:
    (machine.home / ".cursor").write_text("", encoding="utf-8")
    before = everything(machine.home)
    with pytest.raises(CannotInstall, match="cannot be written"):
        change(CURSOR, machine, wish)
    assert everything(machine.home) == before


def test_the_file_before_is_kept_where_only_its_owner_can_read_it(machine: Machine, wish: Wish) -> None:
    cursor_file(machine, '{"token": "secret"}')
    change(CURSOR, machine, wish)
    backups = [path for path in (machine.state_dir / "backups").rglob("*") if path.is_file()]
    assert [path.read_text(encoding="utf-8") for path in backups] == ['{"token": "secret"}']
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (*backups, *machine.state_dir.rglob("*.json"))}
    assert modes == {0o600}


def test_a_plugin_of_someone_else_is_not_overwritten(machine: Machine, wish: Wish) -> None:
    file = machine.config_home / "opencode" / "plugin" / "groundwire.js"
    file.parent.mkdir(parents=True)
    file.write_text("export const Mine = 1", encoding="utf-8")
    with pytest.raises(CannotInstall, match="is not groundwire's"):
        change(HOSTS["opencode"], machine, wish)


def test_the_plugin_describes_its_tool_as_every_other_surface_does(machine: Machine, wish: Wish) -> None:
    change(HOSTS["opencode"], machine, wish)
    plugin = (machine.config_home / "opencode" / "plugin" / "groundwire.js").read_text(encoding="utf-8")
    tool = SEARCH_TOOLS["geminisearch"]
    assert tool.description in plugin.replace('" +\n        "', "")
    assert tool.parameters["properties"]["query"]["description"] in plugin
    assert f"const COMMAND = {json.dumps(wish.command)}" in plugin
    assert "import " not in plugin.replace("imports nothing", "")


def test_a_part_that_is_no_longer_wanted_goes(machine: Machine, wish: Wish) -> None:
    host = HOSTS["opencode"]
    change(host, machine, replace(wish, tools="all"))
    change(host, machine, replace(wish, tools="files"))
    text = (machine.config_home / "opencode" / "opencode.jsonc").read_text(encoding="utf-8")
    assert list(parse_json(text)["mcp"]) == ["groundwire"]  # type: ignore[call-overload]
    assert not (machine.config_home / "opencode" / "plugin").exists()


def test_a_provider_of_the_same_name_is_left_alone_and_told(machine: Machine, wish: Wish) -> None:
    file = machine.config_home / "opencode" / "opencode.jsonc"
    file.parent.mkdir(parents=True)
    text = '{\n  "provider": {\n    "gemini-cli": {"npm": "@ai-sdk/google"}\n  }\n}\n'
    file.write_text(text, encoding="utf-8")
    before = everything(machine.home)
    plan = change(HOSTS["opencode"], machine, wish)
    assert plan.notes == (f"{file}:3: provider.gemini-cli is there already and was left alone.",)
    document = parse_json(file.read_text(encoding="utf-8"))
    assert look_up(document, ("provider", "gemini-cli")) == {"npm": "@ai-sdk/google"}
    assert not change(HOSTS["opencode"], machine, wish).is_change
    change(HOSTS["opencode"], machine, wish, uninstall=True)
    assert everything(machine.home) == before


def test_the_gateways_key_goes_into_the_private_store_of_opencode(machine: Machine, wish: Wish) -> None:
    change(HOSTS["opencode"], machine, wish)
    store = machine.data_home / "opencode" / "auth.json"
    assert parse_json(store.read_text(encoding="utf-8")) == {
        "gemini-cli": {"type": "api", "key": wish.gateway_key}
    }
    assert stat.S_IMODE(store.stat().st_mode) == 0o600
    config = (machine.config_home / "opencode" / "opencode.jsonc").read_text(encoding="utf-8")
    assert wish.gateway_key not in config


def test_a_project_goes_without_taking_the_key_of_the_person_with_it(machine: Machine, wish: Wish) -> None:
    host = HOSTS["opencode"]
    change(host, machine, wish)
    before = everything(machine.home)
    change(host, machine, replace(wish, project=True))
    change(host, machine, replace(wish, project=True), uninstall=True)
    assert everything(machine.home) == before
    assert not change(host, machine, wish).is_change
