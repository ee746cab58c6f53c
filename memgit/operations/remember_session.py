"""`session.ingest`: the turns of a conversation as observations, in their order, in one commit.

A claim holds one turn exactly as it was said, or several with who said them. The markers say which session, which
turns, who and when (`records/conversation.py`). Ingesting again writes only the turns that are not there yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memgit.errors import InvalidRequest, JsonValue
from memgit.limits import DEFAULT
from memgit.operations import checks
from memgit.operations.invocation import Invocation
from memgit.operations.lineages import snapshot_of
from memgit.operations.session_parts import missing_parts
from memgit.operations.session_text import Piece, pieces
from memgit.operations.views import statement_of
from memgit.operations.writing import WriteRequest
from memgit.records import ids
from memgit.records.conversation import DIMENSIONS, MOST_TURNS, SESSION_ID, saying
from memgit.records.marker import canonical_marker
from memgit.records.op import ClaimPayload, draft
from memgit.records.state import Entity
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

TURNS_PER_CLAIM, CLAIM_BYTES = 8, 4096
_MOST_PER_CLAIM = 64  # turns; more is a transcript, which belongs into an artifact
_FEWEST_BYTES = 64
_BULK_FROM = 100  # claims; below it, loose objects are cheaper than a pack
_LISTED = 200  # ids and left-out turns in an answer, which a receipt must hold

_BLANK = "it is blank"
_FLAGGED = "it seems to hold a secret"


class Turn(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one party said. `speaker` is who, `role` in what capacity (user, assistant), `time` when."""

    text: str
    speaker: str | None = None
    role: str | None = None
    time: str | None = None


