"""What the tests of layers share: random writes to layers, and what a reader that knows no cache makes of them."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from memgit.index.state_cache import StateCache
from memgit.operations.invocation import Invocation
from memgit.protocol.envelope import answer
from memgit.records.fold import fold
from memgit.records.op import Op
from memgit.records.paths import KIND_BY_DIRECTORY, parse_op_path
from memgit.records.state import State
from memgit.store.layers import Layers

LAYERS = ("shared", "local", "draft:one", "draft:two")


def target(layer: str) -> dict[str, str]:
    """Return the fields of a request that goes to a layer."""
    return {"draft": layer.removeprefix("draft:")} if layer.startswith("draft:") else {"layer": layer}


def layers_of(directory: Path) -> tuple[Invocation, Layers]:
    """Return the layers of a repository, and what to close."""
    invocation = Invocation(directory)
    return invocation, invocation.layers


def ops_in(layers: Layers, layer: str) -> list[Op]:
    """Return all operations of one layer's tree."""
    if layer != "shared" and layer not in layers.names():
        return []
    snapshot = layers.store(layer).snapshot()
    found = []
    for top in KIND_BY_DIRECTORY:
        for path, oid in snapshot.files(top):
            name = parse_op_path(path)
            assert name is not None
            op = snapshot.decode(name, oid)
            assert isinstance(op, Op), op
            found.append(op)
    return found


def folded(layers: Layers, names: Iterable[str]) -> State:
    """Return the fold of the united operations of layers."""
    ops = {op.digest: op for layer in names for op in ops_in(layers, layer)}
    return fold(ops.values())


def cached(state: StateCache) -> tuple[Any, Any]:
    """Return what a state cache says of entities and cases."""
    return {entity.lineage.id: entity for entity in state.entities()}, {
        case.id: case for case in state.cases(open_only=False)
    }


class Writes:
    """A random writer: it writes to layers what these can hold, and remembers what it was told."""

    def __init__(self, directory: Path, seed: int) -> None:
        self.directory = directory
        self.random = random.Random(seed)
        self.claims: dict[str, list[str]] = {layer: [] for layer in LAYERS}
        self.refused: list[tuple[str, dict[str, Any], dict[str, Any]]] = []

    def call(self, op: str, **fields: Any) -> dict[str, Any]:
        """Run an operation and return its envelope."""
        return answer({"op": op, "input": fields}, self.directory).envelope

    def step(self) -> None:
        """Write something somewhere. What names what its layer does not see is refused."""
        layer = self.random.choice(LAYERS)
        kind = self.random.choice(("assert", "assert", "remember", "revise", "retract", "relate"))
        everything = [claim for claims in self.claims.values() for claim in claims]
        if kind in ("assert", "remember") or len(everything) < 2:
            text = f"statement {self.random.random()}"
            written = (
                self.call("remember", text=text, **target(layer))
                if kind == "remember"
                else self.call("claim.assert", claim_type="fact", statement=text, **target(layer))
            )
            assert written["ok"], written
            self.claims[layer].append(written["result"]["claim_id"])
            return
        source, other = self.random.sample(everything, 2)
        if kind == "relate":
            relation = self.random.choice(("contradicts", "supersedes", "supports"))
            self.try_("relation.put", layer, source=source, target=other, relation=relation)
            return
        heads = self.heads(source, layer)
        if not heads:
            return
        change = {"statement": f"again {self.random.random()}"} if kind == "revise" else {"reason": "it ended"}
        self.try_(f"claim.{kind}", layer, claim_id=source, if_revisions=heads, **change)

    def heads(self, claim: str, layer: str) -> Sequence[str]:
        """Return the heads that a writer to a layer sees."""
        sight = {"draft": layer.removeprefix("draft:")} if layer.startswith("draft:") else {}
        sight = sight or ({"layer": "shared"} if layer == "shared" else {})
        shown = self.call("claim.get", claim_id=claim, **sight)
        heads: list[str] = shown["result"]["heads"] if shown["ok"] else []
        return heads

    def try_(self, op: str, layer: str, **fields: Any) -> None:
        """Write what may be refused."""
        envelope = self.call(op, **fields, **target(layer))
        if not envelope["ok"]:
            self.refused.append((layer, fields, envelope["error"]))


def ids_named(op: Op) -> set[str]:
    """Return the entities that an operation names beside its own."""
    payload = op.payload
    named = {getattr(payload, "source", None), getattr(payload, "target", None)}
    named |= {item.artifact for item in getattr(payload, "evidence", ())}
    return {name for name in named if name is not None}
