"""The table of operations. It dispatches, and it documents: capabilities, schema and instructions come from it.

A row names its request and its function by module and attribute, so that an operation imports only what it needs.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from msgspec import Struct

from memgit.errors import UnknownOperation
from memgit.operations.invocation import Invocation

Group = Literal["context", "write", "read", "care", "describe"]
Handler = Callable[[Invocation, Struct], Struct]


@dataclass(frozen=True, slots=True)
class Operation:
    """One row. `module` is below `memgit.`; `context` says whether the answer echoes a resolved context."""

    name: str
    module: str
    request: str
    function: str
    group: Group
    mutates: bool = False
    context: bool = True
    keyed: bool = True  # of what mutates: whether an idempotency key is kept

    def request_type(self) -> type[Struct]:
        """Return the struct that the operation's input must fit."""
        return cast(type[Struct], getattr(self._load(), self.request))

    def handler(self) -> Handler:
        """Return the function that runs the operation."""
        return cast(Handler, getattr(self._load(), self.function))

    @property
    def summary(self) -> str:
        """What the operation does, from its request's docstring."""
        return (self.request_type().__doc__ or "").strip()

    def _load(self) -> Any:
        return importlib.import_module(f"memgit.{self.module}")


_ROWS = (
    Operation("context.resolve", "operations.context", "ContextResolve", "resolve", "context"),
    Operation("store.init", "operations.init", "StoreInit", "init", "care", mutates=True, context=False, keyed=False),
    Operation("status", "operations.status", "Status", "status", "read"),
    Operation("remember", "operations.remember", "Remember", "remember", "write", mutates=True),
    Operation("session.ingest", "operations.remember_session", "SessionIngest", "ingest", "write", mutates=True),
    Operation("claim.assert", "operations.claims", "ClaimAssert", "assert_claim", "write", mutates=True),
    Operation("claim.revise", "operations.claims", "ClaimRevise", "revise", "write", mutates=True),
    Operation("claim.retract", "operations.claims", "ClaimRetract", "retract", "write", mutates=True),
    Operation("claim.get", "operations.claims", "ClaimGet", "get", "read"),
    Operation("claim.history", "operations.claims", "ClaimHistory", "history", "read"),
    Operation("artifact.put", "operations.artifacts", "ArtifactPut", "put", "write", mutates=True),
    Operation("artifact.revise", "operations.artifacts", "ArtifactRevise", "revise", "write", mutates=True),
    Operation("artifact.get", "operations.artifacts", "ArtifactGet", "get", "read"),
    Operation("artifact.history", "operations.artifacts", "ArtifactHistory", "history", "read"),
    Operation("artifact.forget", "operations.artifacts", "ArtifactForget", "forget", "write", mutates=True),
    Operation("relation.put", "operations.relations", "RelationPut", "put", "write", mutates=True),
    Operation("relation.list", "operations.relations", "RelationList", "list_relations", "read"),
    Operation("conflict.list", "operations.conflicts", "ConflictList", "list_conflicts", "read"),
    Operation("conflict.get", "operations.conflicts", "ConflictGet", "get", "read"),
    Operation(
        "conflict.acknowledge",
        "operations.acknowledge",
        "ConflictAcknowledge",
        "acknowledge",
        "write",
        mutates=True,
    ),
    Operation("memory.recall", "operations.recall", "Recall", "recall", "read"),
    Operation("memory.retrieve", "operations.retrieve", "Retrieve", "retrieve", "read"),
    Operation("memory.probe", "operations.probe", "Probe", "probe", "read"),
    Operation("context.build", "operations.context_build", "ContextBuild", "build", "read"),
    Operation("search", "operations.search", "Search", "search", "read"),
    Operation("citation.get", "operations.citation", "CitationGet", "get", "read"),
    Operation("show", "operations.show", "Show", "show", "read"),
    Operation("log", "operations.log", "Log", "log", "read"),
    Operation("blame", "operations.blame", "Blame", "blame", "read"),
    Operation("diff", "operations.diff", "DiffStates", "diff", "read", context=False),
    Operation("why", "operations.why", "Why", "why", "read"),
    Operation("for", "operations.for_path", "For", "for_path", "read"),
    Operation("stale", "operations.stale", "Stale", "stale", "read"),
    Operation("check", "operations.check", "Check", "check", "read"),
    Operation("confirm", "operations.confirm", "Confirm", "confirm", "write", mutates=True),
    Operation("undo", "operations.undo", "Undo", "undo", "write", mutates=True),
    Operation("import.markdown", "operations.import_markdown", "ImportMarkdown", "run", "write", mutates=True),
    Operation("feedback.record", "operations.feedback", "FeedbackRecord", "record", "care", mutates=True, keyed=False),
    Operation("feedback.export", "operations.feedback", "FeedbackExport", "export", "care"),
    Operation("promote", "operations.promote", "Promote", "promote", "write", mutates=True, keyed=False),
    Operation("draft.list", "operations.drafts", "DraftList", "list_drafts", "read"),
    Operation("draft.diff", "operations.drafts", "DraftDiff", "diff_draft", "read"),
    Operation("draft.merge", "operations.drafts", "DraftMerge", "merge", "care", mutates=True, keyed=False),
    Operation("draft.drop", "operations.drafts", "DraftDrop", "drop", "care", mutates=True, keyed=False),
    Operation("draft.restore", "operations.drafts", "DraftRestore", "restore", "care", mutates=True, keyed=False),
    Operation("draft.share", "operations.draft_exchange", "DraftShare", "share", "care", mutates=True, keyed=False),
    Operation("draft.fetch", "operations.draft_exchange", "DraftFetch", "fetch", "care", mutates=True, keyed=False),
    Operation(
        "draft.unshare", "operations.draft_exchange", "DraftUnshare", "unshare", "care", mutates=True, keyed=False
    ),
    Operation("draft.remote", "operations.draft_exchange", "DraftRemote", "list_remote", "read"),
    Operation("source.register", "operations.sources", "SourceRegister", "register", "write", mutates=True),
    Operation("source.get", "operations.sources", "SourceGet", "get", "read"),
    Operation("source.list", "operations.sources", "SourceList", "list_sources", "read"),
    Operation("source.ingest", "operations.sources", "SourceIngest", "ingest", "write", mutates=True),
    Operation("source.checkpoint", "operations.sources", "SourceCheckpoint", "checkpoint", "write", mutates=True),
    Operation("source.withdraw", "operations.sources", "SourceWithdraw", "withdraw", "write", mutates=True),
    Operation("projection.put", "operations.projections", "ProjectionPut", "put", "write", mutates=True),
    Operation("projection.list", "operations.projections", "ProjectionList", "list_projections", "read"),
    Operation("projection.drop", "operations.projections", "ProjectionDrop", "drop", "write", mutates=True),
    Operation("pending.put", "operations.pending_put", "PendingPut", "put", "care", mutates=True, keyed=False),
    Operation("pending.list", "operations.pending", "PendingList", "list_notes", "care"),
    Operation("pending.show", "operations.pending", "PendingShow", "show", "care"),
    Operation("pending.preview", "operations.pending_apply", "PendingPreview", "preview", "care"),
    Operation("pending.apply", "operations.pending_apply", "PendingApply", "apply", "write", mutates=True, keyed=False),
    Operation("pending.drop", "operations.pending", "PendingDrop", "drop", "care", mutates=True, keyed=False),
    Operation(
        "checkpoint.create",
        "operations.checkpoints",
        "CheckpointCreate",
        "create",
        "care",
        mutates=True,
        context=False,
        keyed=False,
    ),
    Operation("checkpoint.list", "operations.checkpoints", "CheckpointList", "list_checkpoints", "care", context=False),
    Operation("checkpoint.show", "operations.checkpoints", "CheckpointShow", "show", "care", context=False),
    Operation("checkpoint.diff", "operations.checkpoint_states", "CheckpointDiff", "diff", "care", context=False),
    Operation(
        "checkpoint.restore",
        "operations.checkpoint_states",
        "CheckpointRestore",
        "restore",
        "care",
        mutates=True,
        context=False,
        keyed=False,
    ),
    Operation(
        "checkpoint.drop",
        "operations.checkpoints",
        "CheckpointDrop",
        "drop",
        "care",
        mutates=True,
        context=False,
        keyed=False,
    ),
    Operation("verify", "operations.verify", "Verify", "verify", "care"),
    Operation("doctor", "operations.doctor", "Doctor", "doctor", "care", context=False),
    Operation(
        "hooks.install", "operations.hooks", "HooksInstall", "install", "care", mutates=True, context=False, keyed=False
    ),
    Operation(
        "hooks.uninstall",
        "operations.hooks",
        "HooksUninstall",
        "uninstall",
        "care",
        mutates=True,
        context=False,
        keyed=False,
    ),
    Operation("hooks.status", "operations.hooks", "HooksStatus", "status", "care", context=False),
    Operation("hooks.snippet", "operations.hooks", "HooksSnippet", "snippet", "care", context=False),
    Operation("sync.run", "operations.sync", "SyncRun", "run", "care", mutates=True, context=False, keyed=False),
    Operation("sync.fetch", "operations.sync", "SyncFetch", "fetch", "care", mutates=True, context=False, keyed=False),
    Operation("sync.pull", "operations.sync", "SyncPull", "pull", "care", mutates=True, context=False, keyed=False),
    Operation("sync.push", "operations.sync", "SyncPush", "push", "care", mutates=True, context=False, keyed=False),
    Operation("sync.status", "operations.sync_status", "SyncStatus", "status", "care", context=False),
    Operation("trust.list", "operations.trust", "TrustList", "list_trust", "care", context=False),
    Operation("trust.add", "operations.trust", "TrustAdd", "add", "care", mutates=True, context=False, keyed=False),
    Operation(
        "trust.remove", "operations.trust", "TrustRemove", "remove", "care", mutates=True, context=False, keyed=False
    ),
    Operation("config.get", "operations.settings", "ConfigGet", "get_setting", "care", context=False),
    Operation(
        "config.set",
        "operations.settings",
        "ConfigSet",
        "set_setting",
        "care",
        mutates=True,
        context=False,
        keyed=False,
    ),
    Operation("config.list", "operations.settings", "ConfigList", "list_settings", "care", context=False),
    Operation("model.list", "operations.models", "ModelList", "list_models", "care", context=False),
    Operation(
        "model.install",
        "operations.models",
        "ModelInstall",
        "install",
        "care",
        mutates=True,
        context=False,
        keyed=False,
    ),
    Operation("model.use", "operations.models", "ModelUse", "use", "care", mutates=True, context=False, keyed=False),
    Operation(
        "model.remove", "operations.models", "ModelRemove", "remove", "care", mutates=True, context=False, keyed=False
    ),
    Operation("capabilities", "protocol.describe", "Capabilities", "capabilities", "describe", context=False),
    Operation("schema", "protocol.describe", "Schema", "schema", "describe", context=False),
    Operation("instructions", "protocol.describe", "Instructions", "instructions", "describe", context=False),
)

OPERATIONS: dict[str, Operation] = {row.name: row for row in _ROWS}


def find_operation(name: object) -> Operation:
    """Return the operation of this name. Raises UnknownOperation, which suggests the nearest one."""
    found = OPERATIONS.get(name) if isinstance(name, str) else None
    if found is not None:
        return found
    import difflib

    if name is None:
        raise UnknownOperation("the request names no operation: `op` is missing", details={"op": None})
    shown = name[:80] if isinstance(name, str) else type(name).__name__
    near = difflib.get_close_matches(str(shown), OPERATIONS, n=1)
    hint = f"Did you mean `{near[0]}`?" if near else None
    raise UnknownOperation(f"there is no operation {shown!r}", hint=hint, details={"op": str(shown)})