class SessionIngest(WriteRequest, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Remember the turns of a session in their order. Turns that are there already are not written again.

    A claim holds up to `turns_per_claim` turns and `max_bytes` bytes; a longer turn is split where a sentence ends.
    """

    session: str
    turns: tuple[Turn, ...]
    turns_per_claim: int = TURNS_PER_CLAIM
    max_bytes: int = CLAIM_BYTES
    markers: tuple[str, ...] = ()


class LeftOut(Struct, frozen=True, kw_only=True):
    """A turn that was not written, counted from 1, and why."""

    turn: int
    reason: str


class SessionIngested(Struct, frozen=True, kw_only=True):
    """What was written. `known` turns were there already. `claim_ids` and `left_out` name the first of each."""

    session: str
    claims: int
    turns: int
    known: int
    claim_ids: tuple[str, ...]
    left_out_turns: int
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A turn as it is written: its text, how it reads among others, and its markers."""

    text: str
    line: str
    subject: str | None
    markers: tuple[str, ...]


def remember_session(
    directory: Path,
    session: str,
    turns: Iterable[Turn | Mapping[str, str]],
    *,
    turns_per_claim: int = TURNS_PER_CLAIM,
    max_bytes: int = CLAIM_BYTES,
    markers: Iterable[str] = (),
    allow_flagged: bool = False,
    layer: Literal["shared", "local"] | None = None,
    draft: str | None = None,
    context: JsonValue = None,
) -> SessionIngested:
    """Remember the turns of a session in the repository of a directory, and return what was written.

    The arguments are the fields of `session.ingest`, and it raises the same. `context` is as in a protocol request;
    without it, the ambient one.
    """
    request = SessionIngest(
        session=session,
        turns=tuple(turn if isinstance(turn, Turn) else Turn(**turn) for turn in turns),
        turns_per_claim=turns_per_claim,
        max_bytes=max_bytes,
        markers=tuple(markers),
        allow_flagged=allow_flagged,
        layer=layer,
        draft=draft,
    )
    invocation = Invocation(directory, context=context)
    try:
        invocation.take(request)
        return ingest(invocation, request)
    finally:
        invocation.close()


def ingest(invocation: Invocation, request: SessionIngest) -> SessionIngested:
    """Write the turns that the session does not have yet.

    Raises InvalidRequest for a turn that is wrong, or that the session holds with other words; LimitExceeded.
    """
    _check(request)
    prepared = [_prepare(request, number, turn) for number, turn in enumerate(request.turns, 1)]

    def build(transaction: Transaction) -> Result:
        return _stage(invocation, transaction, request, prepared)

    bulk = len(prepared) >= _BULK_FROM * request.turns_per_claim
    result = dict(invocation.write("session.ingest", request, build, bulk=bulk).result)
    left_out = tuple(LeftOut(**item) for item in result.pop("left_out"))
    return SessionIngested(session=request.session, left_out=left_out, **result)


def _check(request: SessionIngest) -> None:
    if not SESSION_ID.fullmatch(request.session):
        raise InvalidRequest(
            f"{request.session[:80]!r} is not the name of a session",
            hint="It has 1 to 128 letters, digits, dots, hyphens and underscores.",
            details={"field": "session"},
        )
    bounds = {
        "turns_per_claim": (request.turns_per_claim, 1, _MOST_PER_CLAIM),
        "max_bytes": (request.max_bytes, _FEWEST_BYTES, DEFAULT.statement_bytes),
    }
    for field, (value, least, most) in bounds.items():
        if not least <= value <= most:
            raise InvalidRequest(f"`{field}` is {value}; it is {least} to {most}", details={"field": field})
    for marker in request.markers:
        if marker.partition(":")[0].strip().casefold() in DIMENSIONS:
            raise InvalidRequest(
                f"{marker[:80]!r} is for the session itself to say",
                hint="Say it in `session`, or in the turn; `markers` are for anything else.",
                details={"field": "markers"},
            )
    checks.within(len(request.turns), "turns", MOST_TURNS, "the session", unit="turns")


def _prepare(request: SessionIngest, number: int, turn: Turn) -> _Prepared:
    """Return a turn as it is written. Raises InvalidRequest, naming the turn."""
    where = f"turns[{number - 1}]"
    checks.utf8(turn.text, f"{where}.text")
    checks.within(len(turn.text.encode()), "artifact_bytes", DEFAULT.artifact_bytes, f"turn {number}")
    speaker = checks.text(turn.speaker, f"{where}.speaker", "subject_bytes", one_line=True)
    role = checks.text(turn.role, f"{where}.role", "subject_bytes", one_line=True)
    moment = checks.instant(turn.time, f"{where}.time")
    named = {"session": request.session, "speaker": speaker, "role": role, "time": moment}
    found = [_marker(f"{name}:{value}", f"{where}.{name}") for name, value in named.items() if value is not None]
    label = speaker or role
    line = f"{label}: {turn.text}" if label else turn.text
    return _Prepared(turn.text, line, speaker, checks.markers((*found, *request.markers)))


def _marker(text: str, field: str) -> str:
    marker = canonical_marker(text)
    if marker is None:
        raise InvalidRequest(f"{text[:80]!r} cannot be a marker", details={"field": field})
    return marker


def _stage(
    invocation: Invocation, transaction: Transaction, request: SessionIngest, prepared: list[_Prepared]
) -> Result:
    state = invocation.state_of(snapshot_of(transaction))
    scope = invocation.context.scope
    entities = [state.entity(name) for name in state.session(scope, request.session, 1, MOST_TURNS)]
    known = _known([entity for entity in entities if entity is not None], prepared, request.max_bytes)
    left_out = _left_out(transaction, request, prepared, known.turns)
    wanted = [number for number in range(1, len(prepared) + 1) if number not in known.turns and number not in left_out]
    claims: list[str] = []
    for piece in _pieces(transaction, request, prepared, wanted):
        if piece.turns.part and piece.turns.part not in known.lacks.get(piece.turns.first, {piece.turns.part}):
            continue  # it is there
        payload = _claim(invocation.context.component, prepared, piece)
        op = draft("assert", ids.new_entity_id("claim"), scope, payload, revision=ids.new_revision_id("claim"))
        claims.append(transaction.stage(op, statement_of(payload)).entity)
    listed: list[JsonValue] = [{"turn": number, "reason": left_out[number]} for number in sorted(left_out)[:_LISTED]]
    return {
        "claims": len(claims),
        "turns": len(wanted),
        "known": len([number for number in known.turns if number <= len(prepared)]),
        "claim_ids": list(claims[:_LISTED]),
        "left_out_turns": len(left_out),
        "left_out": listed,
    }


@dataclass(frozen=True, slots=True)
class _Known:
    """What a session has: turns that are there, and of long ones that are there in part the numbers of what lacks."""

    turns: set[int]
    lacks: dict[int, set[int]]


def _known(entities: Sequence[Entity], prepared: list[_Prepared], size: int) -> _Known:
    """Return what the session has. Raises InvalidRequest where it has other words for a turn.

    It is what was first written that counts: a claim may have been corrected or retracted since. The same twice is no
    fault: two clones may have taken the session in.
    """
    whole: set[int] = set()
    parts: dict[int, dict[int, set[str]]] = {}
    for entity in entities:
        first = entity.lineage.revisions[0].payload
        said = saying(first.markers) if isinstance(first, ClaimPayload) else None
        if entity.status == "void" or said is None or said.turns is None or not isinstance(first, ClaimPayload):
            continue
        turns = said.turns
        if turns.part:
            parts.setdefault(turns.first, {}).setdefault(turns.part, set()).add(first.statement or "")
            continue
        whole |= set(range(turns.first, turns.last + 1))
        if turns.last <= len(prepared) and first.statement != _text(prepared, turns.first, turns.last):
            raise _other_words(turns.first, turns.last)
    lacks: dict[int, set[int]] = {}
    for number, known in parts.items():
        missing = missing_parts(prepared[number - 1].text, size, known) if number <= len(prepared) else set()
        if missing is None:
            raise _other_words(number, number)
        if missing and number not in whole:
            lacks[number] = missing
    return _Known(whole.union(parts) - lacks.keys(), lacks)


def _other_words(first: int, last: int) -> InvalidRequest:
    place = f"turn {first}" if first == last else f"turns {first} to {last}"
    return InvalidRequest(
        f"the session is known with other words at {place}",
        hint="A session only grows. Give another conversation another name, and a long turn the `max_bytes` of before.",
        details={"field": "turns", "first": first, "last": last},
    )


def _left_out(
    transaction: Transaction, request: SessionIngest, prepared: list[_Prepared], known: set[int]
) -> dict[int, str]:
    """Return the turns that cannot be written, with the reasons."""
    reasons: dict[int, str] = {}
    for number, turn in enumerate(prepared, 1):
        if number in known:
            continue
        if not turn.text.strip():
            reasons[number] = _BLANK
        elif not request.allow_flagged and not transaction.is_clean(turn.line):
            reasons[number] = _FLAGGED
    return reasons


def _pieces(
    transaction: Transaction, request: SessionIngest, prepared: list[_Prepared], wanted: list[int]
) -> Iterator[Piece]:
    """Yield what each claim holds. Turns that seem to hold a secret only together are kept apart."""
    sizes = {number: (prepared[number - 1].text, prepared[number - 1].line) for number in wanted}
    for piece in pieces(sizes, request.turns_per_claim, request.max_bytes):
        several = piece.turns.first != piece.turns.last
        if several and not request.allow_flagged and not transaction.is_clean(piece.text):
            apart = {number: sizes[number] for number in range(piece.turns.first, piece.turns.last + 1)}
            yield from pieces(apart, 1, request.max_bytes)
        else:
            yield piece


def _claim(component: str | None, prepared: list[_Prepared], piece: Piece) -> ClaimPayload:
    said = prepared[piece.turns.first - 1 : piece.turns.last]
    subjects = {turn.subject for turn in said}
    times = [marker for turn in said for marker in turn.markers if marker.startswith("time:")]
    markers = {marker for turn in said for marker in turn.markers} - set(times[1:]) | set(times[:1])
    return ClaimPayload(
        claim_type="observation",
        statement=piece.text,
        subject=said[0].subject if len(subjects) == 1 else None,
        component=component,
        markers=checks.markers((*markers, piece.turns.marker)),
    )


def _text(prepared: list[_Prepared], first: int, last: int) -> str:
    if first == last:
        return prepared[first - 1].text
    return "\n".join(turn.line for turn in prepared[first - 1 : last])
