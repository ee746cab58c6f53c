"""The one line that `status` says of memory and code: how much of what is tied to code is still as it was at HEAD.

Counted once for each commit of the store and of the code, and kept. Changes that are not committed do not count here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from memgit.errors import MemgitError
from memgit.operations.invocation import Invocation

if TYPE_CHECKING:
    from memgit.operations.code_memory import CodeMemory

_KEPT = "trust"


class CodeTrust(Struct, frozen=True, kw_only=True):
    """Of what is tied to code and shown here: how many are as they were at HEAD, by the worst anchor of each.

    `unmerged` come from branches that HEAD does not have.
    """

    fresh: int
    drifted: int
    gone: int
    unmerged: int


class _Kept(Struct, frozen=True):
    """What was counted, and for what."""

    of: tuple[str, ...]
    trust: CodeTrust


def code_trust(invocation: Invocation) -> CodeTrust | None:
    """Return the counts; None where nothing is tied to code, or there is no commit. What fails becomes a warning."""
    seen = invocation.state.watermark
    if seen is None or not invocation.state.holds_anchors():
        return None
    from memgit.operations.code_memory import CodeMemory
    from memgit.operations.stamp_reach import quick_head

    head, scope = quick_head(invocation.repository), invocation.context.scope
    of = (seen.commit_id, head or "", scope.workspace, scope.project, scope.task or "")
    with CodeMemory(invocation, "HEAD") as code:
        kept = _decoded(code.notebook.note(_KEPT)) if head is not None else None
        if kept is not None and kept.of == of:
            return kept.trust
        try:
            found = _counted(code)
        except MemgitError as error:
            invocation.warnings.append(f"the state of the code is not known: {error.message}")
            return None
        if found is not None and head is not None:
            code.notebook.keep(_KEPT, msgspec.json.encode(_Kept(of, found)).decode())
        return found


def _counted(code: CodeMemory) -> CodeTrust | None:
    if code.states.tracer().commit(None) is None:
        return None
    items = code.everywhere()
    if not items:
        return None
    from memgit.operations.stale import graded

    found = graded(code, items)
    return CodeTrust(
        fresh=found.fresh, drifted=found.count("drifted"), gone=found.count("gone"), unmerged=found.unmerged
    )


def _decoded(text: str | None) -> _Kept | None:
    try:
        return msgspec.json.decode(text, type=_Kept) if text is not None else None
    except msgspec.DecodeError:
        return None
