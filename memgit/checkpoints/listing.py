"""What the index and the working tree hold, as Git's own commands list it.

They read a copy of the index, so that all of them see one moment of it and none of them writes the user's. Whatever is
asked here costs a look at each file, never its content.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from memgit.checkpoints import plumbing
from memgit.checkpoints.trees import GITLINK, Entry
from memgit.checkpoints.unlisted import unlisted
from memgit.store.git_command import run_git
from memgit.store.objects import ObjectFormat, hash_object
from memgit.store.repository import Repository

_LISTED = re.compile(rb"([^ ]) ([0-7]{6}) ([0-9a-f]+) ([0-3])\t([^\0]*)\0", re.DOTALL)
_DIFFERS = re.compile(rb":[0-7]{6} [0-7]{6} [0-9a-f]+ [0-9a-f]+ ([A-Z])[0-9]*\0([^\0]*)\0", re.DOTALL)
_NOT_THERE = b"S"  # of `ls-files -v`: skip-worktree

_CONVERTING = ("filter", "working-tree-encoding")  # attributes under which size says nothing about the bytes
_SHRINKING = ("ident", "text", "eol", "crlf")  # those under which a file that Git would change is longer than its blob
_OFF = (b"unspecified", b"unset", b"")


class Conflict(NamedTuple):
    """One side of an unmerged path."""

    stage: int
    path: bytes
    entry: Entry


@dataclass(frozen=True, slots=True)
class Listing:
    """The index (`entries` by path, `conflicts`, `intended`: added without content), and what else is to be looked at.

    `unseen` are entries whose files Git does not look at (skip-worktree, assume-unchanged), `gone` those without a
    file, `dirty` those whose file may differ. `staged` differ from HEAD, `added` are those that HEAD lacks. `converted`
    have bytes that need not be the blob's, `resized` differ from it exactly where their size does. `nested` are
    repositories below, which are not ours; `unlisted` is what else is there, with the reason why it is not kept.
    """

    entries: Mapping[bytes, Entry]
    conflicts: tuple[Conflict, ...]
    intended: frozenset[bytes]
    unseen: frozenset[bytes]
    gone: frozenset[bytes]
    dirty: frozenset[bytes]
    staged: frozenset[bytes]
    added: frozenset[bytes]
    converted: frozenset[bytes]
    resized: frozenset[bytes]
    untracked: tuple[bytes, ...]
    nested: tuple[bytes, ...]
    unlisted: Mapping[bytes, str]


def list_tree(repository: Repository, index: Path | None, head: str | None, object_format: ObjectFormat) -> Listing:
    """Return what the index, of which `index` is a copy, and the working tree hold. Raises StoreCorrupt, StoreBusy.

    `head` is HEAD's commit, None where there is none.
    """
    base = head or hash_object("tree", b"", object_format).oid

    def git(*arguments: str, stdin: bytes = b"") -> bytes:
        return plumbing.in_tree(repository, list(arguments), index, stdin)

    with ThreadPoolExecutor(5) as pool:
        listed = pool.submit(git, "ls-files", "-s", "-v", "-z")
        differing = pool.submit(git, "diff-files", "-z", "--raw", "--ignore-submodules=all")
        others = pool.submit(git, "ls-files", "-o", "--exclude-standard", "-z")
        staged = pool.submit(git, "diff-index", "--cached", "--raw", "-z", "--no-renames", base, "--")
        converts = pool.submit(_converts_line_ends, repository)
        entries, conflicts, unseen = _entries(listed.result())
        untracked = others.result().split(b"\0")[:-1]
        passed_over = pool.submit(_unlisted, repository, entries, untracked)
        attributes = git("check-attr", "-z", "--stdin", *_CONVERTING, *_SHRINKING, stdin=_joined(entries))
        converted, resized = _conversions(attributes, entries, by_default=converts.result())
        status = {path: letter for letter, path in _DIFFERS.findall(differing.result())}
        fresh = {path: letter for letter, path in _DIFFERS.findall(staged.result())}
        return Listing(
            entries=entries,
            conflicts=conflicts,
            intended=frozenset(path for path, letter in status.items() if letter == b"A"),
            unseen=unseen,
            gone=frozenset(path for path, letter in status.items() if letter == b"D"),
            dirty=frozenset(path for path, letter in status.items() if letter != b"D" and path in entries),
            staged=frozenset(fresh),
            added=frozenset(path for path, letter in fresh.items() if letter == b"A"),
            converted=converted,
            resized=resized,
            untracked=tuple(path for path in untracked if not path.endswith(b"/")),
            nested=tuple(path for path in untracked if path.endswith(b"/")),
            unlisted=passed_over.result(),
        )


def index_entries(repository: Repository, index: Path) -> tuple[dict[bytes, Entry], tuple[Conflict, ...]]:
    """Return the entries of an index file, and the sides of its unmerged paths."""
    entries, conflicts, _ = _entries(plumbing.in_tree(repository, ["ls-files", "-s", "-v", "-z"], index))
    return entries, conflicts


def _entries(listed: bytes) -> tuple[dict[bytes, Entry], tuple[Conflict, ...], frozenset[bytes]]:
    entries: dict[bytes, Entry] = {}
    conflicts: list[Conflict] = []
    unseen: list[bytes] = []
    for tag, mode, oid, stage, path in _LISTED.findall(listed):
        entry = Entry(mode, oid.decode())
        if stage != b"0":
            conflicts.append(Conflict(int(stage), path, entry))
            continue
        entries[path] = entry
        if tag.upper() == _NOT_THERE or tag.islower():
            unseen.append(path)
    return entries, tuple(conflicts), frozenset(unseen)


def _unlisted(repository: Repository, entries: Mapping[bytes, Entry], untracked: Iterable[bytes]) -> dict[bytes, str]:
    """Return what is in the working tree and in neither of the lists."""
    assert repository.work_tree is not None
    others = [path for path, entry in entries.items() if entry.mode == GITLINK]
    others += [path for path in untracked if path.endswith(b"/")]

    def ignored(paths: Collection[bytes]) -> frozenset[bytes]:
        command = ["check-ignore", "--no-index", "-z", "--stdin"]  # its exit status says whether any is
        named = _joined(b"./" + path for path in paths)  # it knows no literal pathspecs
        answer = plumbing.ask(repository, command, stdin=named, directory=repository.work_tree, fine=(0, 1))
        return frozenset(path.removeprefix(b"./") for path in answer.split(b"\0")[:-1])

    return unlisted(os.fsencode(repository.work_tree), (*entries, *untracked), others, ignored)


def _conversions(
    answer: bytes, entries: Mapping[bytes, Entry], *, by_default: bool
) -> tuple[frozenset[bytes], frozenset[bytes]]:
    """Return the paths whose bytes need not be the blob's, and those of which the size tells."""
    asked = len(entries) * (len(_CONVERTING) + len(_SHRINKING))
    if not by_default and answer.count(b"\0unspecified\0") == asked:
        return frozenset(), frozenset()  # as in most repositories: nothing to go through
    fields = answer.split(b"\0")
    converting = {name.encode() for name in _CONVERTING}
    converted: set[bytes] = set()
    resized: set[bytes] = set()
    plain: set[bytes] = set()
    for path, name, value in zip(fields[0::3], fields[1::3], fields[2::3], strict=False):
        if value not in _OFF:
            (converted if name in converting else resized).add(path)
        elif name == b"text" and value == b"unset":
            plain.add(path)
    if by_default:
        resized |= entries.keys() - plain
    links = {path for path, entry in entries.items() if entry.mode in (GITLINK, b"120000")}
    return frozenset(converted - links), frozenset(resized - converted - links)


def _converts_line_ends(repository: Repository) -> bool:
    """Tell whether files without attributes are converted."""
    done = run_git(repository, ["config", "--get", "core.autocrlf"])
    return done.returncode == 0 and done.stdout.strip().lower() not in (b"false", b"no", b"off", b"0", b"")


def _joined(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)
