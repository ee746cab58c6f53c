"""What every writing request may say beside what it writes."""

from __future__ import annotations

from msgspec import Struct


class WriteRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the requests that write. `allow_flagged`: somebody looked at what seems to be a secret; keep it."""

    allow_flagged: bool = False


WRITE_FIELDS = frozenset(WriteRequest.__struct_fields__)
"""Fields that say how to write, not what: they are no part of a request's digest."""
