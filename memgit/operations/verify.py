"""`verify`: a read-only check of the whole store, with what is wrong, where, and what to do."""

from __future__ import annotations

from msgspec import Struct

from memgit.maintenance.verify import Finding, verify_store
from memgit.operations.invocation import Invocation, Observed
from memgit.store.history import walk


class Verify(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Check every file of the store, its references, and the state cache against a fresh fold. Takes no input."""


class VerifyReport(Struct, frozen=True, kw_only=True):
    """What was checked and what was found. `ok` is false where an error was found; notes do not count."""

    ok: bool
    checked: dict[str, int]
    findings: tuple[Finding, ...]


def verify(invocation: Invocation, request: Verify) -> VerifyReport:
    """Return the report of the store at its tip."""
    snapshot = invocation.store.snapshot()
    report = verify_store(snapshot, lambda: invocation.state, walk(invocation.store.database, snapshot.commit_id))
    invocation.observed = Observed(snapshot.seq, snapshot.commit_id)
    return VerifyReport(
        ok=all(finding.severity != "error" for finding in report.findings),
        checked=report.checked,
        findings=report.findings,
    )
