"""Whether this clone's own memory may be counted as good and sent: memgit wrote it, or it is judged now.

Another program may have put anything into the ref (a forced fetch into it, a mirror). What was judged is remembered, so
that each sync judges the difference alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

from memgit.errors import FormatTooNew, IncomingRefused, StoreCorrupt
from memgit.store.objects import ObjectId
from memgit.store.store import Store
from memgit.store.validate import Incomplete, validate

_KEPT = "refs/memgit/refused"


def is_good(store: Store, tip: ObjectId, known: Iterable[ObjectId] = ()) -> bool:
    """Tell whether a tip of ours is memory, whole and as memgit writes it. `known` are commits that are good."""
    with suppress(IncomingRefused, FormatTooNew, Incomplete):
        _judge(store, tip, known)
        return True
    return False


def require_good(store: Store, known: Iterable[ObjectId] = (), *, whole: bool = True) -> None:
    """Raise IncomingRefused unless our tip is memory; `whole`: also StoreCorrupt where objects of it are missing."""
    tip, known = store.tip(), list(known)
    if tip is None:
        return
    try:
        _judge(store, tip, known)
    except Incomplete as error:
        if whole:
            raise StoreCorrupt(f"the memory here is not whole, so it was not sent: {error}") from None
    except IncomingRefused as error:
        settled = store.settle()  # where the log knows better, it says what to do
        if settled == tip:
            raise _with_way_back(store, tip, error, known) from None
        require_good(store, known, whole=whole)


def _judge(store: Store, tip: ObjectId, known: Iterable[ObjectId]) -> None:
    checked = store.checked.tip()
    if tip == checked:
        return
    good = [one for one in (checked, *known) if one is not None]
    validate(store.repository, store.database, tip, good, "the memory here")
    with suppress(OSError):  # then it is judged again
        store.checked.note(tip)


def _with_way_back(store: Store, tip: ObjectId, error: IncomingRefused, known: list[ObjectId]) -> IncomingRefused:
    ref, log = store.options.ref, store.database.log.path
    good = next((one for one in (store.checked.tip(), *known) if one is not None), None)
    back = f"`git update-ref {ref} {good}`" if good is not None else f"`git update-ref -d {ref}`"
    forget = f"remove {log} and run {back}" if log.exists() else f"run {back}"
    error.hint = (
        f"Another program put it there; nothing of it was sent. `git update-ref {_KEPT} {tip}` keeps it for a look. "
        f"Then {forget}, and `git memory sync`."
    )
    return error
