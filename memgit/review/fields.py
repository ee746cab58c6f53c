"""What a revision says, field by field, and in what two revisions differ."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from memgit.records.op import Anchor, ArtifactPayload, ClaimPayload, Evidence
from memgit.retrieval.citations import ArtifactCitation
from memgit.review.words import Piece, word_diff

Field = tuple[str, str]
"""A field's name and its value as text. `evidence`, `marker` and `anchor` come once for each."""

REPEATED = frozenset({"evidence", "marker", "anchor"})

TEXT_CHARACTERS = 4_000
"""How much of one value a difference shows; a typed value may have 64 KiB."""


class FieldChange(Struct, frozen=True, kw_only=True):
    """One field as it was and as it is: None where it was not there. `pieces` are the words of a changed text."""

    name: str
    old: str | None
    new: str | None
    pieces: tuple[Piece, ...] = ()


def fields_of(payload: ClaimPayload | ArtifactPayload) -> list[Field]:
    """Return what a revision says, in the order in which people read it; what is absent is left out."""
    found = _claim(payload) if isinstance(payload, ClaimPayload) else _artifact(payload)
    fields = [(name, value) for name, value in found if value is not None and value != ""]
    fields += [("marker", marker) for marker in payload.markers]
    if isinstance(payload, ClaimPayload):
        fields += [("evidence", citation(item)) for item in payload.evidence]
    return fields + [("anchor", _anchor(item)) for item in payload.anchors]


def changed_fields(
    old: ClaimPayload | ArtifactPayload | None, new: ClaimPayload | ArtifactPayload
) -> tuple[FieldChange, ...]:
    """Return the fields in which two revisions differ, in the order of `fields_of`. No old one: all of the new."""
    before, after = fields_of(old) if old is not None else [], fields_of(new)
    singles = [name for name, _ in [*after, *before] if name not in REPEATED]
    was, now = dict(before), dict(after)
    changes = [
        _change(name, was.get(name), now.get(name)) for name in dict.fromkeys(singles) if was.get(name) != now.get(name)
    ]
    kept = set(before) & set(after)
    gone = [FieldChange(name=name, old=_cut(value), new=None) for name, value in before if _left(name, value, kept)]
    come = [FieldChange(name=name, old=None, new=_cut(value)) for name, value in after if _left(name, value, kept)]
    return (*changes, *gone, *come)


def text_of(payload: ClaimPayload | ArtifactPayload) -> str:
    """Return the one text that stands for a revision: a claim's statement or value, an artifact's title."""
    if isinstance(payload, ArtifactPayload):
        return payload.title
    if payload.statement is not None:
        return payload.statement
    data = payload.value.data if payload.value is not None else ""
    return f"{payload.subject}: {data}" if payload.subject else data


def citation(item: Evidence) -> str:
    """Return an evidence locator as a citation."""
    return str(ArtifactCitation(item.artifact, item.revision, item.start, item.end))


def _claim(payload: ClaimPayload) -> Iterator[tuple[str, str | None]]:
    yield "statement", payload.statement
    yield "type", payload.claim_type
    yield "value", f"{payload.value.type} {payload.value.data}" if payload.value is not None else None
    yield "subject", payload.subject
    yield "component", payload.component
    yield "confidence", None if payload.confidence is None else f"{payload.confidence:g}"
    yield "valid from", payload.valid_from
    yield "valid until", payload.valid_until
    yield "trust", payload.trust
    yield "sensitivity", payload.sensitivity


def _artifact(payload: ArtifactPayload) -> Iterator[tuple[str, str | None]]:
    yield "title", payload.title
    yield "kind", payload.kind
    yield "media type", payload.media_type
    yield "size", f"{payload.size} bytes"
    yield "digest", payload.digest
    yield "component", payload.component
    yield "provenance", payload.provenance


def _anchor(item: Anchor) -> str:
    lines = f":{item.start_line}-{item.end_line}" if item.start_line is not None else ""
    symbol = f" {item.symbol}" if item.symbol else ""
    commit = f" at {item.commit[:12]}" if item.commit else ""
    return f"{item.path or ''}{lines}{symbol}{commit}".strip()


def _change(name: str, old: str | None, new: str | None) -> FieldChange:
    is_text = name in ("statement", "title") and old is not None and new is not None
    pieces = word_diff(old[:TEXT_CHARACTERS], new[:TEXT_CHARACTERS]) if is_text and old and new else ()
    return FieldChange(name=name, old=_cut(old), new=_cut(new), pieces=pieces)


def _left(name: str, value: str, kept: set[Field]) -> bool:
    return name in REPEATED and (name, value) not in kept


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= TEXT_CHARACTERS:
        return text
    return f"{text[:TEXT_CHARACTERS]}… ({len(text) - TEXT_CHARACTERS} more characters)"
