"""read_many_files: the content of all files that match some patterns, one after the other.

Images, PDFs and sound come only when a pattern asks for them by name or extension. Reading stops when
20 MB were gathered; what was left out is listed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from groundwire.errors import ToolError
from groundwire.tools.base import Arguments, Declaration, Dialect, ErrorType, ToolContext, ToolResult, invalid
from groundwire.tools.declaring import FILE_FILTERING, boolean, parameters, strings
from groundwire.tools.finding import CORE_EXCLUDES, FoundFile, find, literal_if_it_exists
from groundwire.tools.node_errors import node_message
from groundwire.tools.reading import FileContent, NotAsked, read_content
from groundwire.workspace.boundary import WorkspacePath
from groundwire.workspace.filetype import FileKind, extension_of
from groundwire.workspace.ignore import Ignore
from groundwire.workspace.spelling import is_protected

MOST_TOTAL = 20 * 1024 * 1024
_BINARIES = """
bin exe dll so dylib class jar war zip tar gz bz2 rar 7z pak rpa doc docx xls xlsx ppt pptx odt ods odp
pyc pyo
"""
DEFAULT_EXCLUDES = (
    *CORE_EXCLUDES,
    *(f"**/{name}/**" for name in (".vscode", ".idea", "dist", "build", "coverage", "__pycache__")),
    *(f"**/*.{extension}" for extension in _BINARIES.split()),
    "**/.DS_Store",
    "**/.env",
    "**/GEMINI.md",
)
_WARNING = (
    "[WARNING: This file was truncated. To view the full content, use the 'read_file' tool on this specific "
    "file.]\n\n"
)
_NOT_ASKED = "asset file (image/pdf/audio) was not explicitly requested by name or extension"
_ABOUT = (
    "Reads all files that match glob patterns, such as 'src/**/*.ts', and returns their texts one after the "
    "other, each below a line with its path. Images, sound and PDF files are included when a pattern names "
    "them or their extension; other binary files and dependency folders are left out."
)
_EXCLUDE = strings("Optional: glob patterns of files to leave out, such as '**/*.log'.", each_at_least=1)
_RECURSIVE = boolean(
    "Optional: whether `**` and directories reach below their first level. Defaults to true."
)
_DEFAULTS = boolean(
    "Optional: leave out what is usually not wanted (node_modules, .git, binaries). Defaults to true."
)
_CURRENT = Declaration(
    "read_many_files",
    _ABOUT,
    parameters(
        required=("include",),
        include=strings(
            'Glob patterns or paths, such as ["src/**/*.ts"] or ["README.md", "docs/"].',
            at_least=1,
            each_at_least=1,
        ),
        exclude=_EXCLUDE,
        recursive=_RECURSIVE,
        useDefaultExcludes=_DEFAULTS,
        file_filtering_options=FILE_FILTERING,
    ),
)
_CLASSIC = Declaration(
    "read_many_files",
    _ABOUT,
    parameters(
        required=("paths",),
        paths=strings("Glob patterns or paths inside the workspace.", at_least=1, each_at_least=1),
        include=strings("Optional: more patterns, added to `paths`.", each_at_least=1),
        exclude=_EXCLUDE,
        recursive=_RECURSIVE,
        useDefaultExcludes=_DEFAULTS,
        respect_git_ignore=boolean("Optional: leave out what .gitignore rules ignore. Defaults to true."),
        file_filtering_options=FILE_FILTERING,
    ),
)


@dataclass(slots=True)
class _Gathered:
    """What was read so far, and what was not."""

    parts: list[Any] = field(default_factory=list)
    read: list[str] = field(default_factory=list)
    skipped: list[dict[str, str]] = field(default_factory=list)
    size: int = 0

    def skip(self, path: str, reason: str) -> None:
        self.skipped.append({"path": path, "reason": reason})

    def add(self, relative: str, absolute: str, content: FileContent) -> None:
        shown: Any = content.llm_content
        if isinstance(shown, str):
            warning = _WARNING if content.truncated else ""
            self.size += len(shown)
            shown = f"--- {absolute} ---\n\n{warning}{shown}\n\n"
        else:
            self.size += len(shown["inlineData"]["data"])
        self.parts.append(shown)
        self.read.append(relative)


class ReadManyFiles:
    """Reads every file that matches."""

    writes = False
    aliases: ClassVar[Mapping[Dialect, Mapping[str, str]]] = {}

    def declaration(self, dialect: Dialect) -> Declaration | None:
        """The tool in `dialect`."""
        return {Dialect.CURRENT: _CURRENT, Dialect.CLASSIC: _CLASSIC}.get(dialect)

    def run(self, arguments: Arguments, context: ToolContext) -> ToolResult:
        """Read the files the arguments describe."""
        classic = context.dialect is Dialect.CLASSIC
        include = [*arguments.get("paths", ()), *arguments.get("include", ())]
        if not include:
            raise invalid("At least one pattern is needed.")
        excludes = [*(DEFAULT_EXCLUDES if arguments.get("useDefaultExcludes", True) else ())]
        excludes += arguments.get("exclude", ())
        gathered = _Gathered()
        for file in _files(arguments, context, include, excludes, gathered):
            _read(file, include, context, gathered)
        summary = _summary(gathered, context.workspace.root)
        if gathered.parts:
            gathered.parts.append("\n--- End of content ---")
        else:
            gathered.parts.append("No files matching the criteria were found or all were skipped.")
        if classic:
            return ToolResult(gathered.parts, summary)
        display = {
            "summary": summary,
            "files": gathered.read,
            "skipped": gathered.skipped,
            "include": include,
            "excludes": excludes,
            "targetDir": context.workspace.root,
        }
        return ToolResult(gathered.parts, display)


def _files(
    arguments: Arguments, context: ToolContext, include: list[str], excludes: list[str], gathered: _Gathered
) -> list[FoundFile]:
    """The files to read, in order."""
    root = context.workspace.resolve(".")
    wanted: Mapping[str, bool] = arguments.get("file_filtering_options") or {}
    flat = arguments.get("respect_git_ignore", True) if context.dialect is Dialect.CLASSIC else True
    ignore = Ignore(
        context.workspace,
        git=wanted.get("respect_git_ignore", flat and context.git_ignore),
        gemini=wanted.get("respect_gemini_ignore", context.gemini_ignore),
    )
    recursive = arguments.get("recursive", True)
    patterns = [_pattern(root, pattern, recursive=recursive) for pattern in include]
    try:
        found = find(
            context.workspace,
            root,
            patterns,
            ignore=ignore,
            excludes=[_directory_pattern(pattern) for pattern in excludes],
            ignore_case=True,
            cancelled=context.cancelled,
        )
    except OSError as error:
        message = node_message(error, "scandir", root.absolute)
        raise ToolError(
            f"Error during file search: {message}",
            kind=ErrorType.READ_MANY_FILES_SEARCH_ERROR,
            display=f"Error: {message}",
        ) from None
    shown = sorted(found.shown, key=_code_units)
    allowed = [file for file in shown if not is_protected(file.path)]
    for file in shown if len(allowed) < len(shown) else ():
        if is_protected(file.path):
            gathered.skip(os.path.join(context.workspace.root, file.path), "Security: Path not in workspace")
    if ignored := found.ignored_count(len(shown)):
        gathered.skip(f"{ignored} file(s)", "ignored by project ignore files")
    return allowed


def _code_units(file: FoundFile) -> bytes:
    return file.path.encode("utf-16-be", "surrogatepass")


def _pattern(root: WorkspacePath, pattern: str, *, recursive: bool) -> str:
    """The pattern; a directory's name means the files in it."""
    plain = pattern.replace("\\", "/")
    if "\0" not in plain and os.path.isdir(os.path.join(root.absolute, plain.lstrip("/"))):
        return f"{plain.rstrip('/')}/{'**' if recursive else '*'}"
    chosen = literal_if_it_exists(root, plain)
    if recursive or chosen != plain:
        return chosen
    *above, last = plain.split("/")
    return "/".join([*(segment for segment in above if segment != "**"), "*" if last == "**" else last])


