"""Names of things: a prefix and a lower-case ULID, one NewType each.

Scope ids are the exception: a workspace, project or task may carry any short slug, because other systems name theirs.
"""

from __future__ import annotations

import re
from typing import Literal, NewType

from memgit import clock

ClaimId = NewType("ClaimId", str)
ArtifactId = NewType("ArtifactId", str)
RelationId = NewType("RelationId", str)
SourceId = NewType("SourceId", str)
ProjectionId = NewType("ProjectionId", str)
EntityId = str  # any of the five above; the prefix tells which
RevisionId = NewType("RevisionId", str)
StoreId = NewType("StoreId", str)
OpDigest = NewType("OpDigest", str)
BlobDigest = NewType("BlobDigest", str)
CaseId = NewType("CaseId", str)
CommitId = NewType("CommitId", str)

EntityKind = Literal["claim", "artifact", "relation", "source", "projection"]

ULID = r"[0-7][0-9a-hjkmnp-tv-z]{25}"
DIGEST = r"[0-9a-f]{64}"

KIND_BY_PREFIX: dict[str, EntityKind] = {
    "clm": "claim",
    "art": "artifact",
    "rel": "relation",
    "src": "source",
    "pjn": "projection",
}
PREFIX_BY_KIND: dict[EntityKind, str] = {kind: prefix for prefix, kind in KIND_BY_PREFIX.items()}
REVISION_PREFIX: dict[EntityKind, str] = {"claim": "crev", "artifact": "arev"}

_ENTITY = re.compile(rf"(?:{'|'.join(KIND_BY_PREFIX)})_{ULID}")
_REVISION = re.compile(rf"(?:crev|arev)_{ULID}")
_DIGEST = re.compile(DIGEST)
_SCOPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_STORE = re.compile(rf"sto_{ULID}")


def is_entity_id(text: str) -> bool:
    """Tell whether `text` has the form of an entity's id."""
    return _ENTITY.fullmatch(text) is not None


def is_revision_id(text: str) -> bool:
    """Tell whether `text` has the form of a claim's or an artifact's revision id."""
    return _REVISION.fullmatch(text) is not None


def is_digest(text: str) -> bool:
    """Tell whether `text` is a BLAKE3 digest in lower-case hexadecimal (64 characters)."""
    return _DIGEST.fullmatch(text) is not None


def is_scope_id(text: str) -> bool:
    """Tell whether `text` can name a workspace, project or task: 1 to 128 characters, no separators, no `..`."""
    return _SCOPE.fullmatch(text) is not None and ".." not in text


def is_store_id(text: str) -> bool:
    """Tell whether `text` has the form of a store's id."""
    return _STORE.fullmatch(text) is not None


def kind_of(entity: EntityId) -> EntityKind:
    """Return what a well-formed entity id names. KeyError where its prefix is unknown."""
    return KIND_BY_PREFIX[entity.partition("_")[0]]


def new_entity_id(kind: EntityKind) -> EntityId:
    """Return a fresh id for an entity of this kind."""
    return f"{PREFIX_BY_KIND[kind]}_{clock.new_ulid()}"


def new_revision_id(kind: EntityKind) -> RevisionId:
    """Return a fresh revision id for a claim or an artifact. KeyError for kinds without revisions."""
    return RevisionId(f"{REVISION_PREFIX[kind]}_{clock.new_ulid()}")


def new_scope_id(kind: Literal["wsp", "prj", "tsk"]) -> str:
    """Return a fresh id of a workspace, project or task."""
    return f"{kind}_{clock.new_ulid()}"


def new_store_id() -> StoreId:
    """Return a fresh store id."""
    return StoreId(f"sto_{clock.new_ulid()}")
