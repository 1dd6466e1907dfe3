"""What the site needs beyond the pages: links that leave docs/ lead to pages made from those files.

A page links to source files as `../src/groundwire/query.py`, which works on any host of the repository. In
the site each of these files becomes a page of its own, shown with its lines; the changelog and the security
page become pages too. MkDocs calls the functions named `on_...`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"\]\(((?:\.\./)+)([^)#\s]+)((?:#[^)]*)?)\)")
FROM_THE_TOP = {"changes.md": "CHANGELOG.md", "trust.md": "SECURITY.md"}
"""Pages of the site that are files beside docs/."""
_LANGUAGES = {".py": "python", ".toml": "toml", ".md": "markdown", ".js": "javascript", ".yml": "yaml"}


def on_files(files: Files, config: Any) -> Files:
    """Add a page for every file that a page links to, and those from the top folder."""
    for name, source in FROM_THE_TOP.items():
        content = (ROOT / source).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, name, content=content))
    for page in list(files.documentation_pages()):
        for target in _targets(page):
            name = _page_name(target)
            if files.get_file_from_path(name) is None:
                files.append(File.generated(config, name, content=_shown(target)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point the links at those pages."""
    up = "../" * page.file.src_uri.count("/")

    def link(match: re.Match[str]) -> str:
        target = _target(page.file.src_uri, match)
        return match.group(0) if target is None else f"]({up}{_page_name(target)}{match.group(3)})"

    return _LINK.sub(link, markdown)


def _targets(page: File) -> list[Path]:
    found = (_target(page.src_uri, match) for match in _LINK.finditer(page.content_string))
    return [target for target in found if target is not None]


def _target(page: str, match: re.Match[str]) -> Path | None:
    """The file outside docs/ that a link leads to; None for one inside."""
    place = (ROOT / "docs" / page).parent / (match.group(1) + match.group(2))
    target = place.resolve()
    return target if target.exists() and not target.is_relative_to(ROOT / "docs") else None


def _page_name(target: Path) -> str:
    for name, source in FROM_THE_TOP.items():
        if target == ROOT / source:
            return name
    return f"source/{target.relative_to(ROOT).as_posix()}.md"


def _shown(target: Path) -> str:
    """The file as a page: a folder as the list of what its files say about themselves."""
    name = target.relative_to(ROOT).as_posix()
    if target.is_dir():
        rows = [f"| `{path.name}` | {_about(path)} |" for path in sorted(target.glob("*.py"))]
        return "\n".join([f"# {name}", "", "| file | |", "|---|---|", *rows, ""])
    text = target.read_text(encoding="utf-8")
    language = _LANGUAGES.get(target.suffix, "text")
    return f'# {name}\n\n````{language} linenums="1"\n{text.rstrip()}\n````\n'


def _about(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    first = re.match(r'"""(.+?)(?:\n\n|""")', text, re.DOTALL)
    return " ".join(first.group(1).split()) if first else ""
