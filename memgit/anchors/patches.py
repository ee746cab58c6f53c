"""Commits by what they change: a rebased or picked commit has another id and the same patch."""

from __future__ import annotations

from collections.abc import Sequence

from memgit.anchors.place_cache import PlaceCache
from memgit.store.backend import ObjectMissing
from memgit.store.code_history import CodeHistory, CommitGraph
from memgit.store.objects import ObjectId

_NEWEST = 500  # commits of a history that are looked through: a rewrite is looked for soon after it happened


class Patches:
    """Patch ids of one repository, computed once for each commit."""

    def __init__(self, history: CodeHistory, cache: PlaceCache | None) -> None:
        self._history = history
        self._cache = cache
        self._known: dict[ObjectId, str] = {}

    def of(self, commits: Sequence[ObjectId]) -> dict[ObjectId, str]:
        """Return the patch id of each commit; an empty one where it has none (a merge, a root, no change).

        An empty one as well, but not kept, where what a commit changed is not in this clone.
        """
        unknown = [commit for commit in commits if commit not in self._known]
        if unknown and self._cache is not None:
            self._known.update((ObjectId(name), patch) for name, patch in self._cache.patches(unknown).items())
            unknown = [commit for commit in unknown if commit not in self._known]
        if unknown:
            fresh = self._computed(unknown)
            self._known.update(dict.fromkeys(unknown, "") | fresh)
            if self._cache is not None:
                self._cache.write_patches(fresh)
        return {commit: self._known[commit] for commit in commits}

    def _computed(self, commits: Sequence[ObjectId]) -> dict[ObjectId, str]:
        try:
            found = self._history.patch_ids(commits)
        except ObjectMissing:
            if len(commits) == 1:
                return {}
            half = len(commits) // 2
            return self._computed(commits[:half]) | self._computed(commits[half:])
        return {commit: found.get(commit, "") for commit in commits}

    def newest(self, graph: CommitGraph, without: CommitGraph | None = None) -> dict[str, ObjectId]:
        """Return the newest commits of a history by their patch ids; of several, the oldest of these.

        What is in `without` as well is left out: it cannot be a later copy.
        """
        shared = without.parents if without is not None else {}
        commits = [commit for commit, parents in graph.parents.items() if len(parents) == 1 and commit not in shared][
            :_NEWEST
        ]
        return {patch: commit for commit, patch in self.of(commits).items() if patch}
