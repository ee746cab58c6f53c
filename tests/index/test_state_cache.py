"""The state cache equals a fresh fold, whatever it followed, and is never needed for correctness."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from msgspec.structs import replace

from memgit.index import state_writing
from memgit.index.state_cache import StateCache
from memgit.index.state_file import SCHEMA_VERSION
from memgit.records.fold import fold
from memgit.records.state import State
from tests.index.trees import open_database, write_snapshot
from tests.records.strategies import World, worlds


def content(cache: StateCache) -> tuple[object, ...]:
    """Return everything that the cache says."""
    entities = {entity.lineage.id: entity for entity in cache.entities()}
    relations = {edge.id: edge for name in entities for edge in cache.relations_at(name)}
    cases = {case.id: case for case in cache.cases(open_only=False)}
    return entities, relations, cases, tuple(cache.problems())


def expected(state: State) -> tuple[object, ...]:
    """Return what a fresh fold says, in the same form."""
    known = {
        relation.id: relation
        for relation in state.relations.values()
        if relation.payload.source in state.entities or relation.payload.target in state.entities
    }
    return state.entities, known, state.cases, state.problems


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow])
@given(world=worlds())
def test_following_any_difference_equals_a_fresh_fold(world: World) -> None:
    """From one clone's tree to another's, forwards, sideways and through purges: always the fold of the tip."""
    with tempfile.TemporaryDirectory() as directory:
        database = open_database(Path(directory) / "store.git")
        cache = StateCache(Path(directory) / "cache")
        for seq, number in enumerate((0, 1, 2, 0, 2, 1), start=1):
            clone = world.clones[number]
            snapshot = write_snapshot(database, clone.files, seq)
            cache.refresh(snapshot)
            state = fold(clone.ops.values(), clone.purged)
            assert content(cache) == expected(state)
            scopes = [entity.lineage.scope for entity in state.entities.values()]
            for scope in scopes:
                inside = [other for other in scopes if other in (scope, replace(scope, task=None))]
                assert cache.holds_more_than(scope) == (len(inside) < len(scopes))
        cache.close()


@pytest.fixture
def world() -> World:
    """A world in which a few things happened."""
    from tests.records.strategies import Step, _run

    actions = ("assert", "put", "revise", "relate", "end", "assert", "relate", "undo", "break a rule")
    return _run([Step(action, 0, number, number + 1) for number, action in enumerate(actions)])


def test_deleting_the_cache_costs_nothing_but_time(world: World, tmp_path: Path) -> None:
    """A new cache says what the old one said."""
    snapshot = write_snapshot(open_database(tmp_path / "store.git"), world.clones[0].files, 1)
    first = StateCache(tmp_path / "one")
    first.refresh(snapshot)
    second = StateCache(tmp_path / "two")
    second.refresh(snapshot)
    assert content(first) == content(second)


@pytest.mark.parametrize("damage", [b"", b"not a database at all" * 100, None])
def test_a_damaged_cache_is_rebuilt_and_says_so_once(world: World, tmp_path: Path, damage: bytes | None) -> None:
    """Emptied, overwritten, or damaged in the middle: rebuilt from the commits."""
    snapshot = write_snapshot(open_database(tmp_path / "store.git"), world.clones[0].files, 1)
    cache = StateCache(tmp_path)
    cache.refresh(snapshot)
    wanted = content(cache)
    cache.close()
    (file,) = list(tmp_path.glob("state-*.sqlite"))
    data = file.read_bytes()
    file.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096) if damage is None else damage)
    again = StateCache(tmp_path)
    again.refresh(snapshot)
    assert content(again) == wanted
    notes = again.take_notes()
    assert damage == b"" or any("rebuilt" in note for note in notes)  # an empty file is a new database to SQLite
    assert again.take_notes() == []


def test_damage_in_mid_read_is_mended(world: World, tmp_path: Path) -> None:
    """A file that is damaged under an open reader is rebuilt, and the read answers."""
    snapshot = write_snapshot(open_database(tmp_path / "store.git"), world.clones[0].files, 1)
    cache = StateCache(tmp_path, lambda: snapshot)
    cache.refresh(snapshot)
    wanted = content(cache)
    cache._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    cache._connection.execute("PRAGMA cache_size = 0")
    (file,) = tmp_path.glob("state-*.sqlite")
    with file.open("r+b") as opened:
        opened.seek(4096)
        opened.write(b"\xff" * (file.stat().st_size - 4096))
    cache._connection.execute("PRAGMA shrink_memory")
    assert content(cache) == wanted
    assert any("rebuilt" in note for note in cache.take_notes())


def test_a_cache_deleted_while_it_is_open_is_made_again(world: World, tmp_path: Path) -> None:
    """A reader that holds the file open goes on; the next one starts anew."""
    database = open_database(tmp_path / "store.git")
    cache = StateCache(tmp_path / "cache")
    cache.refresh(write_snapshot(database, world.clones[0].files, 1))
    wanted = content(cache)
    for file in (tmp_path / "cache").iterdir():
        file.unlink()
    assert content(cache) == wanted
    fresh = StateCache(tmp_path / "cache")
    fresh.refresh(write_snapshot(database, world.clones[0].files, 1))
    assert content(fresh) == wanted


def test_readers_see_the_old_state_or_the_new_one(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refresh is one transaction: nothing of it shows before it ends."""
    database = open_database(tmp_path / "store.git")
    cache = StateCache(tmp_path / "cache")
    cache.refresh(write_snapshot(database, {}, 1))
    reader = StateCache(tmp_path / "cache")
    empty = content(reader)

    class Stop(Exception):
        pass

    def stop(*_: object) -> None:
        assert content(reader) == empty
        raise Stop

    monkeypatch.setattr(state_writing, "_describe", stop)  # all else is stored by then
    with pytest.raises(Stop):
        cache.refresh(write_snapshot(database, world.clones[0].files, 2))
    assert content(StateCache(tmp_path / "cache")) == empty


