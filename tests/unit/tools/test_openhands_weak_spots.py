"""Weak spots found in OpenHands' own Gemini tools, one sentence each: ours do better.

The letters are those of the list they come from: L list_directory, R read_file, W write_file, G glob,
S search, H hangs, B big files. Edits (E) are told in test_known_bugs_of_replace.py.
"""

from __future__ import annotations

import os
import resource
from pathlib import Path
from typing import Any

import pytest

from groundwire.tools.base import ToolResult
from groundwire.tools.toolset import toolset


def call(root: Path, tool: str, **arguments: Any) -> ToolResult:
    return toolset(root).call_now(tool, arguments)


def write(path: Path, text: str = "x") -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_l1_the_model_reads_the_names_in_a_directory(tmp_path: Path) -> None:
    write(tmp_path / "a.txt")
    assert "a.txt (1 bytes)" in call(tmp_path, "list_directory", dir_path=".").llm_content


def test_l4_all_entries_are_counted(tmp_path: Path) -> None:
    for number in range(1200):
        (tmp_path / f"{number}").touch()
    assert call(tmp_path, "list_directory", dir_path=".").return_display["summary"] == "Found 1200 item(s)."


@pytest.mark.parametrize(
    ("tool", "argument", "more"),
    [
        ("read_file", "file_path", {}),
        ("write_file", "file_path", {"content": "x"}),
        ("list_directory", "dir_path", {}),
        ("glob", "dir_path", {"pattern": "*"}),
        ("grep_search", "dir_path", {"pattern": "x"}),
    ],
)
@pytest.mark.parametrize("path", ["../outside", "{outside}", "link", "dangling/x"])
def test_r1_the_workspace_is_enforced_everywhere(
    tmp_path: Path, tool: str, argument: str, more: dict[str, Any], path: str
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    write(tmp_path / "outside/x.txt", "secret")
    (root / "link").symlink_to("../outside")
    (root / "dangling").symlink_to("../nothing")
    result = call(root, tool, **{argument: path.format(outside=tmp_path / "outside"), **more})
    assert result.error is not None
    assert "Path not in workspace" in result.error.message
    assert sorted(os.listdir(tmp_path)) == ["outside", "root"]


def test_r5_an_empty_file_is_empty(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "")
    result = call(tmp_path, "read_file", file_path="a.txt")
    assert (result.llm_content, result.error) == ("", None)


def test_r6_texts_and_images_are_read_as_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes("café".encode("latin-1"))
    (tmp_path / "wide.txt").write_bytes("\ufeffcafé".encode("utf-16-le"))
    (tmp_path / "pic.png").write_bytes(b"\x89PNG\0")
    assert call(tmp_path, "read_file", file_path="latin.txt").llm_content == "café"
    assert call(tmp_path, "read_file", file_path="wide.txt").llm_content == "café"
    assert "inlineData" in call(tmp_path, "read_file", file_path="pic.png").llm_content


def test_r10_one_huge_line_is_shortened(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x" * 15_000_000)
    assert len(call(tmp_path, "read_file", file_path="a.txt").llm_content) < 3000


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "é" * 200])
def test_r14_odd_names_are_answered_and_no_exception_escapes(tmp_path: Path, path: str) -> None:
    for tool, more in (("read_file", {}), ("write_file", {"content": "x"})):
        assert call(tmp_path, tool, file_path=path, **more).error is not None


def test_r14_a_very_deep_path_is_answered(tmp_path: Path) -> None:
    error = call(tmp_path, "read_file", file_path="a/" * 1900 + "b").error
    assert error is not None
    assert error.type == "file_not_found"


def test_r16_ignored_files_are_not_read(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    write(tmp_path / ".gitignore", "a.txt\n")
    write(tmp_path / ".geminiignore", "b.txt\n")
    for name in ("a.txt", "b.txt"):
        write(tmp_path / name)
        error = call(tmp_path, "read_file", file_path=name).error
        assert error is not None
        assert "is ignored by" in error.message


def test_r4_parameters_of_other_releases_are_not_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a.txt")
    assert call(tmp_path, "read_file", file_path="a.txt", offset=3, limit=2, summary="x").llm_content == "x"


def test_e13_a_lone_surrogate_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "old")
    assert call(tmp_path, "write_file", file_path="a.txt", content="\ud83d").error is not None
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "old"


def test_e14_a_write_that_fails_part_way_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "old" * 1000)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    import signal

    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    try:
        result = call(tmp_path, "write_file", file_path="a.txt", content="new" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, previous)
    assert result.error is not None
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "old" * 1000
    assert os.listdir(tmp_path) == ["a.txt"]


