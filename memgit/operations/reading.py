"""What every reading request may say beside what it reads."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class ReadRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the requests that read. `layer` shared leaves the local layer out; `draft` takes a draft in."""

    layer: Literal["shared"] | None = None
    draft: str | None = None


class CodeRequest(ReadRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the requests that say of one thing what became of its code: in the working tree, or `at` a revision.

    `differences` adds what changed, bounded.
    """

    at: str | None = None
    differences: bool = False


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
    """The base of the requests whose answers are ordered by age as well as by relevance, and say how the code stands.

    `at`: against the code of a revision instead of the working tree. `differences` adds what changed in it, bounded.
    `merged_only` leaves out what was learned on branches that HEAD (or `at`) does not have.
    """

    recency: RecencyChoice = RecencyChoice()
    at: str | None = None
    differences: bool = False
    merged_only: bool = False
