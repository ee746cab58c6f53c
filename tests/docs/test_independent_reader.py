"""The page about the format is enough to write a reader: one that was written from it finds what memgit finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given

from memgit.records.codec import decode_op, encode_op
from memgit.records.fold import fold
from memgit.records.paths import parse_op_path
from memgit.records.state import State
from tests.docs.independent_reader import read_operations, state_of
from tests.records.strategies import World, asserted, law, path_of, revised, undone, worlds


def test_the_golden_store_is_read_alike(golden_dir: Path) -> None:
    """Statuses, heads, numbers, supersession and open cases of the tiny store."""
    root = golden_dir / "store"
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    wanted = json.loads((golden_dir / "state.json").read_text("ascii"))
    found = state_of(read_operations(files))
    assert {name for name in found if name.startswith("rel_")} == set(wanted["relations"])
    for name, entity in wanted["entities"].items():
        seen = found[name]
        assert (seen["status"], seen["disputed"], seen["heads"]) == (
            entity["status"],
            entity["disputed"],
            entity["heads"],
        )
        assert seen["superseded_by"] == entity["superseded_by"]
        assert seen["open_cases"] == sorted(entity["open_cases"])
        assert seen["numbers"] == {revision: number for revision, number, _, _ in entity["revisions"]}
    for name, relation in wanted["relations"].items():
        assert found[name]["void"] == relation["void"]


@law
@given(worlds())
def test_any_store_is_read_alike(world: World) -> None:
    """Forks, tombstones, undos, purges, unknown verbs and broken rules: both readers agree on every clone."""
    for clone in world.clones:
        ops = [decode_op(data, path) for name, data in clone.files.items() if (path := parse_op_path(name))]
        assert _plain(fold(ops, clone.purged)) == _seen(state_of(read_operations(clone.files)))


def test_undone_undos_and_undone_revisions_are_read_alike() -> None:
    """What random stores rarely hold: an undo that is undone, and revisions around one that is void."""
    first, second, third = asserted(1, 1), revised(2, 1, 2, 1), revised(3, 1, 3, 2)
    middle, last = undone(4, second), undone(4, third)
    for story in ([middle], [last, undone(5, last)], [middle, undone(5, third)], [last, undone(5, second)]):
        ops = [first, second, third, *story]
        files = {path_of(op): encode_op(op)[1] for op in ops}
        assert _plain(fold(ops)) == _seen(state_of(read_operations(files)))


def _plain(state: State) -> dict[str, Any]:
    entities = {
        name: (
            entity.status,
            entity.disputed,
            list(entity.lineage.heads),
            list(entity.superseded_by),
            sorted(entity.open_cases),
            {revision.id: revision.number for revision in entity.lineage.revisions},
        )
        for name, entity in state.entities.items()
    }
    others: dict[str, Any] = {name: [edge.void] for name, edge in state.relations.items()}
    for name, source in state.sources.items():
        others[name] = (source.void, source.checkpoint.cursor if source.checkpoint else None)
    for name, projection in state.projections.items():
        others[name] = (projection.void, projection.dropped)
    return entities | others


def _seen(found: dict[str, Any]) -> dict[str, Any]:
    fields = ("status", "disputed", "heads", "superseded_by", "open_cases", "numbers")
    return {name: _effective(name, item) or tuple(item[field] for field in fields) for name, item in found.items()}


def _effective(name: str, item: dict[str, Any]) -> Any:
    """Return what `_plain` says of a relation, source or projection; None for the others."""
    if name.startswith("rel_"):
        return [item["void"]]
    if name.startswith("src_"):
        checks = [op["payload"].get("cursor") for op in item["effective"] if op["verb"] == "checkpoint"]
        return item["void"], checks[-1] if checks else None
    if name.startswith("pjn_"):
        return item["void"], any(op["verb"] == "drop" for op in item["effective"])
    return None