def test_w2_an_overwritten_crlf_file_stays_crlf(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\r\nb\r\n")
    call(tmp_path, "write_file", file_path="a.txt", content="a\nc\n")
    assert (tmp_path / "a.txt").read_bytes() == b"a\r\nc\r\n"


def test_w5_placeholders_are_not_written(tmp_path: Path) -> None:
    error = call(tmp_path, "write_file", file_path="a.js", content="x\n// rest of code ...\n").error
    assert error is not None
    assert not (tmp_path / "a.js").exists()


@pytest.mark.parametrize("tool", ["read_file", "write_file"])
def test_h1_a_device_is_refused(tmp_path: Path, tool: str) -> None:
    result = toolset("/dev").call_now(tool, {"file_path": "zero", "content": "x"})
    assert result.error is not None
    assert "device" in result.error.message


def test_b1_a_file_of_ten_gigabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    with open(tmp_path / "big.txt", "wb") as stream:
        stream.truncate(10 * 1024**3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    error = call(tmp_path, "read_file", file_path="big.txt", start_line=1, end_line=10).error
    assert error is not None
    assert error.type == "file_too_large"
    assert call(tmp_path, "write_file", file_path="big.txt", content="x").error is not None
    assert "No matches" in call(tmp_path, "grep_search", pattern="x").llm_content
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000


def test_g_slash_a_pattern_with_a_slash_works_wherever_the_process_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "zod/deep/a.ts")
    monkeypatch.chdir("/")
    assert call(tmp_path, "glob", pattern="zod/**/*.ts").return_display == "Found 1 matching file(s)"
    assert (
        call(tmp_path, "glob", pattern="*.ts", dir_path="zod/deep").return_display
        == "Found 1 matching file(s)"
    )


def test_g3_a_bracket_that_is_never_closed_is_a_bracket(tmp_path: Path) -> None:
    write(tmp_path / "[")
    assert call(tmp_path, "glob", pattern="[").return_display == "Found 1 matching file(s)"


def test_g4_an_exclamation_mark_does_not_invert(tmp_path: Path) -> None:
    write(tmp_path / "a.txt")
    assert call(tmp_path, "glob", pattern="!*.py").return_display == "No files found"


def test_g12_a_name_that_is_not_utf_8_breaks_nothing(tmp_path: Path) -> None:
    with open(os.path.join(os.fsencode(tmp_path), b"\xff.txt"), "wb") as stream:
        stream.write(b"needle\n")
    write(tmp_path / "a.txt", "needle\n")
    assert call(tmp_path, "glob", pattern="*.txt").return_display == "Found 2 matching file(s)"
    assert call(tmp_path, "grep_search", pattern="needle").return_display["summary"] == "Found 2 matches"
    assert call(tmp_path, "list_directory", dir_path=".").return_display["summary"] == "Found 2 item(s)."
    assert len(call(tmp_path, "read_many_files", include=["*"]).return_display["files"]) == 2


def test_s1_lines_are_shown_and_case_can_matter(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "Needle\n")
    assert "L1: Needle" in call(tmp_path, "grep_search", pattern="needle").llm_content
    assert "No matches" in call(tmp_path, "grep_search", pattern="needle", case_sensitive=True).llm_content


def test_s3_look_ahead_and_unicode_classes_are_searched(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "Äpfel\n")
    for pattern in (r"\p{Lu}pfel", "Ä(?=pfel)"):
        assert call(tmp_path, "grep_search", pattern=pattern).return_display["summary"] == "Found 1 match"


@pytest.mark.parametrize("include", ["*.{ts,tsx}", "src/**/*.ts"])
def test_s5_braces_and_directories_in_a_filter_work(tmp_path: Path, include: str) -> None:
    write(tmp_path / "src/deep/a.ts", "needle")
    result = call(tmp_path, "grep_search", pattern="needle", include_pattern=include)
    assert result.return_display["summary"] == "Found 1 match"


def test_s13_a_pattern_cannot_run_a_program(tmp_path: Path) -> None:
    write(tmp_path / "a.txt", "touch PWNED\n")
    call(tmp_path, "grep_search", pattern="--pre=sh", include_pattern="--pre=sh")
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_directory_name_with_a_command_in_it_is_a_name(tmp_path: Path) -> None:
    name = "x; touch PWNED #"
    write(tmp_path / name / "a.txt", "needle")
    assert "a.txt" in call(tmp_path, "list_directory", dir_path=name).llm_content
    assert call(tmp_path, "grep_search", pattern="needle", dir_path=name).error is None
    assert os.listdir(tmp_path) == [name]
