"""`doctor`: checks of what surrounds a memory, each with what to do. A list: a later check is one more function."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from memgit.operations.doctor_check import Check
from memgit.operations.doctor_hooks import examine_hooks
from memgit.operations.invocation import Invocation

EXAMINATIONS: tuple[Callable[[Invocation], Iterator[Check]], ...] = (examine_hooks,)
"""What the doctor looks at, in this order."""


class Doctor(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Check that what surrounds the memory works: hooks are fired in every working tree. Takes no input."""


class Diagnosis(Struct, frozen=True, kw_only=True):
    """All findings. `ok` is false where one is bad."""

    ok: bool
    checks: tuple[Check, ...]


def doctor(invocation: Invocation, request: Doctor) -> Diagnosis:
    """Run all checks."""
    checks = tuple(check for examine in EXAMINATIONS for check in examine(invocation))
    return Diagnosis(ok=all(check.state != "bad" for check in checks), checks=checks)
