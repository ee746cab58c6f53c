"""A reader of the format that is written from `docs/format.md` alone: no module of memgit, only YAML, BLAKE3 and JSON.

It exists to show that the page is enough, and as a second opinion for the fold. Slow and short on purpose.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import yaml
from blake3 import blake3

Record = dict[str, Any]

_OP = re.compile(
    r"(?P<top>[a-z]+)/(?P<a>.)/(?P<b>.)/(?P<c>.)/(?P<entity>[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25})"
    r"\.(?P<seq>0|[1-9][0-9]{0,15})-(?P<verb>[a-z][a-z_]{0,31})-(?P<digest>[0-9a-f]{64})\.yaml"
)
_VERBS = {
    "clm": {"assert", "revise", "retract", "undo", "acknowledge"},
    "art": {"put", "revise", "forget", "withdraw", "undo", "acknowledge"},
    "rel": {"put", "undo"},
    "src": {"register", "checkpoint", "undo"},
    "pjn": {"put", "drop", "undo"},
}
_CREATING, _TOMBSTONES = {"assert", "put", "register"}, {"retract", "forget"}
_WITHOUT_STATUS = ("rel_", "src_", "pjn_")


def read_operations(files: Mapping[str, bytes]) -> list[Record]:
    """Return the operations of a tree, each with its `digest`; purge markers in the tree take theirs out."""
    ops = []
    for path, data in files.items():
        match = _OP.fullmatch(path)
        if match is None:
            continue
        entity = match["entity"]
        assert (match["a"], match["b"], match["c"]) == (entity[-1], entity[-2], entity[-3])
        assert blake3(data).hexdigest() == match["digest"]
        record = _record(data)
        assert [record["entity"], record["seq"], record["verb"]] == [entity, match["seq"], match["verb"]]
        ops.append({**record, "seq": int(record["seq"]), "digest": match["digest"]})
    markers = [_record(data) for path, data in files.items() if path.startswith("purges/")]
    gone = {entity for marker in markers for entity in marker["entities"]}
    return [op for op in ops if op["entity"] not in gone]


def state_of(ops: Iterable[Record]) -> dict[str, Record]:
    """Return entities by id with what the page says of each; of all others what is effective."""
    groups: defaultdict[str, dict[str, Record]] = defaultdict(dict)
    for op in ops:
        groups[op["entity"]][op["digest"]] = op
    folded = {name: _fold(sorted(group.values(), key=_order)) for name, group in groups.items()}
    known = {name: entity for name, entity in folded.items() if entity is not None}
    relations = {name: entity for name, entity in known.items() if name.startswith("rel_")}
    entities = {name: entity for name, entity in known.items() if not name.startswith(_WITHOUT_STATUS)}
    _supersede(entities, relations)
    _open_cases(entities, relations)
    return {**known, **entities, **relations}


def case_id(*parts: Any) -> str:
    """Return the id of a conflict case."""
    return "case_" + blake3(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()[:32]


def _record(data: bytes) -> Record:
    assert data.startswith(b"format: 1\n")
    record: Record = yaml.load(data, Loader=yaml.BaseLoader)
    return record


def _order(op: Record) -> tuple[int, str]:
    return op["seq"], op["digest"]


def _fold(ops: list[Record]) -> Record | None:
    """Steps 2 to 6 of the page, for one entity."""
    counted, made = _count(ops)
    if not counted:
        return None
    void: set[str] = set()
    for op in reversed(counted):
        if op["verb"] == "undo" and op["digest"] not in void:
            void |= set(op["cancels"])
    revisions = [op for op in counted if "revision" in op]
    numbers: dict[str, int] = {}
    for op in revisions:
        numbers[op["revision"]] = 1 + max((numbers[parent] for parent in op["parents"]), default=0)
    tombstone = next((op for op in counted if op["verb"] in _TOMBSTONES and op["digest"] not in void), None)
    creator = counted[0]
    return {
        "payload": creator["payload"],
        "seqs": made,
        "void": creator["digest"] in void,
        "numbers": numbers,
        "parents": {op["revision"]: op["parents"] for op in revisions},
        "heads": [] if creator["digest"] in void else _heads(revisions, void),
        "tombstone": tombstone,
        "effective": [op for op in counted if op["digest"] not in void],
        "acknowledged": {
            op["payload"]["case"] for op in counted if op["verb"] == "acknowledge" and op["digest"] not in void
        },
    }


def _count(ops: list[Record]) -> tuple[list[Record], dict[str, int]]:
    counted: list[Record] = []
    made: dict[str, int] = {}
    seqs: dict[str, int] = {}
    creator = next((op for op in ops if op["verb"] in _CREATING and _is_known(op)), None)
    for op in ops:
        if creator is None or not _is_known(op) or (op["verb"] in _CREATING and op is not creator):
            continue
        if _order(op) < _order(creator) or op["scope"] != creator["scope"] or op.get("revision") in made:
            continue
        parents = [name for name in op.get("parents", []) if made.get(name, op["seq"]) < op["seq"]]
        cancels = [name for name in op.get("cancels", []) if seqs.get(name, op["seq"]) < op["seq"]]
        if (op["verb"] == "revise" and not parents) or (op["verb"] == "undo" and not cancels):
            continue
        counted.append({**op, "parents": parents, "cancels": cancels})
        seqs[op["digest"]] = op["seq"]
        if "revision" in op:
            made[op["revision"]] = op["seq"]
    return counted, made


def _is_known(op: Record) -> bool:
    return op["verb"] in _VERBS.get(op["entity"][:3], set())


def _heads(revisions: list[Record], void: set[str]) -> list[str]:
    covered: set[str] = set()
    heads: list[str] = []
    for op in reversed(revisions):
        is_void, name = op["digest"] in void, op["revision"]
        if not is_void and name not in covered:
            heads.insert(0, name)
        if not is_void or name in covered:
            covered |= set(op["parents"])
    return heads


def _supersede(entities: dict[str, Record], relations: dict[str, Record]) -> None:
    """Steps 7 and 8, and the second half of 9."""
    edges = [edge["payload"] for edge in relations.values() if _is(edge, "supersedes")]
    live = [edge for edge in edges if _stands(entities.get(edge["source"]))]
    counting = [edge for edge in live if not _reaches(live, edge["target"], edge["source"])]
    for name, entity in entities.items():
        entity["superseded_by"] = sorted({edge["source"] for edge in counting if edge["target"] == name})
        ended = entity["tombstone"] and {"retract": "retracted", "forget": "forgotten"}[entity["tombstone"]["verb"]]
        said = [op["verb"] for op in entity["effective"] if "revision" in op or op["verb"] == "withdraw"]
        present = "withdrawn" if said and said[-1] == "withdraw" else "active"
        superseded = "superseded" if entity["superseded_by"] else present
        entity["status"] = "void" if not entity["heads"] else ended or superseded
    doubted = {end for edge in edges if edge not in counting for end in (edge["source"], edge["target"])}
    for name, entity in entities.items():
        entity["disputed"] = entity["status"] == "active" and name in doubted


def _is(edge: Record, relation: str) -> bool:
    return not edge["void"] and edge["payload"]["relation"] == relation


def _stands(entity: Record | None) -> bool:
    return entity is not None and bool(entity["heads"]) and entity["tombstone"] is None


def _reaches(edges: list[Record], start: str, goal: str) -> bool:
    pending, seen = [start], {start}
    while pending:
        here = pending.pop()
        if here == goal:
            return True
        fresh = {edge["target"] for edge in edges if edge["source"] == here} - seen
        seen |= fresh
        pending += fresh
    return False


def _open_cases(entities: dict[str, Record], relations: dict[str, Record]) -> None:
    """The first half of step 9: which cases are open, by entity."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name, edge in relations.items():
        ends = [edge["payload"]["source"], edge["payload"]["target"]]
        claims = [entities.get(end) for end in ends if end.startswith("clm_")]
        active = [claim for claim in claims if claim is not None and claim["status"] == "active"]
        if _is(edge, "contradicts") and len(active) == 2:
            for end in ends:
                found[end].add(case_id("contradicts", name, active[0]["heads"][-1], active[1]["heads"][-1]))
    for name, entity in entities.items():
        if entity["status"] == "active" and len(entity["heads"]) > 1:
            found[name].add(case_id("fork", sorted(entity["heads"])))
        case = _tombstone_case(entity)
        if case is not None and case not in entity["acknowledged"]:
            found[name].add(case)
    for name, entity in entities.items():
        entity["open_cases"] = sorted(found[name])
        entity["disputed"] = entity["disputed"] or bool(found[name])


def _tombstone_case(entity: Record) -> str | None:
    if entity["tombstone"] is None:
        return None
    seen: set[str] = set()
    pending = list(entity["tombstone"]["parents"])
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending += entity["parents"][name]
    unseen = sorted(head for head in entity["heads"] if head not in seen)
    return case_id("tombstone", entity["tombstone"]["digest"], unseen) if unseen else None
