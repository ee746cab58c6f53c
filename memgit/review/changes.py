"""What a difference of two states consists of: values only. `memgit.review.compare` makes them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from memgit.records.ids import CaseId, EntityId, EntityKind, OpDigest, RelationId, RevisionId
from memgit.records.op import RelationType
from memgit.records.state import CaseKind, CaseStatus, Problem, Status
from memgit.review.fields import FieldChange
from memgit.review.words import TextChange

EntityVerb = Literal[
    "new",
    "revised",
    "retracted",
    "forgotten",
    "superseded",
    "withdrawn",
    "undone",
    "restored",
    "disputed",
    "settled",
    "noted",
    "gone",
]
"""What became of an entity, the weightiest where several hold. `undone`: its creation was. `noted`: operations were
added that change nothing of what is shown. `gone`: it is not there any more, which only a purge does."""

SmallVerb = Literal["new", "dropped", "undone", "restored", "noted", "gone"]
CaseVerb = Literal["opened", "reopened", "staled", "resolved", "passed", "noted", "gone"]
"""`passed`: a case that was opened and closed between the two states."""


class OpRef(Struct, frozen=True, kw_only=True):
    """One operation that the difference holds. Author and reason are empty where only the fold was at hand."""

    digest: OpDigest
    seq: int
    verb: str
    at: str
    author: str = ""
    agent: str | None = None
    reason: str | None = None
    void: bool = False


class EntityChange(Struct, frozen=True, kw_only=True):
    """A claim or an artifact that differs. `text` is its statement or title as it is (was, where it is gone).

    The pairs are before and after. `fields` compare the two current revisions; `content` the bytes of the two.
    """

    id: EntityId
    kind: EntityKind
    change: EntityVerb
    text: str
    about: str  # the type of a claim, the kind of an artifact
    project: str
    task: str | None
    statuses: tuple[Status | None, Status | None]
    revisions: tuple[RevisionId | None, RevisionId | None]
    number: int
    citation: str
    heads: tuple[RevisionId, ...] = ()  # where there are several
    disputed: bool = False
    author: str = ""
    agent: str | None = None
    at: str = ""
    reason: str | None = None
    superseded_by: tuple[EntityId, ...] = ()
    evidence: tuple[str, ...] = ()
    fields: tuple[FieldChange, ...] = ()
    content: TextChange | None = None
    ops: tuple[OpRef, ...] = ()


class SmallChange(Struct, frozen=True, kw_only=True):
    """A source or a projection that differs. `text` is its name or its derived text; `of` what it was derived from."""

    id: EntityId
    kind: EntityKind
    change: SmallVerb
    about: str
    text: str
    of: EntityId | None = None
    author: str = ""
    at: str = ""
    ops: tuple[OpRef, ...] = ()


class RelationChange(Struct, frozen=True, kw_only=True):
    """An edge that differs, with the texts of its ends where they are known."""

    id: RelationId
    change: SmallVerb
    source: EntityId
    relation: RelationType
    target: EntityId
    source_text: str | None = None
    target_text: str | None = None
    author: str = ""
    at: str = ""
    ops: tuple[OpRef, ...] = ()


class CaseSide(Struct, frozen=True, kw_only=True):
    """A revision that a case is over, and whose it is. `arrives`: the state before did not hold it."""

    entity: EntityId
    revision: RevisionId
    text: str
    author: str = ""
    at: str = ""
    arrives: bool = False


class CaseChange(Struct, frozen=True, kw_only=True):
    """A conflict case that differs."""

    id: CaseId
    kind: CaseKind
    change: CaseVerb
    statuses: tuple[CaseStatus | None, CaseStatus | None]
    sides: tuple[CaseSide, ...]
    relation: RelationId | None = None


class StoreChange(Struct, frozen=True, kw_only=True):
    """A store record that is new: who began a store, or that a store joined another."""

    store: str
    workspace: str
    project: str
    at: str
    alias_of: str | None = None


class PurgeChange(Struct, frozen=True, kw_only=True):
    """A purge marker that is new."""

    entities: tuple[EntityId, ...]
    at: str
    reason: str | None = None


class Diff(Struct, frozen=True, kw_only=True):
    """The difference of two states. Each operation that came is in `ops` of one change, in `ignored`, or in `purged`.

    `heeded` are problems of before that are none any more. `left_out` counts, by section, what a bound left out;
    `counts` are whole in any case.
    """

    claims: tuple[EntityChange, ...] = ()
    artifacts: tuple[EntityChange, ...] = ()
    relations: tuple[RelationChange, ...] = ()
    conflicts: tuple[CaseChange, ...] = ()
    sources: tuple[SmallChange, ...] = ()
    projections: tuple[SmallChange, ...] = ()
    stores: tuple[StoreChange, ...] = ()
    purges: tuple[PurgeChange, ...] = ()
    ignored: tuple[Problem, ...] = ()
    heeded: tuple[Problem, ...] = ()
    purged: tuple[OpRef, ...] = ()
    authors: dict[str, int] = {}  # operations that came, by author
    counts: dict[str, int] = {}
    left_out: dict[str, int] = {}

    @property
    def is_empty(self) -> bool:
        """Whether the two states are equal."""
        return not any(getattr(self, name) for name in SECTIONS)


SECTIONS = (
    "conflicts",
    "claims",
    "artifacts",
    "relations",
    "sources",
    "projections",
    "stores",
    "purges",
    "ignored",
    "heeded",
    "purged",
)
"""The lists of a difference, in the order in which somebody who decides wants to see them."""
