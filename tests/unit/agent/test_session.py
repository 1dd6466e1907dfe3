"""Sessions on disk: one process at a time, private, and readable after a crash."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from groundwire.agent.loop import Agent
from groundwire.agent.session import Session
from groundwire.agent.session_store import SessionStore
from groundwire.agent.session_undo import undo
from groundwire.agent.transcript import read
from groundwire.errors import SessionBusy, SessionError, SessionNotFound, SessionNotWritten, SessionUnreadable
from groundwire.testing import ScriptedModel, calls, says
from groundwire.workspace.boundary import Workspace

WRITE = ("write_file", {"file_path": "a.txt", "content": "new\n"})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "state" / "sessions")


async def ran(root: Path, session: Session, *answers: object) -> None:
    async with ScriptedModel(answers) as model:
        agent = Agent(model=model, workspace=root, approve="yolo", session=session)
        await agent.run("task")


async def test_nobody_else_can_read_a_session(root: Path, store: SessionStore) -> None:
    (root / "a.txt").write_text("old\n", encoding="utf-8")
    with store.create(root=root, model="m") as session:
        await ran(root, session, calls(WRITE), says("ok"))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in store.folder.rglob("*")}
    files = [mode for name, mode in modes.items() if not name.endswith(".before")]
    assert set(files) == {0o600}
    assert len(files) == 2
    assert modes[f"{session.id}.before"] == 0o700
    assert stat.S_IMODE(store.folder.stat().st_mode) == 0o700


def test_a_session_is_worked_on_by_one_at_a_time(root: Path, store: SessionStore) -> None:
    with store.create(root=root, model="m") as session, pytest.raises(SessionBusy, match="Another process"):
        store.open(session.id)
    store.open(session.id).close()


def test_another_process_is_refused_until_it_is_let_in(root: Path, store: SessionStore) -> None:
    program = (
        "import sys; from pathlib import Path; from groundwire.agent.session import Session\n"
        "from groundwire.errors import SessionBusy\n"
        "try: Session.open(Path(sys.argv[1])); print('open')\n"
        "except SessionBusy: print('busy')"
    )

    def elsewhere() -> str:
        command = [sys.executable, "-c", program, str(session.path)]
        return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True).stdout

    with store.create(root=root, model="m") as session:
        assert elsewhere() == "busy\n"
    assert elsewhere() == "open\n"


@pytest.mark.parametrize("torn", [b'{"type":"run","at', b"\0" * 512, b"\0\0\n\0", b"{]\n"])
async def test_half_a_line_at_the_end_is_no_event(root: Path, store: SessionStore, torn: bytes) -> None:
    with store.create(root=root, model="m") as session:
        await ran(root, session, says("ok"))
    whole = session.path.read_bytes()
    session.path.write_bytes(whole + torn)
    assert len(read(session.path)) == 4
    with store.open(session.id) as again:
        await ran(root, again, says("ok"))
    assert session.path.read_bytes().startswith(whole + b'{"type":"run"')
    assert len(again.past().runs) == 2


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"),
        (b"\0\0\0\0", "is empty"),
        (b"hello\n", "is empty"),
        (b'{"type":"other"}\n', "is not a session"),
        (b'{"type":"session","version":2,"news":[]}\n', "has version 2"),
        (b'{"type":"session","version":1}\n', "line 1, is damaged"),
    ],
)
def test_what_cannot_be_read_is_listed_with_the_reason(
    root: Path, store: SessionStore, content: bytes, complaint: str
) -> None:
    with store.create(root=root, model="m"):
        pass
    (store.folder / "20200101-000000-aaaa.jsonl").write_bytes(content)
    good, bad = store.listed()
    assert (good.problem, bad.past) == ("", None)
    assert complaint in bad.problem
    assert store.latest(root=root).stem == good.id
    with pytest.raises(SessionUnreadable):
        store.open("20200101-000000-aaaa")


@pytest.mark.parametrize(
    "wrong",
    [b'{"type":"news","at":""}', b'{"type":"told","at":""}', b'{"type":"result","at":1}', b"\xff\xfe", b"[]"],
)
async def test_damage_in_the_middle_is_told(root: Path, store: SessionStore, wrong: bytes) -> None:
    with store.create(root=root, model="m") as session:
        await ran(root, session, says("ok"))
    lines = session.path.read_bytes().split(b"\n")
    session.path.write_bytes(b"\n".join([lines[0], wrong, *lines[1:]]))
    with pytest.raises(SessionUnreadable):
        store.past(session.id)
    assert store.listed()[0].problem


def test_a_session_is_found_by_the_end_or_the_beginning_of_its_id(root: Path, tmp_path: Path) -> None:
    letters = iter([b"\x01", b"\x02", b"\x02", b"\x03"])
    store = SessionStore(tmp_path / "s", clock=lambda: 0.0, random=lambda count: next(letters))
    ids = []
    for _ in range(3):
        with store.create(root=root, model="m") as session:
            ids.append(session.id)
    assert ids == ["19700101-000000-0001", "19700101-000000-0002", "19700101-000000-0003"]
    assert store.path_of("0002").stem == ids[1]
    assert store.path_of("19700101-000000-0003").stem == ids[2]
    with pytest.raises(SessionNotFound, match="any of 3"):
        store.path_of("1970")
    for nothing in ("9999", "", "../../etc/passwd", "*"):
        with pytest.raises(SessionNotFound):
            store.path_of(nothing)


def test_sessions_of_the_same_second_are_in_the_order_of_time(root: Path, tmp_path: Path) -> None:
    moments = iter([0.0, 0.0, 0.001, 0.001, 0.25, 0.25, 0.9999, 0.9999])
    letters = iter([b"\xff", b"\x05", b"\x03", b"\x00"])
    store = SessionStore(tmp_path / "s", clock=lambda: next(moments), random=lambda count: next(letters))
    ids = []
    for _ in range(4):
        with store.create(root=root, model="m") as session:
            ids.append(session.id)
    assert [one.id for one in store.listed()] == ids[::-1]
    assert store.latest(root=root).stem == ids[-1] == "19700101-000000-fff0"


def test_the_newest_session_of_a_folder_is_found(root: Path, tmp_path: Path) -> None:
    moments = iter([0.0, 0.0, 100.0, 100.0, 200.0, 200.0])
    store = SessionStore(tmp_path / "s", clock=lambda: next(moments))
    other = tmp_path / "other"
    other.mkdir()
    for folder in (root, root, other):
        store.create(root=folder, model="m").close()
    assert store.latest(root=root).stem.startswith("19700101-000140")
    with pytest.raises(SessionNotFound, match=f"worked in {other}"):
        store.latest(root=tmp_path)


def test_pruning_keeps_the_newest_and_those_being_worked_on(root: Path, tmp_path: Path) -> None:
    moments = iter(float(number // 2) for number in range(10))
    store = SessionStore(tmp_path / "s", clock=lambda: next(moments))
    busy = store.create(root=root, model="m")
    for _ in range(3):
        store.create(root=root, model="m").close()
    (store.folder / "0-broken.jsonl").write_bytes(b"?")
    assert len(store.prune(2)) == 2
    assert [one.id for one in store.listed()][-1] == busy.id
    busy.close()
    assert store.prune(0)
    assert list(store.folder.iterdir()) == []


async def test_names_that_are_no_utf_8_are_kept_as_they_are(tmp_path: Path, store: SessionStore) -> None:
    root = Path(os.fsdecode(bytes(tmp_path) + b"/caf\xe9"))
    os.mkdir(root)
    (root / "a.txt").write_bytes(b"caf\xe9 \xff\n")
    with store.create(root=root, model="m") as session:
        await ran(root, session, calls(WRITE), says("ok"))
    assert store.latest(root=root).stem == session.id
    with store.open(session.id) as again:
        assert again.past().opened.root == str(root)
        assert undo(again, Workspace(again.opened.root)).restored == ("a.txt",)
    assert (root / "a.txt").read_bytes() == b"caf\xe9 \xff\n"


async def test_a_transcript_that_cannot_be_written_ends_the_run_before_the_write(
    root: Path, store: SessionStore
) -> None:
    class Full(Session):
        def _keep(self, data: bytes) -> None:
            raise SessionNotWritten("No space left on device.")

    (root / "a.txt").write_text("old\n", encoding="utf-8")
    with Full.create(store.folder / "full.jsonl", root=str(root), model="m", version="0") as session:
        model = ScriptedModel([calls(WRITE)])
        outcome = await Agent(model=model, workspace=root, approve="yolo", session=session).run("task")
    assert (outcome.ending, outcome.exit_code) == ("session_error", 9)
    assert (root / "a.txt").read_text(encoding="utf-8") == "old\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits for the size of files")
def test_a_full_disk_leaves_no_half_line_behind(root: Path, store: SessionStore) -> None:
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from groundwire.agent.session import Session; from groundwire.errors import SessionNotWritten\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "session = Session.open(Path(sys.argv[1])); size = session.path.stat().st_size\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, resource.RLIM_INFINITY))\n"
        "try: session.run_began('long ' * 100, 'ask', 'm', shell=False)\n"
        "except SessionNotWritten: print('told')\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))\n"
        "session.run_began('short', 'ask', 'm', shell=False)"
    )
    store.create(root=root, model="m").close()
    (listed,) = store.listed()
    command = [sys.executable, "-c", program, str(listed.path)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout == "told\n"
    assert [run.began.task for run in store.past(listed.id).runs] == ["short"]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits for the size of files")
def test_a_full_disk_leaves_no_empty_session_and_no_half_kept_bytes(root: Path, store: SessionStore) -> None:
    program = (
        "import resource, signal, sys; from pathlib import Path\n"
        "from groundwire.agent.session import Session; from groundwire.agent.session_kept import KeptBytes\n"
        "from groundwire.errors import SessionNotWritten\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, resource.RLIM_INFINITY))\n"
        "path = Path(sys.argv[1])\n"
        "try: Session.create(path, root='r' * 200, model='m', version='0')\n"
        "except SessionNotWritten: print('told')\n"
        "try: KeptBytes(path).keep(b'x' * 200)\n"
        "except OSError: print('told')\n"
    )
    store.folder.mkdir(parents=True)
    command = [sys.executable, "-c", program, str(store.folder / "full.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=True)
    assert done.stdout == "told\ntold\n"
    assert [path.name for path in store.folder.rglob("*")] == ["full.before"]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(root: Path, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(SessionError, match="--no-session"):
            SessionStore(tmp_path / "s").create(root=root, model="m")
    finally:
        tmp_path.chmod(0o700)


def test_a_file_in_the_way_is_told(root: Path, tmp_path: Path) -> None:
    (tmp_path / "s").write_text("", encoding="utf-8")
    with pytest.raises(SessionNotWritten, match="--no-session"):
        SessionStore(tmp_path / "s").create(root=root, model="m")
