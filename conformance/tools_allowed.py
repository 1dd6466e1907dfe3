"""Where groundwire's tools may differ from Gemini CLI 0.61.0's, each with its reason.

A difference is explained when a rule rewrites the real answer into ours (`rewrite`), or says that the
circumstances are those in which ours does better (`applies`). Everything else is a failure. The numbers are
those of the known bugs of Gemini CLI that tests/unit/tools/test_known_bugs.py tells one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """One call on both sides; paths of the roots are written ROOT."""

    root: Path
    tool: str
    arguments: dict[str, Any]
    ours: Answer
    theirs: Answer
    before: dict[str, bytes]
    """The files of the workspace before the call."""


@dataclass(frozen=True)
class Allowed:
    """One kind of difference that is meant."""

    name: str
    reason: str
    applies: Callable[[Case], bool]


def _text(answer: Answer) -> str:
    content = answer.get("llmContent")
    return content if isinstance(content, str) else ""


def _message(answer: Answer) -> str:
    return (answer.get("error") or {}).get("message") or ""


def _path(case: Case) -> str:
    given = str(case.arguments.get("file_path") or case.arguments.get("dir_path") or "")
    return given.removeprefix("ROOT/").removeprefix("./").removeprefix("@")


def _bytes(case: Case) -> bytes:
    return case.before.get(_path(case), b"")


def without_temp_directory(answer: Answer) -> Answer:
    """We have no project temp directory, so our message cannot name one."""
    error = answer.get("error")
    if not error:
        return answer
    message = re.sub(r" or the project temp directory: \S+$", "", error["message"])
    return {**answer, "error": {**error, "message": message}}


def blocks_in_order(answer: Answer) -> Answer:
    """Bug 17: the order of ripgrep's files is not deterministic in the original; ours is by path."""
    text = _text(answer)
    if "\n---\nFile: " not in text:
        return answer
    head, *blocks = text.removesuffix("\n---").split("\n---\n")
    blocks.sort(key=lambda block: block.removeprefix("File: ").partition("\n")[0].split("/"))
    display = dict(answer["returnDisplay"])
    display["matches"] = sorted(
        display["matches"], key=lambda match: (match["filePath"].split("/"), match["lineNumber"])
    )
    return {**answer, "llmContent": "\n---\n".join([head, *blocks]) + "\n---", "returnDisplay": display}


REWRITES: tuple[Callable[[Answer], Answer], ...] = (without_temp_directory, blocks_in_order)


def _said(answer: Answer) -> str:
    return json.dumps(answer, ensure_ascii=False)


def _only_ours(case: Case, word: str) -> bool:
    """Whether our answer has the word more often."""
    return _said(case.ours).count(word) > _said(case.theirs).count(word)


def _only_theirs(case: Case, word: str) -> bool:
    return _said(case.ours).count(word) < _said(case.theirs).count(word)


def _has_rule(case: Case, ending: bytes) -> bool:
    """Whether an ignore file has a line that ends so."""
    files = (data for path, data in case.before.items() if path.endswith("ignore"))
    return any(line.endswith(ending) for data in files for line in data.splitlines())


def _names_broken_text(case: Case) -> bool:
    """Whether our answer shows a file that is not UTF-8."""
    broken = [path for path, data in case.before.items() if not _decodes(data) and b"\0" not in data]
    return any(path in _said(case.ours) for path in broken)


_LOOKING = ("list_directory", "glob", "read_many_files", "grep_search")


