"""What every writing request may say beside what it writes."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from memgit.records import ids
from memgit.records.ids import EntityId


class WriteRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the requests that write. `allow_flagged`: somebody looked at what seems to be a secret; keep it.

    `layer` or `draft` says where to. Without either: where the entities live that it changes, else `MEMGIT_DRAFT`, else
    the setting `defaultLayer`.
    """

    allow_flagged: bool = False
    layer: Literal["shared", "local"] | None = None
    draft: str | None = None

    def changed(self) -> tuple[EntityId, ...]:
        """Return the entities that the request changes or relates; none for one that creates."""
        named = (getattr(self, field, None) for field in _ENTITY_FIELDS)
        return tuple(name for name in named if isinstance(name, str) and ids.is_entity_id(name))

    def built_on(self) -> tuple[str, ...]:
        """Return the revisions that the request builds on, as far as it names any."""
        one, several = getattr(self, "if_revision", None), getattr(self, "if_revisions", None)
        return tuple(name for name in (one, *(several or ())) if name is not None)


_ENTITY_FIELDS = ("claim_id", "artifact_id", "entity_id", "source_id", "projection_id", "source", "target")


WRITE_FIELDS = frozenset(WriteRequest.__struct_fields__)
"""Fields that say how to write, not what: they are no part of a request's digest."""
