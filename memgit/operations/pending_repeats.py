"""Which claims that are in sight say nearly what a statement says, for somebody to look at before it is written.

By words alone, so that the answer is the same on each machine. It decides nothing: what is alike is said.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from memgit.index.analysis import chunk_forms, tokens
from memgit.index.languages.detect import languages_of
from memgit.operations.invocation import Invocation
from memgit.operations.reach import answers
from memgit.retrieval.candidates import Selection, candidates, one_per_entity
from memgit.retrieval.query import analyse_query
from memgit.retrieval.view import View

ALIKE = 0.6  # of all words of the two, those in both: a reworded sentence shares more, another matter of its kind less
_PROPOSALS = 8  # of the index, which puts what has the rarest of the words first
_SHOWN = 3


class Repeated(Struct, frozen=True, kw_only=True):
    """A claim that is there. `same`: it has the very words, whatever their case and spacing."""

    claim_id: str
    statement: str
    same: bool


def repeats(invocation: Invocation, statements: Sequence[str]) -> list[tuple[Repeated, ...]]:
    """Return for each statement the current claims of the ambient horizon that are like it, the likest first."""

    def ask(view: View) -> list[tuple[Repeated, ...]]:
        return [_like(view, statement) for statement in statements]

    _, found = next(answers(invocation, ask))
    return found


def _like(view: View, statement: str) -> tuple[Repeated, ...]:
    query = analyse_query(statement)
    if not query.units:
        return ()
    proposed = candidates(query, view, Selection(kinds=frozenset({"claim"})), _PROPOSALS, "score")
    found = []
    for candidate in one_per_entity(proposed):
        said = getattr(candidate.revision.payload, "statement", None) or ""
        likeness = _likeness(statement, said)
        if likeness >= ALIKE:
            repeated = Repeated(claim_id=candidate.id, statement=said, same=_folded(said) == _folded(statement))
            found.append((not repeated.same, -likeness, candidate.id, repeated))
    return tuple(repeated for *_, repeated in sorted(found, key=lambda each: each[:3])[:_SHOWN])


def _likeness(one: str, other: str) -> float:
    """Return the share of the two texts' words that both have, from 0 to 1, inflection aside."""
    here, there = _words(one), _words(other)
    return len(here & there) / len(here | there) if here or there else 0.0


@lru_cache(maxsize=512)
def _words(text: str) -> frozenset[object]:
    languages = languages_of(text)[:1]
    chunks = [token.chunk for token in tokens(text)]
    return frozenset(
        chunk.whole if chunk.shape != "word" else frozenset(chunk_forms(chunk, languages)) for chunk in chunks
    )


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
