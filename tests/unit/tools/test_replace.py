"""replace: what it changes, what it says in each dialect, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundwire.errors import ToolError
from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.toolset import toolset

NOT_FOUND = (
    "Could not find an exact match for 'old_string' in 'a.txt'. If previous edits modified the file or you "
    "are modifying lines outside your recent read window, please use ReadFile to inspect the target lines "
    "before retrying with an exact 'old_string'."
)


def replace(root: Path, old: str, new: str, path: str = "a.txt", **more: Any) -> ToolResult:
    arguments = {"file_path": path, "instruction": "", "old_string": old, "new_string": new, **more}
    return toolset(root).call_now("replace", arguments)


def classic(root: Path, old: str, new: str, **more: Any) -> ToolResult:
    arguments = {"file_path": str(root / "a.txt"), "old_string": old, "new_string": new, **more}
    return toolset(root, dialect=Dialect.CLASSIC).call_now("replace", arguments)


def failure(result: ToolResult) -> tuple[str, str]:
    assert result.error is not None
    return result.error.type, result.error.message


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\nthree\ntwo\n")
    return tmp_path


# -- the current dialect --------------------------------------------------------------------------------


def test_one_occurrence_is_replaced_and_shown(root: Path) -> None:
    result = replace(root, "three", "3")
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n3\ntwo\n"
    assert result.llm_content == (
        f"Successfully modified file: {root}/a.txt (1 replacements). Here is the updated code:\n"
        "one\ntwo\n3\ntwo\n"
    )
    display = result.return_display
    assert display["fileDiff"].endswith("@@ -1,4 +1,4 @@\n one\n two\n-three\n+3\n two\n")
    assert display["diffStat"]["model_added_chars"] == 1
    assert (display["isNewFile"], display["isBuildFile"]) == (False, False)


def test_an_empty_old_string_creates_a_file_with_its_directories(root: Path) -> None:
    result = replace(root, "", "x\r\ny", path="new/b.txt")
    assert (root / "new/b.txt").read_bytes() == b"x\r\ny"
    assert result.llm_content == (
        f"Created new file: {root}/new/b.txt with provided content. Here is the updated code:\nx\r\ny"
    )
    assert result.return_display == "Created new/b.txt"


@pytest.mark.parametrize(
    ("old", "new", "path", "kind", "message", "display"),
    [
        ("", "x", "a.txt", "attempt_to_create_existing_file",
         "File already exists, cannot create: {root}/a.txt",
         "Error: Failed to edit. Attempted to create a file that already exists."),
        ("x", "y", "no.txt", "file_not_found", "File not found: {root}/no.txt",
         "Error: File not found. Cannot apply edit. Use an empty old_string to create a new file."),
        ("zzzz", "y", "a.txt", "edit_no_occurrence_found", NOT_FOUND,
         "Error: Could not find an exact match for old_string in 'a.txt'."),
        ("three", "three", "a.txt", "edit_no_change",
         "No changes to apply. The old_string and new_string are identical in file: a.txt",
         "Error: No changes to apply. The old_string and new_string are identical."),
        ("x", "y", "sub", "edit_preparation_failure", "EISDIR: illegal operation on a directory, read",
         "Error preparing edit: EISDIR: illegal operation on a directory, read"),
    ],
)  # fmt: skip
def test_a_refusal_has_the_words_and_the_type_of_the_original(
    root: Path, old: str, new: str, path: str, kind: str, message: str, display: str
) -> None:
    (root / "sub").mkdir()
    result = replace(root, old, new, path=path)
    assert failure(result) == (kind, message.format(root=root))
    assert result.return_display == display


def test_several_occurrences_are_refused_with_their_lines_unless_allowed(root: Path) -> None:
    kind, message = failure(replace(root, "two", "2"))
    assert kind == "edit_expected_occurrence_mismatch"
    assert message == (
        "Failed to edit, Expected 1 occurrence but found 2 for old_string in file: a.txt. If you intended to "
        "replace multiple occurrences, set 'allow_multiple' to true.\nThe places: lines 2, 4."
    )
    assert "(2 replacements)" in replace(root, "two", "2", allow_multiple=True).llm_content
    assert (root / "a.txt").read_bytes() == b"one\n2\nthree\n2\n"


def test_a_refusal_shows_the_nearest_lines(root: Path) -> None:
    _, message = failure(replace(root, "one\ntwo\nfour\ntwo", "x"))
    assert message.startswith(NOT_FOUND)
    assert message.endswith("Lines 1-4:\n  ...\n  two\n- four\n+ three\n  two")


def test_an_omission_placeholder_in_new_text_is_refused(root: Path) -> None:
    kind, message = failure(replace(root, "one", "one\n// rest of code ..."))
    assert kind == "invalid_tool_params"
    assert message.startswith("`new_string` contains an omission placeholder")


def test_a_typo_in_context_is_told_as_a_fuzzy_match(root: Path) -> None:
    (root / "a.txt").write_bytes(b"def compute(x):\n    y = x\n    return y\n")
    result = replace(
        root, "def compuet(x):\n    y = x\n    return y", "def compuet(x):\n    y = x + 1\n    return y"
    )
    assert result.llm_content.endswith(" Applied fuzzy match at line 1-3.")
    assert (root / "a.txt").read_bytes() == b"def compute(x):\n    y = x + 1\n    return y\n"


def test_a_missing_parameter_is_named(root: Path) -> None:
    result = toolset(root).call_now("replace", {"file_path": "a.txt", "old_string": "a", "new_string": "b"})
    assert failure(result) == ("invalid_tool_params", "params must have required property 'instruction'")


# -- the classic dialect --------------------------------------------------------------------------------


def test_the_classic_tool_replaces_all_occurrences(root: Path) -> None:
    assert "(2 replacements)" in classic(root, "two", "2").llm_content
    assert (root / "a.txt").read_bytes() == b"one\n2\nthree\n2\n"


@pytest.mark.parametrize("expected", [1, 3])
def test_the_classic_tool_enforces_the_expected_number(root: Path, expected: int) -> None:
    kind, message = failure(classic(root, "two", "2", expected_replacements=expected))
    word = "occurrence" if expected == 1 else "occurrences"
    assert kind == "edit_expected_occurrence_mismatch"
    assert message.startswith(
        f"Failed to edit, Expected {expected} {word} but found 2 for old_string in file:"
    )
    assert (root / "a.txt").read_bytes() == b"one\ntwo\nthree\ntwo\n"
    assert classic(root, "two", "2", expected_replacements=2).error is None


def test_the_classic_tool_says_what_the_old_release_said(root: Path) -> None:
    kind, message = failure(classic(root, "zzz", "2"))
    assert kind == "edit_no_occurrence_found"
    assert message.startswith(
        f"Failed to edit, 0 occurrences found for old_string in {root}/a.txt. No edits made."
    )
    assert failure(classic(root, "one", "one"))[0] == "edit_no_change"


def test_the_classic_tool_does_not_replace_several_places_that_only_look_alike(root: Path) -> None:
    (root / "a.txt").write_bytes(b"if a:\n    x()\n    y()\nelse:\n        x()\n        y()\n")
    assert failure(classic(root, "  x()\n  y()", "  z()"))[0] == "edit_expected_occurrence_mismatch"
    assert classic(root, "  x()\n  y()", "  z()", expected_replacements=2).error is None


# -- previewing -----------------------------------------------------------------------------------------


def test_a_preview_shows_the_diff_and_writes_nothing(root: Path) -> None:
    arguments = {"file_path": "a.txt", "instruction": "", "old_string": "three", "new_string": "3"}
    assert "-three\n+3\n" in toolset(root).preview("replace", arguments)
    assert (root / "a.txt").read_bytes() == b"one\ntwo\nthree\ntwo\n"
    with pytest.raises(ToolError, match="Could not find"):
        toolset(root).preview("replace", {**arguments, "old_string": "nothing"})
