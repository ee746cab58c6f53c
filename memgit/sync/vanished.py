"""What the history that arrives once held and its tip does not: a commit dropped it, and no purge says so.

Adopting a commit means keeping its files. Uniting with the commits that are named here, which are ancestors of the tip,
brings back what a later commit left out.
"""

from __future__ import annotations

from memgit.store.database import Database
from memgit.store.git_command import run_git
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository

_SECONDS = 300


def dropped_parents(repository: Repository, database: Database, commits: list[ObjectId]) -> list[ObjectId]:
    """Return the parents, in the given order, that hold a file which a commit of theirs lacks or holds otherwise."""
    tree_of = {oid: database.commit(oid) for oid in commits}
    pairs: dict[tuple[ObjectId, ObjectId], ObjectId] = {}
    for commit in tree_of.values():
        for parent in commit.parents:
            older = tree_of[parent].tree if parent in tree_of else database.commit(parent).tree
            if older != commit.tree:
                pairs.setdefault((older, commit.tree), parent)
    asked = "".join(f"{older} {newer}\n" for older, newer in pairs)
    options = ["-r", "-m", "--no-renames", "--diff-filter=DMT", "--name-only", "--stdin"]
    answer = run_git(repository, ["diff-tree", *options], stdin=asked.encode(), timeout=_SECONDS)
    found: list[ObjectId] = []
    current: ObjectId | None = None
    for line in answer.stdout.decode("utf-8", "replace").splitlines():
        first, _, second = line.partition(" ")
        named = pairs.get((ObjectId(first), ObjectId(second)))
        if named is not None:
            current = named
        elif current is not None and current not in found:
            found.append(current)
    return found
