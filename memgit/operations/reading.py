"""What every reading request may say beside what it reads."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class ReadRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the requests that read. `layer` shared leaves the local layer out; `draft` takes a draft in."""

    layer: Literal["shared"] | None = None
    draft: str | None = None


class RetrievalRequest(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the requests that look for something. `as_of`: from what was known at a date, a commit or seq:N."""

    query: str
    horizon: str | None = None
    reason: str | None = None
    as_of: str | None = None
    min_commit_seq: int | None = None
    min_commit: str | None = None


class RecencyChoice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whether what relevance has chosen is ordered a little by age (`bounded_recency_v1`)."""

    enabled: bool = True


class OrderedRequest(RetrievalRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the requests whose answers are ordered by age as well as by relevance."""

    recency: RecencyChoice = RecencyChoice()
