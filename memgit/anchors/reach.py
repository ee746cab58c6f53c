"""Whether a history has a commit, or what the commit changed: for what was learned on a branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from memgit.anchors.patches import Patches
from memgit.anchors.rewritten import rewritten
from memgit.store.backend import ObjectMissing
from memgit.store.code_history import CodeHistory, CommitGraph
from memgit.store.objects import ObjectId

Reach = Literal["in", "carried", "out", "unknown"]
"""`in`: the commit is in the history. `carried`: its change is, under another id (amended, rebased, picked, squashed).
`out`: neither. `unknown`: the commit, or what it changed, is not in this clone, so nobody can tell."""

_FILES = 50  # that a branch changed; more are not compared one by one
_VERSIONS = 50  # of a file in the history


def reach(
    history: CodeHistory,
    graph: CommitGraph,
    patches: Patches,
    rewrites: Mapping[str, str],
    commits: Sequence[str],
) -> dict[str, Reach]:
    """Return of each commit how far a whole history has it."""
    found: dict[str, Reach] = {}
    by_patch: dict[str, ObjectId] | None = None
    for commit in commits:
        if commit in graph:
            found[commit] = "in"
        elif rewritten(commit, graph, rewrites) is not None:
            found[commit] = "carried"
        elif not history.has(commit):
            found[commit] = "unknown"
        else:
            by_patch = patches.newest(graph) if by_patch is None else by_patch
            try:
                is_carried = _is_carried(history, graph, patches, by_patch, ObjectId(commit))
                found[commit] = "carried" if is_carried else "out"
            except ObjectMissing:
                found[commit] = "unknown"
    return found


def _is_carried(
    history: CodeHistory, graph: CommitGraph, patches: Patches, by_patch: Mapping[str, ObjectId], commit: ObjectId
) -> bool:
    base = history.merge_base(graph.target, commit)
    if base is None:
        return False
    if base == commit:
        return True
    if patches.of([commit])[commit] in by_patch:
        return True
    between = history.patch_id_between(base, commit)
    if between is None or between in by_patch:
        return True
    return _has_its_files(history, graph, base, commit)


def _has_its_files(history: CodeHistory, graph: CommitGraph, base: ObjectId, commit: ObjectId) -> bool:
    """Tell whether each file that the branch changed was in the history as the branch left it: a squash merge."""
    changed = sorted(history.changed_paths(base, commit))
    return len(changed) <= _FILES and all(_had(history, graph, base, commit, path) for path in changed)


def _had(history: CodeHistory, graph: CommitGraph, base: ObjectId, commit: ObjectId, path: str) -> bool:
    try:
        wanted = history.file(commit, path)
        versions = history.commits_on(path, graph.target, base, _VERSIONS)
        return any(history.file(version, path) == wanted for version in versions)
    except ObjectMissing:
        return False
