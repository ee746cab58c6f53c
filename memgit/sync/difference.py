"""What one tip of a store holds beside another, in numbers: operations by kind and verb."""

from __future__ import annotations

from collections import Counter

from memgit.errors import StoreCorrupt
from memgit.records.ids import kind_of
from memgit.records.paths import parse_op_path
from memgit.store.git_command import run_git
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository

_SECONDS = 300


def operations_beside(repository: Repository, tip: ObjectId | None, other: ObjectId | None) -> dict[str, int]:
    """Return how many operations of each kind and verb `tip` holds and `other` does not, by name: `claim.assert`."""
    if tip is None or tip == other:
        return {}
    command = ["ls-tree", "-r", "-z", "--name-only", tip]
    if other is not None:
        command = ["diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=A", other, tip]
    answer = run_git(repository, command, timeout=_SECONDS)
    if answer.returncode != 0:
        raise StoreCorrupt(f"commits {other} and {tip} cannot be compared")
    names = (parse_op_path(path) for path in answer.stdout.decode("utf-8", "surrogateescape").split("\0"))
    counts = Counter(f"{kind_of(name.entity)}.{name.verb}" for name in names if name is not None)
    return dict(sorted(counts.items()))
