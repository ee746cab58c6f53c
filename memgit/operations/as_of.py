"""`as_of`: which past a reading request asks for, and the state of that past."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memgit import clock
from memgit.errors import InvalidRequest
from memgit.index.past import PastState, purged_since
from memgit.operations import dates
from memgit.operations.invocation import Invocation
from memgit.operations.positions import resolve_state
from memgit.retrieval.view import Past as PastReach
from memgit.store.snapshot import Snapshot

_LIKE_A_DATE = re.compile(r"\d{4}[-/.]\d{1,2}(?:[-/.]\d|\Z)")
_SEQ = re.compile(r"seq:(\d{1,18})")


@dataclass(frozen=True, slots=True)
class Past:
    """The state as it was, the moment at which validity is judged, the snapshot that holds it, and its reach."""

    state: PastState
    instant: str
    snapshot: Snapshot
    reach: PastReach


def past_of(invocation: Invocation, as_of: str, warn: Invocation) -> Past:
    """Return the past that a date, a commit or `seq:N` names. Raises InvalidRequest, NotFound.

    A date looks at everything in sight, a commit at the shared layer alone. `warn` takes what its asker should hear.
    """
    moment = dates.moment_of(invocation.repository, as_of)
    if moment is None and _LIKE_A_DATE.match(as_of.strip()):
        raise InvalidRequest(
            f"{as_of[:60]!r} is no date of the calendar between the years 1000 and 9999",
            hint=f"A date is one of: {dates.FORMS}.",
            details={"field": "as_of"},
        )
    _say_what_is_ahead(invocation, as_of, moment, warn)
    if moment is not None:
        snapshot = invocation.snapshot()
        began = min((record.at for record in snapshot.stores()), default=moment)
        if moment < began:
            warn.warnings.append(f"this memory began on {began[:10]} at {began[11:19]}Z, after {as_of[:60]!r}")
        state = PastState(snapshot, invocation.state, moment)
        past = Past(state, moment, snapshot, PastReach(latest_at=moment))
    else:
        commits = resolve_state(invocation, as_of).commits
        if len(commits) != 1:
            what = f"is a past of {len(commits)} commits side by side" if commits else "is before the first commit"
            raise InvalidRequest(
                f"{as_of[:80]!r} {what} of the store",
                hint="Give a date, or a commit of `git memory log`.",
                details={"field": "as_of"},
            )
        snapshot = invocation.store.snapshot(commits[0])
        instant = clock.format_time(snapshot.commit.seconds)
        past = Past(PastState(snapshot, invocation.state), instant, snapshot, PastReach(latest_seq=snapshot.seq))
    gone = purged_since(invocation.snapshot(), past.instant)
    if gone:
        warn.warnings.append(f"{gone} entities were purged since {past.instant}: the past is shown without them")
    return past


def _say_what_is_ahead(invocation: Invocation, as_of: str, moment: str | None, warn: Invocation) -> None:
    """Warn where what is asked for lies ahead: nothing can be known of it, so the answer is from what is known now."""
    seq = _SEQ.fullmatch(as_of.strip())
    if moment is not None and moment > clock.now():
        warn.warnings.append(f"{as_of[:60]!r} lies ahead: this is from what is known now, valid then")
    elif seq is not None and int(seq[1]) > (last := invocation.snapshot().seq):
        warn.warnings.append(f"{as_of[:60]!r} lies ahead: the last is seq:{last}, and this is from what is known now")
