"""What a continuity note becomes when it is applied, and whether it is. The same note gives the same plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from memgit import clock
from memgit.checkpoints.note_statements import LeftOut, Statement, statements
from memgit.checkpoints.notes import Note
from memgit.errors import InvalidRequest, JsonValue
from memgit.limits import DEFAULT
from memgit.operations.artifacts import TEXT_TYPE, ArtifactPut, new_payload
from memgit.operations.checks import Content
from memgit.operations.claims import ClaimAssert
from memgit.operations.claims import new_payload as new_claim
from memgit.operations.invocation import Invocation
from memgit.operations.pending import findings_in, meant, quarantine_of
from memgit.records.op import ArtifactPayload, ClaimPayload, Scope
from memgit.screening.finding import refuse

ScopeChoice = Literal["note", "here"]
"""Where a note of another project or task is written: where it belongs, or where the request is made."""

_KIND = "note"
_TITLE = 80  # characters


@dataclass(frozen=True, slots=True)
class Plan:
    """What is written of a note: the evidence, its bytes, and the claims by their numbers."""

    note: Note
    scope: Scope
    payload: ArtifactPayload
    data: bytes
    claims: tuple[tuple[int, Statement, ClaimPayload], ...]
    left_out: tuple[LeftOut, ...]


def note_of(invocation: Invocation, session: str | None, allow_flagged: bool) -> Note:
    """Return the note that is meant. Raises SecretDetected where it looks like a secret: even a plan would show it."""
    note = meant(quarantine_of(invocation), session)
    if not allow_flagged:
        refuse(findings_in(note))
    return note


def plan_of(invocation: Invocation, note: Note, only: tuple[int, ...] | None, choice: ScopeChoice | None) -> Plan:
    """Return what a note becomes. Raises InvalidRequest where nothing in it is a statement, or `only` names none."""
    found, left_out = statements(note.text, note.cut, DEFAULT.note_claims)
    if not found:
        raise InvalidRequest(
            f"the note of the session {note.session} states nothing: it has no list item and no paragraph",
            hint="`git memory artifact put -` keeps a text as a document; `git memory pending drop` removes the note.",
            details={"session": note.session},
        )
    numbers = _numbers(only, len(found))
    claims = tuple((number, found[number - 1], _claim(note, found[number - 1])) for number in numbers)
    data = note.text.encode()
    scope = invocation.context.scope if choice == "here" else note.scope
    return Plan(note, scope, _artifact(note, data), data, claims, tuple(left_out))


def _numbers(only: tuple[int, ...] | None, most: int) -> tuple[int, ...]:
    if only is None:
        return tuple(range(1, most + 1))
    chosen = tuple(sorted(set(only)))
    if not chosen or chosen[0] < 1 or chosen[-1] > most:
        raise InvalidRequest(
            f"`only` names claims that there are not: they are numbered 1 to {most}",
            hint="`git memory pending preview` shows the numbers.",
            details={"field": "only"},
        )
    return chosen


def _artifact(note: Note, data: bytes) -> ArtifactPayload:
    said: dict[str, JsonValue] = {
        "session": note.session,
        "at": note.at,
        "branch": note.branch,
        "head": note.head,
        "agent": note.agent,
        "truncated_from_bytes": note.given if note.cut is not None else None,
    }
    put = ArtifactPut(
        kind=_KIND,
        title=_title(note),
        content=Content("text", note.text),
        media_type=TEXT_TYPE,
        component=note.component,
        provenance={"continuity_note": {name: value for name, value in said.items() if value is not None}},
    )
    return new_payload(put, data)


def _title(note: Note) -> str:
    """Return the note's first line without what Markdown puts in front, cut at a word."""
    line = " ".join("".join(c if c.isprintable() else " " for c in note.first_line).lstrip("#*-+> ").split())
    if len(line) > _TITLE:
        line = line[:_TITLE].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    return line or f"Note of session {note.session}"


def _claim(note: Note, statement: Statement) -> ClaimPayload:
    return new_claim(ClaimAssert(claim_type=statement.claim_type, statement=statement.text, component=note.component))


def too_late(note: Note) -> str | None:
    """Return why a note is not applied without saying so; None within its window."""
    if note.state(clock.now()) == "waiting":
        return None
    return f"the note of the session {note.session} expired at {note.expires_at}"


def elsewhere_of(invocation: Invocation, note: Note, choice: ScopeChoice | None) -> str | None:
    """Return why a note's scope and the request's are not taken for one; None where they are, or one is chosen."""
    aliases, here = invocation.state.aliases, invocation.context.scope
    if choice is not None or aliases.canonical(note.scope) == aliases.canonical(here):
        return None
    there = f"project {note.project}" + (f", task {note.task}" if note.task else "")
    now = f"project {here.project}" + (f", task {here.task}" if here.task else "")
    return f"the note of the session {note.session} belongs to {there}; this is {now}"
