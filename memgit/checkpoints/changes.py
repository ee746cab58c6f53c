"""Which paths a move of HEAD changed, from trees alone: cheap, bounded, and silent where the commits are gone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from memgit.checkpoints import plumbing
from memgit.checkpoints.record import CHANGED_KEPT, ChangedPath, shown_path
from memgit.errors import StoreBusy, StoreCorrupt
from memgit.store.repository import Repository

_PATH_BYTES = 40_000  # of the paths of one move; escaped, they are four times as long at most
_SECONDS = 10.0  # for all moves of one drain
_HEADER = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")


@dataclass(frozen=True, slots=True)
class Move:
    """HEAD went from one commit to another. `before` None: the commit alone is meant."""

    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Changes:
    """The tree of the later commit, the first paths that differ, and how many more do."""

    tree: str | None = None
    paths: tuple[ChangedPath, ...] = ()
    more: int = 0


def changes_of(repository: Repository, moves: Sequence[Move]) -> list[Changes]:
    """Return what each move changed; an empty answer for one whose commits this clone has not, or no longer."""
    try:
        trees = _trees(repository, moves)
    except (StoreBusy, StoreCorrupt):
        return [Changes()] * len(moves)
    asked = [move for move in moves if move.after in trees and (move.before is None or move.before in trees)]
    found: dict[Move, Changes] = {}
    with suppress(StoreBusy, StoreCorrupt):
        lines = "".join(f"{move.after} {move.before or ''}".rstrip() + "\n" for move in asked).encode()
        command = ["diff-tree", "--stdin", "--always", "--root", "-r", "-z", "--name-status", "--no-renames"]
        answer = plumbing.ask(repository, command, stdin=lines, seconds=_SECONDS) if asked else b""
        found = _parse(answer, asked)
    return [
        Changes(trees.get(move.after or ""), found[move].paths, found[move].more)
        if move in found
        else Changes(trees.get(move.after or ""))
        for move in moves
    ]


def _trees(repository: Repository, moves: Sequence[Move]) -> dict[str, str]:
    """Return the tree of each commit that is there."""
    commits = list(dict.fromkeys(oid for move in moves for oid in (move.before, move.after) if oid is not None))
    lines = "".join(f"{oid}^{{tree}}\n" for oid in commits).encode()
    if not lines:
        return {}
    answer = plumbing.ask(repository, ["cat-file", "--batch-check"], stdin=lines, seconds=_SECONDS)
    fields = [line.split() for line in answer.splitlines()]
    pairs = zip(commits, fields, strict=True)
    return {oid: field[0].decode() for oid, field in pairs if len(field) == 3 and field[1] == b"tree"}


def _parse(answer: bytes, asked: Sequence[Move]) -> dict[Move, Changes]:
    """Return the changes of the moves, which Git answers in their order, each after its commit's id."""
    found: dict[Move, Changes] = {}
    remaining = iter(asked)
    paths: list[ChangedPath] = []
    tokens = iter(answer.split(b"\0")[:-1])
    current: Move | None = None
    count, room = 0, _PATH_BYTES
    for token in tokens:
        if _HEADER.fullmatch(token):
            if current is not None:
                found[current] = Changes(None, tuple(paths), count - len(paths))
            current, paths, count, room = next(remaining), [], 0, _PATH_BYTES
            continue
        path = next(tokens)
        count += 1
        room -= len(path)
        if len(paths) < CHANGED_KEPT and room >= 0:
            paths.append(ChangedPath(token.decode("ascii", "replace"), shown_path(path)))
    if current is not None:
        found[current] = Changes(None, tuple(paths), count - len(paths))
    return found
