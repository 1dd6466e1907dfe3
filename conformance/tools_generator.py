"""Workspaces and tool calls, generated from a seed: unicode names, every line ending and encoding, binaries,
media, nested ignore files, links, huge lines, empty files; and calls that hit them, right and wrong."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any

WORDS = (
    "alpha",
    "beta",
    "gamma",
    "delta",
    "TODO",
    "import",
    "def",
    "return",
    "é",
    "日本語",
    "x1",
    "foo(bar)",
    "$&",
)
NAMES = (
    "a.txt",
    "b.py",
    "c.js",
    "README.md",
    "data.json",
    "Makefile",
    "no_extension",
    "ünï.txt",
    "日本.md",
    "with space.txt",
    "UPPER.TXT",
    "lower.txt",
    "a-b_c.d.txt",
    "10.txt",
    "9.txt",
    "_under.py",
    "e\u0301.txt",
    "style.css",
    "app.ts",
    "view.tsx",
    "notes.log",
    "x.tmp",
    "(paren).txt",
    "b[1].txt",
    "#hash.txt",
    "semi;colon.txt",
    "quote'.txt",
)
FOLDERS = ("src", "lib", "docs", "tests", "build", "sub dir", "ディレクトリ", "deep", "Upper", "dist")
RULES = ("*.log", "b.py", "/c.js", "lib", "*.txt", "!a.txt", "deep/*.md", "**/x.tmp", "deep/")
MEDIA = {
    "pic.png": b"\x89PNG\r\n\x1a\n\0\0",
    "photo.jpg": b"\xff\xd8\xff\xe0\0",
    "doc.pdf": b"%PDF-1.4\n\0",
    "sound.mp3": b"ID3\0\0\0\0",
    "song.flac": b"fLaC\0\0",
    "tune.mid": b"MThd\0\0",
    "clip.mp4": b"\0\0\0 ftyp",
    "text.mp3": b"just words\n",
    "icon.svg": b"<svg xmlns='x'/>\n",
    "archive.zip": b"PK\3\4",
    "lib.so": b"\x7fELF",
    "blob.dat": b"text after all\n",
    "program": b"\x7fELF\0\0\0",
    "latin.txt": "café crème\n".encode("latin-1"),
    "utf16.txt": "\ufeffword one\r\nalpha two\r\n".encode("utf-16-le"),
    "utf16be.txt": "\ufeffalpha be\n".encode("utf-16-be"),
    "utf32.txt": "\ufeffalpha 32\n".encode("utf-32-le"),
    "bom.txt": b"\xef\xbb\xbfalpha bom\nbeta\n",
    "empty.txt": b"",
    "onlynl.txt": b"\n",
    "cr.txt": b"one\rtwo\rthree",
    "ls.txt": "one\u2028two\u2029three\x85four\x0cfive\n".encode(),
    "long.txt": b"alpha " + b"z" * 5000 + b"\nshort\n",
    "wide.txt": ("日" * 2500 + "\n").encode(),
}


def build(root: Path, random: Random) -> None:
    """Fill `root`, which is empty."""
    if random.random() < 0.5:
        (root / ".git" / "info").mkdir(parents=True)
        (root / ".git" / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
        (root / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 0\n", encoding="utf-8")
        if random.random() < 0.3:
            (root / ".git" / "info" / "exclude").write_text("lower.txt\n", encoding="utf-8")
    if random.random() < 0.2:
        (root / ".geminiignore").write_text(
            random.choice(("*.md\n", "docs\n", "src/*.py\n")), encoding="utf-8"
        )
    _fill(root, random, 0)
    for name in random.sample(sorted(MEDIA), random.randint(2, 9)):
        (root / name).write_bytes(MEDIA[name])
    if random.random() < 0.3:
        lines = random.choice((1999, 2000, 2001, 3500))
        (root / "many.txt").write_text("".join(f"line {n}\n" for n in range(lines)), encoding="utf-8")


def _fill(folder: Path, random: Random, depth: int) -> None:
    for name in random.sample(NAMES, random.randint(1, 6)):
        (folder / name).write_bytes(text(random).encode())
    if random.random() < 0.25:
        rules = random.sample(
            ("*.log", "b.py", "/c.js", "lib", "*.txt", "!a.txt", "deep/*.md", "**/x.tmp", "deep/"), 2
        )
        (folder / ".gitignore").write_text("\n".join(rules) + "\n", encoding="utf-8")
    if random.random() < 0.1:
        os.symlink(random.choice(("a.txt", "b.py", "missing")), folder / "link")
    if depth < 2:
        for name in random.sample(FOLDERS, random.randint(0, 3)):
            (folder / name).mkdir()
            _fill(folder / name, random, depth + 1)


def text(random: Random) -> str:
    """A few lines of words with all kinds of line endings."""
    ending = random.choice(("\n", "\n", "\n", "\r\n", None))
    lines = []
    for _ in range(random.randint(0, 12)):
        indent = random.choice(("", "", "  ", "\t", "    "))
        words = " ".join(random.choice(WORDS) for _ in range(random.randint(0, 5)))
        lines.append(indent + words + (ending or random.choice(("\n", "\r\n"))))
    whole = "".join(lines)
    return whole.rstrip("\r\n") if random.random() < 0.3 else whole


def calls(root: Path, random: Random, count: int) -> list[tuple[str, dict[str, Any]]]:
    """Calls for the files that are there, and for some that are not."""
    files = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file() or p.is_symlink())
    files = [path for path in files if not path.startswith(".git/")]
    folders = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_dir())
    folders = [path for path in folders if not path.startswith(".git")] or ["."]
    makers = (_read, _read, _write, _list, _glob, _glob, _grep, _grep, _many, _replace, _replace)
    return [random.choice(makers)(root, files, folders, random) for _ in range(count)]


ODD_PATHS = (
    "missing.txt",
    "../outside.txt",
    "/etc/passwd",
    "",
    " ",
    "a/b/c.txt",
    ".env",
    "src",
    "..",
    ".git/HEAD",
    "a\tb",
    "x" * 300,
    "node_modules/x.js",
    "@a.txt",
    "@src/a.txt",
    "./a.txt",
)


def _some_path(root: Path, files: list[str], random: Random) -> str:
    if random.random() < 0.08:
        return random.choice(ODD_PATHS)
    path = random.choice(files)
    return str(root / path) if random.random() < 0.3 else path


def _read(root: Path, files: list[str], folders: list[str], random: Random) -> tuple[str, dict[str, Any]]:
    arguments: dict[str, Any] = {"file_path": _some_path(root, files, random)}
    if random.random() < 0.3:
        arguments["start_line"] = random.choice((1, 2, 3, 5, 1000, 0, -1, 2.5, "2"))
    if random.random() < 0.3:
        arguments["end_line"] = random.choice((1, 2, 4, 7, 50, 0))
    if random.random() < 0.03:
        arguments = random.choice(({}, {"path": "a.txt"}, {"file_path": None}, {"file_path": 7}))
    return "read_file", arguments


def _write(root: Path, files: list[str], folders: list[str], random: Random) -> tuple[str, dict[str, Any]]:
    path = _some_path(root, files, random)
    if random.random() < 0.4:
        path = random.choice(("new.txt", "fresh/dir/new.md", f"{random.choice(folders)}/added.py"))
    content = text(random) if random.random() < 0.95 else "x\n// rest of code ...\n"
    return "write_file", {"file_path": path, "content": content}


def _replace(root: Path, files: list[str], folders: list[str], random: Random) -> tuple[str, dict[str, Any]]:
    files = [path for path in files if (root / path).is_file()]
    path = _some_path(root, files, random)
    arguments: dict[str, Any] = {"file_path": path, "instruction": "change it"}
    content = (root / path).read_bytes().decode("utf-8", "replace") if path in files else ""
    lines = content.replace("\r\n", "\n").split("\n")
    start = random.randrange(len(lines))
    old = "\n".join(lines[start : start + random.randint(1, 3)])
    roll = random.random()
    if roll < 0.2 and old.split():
        old = random.choice(old.split())
    elif roll < 0.3:
        old = random.choice(("", "not in the file", "nowhere to be found\nat all"))
    new = random.choice((old + " changed", "", "new\ntext", old.upper(), old, "x\n// rest of code ..."))
    arguments |= {"old_string": old, "new_string": new}
    if random.random() < 0.25:
        arguments["allow_multiple"] = random.choice((True, False))
    if random.random() < 0.04:
        del arguments[random.choice(("instruction", "old_string", "file_path"))]
    return "replace", arguments


def _list(root: Path, files: list[str], folders: list[str], random: Random) -> tuple[str, dict[str, Any]]:
    folder = random.choice((".", "", *folders, *folders, "missing", files[0], ".."))
    arguments: dict[str, Any] = {"dir_path": folder}
    if random.random() < 0.2:
        arguments["ignore"] = [random.choice(("*.txt", "a*", "?.md", "[ab].txt", "src"))]
    if random.random() < 0.15:
        arguments["file_filtering_options"] = {
            random.choice(("respect_git_ignore", "respect_gemini_ignore")): False
        }
    return "list_directory", arguments


PATTERNS = (
    "**/*.txt",
    "**/*",
    "*.md",
    "src/**",
    "**/*.{py,js}",
    "?.*",
    "**/a*",
    "[ab].*",
    "**/!(a)*.txt",
    "lib/*.js",
    "**/README.MD",
    "b[1].txt",
    "+(a|b).*",
    "**/*.TXT",
    "docs",
    "*",
    "**/deep/**",
    "./a.txt",
    "**/.gitignore",
    "{a,b}.{txt,py}",
    "@(src|lib)/**/*",
    "nothing*",
    " ",
    "",
)


def _glob(root: Path, files: list[str], folders: list[str], random: Random) -> tuple[str, dict[str, Any]]:
    pattern = random.choice((*PATTERNS, random.choice(files)))
    arguments: dict[str, Any] = {"pattern": pattern}
    if random.random() < 0.3:
        arguments["dir_path"] = random.choice((*folders, "missing", files[0]))
    if random.random() < 0.2:
        arguments["case_sensitive"] = True
    if random.random() < 0.15:
        arguments["respect_git_ignore"] = False
    return "glob", arguments


REGEXES = ("al.ha", r"\bdef\b", "^import", "beta$", r"(alpha|beta) \w+", r"x\d", "nowhere", "(", "[a", "a{2")


def _grep(root: Path, files: list[str], folders: list[str], random: Random) -> tuple[str, dict[str, Any]]:
    arguments: dict[str, Any] = {"pattern": random.choice((*WORDS, *REGEXES))}
    choices: dict[str, tuple[Any, ...]] = {
        "dir_path": (*folders, files[0], "missing"),
        "include_pattern": ("*.py", "*.{txt,md}", "**/*.js", "src/**"),
        "exclude_pattern": ("gamma", "^\\s", "delta.*x1"),
        "names_only": (True,),
        "case_sensitive": (True,),
        "fixed_strings": (True,),
        "context": (0, 1, 3),
        "after": (2,),
        "before": (1,),
        "no_ignore": (True,),
        "max_matches_per_file": (1, 2),
        "total_max_matches": (1, 2, 5, 200),
    }
    for name, values in choices.items():
        if random.random() < 0.12:
            arguments[name] = random.choice(values)
    return "grep_search", arguments


def _many(root: Path, files: list[str], folders: list[str], random: Random) -> tuple[str, dict[str, Any]]:
    options = (
        "**/*.txt",
        "*.md",
        "src/**",
        "**/*.png",
        "*.pdf",
        "**/*",
        "*.{mp3,svg}",
        "b[1].txt",
        files[0],
        files[-1],
    )
    arguments: dict[str, Any] = {"include": random.sample(options, random.randint(1, 3))}
    if random.random() < 0.2:
        arguments["exclude"] = ["**/a*"]
    if random.random() < 0.2:
        arguments["useDefaultExcludes"] = False
    if random.random() < 0.04:
        arguments["include"] = random.choice(([], [""], "x"))
    return "read_many_files", arguments
