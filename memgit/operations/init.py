"""`store.init`: begin a repository's memory, once."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from memgit.environment import printable
from memgit.errors import InvalidRequest, NoAmbientContext, NoRemote, RemoteUnavailable
from memgit.operations.invocation import Invocation, Observed
from memgit.records import ids
from memgit.records.codec import StoreRecord
from memgit.scope.marker import nearest_marker, write_marker
from memgit.scope.registry import StoreEntry, register_store

_LOOK_SECONDS = 5.0  # for the look at one remote, so that `init` without a network is not slow
_LOOKS_SECONDS = 10.0  # for all of them


class StoreInit(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Begin the store. Without ids, those of the marker that is there count, else fresh ones are made.

    Where the remote that memory goes to, or one of all where none is chosen, has a memory, that is brought here
    instead; where several have one, somebody must choose. `offline` does not look.
    """

    workspace_id: str | None = None
    project_id: str | None = None
    marker: bool = True
    offline: bool = False


class StoreCreated(Struct, frozen=True, kw_only=True):
    """The store's identity. `created` is false where it existed; `marker` is the file that names the project.

    `adopted_from` is the remote whose memory was brought here.
    """

    store_id: str
    workspace_id: str
    project_id: str
    ref: str
    created: bool
    marker: str | None
    marker_written: bool
    adopted_from: str | None = None


def init(invocation: Invocation, request: StoreInit) -> StoreCreated:
    """Begin the store, write the marker unless told not to, and note the store in this machine's registry."""
    for name, value in (("workspace_id", request.workspace_id), ("project_id", request.project_id)):
        if value is not None and not ids.is_scope_id(value):
            raise InvalidRequest(f"`{name}` {value[:80]!r} is not an id", details={"field": name})
    existing = invocation.store.tip() is not None
    adopted = None if existing or request.offline else _adopt(invocation)
    existing = existing or adopted is not None
    workspace, project = _identity(invocation, request)
    if not existing:
        _warn_of_outer_marker(invocation, workspace, project)
    record = invocation.store.initialize(workspace, project)
    marker, written = _marker(invocation, request, record.workspace, record.project, existed=existing)
    note_store(invocation, record)
    snapshot = invocation.store.snapshot()
    invocation.observed = Observed(snapshot.seq, snapshot.commit_id)
    return StoreCreated(
        store_id=record.store,
        workspace_id=record.workspace,
        project_id=record.project,
        ref=invocation.store.options.ref,
        created=not existing,
        marker=marker,
        marker_written=written,
        adopted_from=adopted,
    )


def _adopt(invocation: Invocation) -> str | None:
    """Bring the memory that a remote has, and return the remote's name; None where there is nothing to bring.

    A remote that cannot be reached stops nobody: it is said, and a join can follow. Raises NoRemote where several
    remotes have a memory and none is chosen.
    """
    from memgit.operations.exchanging import adopt
    from memgit.sync.remotes import configured_remotes, elect

    remotes = configured_remotes(invocation.repository)
    elected = invocation.config.optional_text("remote")
    if not remotes:
        return None
    if elected is not None and elected not in remotes:
        invocation.warnings.append(f"memory goes to {elected!r}, which is no remote here: no remote was looked at")
        return None
    found = _with_memory(invocation, [elected] if elected is not None else sorted(remotes))
    if len(found) > 1:
        raise NoRemote(
            f"{len(found)} remotes have a memory, and none was chosen: {', '.join(found)}",
            hint=f"`git memory sync {found[0]}` brings one and chooses it; `git memory init --offline` begins another.",
            details={"remotes": list(found)},
        )
    if not found:
        return None
    try:
        election = elect(remotes, found[0], elected)
        return election.name if adopt(invocation, election) else None
    except RemoteUnavailable as error:
        _warn_of_silence(invocation, error.message)
        return None


def _with_memory(invocation: Invocation, remotes: list[str]) -> list[str]:
    """Return those of the remotes that have a memory. What was not reached in time is said."""
    from memgit.operations.exchanging import has_memory

    found: list[str] = []
    silent: list[str] = []
    end = time.monotonic() + _LOOKS_SECONDS
    for name in remotes:
        wait = min(_LOOK_SECONDS, end - time.monotonic())
        try:
            if wait <= 0:
                silent.append(f"{name} was not asked, since the others took so long")
            elif has_memory(invocation, name, wait):
                found.append(name)
        except RemoteUnavailable as error:
            silent.append(error.message)
    if silent:
        _warn_of_silence(invocation, "; ".join(silent))
    return found


def _warn_of_silence(invocation: Invocation, why: str) -> None:
    invocation.warnings.append(
        f"whether a remote has a memory already is not known: {why}; "
        "if it has, `git memory sync --join` makes the two one"
    )


def note_store(invocation: Invocation, record: StoreRecord) -> None:
    """Note the store in this machine's registry, where it is within broad horizons; once a day writes something."""
    entry = StoreEntry(
        path=str(invocation.repository.common_dir),
        store_id=record.store,
        workspace_id=record.workspace,
        project_id=record.project,
    )
    invocation.warnings.extend(register_store(invocation.environment.data_dir, entry))


def _identity(invocation: Invocation, request: StoreInit) -> tuple[str, str]:
    """Return the workspace and project that a new store gets: what is asked for, what a marker says, or fresh ids."""
    workspace, project = request.workspace_id, request.project_id
    if workspace is None or project is None:
        with suppress(NoAmbientContext):
            context = invocation.context
            workspace, project = workspace or context.workspace_id, project or context.project_id
    return workspace or ids.new_scope_id("wsp"), project or ids.new_scope_id("prj")


def _warn_of_outer_marker(invocation: Invocation, workspace: str, project: str) -> None:
    """Say where a new memory takes its ids from a marker that lies around its repository, not in it."""
    if invocation.repository.work_tree is None:
        return
    found = nearest_marker(invocation.directory, invocation.environment.ceilings)
    if found is None or not _is_outside(invocation, found.path):
        return
    if (found.context.workspace_id, found.context.project_id) == (workspace, project):
        invocation.warnings.append(
            f"{printable(found.path)} lies outside this repository, and its project is this memory's, too; a memory "
            "of its own begins with ids of its own (--workspace, --project) and a marker here"
        )


def _is_outside(invocation: Invocation, marker: Path) -> bool:
    """Tell whether a marker lies above the top of the working tree."""
    top = invocation.repository.work_tree
    return top is not None and not marker.resolve().is_relative_to(top.resolve())


def _marker(
    invocation: Invocation, request: StoreInit, workspace: str, project: str, *, existed: bool
) -> tuple[str | None, bool]:
    """Return the marker that names the project, and whether it was written now."""
    top = invocation.repository.work_tree
    if top is None:
        return None, False
    found = nearest_marker(invocation.directory, invocation.environment.ceilings)
    writes = request.marker and not existed  # a store that is there names its project; its marker may be removed
    if found is not None:
        is_named = (found.context.workspace_id, found.context.project_id) == (workspace, project)
        if writes and not is_named and _is_outside(invocation, found.path):
            return printable(write_marker(top, workspace_id=workspace, project_id=project)), True
        if not is_named:
            invocation.warnings.append(
                f"{found.path} names another project ({found.context.project_id}) than the store ({project}); "
                "requests from below it belong to the marker's project."
            )
        return printable(found.path), False
    return (printable(write_marker(top, workspace_id=workspace, project_id=project)), True) if writes else (None, False)
