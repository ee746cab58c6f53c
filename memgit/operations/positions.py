"""Names of states: places of the store's history, and other tips that this clone holds.

`@` is our tip. `@{NAME}` or `NAME` is what was last fetched from a remote; `@{remote}` alone the elected one. `seq:N`
and a date name the store as it was. A beginning of a commit id names that commit. A scheme of its own, such as
`draft:NAME`, is a row in `RESOLVERS`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

from memgit import clock
from memgit.errors import IncomingRefused, InvalidRequest, NotFound, StoreCorrupt
from memgit.operations import dates
from memgit.operations.invocation import Invocation
from memgit.operations.op_commits import history_of
from memgit.review.sides import Trees
from memgit.store.backend import RefDamaged
from memgit.store.commits import Graph, Visit, commits, frontier, merge_bases
from memgit.store.database import Database
from memgit.store.objects import ObjectId
from memgit.store.private import draft_layer, no_draft, quick_refs
from memgit.store.ref_file import is_ref_name
from memgit.store.snapshot import Snapshot
from memgit.sync.notes import SyncNotes

_COMMIT = re.compile(r"[0-9a-f]{4,64}")
_BRACED = re.compile(r"@\{(.{1,200})\}")
_TRACKING = "refs/memgit/remotes/"


@dataclass(frozen=True, slots=True)
class Position:
    """A state by its commits: none for a store that is not there yet, several for a past of parallel work."""

    name: str
    commits: tuple[ObjectId, ...]
    database: Database

    def trees(self) -> Trees:
        """Return the trees of the commits. Raises StoreCorrupt, FormatTooNew."""
        return Trees([Snapshot(self.database, oid) for oid in self.commits], self.database)


Resolver = Callable[[Invocation, str], Position]


def resolve_state(invocation: Invocation, name: str) -> Position:
    """Return the state that a name means. Raises NotFound, InvalidRequest."""
    wanted = name.strip()
    scheme, colon, rest = wanted.partition(":")
    if colon and scheme in RESOLVERS:
        return replace(RESOLVERS[scheme](invocation, rest), name=wanted)
    if wanted == "@":
        return _ours(invocation)
    braced = _BRACED.fullmatch(wanted)
    if braced is not None:
        return _remote(invocation, elected_remote(invocation) if braced[1] == "remote" else braced[1])
    for resolver in (_date, _commit, _remote):
        with suppress(NotFound):
            return resolver(invocation, wanted)
    raise NotFound(
        f"{wanted[:80]!r} names no state of the store",
        hint="A state is @, a remote that was fetched, a commit of `git memory log`, seq:N, draft:NAME, or a date: "
        f"{dates.FORMS}.",
        details={"state": wanted[:80]},
    )


def merge_base(ours: Position, theirs: Position) -> Position:
    """Return the newest state that both hold."""
    history = commits(Graph(ours.database), ours.commits)
    bases = merge_bases(history, Graph(theirs.database), theirs.commits)
    return Position(f"base({ours.name}, {theirs.name})", tuple(bases), theirs.database)


def elected_remote(invocation: Invocation) -> str:
    """Return the name of the remote that memory goes to, as far as something was fetched from it.

    Raises InvalidRequest where none is elected and not exactly one was fetched from.
    """
    found = invocation.config.optional_text("remote")
    if found:
        return found
    fetched = fetched_remotes(invocation)
    if len(fetched) == 1:
        return fetched[0]
    known = f"; fetched from: {', '.join(fetched)[:200]}" if fetched else ""
    raise InvalidRequest(
        f"no remote is elected for memory{known}",
        hint="Name two states, as in `git memory diff seq:10..@`, or set `memgit.remote` and run `git memory sync`.",
    )


def fetched_remotes(invocation: Invocation) -> list[str]:
    """Return the remotes of which a tracking ref exists, sorted."""
    found = (name for name, _ in quick_refs(invocation.repository, _TRACKING))
    return sorted(name.removeprefix(_TRACKING).removesuffix("/store") for name in found if name.endswith("/store"))


def _ours(invocation: Invocation) -> Position:
    tip = invocation.store.tip()
    return Position("@", (tip,) if tip is not None else (), invocation.store.database)


def _remote(invocation: Invocation, name: str) -> Position:
    """Return what was last fetched from a remote."""
    ref = f"{_TRACKING}{name}/store"
    tip = _read(invocation, ref) if is_ref_name(ref) else None
    if tip is None:
        raise NotFound(
            f"nothing was fetched from {name[:80]!r}",
            hint="Run `git memory fetch`, or name another state.",
            details={"remote": name[:80]},
        )
    note = SyncNotes(invocation.repository).read(name)
    if tip in note.refused and tip != note.accepted:
        raise IncomingRefused(
            f"what was fetched from {name} is not looked into: {note.refused[tip]}",
            hint=f"Whoever pushed it must set the ref of {name} back; `git memory fetch` then looks again.",
            details={"remote": name, "tip": tip},
        )
    return Position(name, (tip,), invocation.store.database)


def _sequence(invocation: Invocation, text: str) -> Position:
    if not re.fullmatch(r"[0-9]{1,16}", text):
        raise InvalidRequest(f"seq:{text[:40]} is no sequence number", details={"state": text[:40]})
    most = int(text)
    return _past(invocation, text, lambda seen: 0 < seen.seq <= most)


def _date(invocation: Invocation, text: str) -> Position:
    moment = dates.moment_of(invocation.repository, text)
    if moment is None:
        raise NotFound(f"{text[:80]!r} is no date")
    return _past(invocation, text, lambda seen: clock.format_time(seen.seconds) <= moment)


def _past(invocation: Invocation, name: str, wanted: Callable[[Visit], bool]) -> Position:
    """Return the store as it was; before its beginning it was empty."""
    ours = _ours(invocation)
    with history_of(invocation, invocation.store) as graph:
        return Position(name, tuple(frontier(graph, ours.commits, wanted)), ours.database)


def _commit(invocation: Invocation, text: str) -> Position:
    """Return the commit that begins with `text`, in our history or in one that was fetched."""
    prefix = text.lower()
    if not _COMMIT.fullmatch(prefix):
        raise NotFound(f"{text[:80]!r} is no commit id")
    database = invocation.store.database
    found = commit_ids(invocation, prefix)
    if len(found) > 1:
        raise InvalidRequest(
            f"{prefix} fits several commits: {', '.join(one[:12] for one in found[:5])}", hint="Give more of the id."
        )
    if not found and len(prefix) in (40, 64):
        with suppress(StoreCorrupt):
            found = [Snapshot(database, ObjectId(prefix)).commit_id]
    if not found:
        raise NotFound(f"no commit of the store begins with {prefix}", details={"commit": prefix})
    return Position(prefix[:12], tuple(found), database)


def commit_ids(invocation: Invocation, prefix: str) -> list[ObjectId]:
    """Return the commits of our history, and of what was fetched, whose ids begin with `prefix`, sorted."""
    store = invocation.store
    names = [f"{_TRACKING}{name}/store" for name in fetched_remotes(invocation)]
    tips = [tip for tip in (store.tip(), *(_read(invocation, name) for name in names)) if tip is not None]
    with history_of(invocation, store) as graph:
        return sorted(seen.oid for seen in commits(graph, tips) if seen.oid.startswith(prefix))


def _read(invocation: Invocation, ref: str) -> ObjectId | None:
    """Return what a tracking ref names; a damaged one is as good as none: it is fetched again."""
    with suppress(RefDamaged):
        return invocation.store.backend.read_ref(ref)
    return None


def _draft(invocation: Invocation, name: str) -> Position:
    """Return what a draft holds beside the shared layer."""
    layer = draft_layer(name)
    tip = invocation.layers.private(layer).tip() if layer in invocation.layers.names() else None
    if tip is None:
        raise no_draft(name)
    return Position(name, (tip,), invocation.layers.private(layer).database)


RESOLVERS: dict[str, Resolver] = {"seq": _sequence, "draft": _draft}
"""Schemes: what stands before the colon, and who resolves the rest."""
