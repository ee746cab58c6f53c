"""Claims that say the same in nearly the same words, shown once. Never two that could differ in what they say.

The same is: the same content words in the same order, whatever the case, inflection, punctuation and function words;
and exactly the same numbers, names and negations. `A supersedes B` is not `B supersedes A`, `is cached` is not `is not
cached`, `port 80` is not `port 8080`. What is disputed, has a value of its own or other validity is never collapsed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memgit.index.analysis import chunk_forms, tokens
from memgit.index.languages.detect import languages_of
from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload
from memgit.retrieval.candidates import Candidate

_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot|unless|except|only|\w+n['\u2019]?t)\b",
    re.IGNORECASE,
)
_FIELDS = ("claim_type", "subject", "component", "valid_from", "valid_until", "value", "sensitivity")


def collapsed(claims: Sequence[Candidate]) -> list[tuple[Candidate, tuple[EntityId, ...]]]:
    """Return the claims in their order without repetitions, each with the ids of those that say the same."""
    kept: dict[object, Candidate] = {}
    same: dict[EntityId, list[EntityId]] = {}
    for claim in claims:
        first = kept.setdefault(_identity(claim), claim)
        same.setdefault(first.id, [])
        if first is not claim:
            same[first.id].append(claim.id)
    return [(claim, tuple(same[claim.id])) for claim in kept.values()]


def _identity(claim: Candidate) -> object:
    """Return what two claims that say the same have in common."""
    payload = claim.revision.payload
    if not isinstance(payload, ClaimPayload) or claim.entity.disputed or payload.statement is None:
        return claim.id, claim.revision.id
    languages = languages_of(payload.statement)[:1]
    chunks = [token.chunk for token in tokens(payload.statement)]
    said = tuple(
        chunk.whole if chunk.shape != "word" else tuple(sorted(chunk_forms(chunk, languages))) for chunk in chunks
    )
    if not said:
        return claim.id, claim.revision.id
    negations = tuple(found.lower() for found in _NEGATION.findall(payload.statement))
    described = tuple(getattr(payload, field) for field in _FIELDS)
    return said, negations, described, claim.entity.lineage.scope, bool(claim.reasons)
