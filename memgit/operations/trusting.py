"""Whose word an answer repeats: each revision of a store judged by what this clone's user says of its author.

The judgement is `memgit.scope.trust.trusted`. Here is only what it needs: the policy from Git config, and the keys that
vouch for an operation, looked for where nothing else decides, within a bound, and remembered.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from memgit.errors import MemgitError, StoreCorrupt
from memgit.records.paths import OpPath
from memgit.records.state import Entity, Revision
from memgit.scope.trust import TrustPolicy, trusted
from memgit.store.private import LOCAL, SHARED

if TYPE_CHECKING:
    from memgit.index.vouching_cache import VouchingCache
    from memgit.operations.invocation import Invocation

_SECONDS = 3.0  # of one request, for all signatures together; what was found until then is remembered


class Trusting:
    """Tells whether a revision's author is trusted. `place` is the store that holds it, `warn` takes a sentence."""

    def __init__(self, policy: TrustPolicy, place: Invocation, warn: Callable[[str], None]) -> None:
        self._policy = policy
        self._place = place
        self._warn = warn
        self._left = _SECONDS
        self._cache: VouchingCache | None = None

    def __call__(self, entity: Entity, revision: Revision) -> bool:
        """Tell whether what a revision says may be injected into a prompt: what `trusted` says."""
        return trusted(revision.actor, self._policy, lambda: self._signers(entity, revision))

    def _signers(self, entity: Entity, revision: Revision) -> frozenset[str]:
        layer = self._place.state.layer_of(revision.digest)
        if layer == LOCAL:  # nobody but this clone's user writes there, and nothing there is signed
            return frozenset(entry.key for entry in self._policy.deciding(revision.actor.email) if entry.key)
        if layer != SHARED or self._left <= 0:
            return frozenset()
        began = time.monotonic()
        try:
            return self._vouched(_path(entity, revision))
        except MemgitError as error:
            self._warn(f"signatures were not checked, so an author may be called not trusted: {error.message}")
            self._left = 0.0
            return frozenset()
        finally:
            self._left -= time.monotonic() - began

    def _vouched(self, path: OpPath) -> frozenset[str]:
        """Return the keys that vouch for an operation, from what is remembered as far as that goes."""
        from memgit.index.vouching_cache import Known, VouchingCache
        from memgit.store.objects import ObjectId
        from memgit.store.vouching import vouched

        if self._cache is None:
            self._cache = VouchingCache(self._place.repository.cache_dir)
        tip = self._place.observed.commit_id
        assert tip is not None
        known = self._cache.read([path.digest]).get(path.digest)
        if known is not None and (known.keys or known.seen == tip):
            return known.keys
        database = self._place.store.database
        since = ObjectId(known.seen) if known is not None else None
        try:
            found = vouched(database, ObjectId(tip), [path.path], since=since, seconds=self._left)[path.path]
        except StoreCorrupt:
            if since is None:
                raise
            found = vouched(database, ObjectId(tip), [path.path], seconds=self._left)[path.path]  # it was rewritten
        if found.final or found.keys:
            self._cache.write({path.digest: Known(found.keys, tip)})
        return found.keys


def _path(entity: Entity, revision: Revision) -> OpPath:
    """Return the path of the operation that made a revision."""
    creating = "assert" if entity.lineage.kind == "claim" else "put"
    return OpPath(entity.lineage.id, revision.seq, "revise" if revision.parents else creating, revision.digest)