ALLOWED: tuple[Allowed, ...] = (
    Allowed(
        "26 past the end",
        "start_line after the last line: the original says `Showing lines 3-2`, we say that none are shown.",
        lambda case: case.tool == "read_file" and "Status: No lines shown" in _text(case.ours),
    ),
    Allowed(
        "26 binary is no success",
        "A binary file cannot be read: the original reports success, we report read_content_failure.",
        lambda case: (
            case.tool == "read_file"
            and _message(case.ours).startswith("Cannot display content of")
            and _text(case.ours) == _text(case.theirs)
        ),
    ),
    Allowed(
        "26 lines above the limit",
        "end_line lifts the limit of 2,000 lines in the original; ours holds.",
        lambda case: case.tool == "read_file" and int(case.arguments.get("end_line") or 0) > 2000,
    ),
    Allowed(
        "4 encodings",
        "Text that is not UTF-8 is shown and written in its own encoding, not as U+FFFD and not as UTF-8.",
        lambda case: (
            case.tool in ("read_file", "write_file", "replace")
            and (
                not _decodes(_bytes(case))
                or _bytes(case)[:2] in (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb", b"\0\0")
            )
        ),
    ),
    Allowed(
        "4 encodings, several files",
        "The same in read_many_files and grep_search (23: lines that are not UTF-8 are found).",
        lambda case: (
            (case.tool == "read_many_files" and _same_but_broken_texts(case))
            or (case.tool == "grep_search" and _names_broken_text(case) and not _limited(case))
        ),
    ),
    Allowed(
        "4 binary files",
        "A binary file that is overwritten shows its old bytes in the diff by other rules.",
        lambda case: case.tool == "write_file" and b"\0" in _bytes(case),
    ),
    Allowed(
        "4 binary files are not text",
        "A binary file is not edited; the original edits it and damages bytes that are not UTF-8.",
        lambda case: case.tool == "replace" and "Cannot edit a binary file" in _message(case.ours),
    ),
    Allowed(
        "3 a namesake elsewhere",
        "A relative path means that path; the original edits a file of the same name in another directory.",
        lambda case: (
            case.tool == "replace"
            and _path(case) not in case.before
            and any(path.endswith("/" + _path(case)) for path in case.before)
        ),
    ),
    Allowed(
        "7 final newline",
        "A final newline can be added and removed; the original keeps it as it was, whatever it was told.",
        lambda case: (
            case.tool == "replace"
            and str(case.arguments.get("old_string", "")).endswith("\n")
            != str(case.arguments.get("new_string", "")).endswith("\n")
        ),
    ),
    Allowed(
        "context is no match",
        "With names_only a file is listed for its matches; the original lists it for context lines as well.",
        lambda case: (
            case.tool == "grep_search"
            and bool(case.arguments.get("names_only"))
            and bool(case.arguments.get("exclude_pattern"))
            and any(case.arguments.get(name) for name in ("context", "before", "after"))
        ),
    ),
    Allowed(
        "13 counting links",
        "Links that lead nowhere are neither found nor counted as ignored.",
        lambda case: (
            case.tool in ("glob", "read_many_files", "list_directory")
            and any(path.is_symlink() for path in case.root.rglob("*"))
            and _without_counts(case.ours) == _without_counts(case.theirs)
        ),
    ),
    Allowed(
        "two mistakes",
        "A path that cannot be used is named before a placeholder in the text, not after it.",
        lambda case: (
            case.tool == "replace"
            and "omission placeholder" in _message(case.theirs)
            and _message(case.ours).startswith(("Invalid path", "Path not in workspace"))
        ),
    ),
    Allowed(
        "refusals that help",
        "A refused edit says all that the original says, and then where the places or the nearest text are.",
        lambda case: (
            case.tool == "replace"
            and bool(_message(case.theirs))
            and _message(case.ours).startswith(_message(case.theirs))
            and (case.ours["error"] or {}).get("type") == (case.theirs["error"] or {}).get("type")
        ),
    ),
    Allowed(
        "29 CRLF",
        "The original compares CRLF with LF, so that the whole file seems changed; we compare the text, "
        "and a line of a mixed file keeps its own ending.",
        lambda case: case.tool in ("write_file", "replace") and b"\r\n" in _bytes(case),
    ),
    Allowed(
        "14 case of ignore rules",
        "`*.txt` does not ignore UPPER.TXT: git's rules know case, the original's do not.",
        lambda case: (
            _has_rule(case, b"*.txt")
            and (
                (case.tool in _LOOKING and _only_ours(case, "UPPER.TXT"))
                or (case.tool == "read_file" and "UPPER.TXT' is ignored" in _message(case.theirs))
            )
        ),
    ),
    Allowed(
        "14 directory rules",
        "A rule with a slash at the end hides the directory itself from list_directory.",
        lambda case: (
            case.tool == "list_directory" and _has_rule(case, b"/") and " ignored)" in _text(case.ours)
        ),
    ),
    Allowed(
        "13 links",
        "Links to files inside the root are found; links that lead nowhere are not mentioned.",
        lambda case: case.tool in _LOOKING and (_only_ours(case, "link") or _only_theirs(case, "link")),
    ),
    Allowed(
        "17 limits",
        "At the limit the original's results are not deterministic, and exactly so many count as limited.",
        lambda case: case.tool == "grep_search" and _limited(case),
    ),
    Allowed(
        "18 include patterns",
        "include_pattern holds from the searched directory as well as from the root.",
        lambda case: (
            case.tool == "grep_search"
            and "/" in str(case.arguments.get("include_pattern", ""))
            and bool(case.arguments.get("dir_path"))
        ),
    ),
    Allowed(
        "18 excluded directories",
        "A directory that is searched on purpose is searched, also when it is called build or dist.",
        lambda case: (
            case.tool == "grep_search"
            and bool({"build", "dist"} & set(str(case.arguments.get("dir_path", "")).split("/")))
        ),
    ),
    Allowed(
        "19 matches per file",
        "With automatic context, matches beyond max_matches_per_file come back as matches in the original.",
        lambda case: case.tool == "grep_search" and "max_matches_per_file" in case.arguments,
    ),
    Allowed(
        "21 engines",
        "A pattern is judged by the engine that runs it: none passes a JavaScript check to fail in ripgrep, "
        "and an error sets the error field.",
        lambda case: (
            case.tool == "grep_search"
            and (
                "Process exited with code 2" in _text(case.theirs) or "Invalid group" in _message(case.theirs)
            )
        ),
    ),
    Allowed(
        "23 hidden files",
        "Files whose name begins with a dot are searched; the original never sees them.",
        lambda case: (
            case.tool == "grep_search"
            and re.search(r"^File: (.*/)?\.[^/\n]*$", _text(case.ours), re.M) is not None
        ),
    ),
    Allowed(
        "25 directories",
        "A directory in `include` means the files in it; in the original it matches nothing.",
        lambda case: (
            case.tool == "read_many_files"
            and any((case.root / str(name)).is_dir() for name in case.arguments.get("include", ()) if name)
        ),
    ),
    Allowed(
        "9 dots and quotes",
        'A path with `...` or `"` is an ordinary path.',
        lambda case: "suspicious characters" in _message(case.theirs),
    ),
    Allowed(
        "2 percent signs",
        "A percent sign in a path is a percent sign.",
        lambda case: "%" in str(case.arguments),
    ),
)


def _without_counts(answer: Answer) -> str:
    return re.sub(r"(\\n\\n| )\(\d+ [a-z ]*ignored\)", "", _said(answer))


def _limited(case: Case) -> bool:
    return "(results limited to" in _text(case.theirs) + _text(case.ours)


def _same_but_broken_texts(case: Case) -> bool:
    """Whether the two lists of parts differ only in files that are not UTF-8."""
    ours, theirs = case.ours["llmContent"], case.theirs["llmContent"]
    if not isinstance(ours, list) or not isinstance(theirs, list) or len(ours) != len(theirs):
        return False
    broken = [f"--- ROOT/{path} ---" for path, data in case.before.items() if not _decodes(data)]
    different = [mine for mine, real in zip(ours, theirs, strict=True) if mine != real]
    return all(isinstance(part, str) and part.partition("\n")[0] in broken for part in different)


def _decodes(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def explanation(case: Case) -> Allowed | None:
    """The first rule that explains the difference, or None."""
    return next((rule for rule in ALLOWED if rule.applies(case)), None)
