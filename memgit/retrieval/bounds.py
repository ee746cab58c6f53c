"""How much one request may ask for. A number out of bounds is refused, never quietly changed."""

from __future__ import annotations

from dataclasses import dataclass

from memgit.errors import InvalidRequest, LimitExceeded


@dataclass(frozen=True, slots=True)
class Bound:
    """The least and the most that a request may give for a field, both allowed."""

    least: int
    most: int


CLAIMS = Bound(0, 50)  # an agent reads a handful; fifty statements are a review
ARTIFACT_REFS = Bound(0, 20)
CANDIDATES = Bound(0, 16)  # the protocol's
EXCERPT_BYTES = Bound(16, 2048)  # from a few words to a whole passage
SEARCH_HITS = Bound(1, 100)


def check(field: str, value: int, bound: Bound) -> None:
    """Return where `value` lies in `bound`. Raises InvalidRequest below it and LimitExceeded above."""
    if value < bound.least:
        raise InvalidRequest(f"`{field}` is {value}; at least {bound.least} is needed", details={"field": field})
    if value > bound.most:
        raise LimitExceeded(
            f"`{field}` is {value}; at most {bound.most} is allowed",
            hint=f"Ask for at most {bound.most}.",
            details={"limit": field, "value": bound.most, "size": value},
        )
