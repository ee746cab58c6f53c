"""What the history that arrives once held and its tip does not: a commit dropped it, and no purge says so.

Adopting a commit means keeping its files. Uniting with the commits that are named here, which are ancestors of the tip,
brings back what a later commit left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from memgit.errors import StoreCorrupt
from memgit.store.database import Database
from memgit.store.git_command import run_git
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository

_SECONDS = 300

_Pair = tuple[ObjectId, ObjectId]  # two directories: what a parent has, and what its commit has


def dropped_parents(repository: Repository, database: Database, commits: list[ObjectId]) -> list[ObjectId]:
    """Return the parents, in the given order, that hold a file which a commit of theirs lacks or holds otherwise.

    Raises StoreCorrupt where the trees cannot be compared, because one of them is missing.
    """
    tree_of = {oid: database.commit(oid) for oid in commits}
    pairs: dict[tuple[ObjectId, ObjectId], ObjectId] = {}
    for commit in tree_of.values():
        for parent in commit.parents:
            older = tree_of[parent].tree if parent in tree_of else database.commit(parent).tree
            if older != commit.tree:
                pairs.setdefault((older, commit.tree), parent)
    dropping: set[ObjectId] = set()
    level: dict[_Pair, set[ObjectId]] = {pair: {parent} for pair, parent in pairs.items()}
    while level:
        below: dict[_Pair, set[ObjectId]] = {}
        for pair, inner in _changed(repository, level):
            parents = level[pair] - dropping
            if inner is None:
                dropping |= parents
            elif parents:
                below.setdefault(inner, set()).update(parents)
        level = below
    return [parent for parent in dict.fromkeys(pairs.values()) if parent in dropping]


def _changed(repository: Repository, pairs: Iterable[_Pair]) -> Iterator[tuple[_Pair, _Pair | None]]:
    """Yield each pair of directories with the pairs of those below them that differ, or None where an entry is gone.

    One level at a time, and each pair once: nobody has judged these trees, and small ones can name millions of paths.
    """
    asked = {f"{older} {newer}": None for older, newer in pairs}
    options = ["-m", "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=DMT", "--stdin"]
    answer = run_git(
        repository, ["diff-tree", *options], stdin="".join(f"{line}\n" for line in asked).encode(), timeout=_SECONDS
    )
    if answer.returncode != 0:
        raise StoreCorrupt(f"trees cannot be compared: {answer.stderr.decode('utf-8', 'replace').strip()[:200]}")
    current: _Pair | None = None
    told: set[bytes] = set()
    for field in answer.stdout.split(b"\0")[::2]:  # between them are the names
        heads, _, entry = field.rpartition(b"\n")
        if heads:
            told.update(heads.split(b"\n"))
            current = _pair(heads.rpartition(b"\n")[2].split(b" "))
        if current is None or not entry:
            continue
        older_mode, newer_mode, older, newer, _ = entry.split(b" ")
        is_below = older_mode == b":040000" and newer_mode == b"040000"
        yield current, _pair([older, newer]) if is_below else None
    if len(told) < len(asked):  # Git passes over a directory that it does not have, and says nothing
        raise StoreCorrupt("trees cannot be compared: one of them is missing")


def _pair(words: list[bytes]) -> _Pair:
    older, newer = (ObjectId(word.decode()) for word in words)
    return older, newer
