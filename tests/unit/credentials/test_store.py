"""Stores that other programs use too: what is not ours comes back exactly as it was."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.credentials.store import FileStore, TextStore, with_values
from groundwire.errors import CredentialError

posix_only = pytest.mark.skipif(os.name == "nt", reason="file modes and symbolic links of POSIX")


def store(path: Path) -> FileStore:
    return FileStore(path, "a store")


OPENCODE = """{
  "google": {
    "type": "api",
    "key": "K",
    "metadata": {"a": "b", "n": 1.50, "big": 123456789012345678901234567890}
  },
  "openai": {
    "type": "oauth",
    "refresh": "rt1",
    "access": "at1",
    "expires": 1794765390000,
    "unknown": [1,   2]
  },
  "https://host": { "type": "wellknown", "key": "E", "token": "caf\\u00e9" }
}
"""


def test_only_the_given_values_change_and_everything_else_keeps_its_spelling() -> None:
    changed = with_values(OPENCODE, {("openai", "access"): "at2", ("openai", "refresh"): "rt2"})
    assert changed == OPENCODE.replace("at1", "at2").replace("rt1", "rt2")


def test_a_new_key_goes_to_the_end_in_the_files_indentation() -> None:
    text = '{\n    "a": {\n        "x": 1\n    }\n}'
    assert (
        with_values(text, {("a", "y"): "n"}) == '{\n    "a": {\n        "x": 1,\n        "y": "n"\n    }\n}'
    )
    assert with_values(text, {("b",): {"k": {}}}) == (
        '{\n    "a": {\n        "x": 1\n    },\n    "b": {\n        "k": {}\n    }\n}'
    )


def test_tabs_stay_tabs_and_a_compact_file_stays_compact() -> None:
    assert with_values('{\n\t"a": 1\n}\n', {("b",): {"c": 2}}) == (
        '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}\n'
    )
    assert with_values('{"a":{"x":1}}', {("a", "y"): 2}) == '{"a":{"x":1,"y":2}}'


def test_a_new_file_is_indented_private_and_complete(tmp_path: Path) -> None:
    path = tmp_path / "new/folder/credentials.json"
    store(path).put({("gemini",): {"type": "api", "key": "K"}})
    assert path.read_text(encoding="utf-8") == (
        '{\n  "gemini": {\n    "type": "api",\n    "key": "K"\n  }\n}\n'
    )
    assert [entry.name for entry in path.parent.iterdir()] == ["credentials.json"]


@posix_only
def test_a_written_file_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    path.write_text("{}", encoding="utf-8")
    path.chmod(0o644)
    store(path).put({("a",): 1})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix_only
def test_a_symbolic_link_stays_one_and_its_target_is_replaced(tmp_path: Path) -> None:
    target = tmp_path / "dotfiles/auth.json"
    target.parent.mkdir()
    target.write_text('{"keep": 1}', encoding="utf-8")
    link = tmp_path / "auth.json"
    link.symlink_to(target)
    store(link).put({("a",): 2})
    assert link.is_symlink()
    assert json.loads(target.read_text(encoding="utf-8")) == {"keep": 1, "a": 2}
    assert [entry.name for entry in target.parent.iterdir()] == ["auth.json"]


@posix_only
def test_a_loop_of_links_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    path.symlink_to(path)
    assert store(path).read().problem is not None
    with pytest.raises(CredentialError):
        store(path).put({("a",): 1})


@pytest.mark.parametrize("text", ["[1]", "{broken", '{"openai": 5}', '{"openai": [1]}'])
def test_a_broken_store_is_not_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "auth.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(CredentialError, match="was not changed"):
        store(path).put({("openai", "access"): "x"})
    assert path.read_text(encoding="utf-8") == text


def test_a_failed_write_leaves_the_old_file_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "auth.json"
    path.write_text('{"a": 1}', encoding="utf-8")

    def disk_full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", disk_full)
    with pytest.raises(CredentialError, match="No space left"):
        store(path).put({("a",): 2})
    assert path.read_text(encoding="utf-8") == '{"a": 1}'
    assert [entry.name for entry in tmp_path.iterdir()] == ["auth.json"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_noticed_before_a_token_is_spent(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(CredentialError, match="was not renewed"):
            store(tmp_path / "auth.json").prove_writable()
    finally:
        tmp_path.chmod(0o700)


def test_a_folder_that_is_not_there_is_noticed_before_a_token_is_spent(tmp_path: Path) -> None:
    with pytest.raises(CredentialError, match="was not renewed"):
        store(tmp_path / "gone/auth.json").prove_writable()


def test_a_store_in_a_variable_prints_nothing_of_its_text() -> None:
    given = TextStore('{"google": {"key": "SECRET"}}', "environment variable X")
    assert "SECRET" not in repr(given) + repr(given.read())


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


@settings(max_examples=150, deadline=None)
@given(
    document=st.dictionaries(st.text(max_size=6), json_values, max_size=5),
    record=st.dictionaries(st.text(max_size=6), json_values, max_size=4),
    indent=st.sampled_from([None, 1, 2, 4, "\t"]),
    escaped=st.booleans(),
)
def test_writing_a_token_keeps_every_other_key_value_and_order(
    document: dict[str, object], record: dict[str, object], indent: int | str | None, escaped: bool
) -> None:
    document["openai"] = record
    try:
        text = json.dumps(document, indent=indent, ensure_ascii=escaped)
        text.encode("utf-8")
        msgspec.json.decode(text)
    except (UnicodeEncodeError, msgspec.DecodeError):
        return  # half a character: no JSON file holds that
    changed = json.loads(with_values(text, {("openai", "access"): "new", ("last",): "x"}))
    expected = {**document, "openai": {**record, "access": "new"}, "last": "x"}
    assert json.dumps(changed) == json.dumps(expected)


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork-free POSIX semantics of rename")
def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    import threading

    path = tmp_path / "auth.json"
    ours = store(path)
    ours.put({("filler",): "x" * 20_000})
    done = threading.Event()
    broken: list[object] = []

    def read() -> None:
        while not done.is_set():
            if (reading := ours.read()).problem is not None:
                broken.append(reading.problem)

    thread = threading.Thread(target=read)
    thread.start()
    for number in range(30):
        ours.put({("n",): number})
    done.set()
    thread.join()
    assert broken == []


def test_a_record_that_is_removed_leaves_the_others_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    path.write_text(OPENCODE, encoding="utf-8")
    store(path).remove("openai")
    left = path.read_text(encoding="utf-8")
    assert '"big": 123456789012345678901234567890' in left
    assert list(json.loads(left)) == [name for name in json.loads(OPENCODE) if name != "openai"]
    store(path).remove("openai")
    assert path.read_text(encoding="utf-8") == left


def test_the_last_record_leaves_an_empty_object(tmp_path: Path) -> None:
    path = tmp_path / "auth.json"
    path.write_text('{\n  "a": 1\n}\n', encoding="utf-8")
    store(path).remove("a")
    assert path.read_text(encoding="utf-8") == "{}\n"
