"""Claims that say the same in nearly the same words, shown once. Never two that could differ in what they say.

The same is: the same content words in the same order, whatever the case, inflection, punctuation and function words;
and exactly the same numbers, names and negations. `A supersedes B` is not `B supersedes A`, `is cached` is not `is not
cached`, `port 80` is not `port 8080`. What is disputed, has a value of its own or other validity is never collapsed,
and an author whom nobody trusts does not stand for one who is trusted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from memgit.index.analysis import chunk_forms, tokens
from memgit.index.english import STOP_WORDS
from memgit.index.languages.detect import languages_of
from memgit.records.ids import EntityId
from memgit.records.op import ClaimPayload
from memgit.retrieval.candidates import Candidate

_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nothing|nobody|neither|nor|without|cannot|unless|except|only|\w+n['\u2019]?t)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
_FIELDS = ("claim_type", "subject", "component", "valid_from", "valid_until", "value", "sensitivity")


def collapsed(claims: Sequence[Candidate]) -> list[tuple[Candidate, tuple[EntityId, ...]]]:
    """Return the claims in their order without repetitions, each with the ids of those that say the same."""
    kept: list[tuple[Candidate, list[EntityId]]] = []
    by_identity: dict[object, list[tuple[Candidate, list[EntityId]]]] = {}
    for claim, identity in zip(claims, _identities(claims), strict=True):
        alike = by_identity.setdefault(identity, [])
        first = next((each for each in alike if each[0].is_trusted == claim.is_trusted), None)
        if first is not None:
            first[1].append(claim.id)
        else:
            alike.append((claim, []))
            kept.append(alike[-1])
    return [(claim, tuple(same)) for claim, same in kept]


def _identities(claims: Sequence[Candidate]) -> list[object]:
    """Return what each claim says. Only where the first letters of words agree are whole statements compared."""
    outlines = [_outline(claim) for claim in claims]
    counts = Counter(outlines)
    return [
        _identity(claim) if counts[outline] > 1 else claim.id for claim, outline in zip(claims, outlines, strict=True)
    ]


def _outline(claim: Candidate) -> frozenset[str]:
    """Return the first letters of a claim's content words, which inflection leaves alone."""
    statement = getattr(claim.revision.payload, "statement", None) or ""
    return frozenset(word[0] for word in _WORD.findall(statement.casefold()) if word not in STOP_WORDS)


def _identity(claim: Candidate) -> object:
    """Return what two claims that say the same have in common."""
    payload = claim.revision.payload
    if not isinstance(payload, ClaimPayload) or claim.entity.disputed or payload.statement is None:
        return claim.id, claim.revision.id
    said = _said(payload.statement)
    if not said[0]:
        return claim.id, claim.revision.id
    described = tuple(getattr(payload, field) for field in _FIELDS)
    return said, described, claim.entity.lineage.scope, bool(claim.reasons)


@lru_cache(maxsize=2048)  # what is asked for often is recalled often
def _said(statement: str) -> tuple[tuple[object, ...], tuple[str, ...]]:
    """Return the content words and names of a statement in their order, and its negations."""
    languages = languages_of(statement)[:1]
    chunks = [token.chunk for token in tokens(statement)]
    said = tuple(
        chunk.whole if chunk.shape != "word" else tuple(sorted(chunk_forms(chunk, languages))) for chunk in chunks
    )
    return said, tuple(found.lower() for found in _NEGATION.findall(statement))