def _directory_pattern(pattern: str) -> str:
    return f"{pattern}**" if pattern.endswith("/") else pattern


def _read(file: FoundFile, include: list[str], context: ToolContext, gathered: _Gathered) -> None:
    path, is_link = file.path, file.is_link
    name = path.rpartition("/")[2]
    extension = extension_of(name)
    stem = name[: len(name) - len(extension)] if extension else name
    asked = any(extension in pattern.lower() or stem in pattern for pattern in include)

    def refuse(kind: FileKind) -> str | None:
        media = kind in (FileKind.IMAGE, FileKind.PDF, FileKind.AUDIO)
        return _NOT_ASKED if media and not asked else None

    if gathered.size >= MOST_TOTAL:
        gathered.skip(path, "the total size limit of 20MB was reached")
        return
    absolute = os.path.join(context.workspace.root, path)
    try:
        where = context.workspace.resolve(absolute) if is_link else context.workspace.found(path)
        content = read_content(context.workspace, where, refuse=refuse)
    except NotAsked as reason:
        gathered.skip(path, str(reason))
    except ToolError as error:
        gathered.skip(path, f"Read error: {error.message}")
    else:
        gathered.add(path, absolute, content)


def _summary(gathered: _Gathered, root: str) -> str:
    lines = [f"### ReadManyFiles Result (Target Dir: `{root}`)", ""]
    read, skipped = gathered.read, gathered.skipped
    if read:
        lines += [f"Successfully read and concatenated content from **{len(read)} file(s)**.", ""]
        lines.append("**Processed Files:**" if len(read) <= 10 else "**Processed Files (first 10 shown):**")
        lines += [f"- `{path}`" for path in read[:10]]
        lines += [f"- ...and {len(read) - 10} more."] if len(read) > 10 else []
    else:
        lines.append("No files were read and concatenated based on the criteria.")
    if skipped:
        first = "" if len(skipped) <= 5 else " (first 5 shown)"
        lines += ["", f"**Skipped {len(skipped)} item(s){first}:**"]
        lines += [f"- `{item['path']}` (Reason: {item['reason']})" for item in skipped[:5]]
        lines += [f"- ...and {len(skipped) - 5} more."] if len(skipped) > 5 else []
    return "\n".join(lines).strip()


READ_MANY_FILES = ReadManyFiles()
