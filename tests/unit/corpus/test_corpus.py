"""Opening, refreshing and searching a folder: incremental, interruptible, and clear about what is wrong."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire.corpus import Corpus, Passage, Progress, default_cache_dir, refresh
from groundwire.corpus.turn import turn
from groundwire.corpus.walk import walk
from groundwire.errors import LocalSearchFailed, MissingCorpus

LATER_NS = 10**19
"""A moment at which no file was changed just now."""


class Folder:
    """A folder of documents and the corpus over it."""

    def __init__(self, path: Path) -> None:
        self.path = path / "documents"
        self.path.mkdir()
        self.cache = path / "cache"

    def write(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text, encoding="utf-8")

    def open(self, progress: Callable[[Progress], None] | None = None) -> Corpus:
        return Corpus.open(self.path, cache_dir=self.cache, progress=progress, now_ns=lambda: LATER_NS)

    def find(self, query: str) -> list[Passage]:
        with self.open() as corpus:
            return corpus.find(query)

    def index(self) -> Path:
        (file,) = self.cache.glob("*.sqlite")
        return file


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_a_document_without_an_address_has_its_files(folder: Folder) -> None:
    folder.write("notes/rain_gauge.txt", "The rain gauge stands behind the house.")
    (found,) = folder.find("rain gauge")
    assert found.title == "rain gauge"
    assert found.url == (folder.path.resolve() / "notes" / "rain_gauge.txt").as_uri()
    assert found.text == "The rain gauge stands behind the house."


def test_a_second_opening_reads_nothing(folder: Folder) -> None:
    folder.write("a.md", "Alpha text.")
    folder.open().close()
    seen: list[Progress] = []
    with folder.open(seen.append) as corpus:
        assert (corpus.report.unchanged, corpus.report.added) == (1, 0)
    assert seen == []


def test_new_changed_and_vanished_files_are_taken_in(folder: Folder) -> None:
    folder.write("a.md", "Alpha text.")
    folder.write("b.md", "Beta text.")
    folder.write("c.md", "Gamma text.")
    with folder.open() as corpus:
        assert corpus.report.added == 3
        folder.write("a.md", "Alpha became delta, which is longer.")
        (folder.path / "b.md").unlink()
        folder.write("d.md", "Epsilon text.")
        report = corpus.refresh()
        assert (report.added, report.changed, report.removed, report.unchanged) == (1, 1, 1, 1)
        assert [corpus.find(word) != [] for word in ("delta", "beta", "gamma", "epsilon")] == [
            True,
            False,
            True,
            True,
        ]


def test_a_file_written_again_with_the_same_content_is_unchanged(folder: Folder) -> None:
    folder.write("a.md", "Alpha text.")
    folder.open().close()
    os.utime(folder.path / "a.md", ns=(1, 1))
    with folder.open() as corpus:
        assert (corpus.report.unchanged, corpus.report.changed) == (1, 0)


def test_a_change_within_the_same_tick_of_the_clock_is_seen(folder: Folder) -> None:
    folder.write("a.md", "Alpha text.")
    os.utime(folder.path / "a.md", ns=(5, 5))
    Corpus.open(folder.path, cache_dir=folder.cache, now_ns=lambda: 6).close()
    folder.write("a.md", "Gamma text.")
    os.utime(folder.path / "a.md", ns=(5, 5))
    assert folder.find("gamma") != []


def test_after_any_number_of_changes_the_terms_are_those_of_a_new_index(folder: Folder) -> None:
    texts = ["Rain 天气 today.", "Snow 雪 and café 😀.", "# Title\n\nSun กรุงเทพ.", "Wind 날씨."]
    for round_number in range(6):
        for number, text in enumerate(texts):
            folder.write(f"{number}.md", text + f" Round {round_number}." * (number + round_number))
        folder.open().close()
    connection = sqlite3.connect(folder.index())
    connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, terms, row)")
    patched = connection.execute("SELECT term, doc, cnt FROM words ORDER BY term").fetchall()
    connection.execute("INSERT INTO terms(terms) VALUES ('integrity-check')")
    connection.close()
    folder.index().unlink()
    folder.open().close()
    connection = sqlite3.connect(folder.index())
    connection.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, terms, row)")
    assert connection.execute("SELECT term, doc, cnt FROM words ORDER BY term").fetchall() == patched
    connection.close()


def test_progress_tells_each_file(folder: Folder) -> None:
    folder.write("a.md", "Alpha.")
    folder.write("b.md", "Beta.")
    seen: list[Progress] = []
    folder.open(seen.append).close()
    assert [(each.done, each.total, each.current.name) for each in seen] == [(1, 2, "a.md"), (2, 2, "b.md")]


def test_indexing_stopped_by_its_progress_goes_on_the_next_time(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "BATCH_FILES", 2)
    for number in range(7):
        folder.write(f"{number}.md", f"Word{number} here.")

    def stop(progress: Progress) -> None:
        if progress.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        folder.open(stop)
    with folder.open() as corpus:
        assert (corpus.report.unchanged, corpus.report.added) == (4, 3)
        assert all(corpus.find(f"word{number}") for number in range(7))


KILLED = """
import os, sys
from pathlib import Path
from groundwire.corpus import Corpus, refresh
refresh.BATCH_FILES = 3
Corpus.open(Path(sys.argv[1]), cache_dir=Path(sys.argv[2]),
            progress=lambda progress: os.kill(os.getpid(), 9) if progress.done == int(sys.argv[3]) else None)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a Unix way to die")
