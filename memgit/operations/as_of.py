"""`as_of`: which past a reading request asks for, and the state of that past."""

from __future__ import annotations

from dataclasses import dataclass

from memgit import clock
from memgit.errors import InvalidRequest
from memgit.index.past import PastState, purged_since
from memgit.operations import dates
from memgit.operations.invocation import Invocation
from memgit.operations.positions import resolve_state
from memgit.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Past:
    """The state as it was, the moment at which validity is judged, and the snapshot that holds it."""

    state: PastState
    instant: str
    snapshot: Snapshot


def past_of(invocation: Invocation, as_of: str, warn: Invocation) -> Past:
    """Return the past that a date, a commit or `seq:N` names. Raises InvalidRequest, NotFound.

    A date looks at everything in sight, a commit at the shared layer alone. `warn` takes what its asker should hear.
    """
    moment = dates.moment_of(invocation.repository, as_of)
    if moment is not None:
        snapshot = invocation.snapshot()
        began = min((record.at for record in snapshot.stores()), default=moment)
        if moment < began:
            warn.warnings.append(f"this memory began on {began[:10]} at {began[11:19]}Z, after {as_of[:60]!r}")
        past = Past(PastState(snapshot, invocation.state, moment), moment, snapshot)
    else:
        commits = resolve_state(invocation, as_of).commits
        if len(commits) != 1:
            raise InvalidRequest(
                f"{as_of[:80]!r} is no single commit of the store",
                hint="Give a date, or a commit of `git memory log`.",
                details={"field": "as_of"},
            )
        snapshot = invocation.store.snapshot(commits[0])
        instant = clock.format_time(snapshot.commit.seconds)
        past = Past(PastState(snapshot, invocation.state), instant, snapshot)
    gone = purged_since(invocation.snapshot(), past.instant)
    if gone:
        warn.warnings.append(f"{gone} entities were purged since {past.instant}: the past is shown without them")
    return past
