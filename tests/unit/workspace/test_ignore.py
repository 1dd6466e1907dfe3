"""Ignore rules where they come from: parents, the global file, `.geminiignore`, and rules that are odd."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.workspace.boundary import Workspace
from groundwire.workspace.ignore import Ignore, global_excludes
from groundwire.workspace.ignore_rules import IgnoreRules


def ignored(
    root: Path, path: str, *, git: bool = True, gemini: bool = True, home: Path | None = None
) -> bool:
    environment = {"HOME": str(home)} if home else {}
    ignore = Ignore(Workspace(root), git=git, gemini=gemini, environment=environment)
    return ignore.ignores(path, is_directory=(root / path).is_dir())


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    (root / ".git" / "info").mkdir(parents=True)
    (root / "sub" / "deep").mkdir(parents=True)
    return root


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_without_a_repository_gitignore_means_nothing(tmp_path: Path) -> None:
    write(tmp_path / ".gitignore", "*.log\n")
    assert not ignored(tmp_path, "a.log")


def test_rules_above_the_root_of_the_workspace_hold_inside_it(repository: Path) -> None:
    write(repository / ".gitignore", "*.log\n/sub/deep/secret\n")
    assert ignored(repository / "sub", "a.log")
    assert ignored(repository / "sub", "deep/secret")
    assert not ignored(repository / "sub", "deep/other")


def test_nearer_rules_are_stronger_than_farther_ones(repository: Path) -> None:
    write(repository / ".gitignore", "*.log\n")
    write(repository / "sub/.gitignore", "!keep.log\n")
    assert not ignored(repository, "sub/keep.log")
    assert ignored(repository, "sub/other.log")


def test_nothing_below_an_ignored_directory_is_taken_back(repository: Path) -> None:
    write(repository / ".gitignore", "sub/\n!sub/keep.txt\n")
    assert ignored(repository, "sub/keep.txt")


def test_the_repositorys_own_excludes_and_the_users_count(repository: Path, tmp_path: Path) -> None:
    write(repository / ".git/info/exclude", "mine\n")
    write(tmp_path / "home/.config/git/ignore", "yours\n")
    assert ignored(repository, "mine")
    assert ignored(repository, "yours", home=tmp_path / "home")
    assert not ignored(repository, "yours")


def test_a_configured_global_file_is_read_instead_of_the_default_one(
    repository: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    write(home / ".gitconfig", "[user]\n\tname = x\n[core]\n\texcludesfile = ~/ignored\n")
    write(home / "ignored", "configured\n")
    write(home / ".config/git/ignore", "default\n")
    assert ignored(repository, "configured", home=home)
    assert not ignored(repository, "default", home=home)


def test_links_to_what_a_person_keeps_elsewhere_are_followed(repository: Path, tmp_path: Path) -> None:
    home, kept = tmp_path / "home", tmp_path / "dotfiles"
    write(kept / "gitconfig", "[core]\n\texcludesFile = ~/ignored  # of mine\n")
    write(kept / "ignored", "*.log\n")
    write(kept / "exclude", "*.mine\n")
    home.mkdir()
    (home / ".gitconfig").symlink_to(kept / "gitconfig")
    (home / "ignored").symlink_to(kept / "ignored")
    (repository / ".git/info").mkdir(exist_ok=True)
    (repository / ".git/info/exclude").symlink_to(kept / "exclude")
    assert ignored(repository, "a.log", home=home)
    assert ignored(repository, "a.mine", home=home)


@pytest.mark.parametrize(
    ("config", "included", "expected"),
    [
        ("[include]\n\tpath = more\n", '[core]\nexcludesFile = "~/x"\n', "x"),
        ("[include]\npath = ~/more\n[core]\nexcludesFile = ~/y\n", "[core]\nexcludesFile = ~/x\n", "y"),
        ("[core]\nexcludesFile = ~/y\n[include]\npath = more\n", "[user]\nname = x\n", "y"),
        ("[include]\npath = .gitconfig\n", "", None),
        ("[core]\n; excludesFile = ~/x\n", "", None),
    ],
)
def test_a_configuration_may_include_another_and_the_last_value_counts(
    tmp_path: Path, config: str, included: str, expected: str | None
) -> None:
    write(tmp_path / ".gitconfig", config)
    write(tmp_path / "more", included)
    found = global_excludes({"HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"})
    assert found == str(tmp_path / (expected or ".config/git/ignore"))


def test_geminiignore_has_the_last_word_and_can_take_back(repository: Path) -> None:
    write(repository / ".gitignore", "*.log\n")
    write(repository / ".geminiignore", "!a.log\n*.secret\n")
    assert not ignored(repository, "a.log")
    assert ignored(repository, "b.log")
    assert ignored(repository, "x.secret")
    assert not ignored(repository, "x.secret", gemini=False)
    assert ignored(repository, "x.secret", git=False)


def test_a_worktree_finds_the_excludes_of_its_repository(repository: Path, tmp_path: Path) -> None:
    write(repository / ".git/info/exclude", "mine\n")
    write(repository / ".git/worktrees/w/commondir", "../..\n")
    write(tmp_path / "w/.git", f"gitdir: {repository}/.git/worktrees/w\n")
    assert ignored(tmp_path / "w", "mine")


def test_a_gitignore_that_is_a_link_is_not_followed(repository: Path, tmp_path: Path) -> None:
    write(tmp_path / "rules", "*.log\n")
    (repository / ".gitignore").symlink_to(tmp_path / "rules")
    assert not ignored(repository, "a.log")


@pytest.mark.parametrize(
    ("rule", "path", "verdict"),
    [
        ("*.LOG", "a.log", None),
        ("a\\ ", "a ", True),
        ("a   ", "a", True),
        ("\\#x", "#x", True),
        ("#x", "#x", None),
        ("!a", "a", False),
        ("foo**/bar", "fooa/b/bar", True),
        ("a[", "a[", None),
        ("a\\", "a\\", None),
        ("?", "é", None),
        ("??", "é", True),
        ("*" * 40 + "b", "a" * 200, None),
        ("*a" * 30 + "c", "a" * 250 + "b", None),
    ],
)
def test_odd_rules_mean_what_git_means(rule: str, path: str, verdict: bool | None) -> None:
    rules = IgnoreRules((rule + "\n").encode())
    assert rules.verdict(path, path.rpartition("/")[2], False) is verdict