@pytest.mark.parametrize("moment", [1, 8])
def test_a_process_killed_while_indexing_leaves_an_index_that_can_be_completed(
    folder: Folder, moment: int
) -> None:
    for number in range(10):
        folder.write(f"{number}.md", f"Word{number} here.")
    command = [sys.executable, "-c", KILLED, str(folder.path), str(folder.cache), str(moment)]
    assert subprocess.run(command, check=False).returncode == -9
    with folder.open() as corpus:
        assert corpus.report.rebuilt is None
        assert corpus.report.unchanged + corpus.report.added == 10
        assert all(corpus.find(f"word{number}") for number in range(10))


@pytest.mark.parametrize("damage", [b"", b"not a database at all, but a file of some length" * 100])
def test_a_damaged_index_is_built_anew(folder: Folder, damage: bytes) -> None:
    folder.write("a.md", "Alpha text.")
    folder.open().close()
    folder.index().write_bytes(damage)
    with folder.open() as corpus:
        assert (corpus.report.rebuilt is None) == (damage == b"")
        assert corpus.find("alpha") != []


def test_an_index_damaged_in_the_middle_is_built_anew(folder: Folder) -> None:
    for number in range(200):
        folder.write(f"{number}.md", f"Word{number} " * 100)
    folder.open().close()
    content = bytearray(folder.index().read_bytes())
    content[4096:] = b"\x5a" * (len(content) - 4096)
    folder.index().write_bytes(content)
    with folder.open() as corpus:
        assert "damaged" in (corpus.report.rebuilt or "")
        assert corpus.find("word77") != []


def test_an_index_of_another_version_is_built_anew(folder: Folder) -> None:
    folder.write("a.md", "Alpha text.")
    folder.open().close()
    connection = sqlite3.connect(folder.index())
    connection.execute("PRAGMA user_version=1")
    connection.close()
    with folder.open() as corpus:
        assert corpus.report.rebuilt == "it was made by another version"
        assert corpus.find("alpha") != []
        assert corpus.refresh().rebuilt is None


def test_the_index_is_readable_by_its_owner_only(folder: Folder) -> None:
    folder.write("a.md", "Alpha text.")
    folder.open().close()
    if sys.platform != "win32":
        assert folder.index().stat().st_mode & 0o077 == 0
        assert folder.cache.stat().st_mode & 0o077 == 0


def test_folders_of_the_same_name_have_their_own_indexes(tmp_path: Path) -> None:
    for parent, word in (("one", "alpha"), ("two", "beta")):
        (tmp_path / parent / "docs").mkdir(parents=True)
        (tmp_path / parent / "docs" / "a.md").write_text(word, encoding="utf-8")
        Corpus.open(tmp_path / parent / "docs", cache_dir=tmp_path / "cache").close()
    assert len(list((tmp_path / "cache").glob("docs-*.sqlite"))) == 2


