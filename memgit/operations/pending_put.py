"""`pending.put`: what one session leaves for the next, kept in quarantine.

What is put is no memory: nothing recalls, searches, logs or sends it. `pending_apply.py` makes memory of it, when
somebody says so. Other commands that keep a note call `put_note`.
"""

from __future__ import annotations

from contextlib import suppress

from msgspec import Struct

from memgit.checkpoints.notes import checked_session, checked_text, new_note
from memgit.errors import InvalidRequest
from memgit.operations.invocation import Invocation
from memgit.operations.pending import quarantine_of
from memgit.screening.finding import refuse
from memgit.screening.screen import screen_text
from memgit.store.quick_tip import quick_tip
from memgit.store.ref_file import REFTABLE_HEAD, read_head
from memgit.store.store import prepare_state

SESSION_NAME_VARIABLE = "MEMGIT_SESSION"
MAIN_SESSION = "default"  # of the main working tree, where nothing names a session
_NAMED = 5  # sessions in a message


class PendingPut(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Keep a note of where a session stands, in place of its last one. It is no memory until it is applied.

    Without `session`: MEMGIT_SESSION, the task of the environment, or the working tree. `allow_flagged`: somebody
    looked at what seems to be a secret.
    """

    text: str
    session: str | None = None
    allow_flagged: bool = False


class NotePut(Struct, frozen=True, kw_only=True):
    """What was kept. `truncated`: only the first `kept_bytes` of the `given_bytes` are, the mark that says so included.

    `removed` are sessions whose overdue notes went.
    """

    session: str
    at: str
    expires_at: str
    given_bytes: int
    kept_bytes: int
    truncated: bool
    removed: tuple[str, ...] = ()


def put(invocation: Invocation, request: PendingPut) -> NotePut:
    """Keep a note."""
    return put_note(invocation, request.text, session=request.session, allow_flagged=request.allow_flagged)


def put_note(invocation: Invocation, text: str, *, session: str | None = None, allow_flagged: bool = False) -> NotePut:
    """Keep a note of the session, with the place and the scope that it has now, and return what was kept.

    Raises InvalidRequest, LimitExceeded, SecretDetected, StoreNotInitialized, StoreReadOnly, StoreBusy; the session's
    last note is as it was then.
    """
    context = invocation.context
    name = _session(invocation, session)
    checked_text(text)
    if not allow_flagged:
        refuse([*screen_text(name, "session"), *screen_text(text, "text")])
    _require_store(invocation)
    head, branch = _position(invocation)
    note = new_note(
        text,
        session=name,
        workspace=context.workspace_id,
        project=context.project_id,
        task=context.task_id,
        component=context.component,
        worktree=invocation.repository.worktree_name,
        head=head,
        branch=branch,
        agent=invocation.environment.agent,
    )
    prepare_state(invocation.repository.state_dir)
    gone = quarantine_of(invocation).put(note)
    if gone:
        invocation.warnings.append(_removed(gone))
    return NotePut(
        session=name,
        at=note.at,
        expires_at=note.expires_at,
        given_bytes=note.given,
        kept_bytes=len(note.text.encode()),
        truncated=note.cut is not None,
        removed=tuple(gone),
    )


def _session(invocation: Invocation, named: str | None) -> str:
    """Return the session that a note is of: as it is named, else as the environment says, else the working tree's."""
    if named is not None:
        return checked_session(named)
    said = invocation.environment.overrides.get(SESSION_NAME_VARIABLE)
    if said is not None:
        return checked_session(said, f"the session in {SESSION_NAME_VARIABLE}")
    context = invocation.context
    if context.resolved_from == "session" and context.task_id is not None:
        return context.task_id
    worktree = invocation.repository.worktree_name
    if worktree == ".":
        return MAIN_SESSION
    name = f"worktree-{worktree.rpartition('/')[2]}"
    with suppress(InvalidRequest):
        return checked_session(name)
    from blake3 import blake3

    return f"worktree-{blake3(name.encode()).hexdigest()[:16]}"


def _position(invocation: Invocation) -> tuple[str | None, str | None]:
    """Return HEAD's commit and branch from the files, without opening the store; by it where the files do not say."""
    commit, branch = read_head(invocation.repository.git_dir)
    if branch == REFTABLE_HEAD:
        return invocation.store.backend.head()
    return (quick_tip(invocation.repository, branch) if branch is not None else commit), branch


def _require_store(invocation: Invocation) -> None:
    """Raise StoreNotInitialized where there is no memory: nothing is left in a repository that has none."""
    if quick_tip(invocation.repository, invocation.config.text("ref")) is None:
        invocation.store.snapshot()


def _removed(sessions: list[str]) -> str:
    """Return the line that says which overdue notes went."""
    more = f" and {len(sessions) - _NAMED} more" if len(sessions) > _NAMED else ""
    return f"notes that had expired two weeks ago were removed: {', '.join(sessions[:_NAMED])}{more}"
