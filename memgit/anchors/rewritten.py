"""What a commit became, as the events of rewriting say."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.store.code_history import CommitGraph
from memgit.store.objects import ObjectId

_LONGEST = 1000  # a chain of rewrites that is longer is a circle


def rewritten(commit: str, graph: CommitGraph, rewrites: Mapping[str, str]) -> ObjectId | None:
    """Return the first commit of a history that a commit became, or None."""
    for _ in range(_LONGEST):
        if commit not in rewrites:
            return None
        commit = rewrites[commit]
        if commit in graph:
            return ObjectId(commit)
    return None