def test_the_cache_follows_the_environment(tmp_path: Path, scrubbed_environment: Path) -> None:
    assert default_cache_dir({"XDG_CACHE_HOME": str(tmp_path)}) == tmp_path / "groundwire" / "corpus"
    assert default_cache_dir({}) == scrubbed_environment / ".cache" / "groundwire" / "corpus"
    assert default_cache_dir({"XDG_CACHE_HOME": "relative"}) == default_cache_dir({})


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (None, "No folder of documents was given"),
        ("", "No folder of documents was given"),
        ("nowhere", "does not exist"),
        ("file.md", "is a file"),
        ("empty", "has no documents to search"),
        ("bad\0name", "does not exist"),
    ],
)
def test_a_folder_that_cannot_be_searched_is_told_plainly(
    tmp_path: Path, name: str | None, message: str
) -> None:
    (tmp_path / "file.md").write_text("text", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    folder = name and f"{tmp_path}/{name}"
    with pytest.raises(MissingCorpus, match=message):
        Corpus.open(folder, cache_dir=tmp_path / "cache")


def test_a_folder_of_pictures_says_what_was_left_out(folder: Folder) -> None:
    (folder.path / "a.png").write_bytes(b"x")
    (folder.path / "b.txt").write_bytes(b"\0\1\2")
    with pytest.raises(MissingCorpus, match=r"left out: binary: 1, other kind of file: 1"):
        folder.open()


def test_a_cache_that_cannot_be_written_is_told_plainly(folder: Folder) -> None:
    folder.write("a.md", "Alpha text.")
    folder.cache.write_text("a file where the folder should be", encoding="utf-8")
    with pytest.raises(LocalSearchFailed, match="cannot be kept at"):
        folder.open()


def test_difficult_files_are_counted_and_never_a_crash(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "MAX_FILE_BYTES", 1000)
    (folder.path / "latin.txt").write_bytes("Füße im Schnee".encode("latin-1"))
    (folder.path / "wide.txt").write_bytes("北京天气".encode("utf-16"))
    (folder.path / "binary.md").write_bytes(b"PK\x03\x04\0\0")
    (folder.path / "empty.md").write_bytes(b"")
    (folder.path / "huge.txt").write_bytes(b"begin " + "北".encode() * 5000 + b" end")
    with folder.open() as corpus:
        assert corpus.report.left_out == {"encoding guessed": 1, "binary": 1, "empty": 1, "cut": 1}
        assert corpus.report.documents == 3
        assert corpus.find("Fusse")[0].title == "latin"
        assert corpus.find("天气")[0].title == "wide"
        assert corpus.find("begin")[0].title == "huge"
        assert corpus.find("end") == []
    with folder.open() as corpus:
        assert corpus.report.left_out == {"encoding guessed": 1, "binary": 1, "empty": 1, "cut": 1}


def test_a_file_that_can_no_longer_be_read_is_no_longer_found(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder.write("a.md", "Alpha text.")
    folder.write("b.md", "Beta text.")
    with folder.open() as corpus:
        folder.write("a.md", "Alpha text changed.")
        monkeypatch.setattr(refresh, "open", _refusing_to_open, raising=False)
        report = corpus.refresh()
        assert report.left_out["unreadable file"] == 1
        assert corpus.find("alpha") == []
        assert corpus.find("beta") != []


def _refusing_to_open(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="this system cannot refuse links")
def test_a_link_that_takes_the_place_of_a_file_is_not_followed(
    folder: Folder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder.write("a.md", "Alpha text.")
    folder.write("b.md", "Beta text.")
    seen = walk(folder.path.resolve())
    (tmp_path / "secret.md").write_text("Secret text.", encoding="utf-8")
    (folder.path / "b.md").unlink()
    (folder.path / "b.md").symlink_to(tmp_path / "secret.md")
    monkeypatch.setattr(refresh, "walk", lambda _: seen)
    with folder.open() as corpus:
        assert corpus.report.left_out == {"unreadable file": 1}
        assert corpus.find("secret") == []


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes on Linux only")
def test_a_file_name_that_is_no_text_is_indexed(folder: Folder) -> None:
    name = os.fsencode(folder.path) + b"/caf\xe9-notes.md"
    with open(name, "wb") as file:
        file.write(b"Alpha text.")
    (found,) = folder.find("alpha")
    assert found.title == "caf\ufffd notes"
    assert found.url.endswith("caf%E9-notes.md")


def test_the_corpus_is_searched_while_another_connection_indexes(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresh, "BATCH_FILES", 1)
    folder.write("a.md", "Alpha text.")
    found: list[int] = []
    with folder.open() as reader:
        for number in range(3):
            folder.write(f"new{number}.md", f"Alpha again, number {number}.")
        folder.open(lambda _: found.append(len(reader.find("alpha", 10)))).close()
    assert found == [2, 3, 4]


def test_while_another_process_indexes_progress_says_that_it_waits(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.corpus.turn.ATTEMPT_SECONDS", 0.02)
    folder.write("a.md", "Alpha text.")
    folder.open().close()
    folder.write("b.md", "Beta text.")
    seen: list[Progress] = []
    held, waited = threading.Event(), threading.Event()

    def other() -> None:
        with turn(folder.index().with_suffix(".lock"), waited.set):
            held.set()
            waited.wait(10)

    def progress(each: Progress) -> None:
        seen.append(each)
        waited.set()

    thread = threading.Thread(target=other)
    thread.start()
    held.wait(10)
    folder.open(progress).close()
    thread.join()
    assert (seen[0].done, seen[0].total, seen[0].current) == (0, 0, folder.path.resolve())
    assert (seen[-1].done, seen[-1].total, seen[-1].current.name) == (1, 1, "b.md")


def test_many_threads_search_one_corpus() -> None:
    titles: list[str] = []

    def search() -> None:
        titles.extend(corpus.find("weather beijing")[0].title for _ in range(20))

    with Corpus.bundled() as corpus:
        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert titles == ["Weather in Beijing"] * 80


async def test_an_event_loop_can_search() -> None:
    with Corpus.bundled() as corpus:
        found = await asyncio.gather(*(corpus.find_async(query, 1) for query in ("天气", "rust")))
    assert [each[0].title for each in found] == ["北京天气", "Ownership in Rust"]


def test_a_closed_corpus_says_that_it_failed() -> None:
    corpus = Corpus.bundled()
    corpus.close()
    with pytest.raises(LocalSearchFailed):
        corpus.find("weather")


def test_a_limit_of_nothing_finds_nothing() -> None:
    with Corpus.bundled() as corpus:
        assert corpus.find("weather", 0) == []
        assert len(corpus.find("weather", 2)) == 2
