"""The registry knows this machine's stores, is its owner's alone, and never fails its caller."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memgit import clock
from memgit.records.ids import new_store_id
from memgit.scope.registry import (
    REGISTRY_BYTES,
    REGISTRY_NAME,
    StoreEntry,
    forget_store,
    known_stores,
    register_store,
)

DAY = 86_400.0
posix = pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "share" / "memgit"


def repository(path: Path) -> StoreEntry:
    """Return the entry of a directory that looks like a Git directory, which this makes."""
    path.mkdir(parents=True)
    (path / "HEAD").write_text("ref: refs/heads/main\n")
    return StoreEntry(os.path.realpath(path), new_store_id(), "wsp_one", "prj_one")


def paths(data_dir: Path) -> list[str]:
    return [entry.path for entry in known_stores(data_dir).stores]


def test_a_registered_store_is_known(tmp_path: Path, data_dir: Path) -> None:
    """Its path, ids and the moment come back; the most recently seen comes first."""
    first, second = repository(tmp_path / "a.git"), repository(tmp_path / "b.git")
    with clock.pinned(0.0):
        assert register_store(data_dir, first) == ()
    with clock.pinned(DAY):
        assert register_store(data_dir, second) == ()
    known = known_stores(data_dir)
    assert known.warnings == ()
    assert [entry.path for entry in known.stores] == [second.path, first.path]
    assert known.stores[1] == StoreEntry(
        first.path, first.store_id, "wsp_one", "prj_one", last_seen="1970-01-01T00:00:00.000000Z"
    )


def test_without_a_data_directory_there_is_no_registry(tmp_path: Path) -> None:
    """No HOME: nothing is known, nothing is written, nothing is raised."""
    entry = repository(tmp_path / "a.git")
    assert known_stores(None).stores == ()
    assert register_store(None, entry) == () and forget_store(None, tmp_path) == ()


def test_nothing_registered_is_empty(data_dir: Path) -> None:
    """Reading makes no file and no directory."""
    assert known_stores(data_dir) == known_stores(None)
    assert not data_dir.exists()


@posix
def test_the_files_are_private(tmp_path: Path, data_dir: Path) -> None:
    """0600 in a 0700 directory, whatever the umask; the lock too."""
    before = os.umask(0)
    try:
        register_store(data_dir, repository(tmp_path / "a.git"))
    finally:
        os.umask(before)
    assert data_dir.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o077 for path in data_dir.iterdir()}.items() <= {
        (REGISTRY_NAME, 0),
        (f"{REGISTRY_NAME}.lock", 0),
    }


@posix
def test_a_directory_of_others_keeps_its_mode(tmp_path: Path) -> None:
    """MEMGIT_DATA_DIR may name a directory that exists: its mode is not ours to change."""
    tmp_path.chmod(0o755)
    register_store(tmp_path, repository(tmp_path / "a.git"))
    assert tmp_path.stat().st_mode & 0o777 == 0o755
    assert (tmp_path / REGISTRY_NAME).stat().st_mode & 0o777 == 0o600


def test_a_day_is_noted_once(tmp_path: Path, data_dir: Path) -> None:
    """A second command of the same day writes nothing; another day, or another identity, does."""
    entry = repository(tmp_path / "a.git")
    file = data_dir / REGISTRY_NAME
    with clock.pinned(0.0, step=1.0):
        register_store(data_dir, entry)
        before = file.read_bytes()
        register_store(data_dir, entry)
        assert file.read_bytes() == before
        register_store(data_dir, StoreEntry(entry.path, entry.store_id, "wsp_one", "prj_two"))
    assert [store.project_id for store in known_stores(data_dir).stores] == ["prj_two"]
    with clock.pinned(DAY):
        register_store(data_dir, StoreEntry(entry.path, entry.store_id, "wsp_one", "prj_two"))
    assert known_stores(data_dir).stores[0].last_seen.startswith("1970-01-02")


def test_dead_stores_are_skipped_and_then_pruned(tmp_path: Path, data_dir: Path) -> None:
    """A repository that is gone is out of sight at once and out of the file at the next write."""
    gone, stays = repository(tmp_path / "gone.git"), repository(tmp_path / "stays.git")
    register_store(data_dir, gone)
    register_store(data_dir, stays)
    (tmp_path / "gone.git" / "HEAD").unlink()
    assert paths(data_dir) == [stays.path]
    assert gone.path in (data_dir / REGISTRY_NAME).read_text()
    register_store(data_dir, repository(tmp_path / "new.git"))
    assert "gone.git" not in (data_dir / REGISTRY_NAME).read_text()


def test_a_store_can_be_forgotten(tmp_path: Path, data_dir: Path) -> None:
    """Forgetting takes out one path and leaves the others."""
    first, second = repository(tmp_path / "a.git"), repository(tmp_path / "b.git")
    register_store(data_dir, first)
    register_store(data_dir, second)
    assert forget_store(data_dir, tmp_path / "a.git") == ()
    assert paths(data_dir) == [second.path]


@pytest.mark.parametrize(
    "damage",
    [
        b"",
        b"{",
        b"[]",
        b'{"v": 1}',
        b'{"v": "1", "stores": []}',
        b'{"v": true, "stores": []}',
        b"\xff\xfe",
        b"[" * 100_000,
        b" " * (REGISTRY_BYTES + 1),
    ],
)
def test_a_damaged_file_is_set_aside_and_reported(tmp_path: Path, data_dir: Path, damage: bytes) -> None:
    """Reading moves it away once and says so; its bytes are kept; registering works from then on."""
    data_dir.mkdir(parents=True)
    (data_dir / REGISTRY_NAME).write_bytes(damage)
    known = known_stores(data_dir)
    assert known.stores == () and "damaged" in known.warnings[0]
    assert known_stores(data_dir).warnings == ()
    [aside] = data_dir.glob("*.damaged-*")
    assert aside.read_bytes() == damage
    entry = repository(tmp_path / "a.git")
    assert register_store(data_dir, entry) == ()
    assert paths(data_dir) == [entry.path]


def test_a_writer_that_meets_damage_sets_it_aside_too(tmp_path: Path, data_dir: Path) -> None:
    """Registering over a damaged file keeps its bytes, reports, and registers."""
    data_dir.mkdir(parents=True)
    (data_dir / REGISTRY_NAME).write_bytes(b"damage")
    entry = repository(tmp_path / "a.git")
    assert "damaged" in register_store(data_dir, entry)[0]
    assert paths(data_dir) == [entry.path]
    assert len(list(data_dir.glob("*.damaged-*"))) == 1


def test_malformed_entries_do_not_hide_the_others(tmp_path: Path, data_dir: Path) -> None:
    """An entry with a wrong type, id, path or time is skipped and counted."""
    good = repository(tmp_path / "a.git")
    register_store(data_dir, good)
    file = data_dir / REGISTRY_NAME
    document = json.loads(file.read_text())
    [right] = document["stores"]
    wrong = [{"path": "relative"}, {"path": "/a\0b"}, {"store_id": "x"}, {"workspace_id": "../"}, {"last_seen": "soon"}]
    document["stores"] = [7, {}, *({**right, **fields} for fields in wrong), {**right, "extra": 1}]
    file.write_text(json.dumps(document))
    known = known_stores(data_dir)
    assert [entry.path for entry in known.stores] == [good.path]
    assert "7 malformed entries" in known.warnings[0]


def test_a_later_version_is_left_alone(tmp_path: Path, data_dir: Path) -> None:
    """A newer memgit's file is neither read nor moved nor overwritten."""
    data_dir.mkdir(parents=True)
    file = data_dir / REGISTRY_NAME
    file.write_text('{"v": 2, "stores": []}')
    assert "version 2" in known_stores(data_dir).warnings[0]
    assert "version 2" in register_store(data_dir, repository(tmp_path / "a.git"))[0]
    assert file.read_text() == '{"v": 2, "stores": []}'


