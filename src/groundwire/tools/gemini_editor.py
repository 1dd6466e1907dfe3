"""GeminiEditor: the file tools as one object with a method for each, as the plan for OpenHands describes it.

The methods take the classic parameters and return results like any other call; they can be used without an
event loop. Paths may be absolute inside the root or relative to it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from groundwire.tools.base import Dialect, ToolResult
from groundwire.tools.toolset import toolset
from groundwire.workspace.boundary import Workspace


class GeminiEditor:
    """Gemini CLI's file tools on the directory `root`."""

    def __init__(self, root: Workspace | str | os.PathLike[str]) -> None:
        self._tools = toolset(root, dialect=Dialect.CLASSIC)

    def replace(
        self, file_path: str, old_string: str, new_string: str, expected_replacements: int | None = None
    ) -> ToolResult:
        """Replace every occurrence of `old_string`; an empty one creates the file.

        `expected_replacements`, when given, must be the number of occurrences.
        """
        return self._call(
            "replace",
            file_path=file_path,
            old_string=old_string,
            new_string=new_string,
            expected_replacements=expected_replacements,
        )

    def read_file(self, path: str, offset: int | None = None, limit: int | None = None) -> ToolResult:
        """Read a file, or `limit` lines of it from line `offset` (counted from 0)."""
        return self._call("read_file", path=path, offset=offset, limit=limit)

    def write_file(self, file_path: str, content: str) -> ToolResult:
        """Write the whole file, creating directories as needed."""
        return self._call("write_file", file_path=file_path, content=content)

    def list_directory(
        self, path: str, ignore: Sequence[str] | None = None, respect_git_ignore: bool = True
    ) -> ToolResult:
        """List the immediate children, directories first."""
        names = None if ignore is None else list(ignore)
        return self._call("list_directory", path=path, ignore=names, respect_git_ignore=respect_git_ignore)

    def glob(
        self,
        pattern: str,
        path: str | None = None,
        case_sensitive: bool = False,
        respect_git_ignore: bool = True,
    ) -> ToolResult:
        """Absolute paths of the files that match, newest first."""
        return self._call(
            "glob",
            pattern=pattern,
            path=path,
            case_sensitive=case_sensitive,
            respect_git_ignore=respect_git_ignore,
        )

    def search_file_content(
        self, pattern: str, path: str | None = None, include: str | None = None
    ) -> ToolResult:
        """The lines that match a regular expression, with their files and numbers."""
        return self._call("search_file_content", pattern=pattern, path=path, include=include)

    def read_many_files(
        self,
        paths: Sequence[str],
        include: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        recursive: bool = True,
        useDefaultExcludes: bool = True,  # noqa: N803  (Gemini CLI's own name)
        respect_git_ignore: bool = True,
    ) -> ToolResult:
        """The contents of all files that match, one after the other."""
        return self._call(
            "read_many_files",
            paths=list(paths),
            include=None if include is None else list(include),
            exclude=None if exclude is None else list(exclude),
            recursive=recursive,
            useDefaultExcludes=useDefaultExcludes,
            respect_git_ignore=respect_git_ignore,
        )

    def _call(self, tool: str, **arguments: Any) -> ToolResult:
        given = {name: value for name, value in arguments.items() if value is not None}
        return self._tools.call_now(tool, given)
