"""`verify`: a read-only check of the whole store, with what is wrong, where, and what to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

from msgspec import Struct

from memgit.errors import MemgitError, StoreCorrupt
from memgit.maintenance.verify import Finding, Report, verify_indexes, verify_layer, verify_store
from memgit.operations.invocation import Invocation, Observed
from memgit.store.history import walk


class Verify(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Check every file of the store, its references, the state cache against a fresh fold, and the indexes.

    Takes no input. Of the layers that are this clone's alone, the files and the commits are checked.
    """


class VerifyReport(Struct, frozen=True, kw_only=True):
    """What was checked and what was found. `ok` is false where an error was found; notes do not count."""

    ok: bool
    checked: dict[str, int]
    findings: tuple[Finding, ...]


def verify(invocation: Invocation, request: Verify) -> VerifyReport:
    """Return the report of the store at its tip."""
    snapshot = invocation.store.snapshot()
    history = walk(invocation.store.database, snapshot.commit_id)
    reports = [verify_store(snapshot, lambda: invocation.state_of(snapshot), history)]
    with suppress(StoreCorrupt):  # which is among the findings
        invocation.warnings.extend(invocation.state_of(snapshot).take_notes())
    reports += [verify_indexes(invocation.repository.cache_dir), *_private(invocation)]
    findings = tuple(finding for report in reports for finding in report.findings)
    invocation.observed = Observed(snapshot.seq, snapshot.commit_id)
    return VerifyReport(
        ok=all(finding.severity != "error" for finding in findings),
        checked={name: count for report in reports for name, count in report.checked.items()},
        findings=findings,
    )


def _private(invocation: Invocation) -> Iterator[Report]:
    """Yield the report of each private layer of this clone."""
    for layer in invocation.layers.names():
        store = invocation.layers.private(layer)
        try:
            snapshot = store.snapshot()
            yield verify_layer(layer, snapshot, walk(store.database, snapshot.commit_id))
        except MemgitError as error:
            hint = error.hint or "Restore a backup of the directory memgit/state."
            found = Finding(severity="error", where=layer, what=error.message, do=hint)
            yield Report(checked={}, findings=(found,))
