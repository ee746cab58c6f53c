"""`pending.list`, `show`, `drop`: the continuity notes in quarantine, for somebody to look at or to erase."""

from __future__ import annotations

from msgspec import Struct

from memgit import clock
from memgit.checkpoints.notes import Note, State, checked_session
from memgit.checkpoints.quarantine import Damaged, Quarantine, is_file_name
from memgit.errors import InvalidRequest, MemgitError, NotFound
from memgit.operations import checks
from memgit.operations.invocation import Invocation
from memgit.screening.finding import Finding
from memgit.screening.screen import screen_text

_NAMED = 5  # sessions in a message


class PendingList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the notes that wait, the one that expires first at the front."""

    limit: int = 100


class NoteView(Struct, frozen=True, kw_only=True):
    """A note without its text. `first_line` is None where the text looks like a secret (`flagged`).

    From `removed_at` on the next note that is put removes it; None while no such time is set. `here`: it is of the
    present project and task.
    """

    session: str
    state: State
    at: str
    expires_at: str
    removed_at: str | None
    here: bool
    given_bytes: int
    kept_bytes: int
    truncated: bool
    flagged: bool
    first_line: str | None
    workspace_id: str
    project_id: str
    task_id: str | None
    component: str | None
    worktree: str
    branch: str | None
    head: str | None
    agent: str | None


class DamagedView(Struct, frozen=True, kw_only=True):
    """A file in the quarantine that is no note, and why. `pending.drop` takes its name."""

    file: str
    reason: str


class PendingPage(Struct, frozen=True, kw_only=True):
    """Notes. `total` counts those that there are."""

    items: tuple[NoteView, ...]
    damaged: tuple[DamagedView, ...]
    total: int


class PendingShow(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show a note with its text. Without `session`: the only one that there is."""

    session: str | None = None
    allow_flagged: bool = False


class NoteShown(Struct, frozen=True, kw_only=True):
    """A note. `text` is None where it looks like a secret and the request does not allow that."""

    note: NoteView
    text: str | None


class PendingDrop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Erase notes, or with `all` every one. Nothing brings them back."""

    sessions: tuple[str, ...] = ()
    all: bool = False


class NotesDropped(Struct, frozen=True, kw_only=True):
    """What was erased: the sessions that were named, and how many notes it was."""

    sessions: tuple[str, ...]
    count: int


def list_notes(invocation: Invocation, request: PendingList) -> PendingPage:
    """Return what waits; files that are damaged are named and do not stop the others."""
    checks.page_limit(request.limit)
    found = quarantine_of(invocation).notes()
    notes = [note for note in found if isinstance(note, Note)]
    return PendingPage(
        items=tuple(note_view(invocation, note) for note in notes[: request.limit]),
        damaged=tuple(DamagedView(file=item.name, reason=item.reason) for item in found if isinstance(item, Damaged)),
        total=len(notes),
    )


def show(invocation: Invocation, request: PendingShow) -> NoteShown:
    """Return a note with its text, which is withheld where it looks like a secret."""
    note = meant(quarantine_of(invocation), request.session)
    view = note_view(invocation, note)
    return NoteShown(note=view, text=note.text if request.allow_flagged or not view.flagged else None)


def drop(invocation: Invocation, request: PendingDrop) -> NotesDropped:
    """Erase what is named, or nothing where one of the names is wrong."""
    if request.all == bool(request.sessions):
        raise InvalidRequest(
            "`drop` takes the sessions whose notes go, or `all`",
            hint="`git memory pending list` shows them.",
            details={"field": "sessions"},
        )
    quarantine = quarantine_of(invocation)
    if not quarantine.directory.is_dir():
        return NotesDropped(sessions=_none_there(request), count=0)
    if request.all:
        return NotesDropped(sessions=(), count=quarantine.drop_all())
    names = list(dict.fromkeys(_droppable(quarantine, name) for name in request.sessions))
    dropped = quarantine.drop(names)
    return NotesDropped(sessions=tuple(dropped), count=len(dropped))


def quarantine_of(invocation: Invocation) -> Quarantine:
    """Return the quarantine of the repository; its directory need not exist."""
    config = invocation.config
    return Quarantine(
        invocation.repository.state_dir,
        sync=config.text("durability") == "safe",
        wait_seconds=config.integer("lockWait") / 1000,
    )


def meant(quarantine: Quarantine, session: str | None) -> Note:
    """Return the note of a session, of the only one that begins so, or without a name the only one that there is.

    Raises NotFound, InvalidRequest where there are several, StoreCorrupt where it is damaged.
    """
    if session is not None:
        try:
            return quarantine.find(checked_session(session))
        except NotFound:
            names = [name for name in _sessions(quarantine) if name.startswith(session)]
            if not names:
                raise
            return quarantine.find(_only(names, f"begin with {session}"))
    names = _sessions(quarantine)
    if not names:
        raise NotFound("no note waits", hint="`git memory pending put TEXT` keeps one.")
    return quarantine.find(_only(names, "wait"))


def note_view(invocation: Invocation, note: Note) -> NoteView:
    """Return a note as answers show it."""
    aliases = invocation.state.aliases
    flagged = bool(findings_in(note))
    return NoteView(
        session=note.session,
        state=note.state(clock.now()),
        at=note.at,
        expires_at=note.expires_at,
        removed_at=note.removed_at,
        here=aliases.canonical(note.scope) == aliases.canonical(invocation.context.scope),
        given_bytes=note.given,
        kept_bytes=len(note.text.encode()),
        truncated=note.cut is not None,
        flagged=flagged,
        first_line=None if flagged else note.first_line,
        workspace_id=note.workspace,
        project_id=note.project,
        task_id=note.task,
        component=note.component,
        worktree=note.worktree,
        branch=note.branch,
        head=note.head,
        agent=note.agent,
    )


def findings_in(note: Note) -> tuple[Finding, ...]:
    """Return what looks like a secret in a note, by the rules of today."""
    return screen_text(note.text, "note")


def _sessions(quarantine: Quarantine) -> list[str]:
    return [note.session for note in quarantine.notes() if isinstance(note, Note)]


def _only(names: list[str], which: str) -> str:
    """Return the one name. Raises InvalidRequest, which names the first of several."""
    if len(names) == 1:
        return names[0]
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    raise InvalidRequest(
        f"the notes of {len(names)} sessions {which}: {', '.join(names[:_NAMED])}{more}",
        hint="Name the session.",
        details={"field": "session"},
    )


def _droppable(quarantine: Quarantine, name: str) -> str:
    """Return the session, or the file, that `drop` means. Raises NotFound, InvalidRequest."""
    damaged = {item.name for item in quarantine.notes() if isinstance(item, Damaged)}
    if is_file_name(name) and name in damaged:
        return name
    try:
        return meant(quarantine, name).session
    except MemgitError as error:
        if error.code == "STORE_CORRUPT":
            return name
        raise


def _none_there(request: PendingDrop) -> tuple[str, ...]:
    if request.sessions:
        raise NotFound(
            f"no note of the session {checked_session(request.sessions[0])} waits",
            hint="`git memory pending list` shows those that do.",
            details={"session": request.sessions[0]},
        )
    return ()
