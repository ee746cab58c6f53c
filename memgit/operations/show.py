"""`show`: whatever an id names, by a unique beginning of it."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from memgit.errors import InvalidRequest, NotFound
from memgit.operations.code_states import code_state
from memgit.operations.conflicts import ConflictGet
from memgit.operations.conflicts import get as get_conflict
from memgit.operations.invocation import Invocation
from memgit.operations.reading import CodeRequest
from memgit.operations.views import RelationView, entity_view, relation_view
from memgit.records.ids import RelationId
from memgit.retrieval.citations import ArtifactCitation, parse_citation

_SUGGESTED = 5


class Show(CodeRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show a claim, artifact, relation or conflict case by its id, a unique beginning of it, or a citation."""

    id: str


class Shown(Struct, frozen=True, kw_only=True):
    """What the id names, with its relations one hop away."""

    kind: str
    item: dict[str, Any]
    relations: tuple[RelationView, ...] = ()


def show(invocation: Invocation, request: Show) -> Shown:
    """Return what an id names. Raises NotFound, and InvalidRequest where a beginning is not unique."""
    wanted = request.id.strip()
    if wanted.startswith("case_"):
        view = get_conflict(invocation, ConflictGet(case_id=wanted))
        return Shown(kind="conflict", item=msgspec.to_builtins(view))
    revision_id = None
    if wanted.startswith("memoree://"):
        citation = parse_citation(wanted)
        wanted = citation.artifact if isinstance(citation, ArtifactCitation) else citation.claim
        revision_id = citation.revision
    state = invocation.state
    name = _unique(invocation, wanted)
    relation = state.relation(RelationId(name))
    if relation is not None:
        return Shown(kind="relation", item=msgspec.to_builtins(relation_view(relation, state.layer_of)))
    entity = state.entity(name)
    assert entity is not None
    revisions = [revision for revision in entity.lineage.revisions if revision.id == revision_id]
    revision = revisions[0] if revisions else entity.current
    view_of = entity_view(entity, revision, state.layer_of, invocation.trusts)
    view_of = replace(view_of, code_state=code_state(invocation, revision, request))
    relations = [edge for edge in state.relations_at(name) if not edge.void and invocation.sees(edge.scope)]
    relations.sort(key=lambda edge: (edge.seq, edge.digest), reverse=True)
    return Shown(
        kind=entity.lineage.kind,
        item=msgspec.to_builtins(view_of),
        relations=tuple(relation_view(edge, state.layer_of) for edge in relations),
    )


def _unique(invocation: Invocation, prefix: str) -> str:
    """Return the one id that starts with `prefix`, or else the one that ends with it.

    Ids of one day begin alike, because they begin with the time; their ends are random.
    """
    if len(prefix) < 5 or not prefix.isascii():
        raise InvalidRequest(
            f"{prefix[:80]!a} is {'too short to name anything' if prefix.isascii() else 'no part of an id'}",
            hint="Give at least five characters of an id: its last six are nearly always enough.",
        )
    state = invocation.state
    found = state.ids_with_prefix(prefix.lower(), _SUGGESTED + 1)
    found = found or state.ids_with_suffix(prefix.lower(), _SUGGESTED + 1)
    if prefix in found or len(found) == 1:
        return prefix if prefix in found else found[0]
    if not found:
        raise invocation.elsewhere(NotFound(f"no id starts or ends with {prefix[:80]}", details={"id": prefix[:80]}))
    shown = ", ".join(found[:_SUGGESTED]) + (", …" if len(found) > _SUGGESTED else "")
    raise InvalidRequest(f"{prefix} fits several ids: {shown}", hint="Give more of the id.")
