"""Whether a history has the commits at which memory was written, or what these changed.

The anchors' room finds out; here is what is remembered of it, so that most requests look into one small file and open
nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from memgit.index.reach_cache import LASTING, ReachCache
from memgit.store.clone_knowledge import clone_knowledge
from memgit.store.quick_tip import quick_tip
from memgit.store.ref_file import read_head
from memgit.store.repository import Repository

if TYPE_CHECKING:
    from memgit.anchors.tracer import Tracer


class StampReach:
    """Tells of stamped commits how far the history of `at` has them: HEAD's, where it is None."""

    def __init__(self, repository: Repository, tracer: Callable[[], Tracer], at: str | None = None) -> None:
        self._repository = repository
        self._tracer = tracer
        self._cache = ReachCache(repository.cache_dir)
        self._known: dict[str, str] = {}
        self._target = tracer().commit(at) if at is not None else quick_head(repository)
        if self._target is None and at is None and _is_odd(repository):
            self._target = tracer().commit(None)

    @property
    def target(self) -> str | None:
        """The commit whose history counts; None in a repository without one."""
        return self._target

    def of(self, commits: Iterable[str]) -> dict[str, str]:
        """Return of each commit `in`, `carried`, `out` or `unknown`, as `memgit.anchors.reach` says it.

        Nothing is said where there is no commit yet.
        """
        if self._target is None:
            return {}
        wanted = list(dict.fromkeys(commits))
        missing = [name for name in wanted if name not in self._known and name != self._target]
        self._known[self._target] = "in"
        if missing:
            knowledge = clone_knowledge(self._repository)
            self._known |= self._cache.read(self._target, missing, knowledge)
            unknown = [name for name in missing if name not in self._known]
            if unknown:
                found = self._found(self._target, unknown, knowledge)
                self._cache.write(self._target, found, knowledge)
                self._known |= found
        return {name: self._known[name] for name in wanted}

    def _found(self, target: str, commits: list[str], knowledge: str) -> dict[str, str]:
        """Return what is not remembered: first from an earlier commit of the same history, then by looking."""
        found = self._inherited(target, commits, knowledge)
        rest = [name for name in commits if name not in found]
        return found | (dict(self._tracer().reach(rest, target)) if rest else {})

    def _inherited(self, target: str, commits: list[str], knowledge: str) -> dict[str, str]:
        for earlier in self._cache.targets()[:2]:
            known = self._cache.read(earlier, commits, knowledge)
            lasting = {name: said for name, said in known.items() if said in LASTING}
            if lasting and self._tracer().reach([earlier], target).get(earlier) == "in":
                return lasting
        return {}


def quick_head(repository: Repository) -> str | None:
    """Return HEAD's commit as far as files say it."""
    commit, branch = read_head(repository.git_dir)
    return quick_tip(repository, branch) if branch is not None else commit


def _is_odd(repository: Repository) -> bool:
    """Tell whether HEAD may be more than its file says: in a reftable it is."""
    return (repository.common_dir / "reftable").is_dir()
