"""Whether a history still leads to what was purged."""

from __future__ import annotations

from collections.abc import Iterable

from memgit.errors import StoreCorrupt
from memgit.records.ids import EntityId
from memgit.records.paths import shard_of
from memgit.store.git_command import run_git
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository

_SECONDS = 300


def holder(repository: Repository, tip: ObjectId, entities: Iterable[EntityId]) -> ObjectId | None:
    """Return a commit that the tip reaches and that touches an operation of one of the entities, or None.

    Raises StoreCorrupt where the history cannot be walked.
    """
    paths = [f":(glob){shard_of(entity)}/{entity}.*" for entity in entities]
    if not paths:
        return None
    answer = run_git(
        repository,
        ["rev-list", "--full-history", "-n", "1", "--stdin"],
        stdin="\n".join([tip, "--", *paths, ""]).encode(),
        timeout=_SECONDS,
    )
    if answer.returncode != 0:
        raise StoreCorrupt(f"the history of {tip} cannot be walked")
    return ObjectId(answer.stdout.decode().strip()) if answer.stdout.strip() else None
