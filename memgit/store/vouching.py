"""Which keys vouch for an operation: those that signed a commit that brought it into the store.

A commit brings an operation if it holds it and none of its parents does, has one parent at most, and says which
operations it wrote. So a union brings nothing, nor does what was replayed after a purge: whoever carries the words of
others neither vouches for them nor takes anything from them. An operation that came in twice has the keys of both.

Git walks the history and checks the signatures, with the user's own keys, offline.
"""

from __future__ import annotations

import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from memgit.errors import StoreCorrupt
from memgit.store.database import Database
from memgit.store.git_command import run_git
from memgit.store.objects import ObjectId
from memgit.store.shallow_file import boundaries
from memgit.store.signing import expanded

_COMMIT = "commit "
_FORMAT = f"format:{_COMMIT}%H%x09%G?%x09%GF%x09%GP"
"""Nothing that the commit itself says may be in it, or a message could pretend to be a line of ours. (Without `%GT`:
Git 2.39 dies of it where a key is not at hand.)"""

_QUIET = ("-c", "log.showSignature=false", "-c", "log.mailmap=false", "-c", "diff.renames=false")
_LINE = re.compile(rf"{_COMMIT}([0-9a-f]{{40}}(?:[0-9a-f]{{24}})?)\t(.?)\t([^\t]*)\t([^\t]*)")
_GOOD = frozenset("GU")  # good, with a key that Git's own configuration trusts, or does not know about
_UNKNOWN = "E"  # no key at hand to check it with; there may be one later
_AUTHOR = re.compile(r"^author .*<([^<>\n]*)> -?[0-9]+ [+-][0-9]{4}$", re.MULTILINE)
_SIGNED = re.compile(r"^gpgsig(?:-sha256)? -----BEGIN ", re.MULTILINE)
_WRITES = re.compile(r"^Memgit-Operation: ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Vouched:
    """The keys that vouch for an operation. `final`: no signature was left that another day could be checked."""

    keys: frozenset[str] = frozenset()
    final: bool = True


def vouched(
    database: Database, tip: ObjectId, paths: Iterable[str], *, since: ObjectId | None = None, seconds: float
) -> dict[str, Vouched]:
    """Return what vouches for each operation, by its path, as far as the history from `since` to `tip` says.

    Keys are as `memgit.scope.trust.normal_key` writes them. Raises StoreBusy where the time is not enough.
    """
    wanted = list(paths)
    arguments = [
        *("--literal-pathspecs", *_QUIET, "-c", f"gpg.ssh.allowedSignersFile={_signers_file(database)}"),
        *("log", "--full-history", "--no-merges", "--diff-filter=A", "--no-renames", "--name-only"),
        *("--no-color", "--no-decorate", "--no-notes", f"--format={_FORMAT}", tip),
        *([f"^{since}"] if since is not None else []),
        "--",
        *wanted,
    ]
    answer = run_git(database.backend.repository, arguments, timeout=seconds)
    if answer.returncode != 0:
        reason = answer.stderr.decode("utf-8", "replace").strip().splitlines()
        raise StoreCorrupt(f"the history of the store cannot be walked: {reason[0] if reason else 'no reason given'}")
    ends = _ends(database)
    keys: defaultdict[str, set[str]] = defaultdict(set)
    unknown: set[str] = set()
    brings, found, state = False, frozenset[str](), ""
    for line in answer.stdout.decode("utf-8", "replace").splitlines():
        match = _LINE.fullmatch(line)
        if match is not None:
            state = match[2]
            good = state in _GOOD
            found = frozenset(filter(None, (match[3], match[4]))) if good else frozenset()
            brings = match[1] not in ends and (good or state == _UNKNOWN) and _writes(database, ObjectId(match[1]))
        elif line and brings:
            keys[line] |= found
            if state == _UNKNOWN:
                unknown.add(line)
    return {path: Vouched(frozenset(keys[path]), path not in unknown) for path in wanted}


@dataclass(frozen=True, slots=True)
class Commits:
    """How many commits an address has made, and how many of them carry a signature, whosoever's it is."""

    made: int = 0
    signed: int = 0


def commits_by_address(database: Database, tip: ObjectId) -> dict[str, Commits]:
    """Return the commits of a history by the address of their author, joins left out. Checks no signature.

    Raises StoreCorrupt where the history cannot be walked, StoreBusy where that takes too long.
    """
    answer = run_git(database.backend.repository, ["rev-list", "--no-merges", "--header", tip])
    if answer.returncode != 0:
        raise StoreCorrupt("the history of the store cannot be walked")
    made: Counter[str] = Counter()
    signed: Counter[str] = Counter()
    for record in answer.stdout.split(b"\0")[:-1]:
        head = record.partition(b"\n\n")[0].decode("utf-8", "replace")
        author = _AUTHOR.search(head)
        if author is not None:
            made[author[1]] += 1
            signed[author[1]] += bool(_SIGNED.search(head))
    return {address: Commits(count, signed[address]) for address, count in made.items()}


def _writes(database: Database, oid: ObjectId) -> bool:
    try:
        return _WRITES.search(database.commit(oid).message) is not None
    except StoreCorrupt:
        return False


def _signers_file(database: Database) -> str:
    """Return the file of SSH signers that the user keeps, or an empty one: the trust list knows keys, not names."""
    key = "gpg.ssh.allowedsignersfile"
    named = expanded(database.backend.config(key).get(key, ""))
    return named if named and Path(named).exists() else os.devnull


def _ends(database: Database) -> frozenset[str]:
    """Return the commits at which a shallow history is cut off: they seem to bring all that is older."""
    return frozenset(boundaries(database.backend.repository))