def test_a_place_that_cannot_be_written_still_answers(world: World, tmp_path: Path) -> None:
    """A read-only repository is computed in memory, and the answer says so."""
    snapshot = write_snapshot(open_database(tmp_path / "store.git"), world.clones[0].files, 1)
    blocked = tmp_path / "file"
    blocked.write_text("a file where the cache directory should be")
    cache = StateCache(blocked / "cache")
    cache.refresh(snapshot)
    assert content(cache) == expected(fold(world.clones[0].ops.values(), world.clones[0].purged))
    assert any("cannot be written" in note for note in cache.take_notes())


def test_a_changed_watermark_is_not_believed(world: World, tmp_path: Path) -> None:
    """What the file says of itself is under a checksum: another seq or commit means that all is folded anew."""
    snapshot = write_snapshot(open_database(tmp_path / "store.git"), world.clones[0].files, 1)
    cache = StateCache(tmp_path)
    cache.refresh(snapshot)
    wanted, mark = content(cache), cache.watermark
    cache.close()
    (file,) = tmp_path.glob("state-*.sqlite")
    with sqlite3.connect(file) as connection:
        connection.execute("UPDATE meta SET value = '9' WHERE key = 'seq'")
    connection.close()
    again = StateCache(tmp_path)
    assert again.watermark is None
    again.refresh(snapshot)
    assert (content(again), again.watermark) == (wanted, mark)


FLIPPED = "CAST(substr(body, 1, length(body) - 1) || x'7e' AS BLOB)"


@pytest.mark.parametrize(
    ("table", "changed"),
    [
        ("entities", FLIPPED),
        ("relations", FLIPPED),
        ("stores", FLIPPED),
        ("entities", "(SELECT body FROM entities ORDER BY id LIMIT 1)"),
    ],
)
def test_a_changed_row_is_never_read(world: World, tmp_path: Path, table: str, changed: str) -> None:
    """Whatever it is a row of, and what stands under another's key: all is rebuilt, and that is said once."""
    snapshot = write_snapshot(open_database(tmp_path / "store.git"), world.clones[0].files, 1)
    cache = StateCache(tmp_path, lambda: snapshot)
    cache.refresh(snapshot)
    names = [entity.lineage.id for entity in cache.entities()]
    everything = [*names, *(edge.id for name in names for edge in cache.relations_at(name))]
    wanted = content(cache), cache.cancels_of(everything), cache.stores()
    rows = sqlite3.connect(tmp_path / f"state-{SCHEMA_VERSION}.sqlite", isolation_level=None)
    cache.release()
    assert rows.execute(f"UPDATE {table} SET body = {changed}").rowcount > 0
    rows.close()
    assert (content(cache), cache.cancels_of(everything), cache.stores()) == wanted
    assert len([note for note in cache.take_notes() if "checksum" in note]) == 1
    cache.close()


def test_another_version_of_the_cache_is_another_file(tmp_path: Path) -> None:
    """The file's name carries the version, so two programs do not fight over one."""
    StateCache(tmp_path).close()
    names = [path.name for path in tmp_path.iterdir() if path.suffix == ".sqlite"]
    assert names == ["state-5.sqlite"]
    assert sqlite3.connect(tmp_path / names[0]).execute("SELECT count(*) FROM entities").fetchone() == (0,)