def test_a_place_that_cannot_be_written_is_a_warning(tmp_path: Path) -> None:
    """A data directory that is a file, or lies below one, stops nobody's command."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    for place in (blocked, blocked / "below"):
        assert "was not updated" in register_store(place, repository(tmp_path / f"{len(place.parts)}.git"))[0]
        assert known_stores(place).stores == ()


def test_a_held_lock_is_a_warning(tmp_path: Path, data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that cannot have the lock in time says so and goes on."""
    from filelock import FileLock

    monkeypatch.setattr("memgit.scope.registry._LOCK_WAIT_SECONDS", 0.01)
    data_dir.mkdir(parents=True)
    with FileLock(data_dir / f"{REGISTRY_NAME}.lock"):
        warnings = register_store(data_dir, repository(tmp_path / "a.git"))
    assert "another process holds its lock" in warnings[0]


def test_what_a_dead_writer_left_is_no_obstacle(tmp_path: Path, data_dir: Path) -> None:
    """A temporary file of a killed process is replaced, and never read."""
    data_dir.mkdir(parents=True)
    (data_dir / f"{REGISTRY_NAME}.new").write_text("half")
    entry = repository(tmp_path / "a.git")
    assert register_store(data_dir, entry) == ()
    assert paths(data_dir) == [entry.path]
    assert not (data_dir / f"{REGISTRY_NAME}.new").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_a_path_that_is_not_utf8_survives(tmp_path: Path, data_dir: Path) -> None:
    """Git directories may have any bytes in their names."""
    entry = repository(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.git")))
    register_store(data_dir, entry)
    assert paths(data_dir) == [entry.path]


def test_writers_at_the_same_time_lose_nothing(tmp_path: Path, data_dir: Path) -> None:
    """Several processes that register at once are all there afterwards."""
    program = (
        "import sys; from pathlib import Path; from memgit.scope.registry import StoreEntry, register_store\n"
        "data, *paths = sys.argv[1:]\n"
        "for path in paths:\n"
        "    assert not register_store(Path(data), StoreEntry(path, 'sto_' + '0' * 26, 'w', 'p'))\n"
    )
    groups = [[repository(tmp_path / f"{writer}-{n}.git").path for n in range(5)] for writer in range(4)]
    writers = [subprocess.Popen([sys.executable, "-c", program, str(data_dir), *group]) for group in groups]
    assert [writer.wait(timeout=60) for writer in writers] == [0] * 4
    assert sorted(paths(data_dir)) == sorted(path for group in groups for path in group)
