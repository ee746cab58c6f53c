"""What arrives is judged before anything counts: is this tip a store that memgit could have written?

A structural fault refuses the whole tip: a path or a mode outside the grammar, a size beyond the limits, a tree or a
commit of another form. What is inside the records is not judged here: a fault there stays in the tree, and the fold
ignores and reports it. Only what is not known to be good is walked: trees with equal ids are never read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from memgit.errors import FormatTooNew, IncomingRefused, StoreCorrupt
from memgit.limits import DEFAULT
from memgit.records.op import FORMAT
from memgit.records.paths import FORMAT_PATH, FORMAT_TEXT, is_wellformed, is_wellformed_directory
from memgit.store.database import Database
from memgit.store.git_command import run_git
from memgit.store.objects import FILE_MODE, TREE_MODE, Commit, ObjectId, Tree, TreeItem, decode_commit, encode_tree
from memgit.store.repository import Repository
from memgit.store.snapshot import SEQ_TRAILER
from memgit.store.validate_content import op_above, other_bytes, without_beginning
from memgit.store.vanished import dropped_parents

_TREE_BYTES = 8 * 1024 * 1024  # 80,000 entries of our names; a directory of ours holds some thirty
_DIRECTORIES_AT_ONCE = 2048  # judged with one question to Git about their sizes
_ENTRIES_AT_ONCE = 100_000  # held in memory; what is deeper is judged first
_MOST_ENTRIES = 50_000_000  # of one tip: fifty of the largest transactions
_COMMIT_BYTES = 64 * 1024  # twenty trailers and a signature
_PARENTS = 2
_LATER_FORMAT = re.compile(r"format/([1-9][0-9]{0,8})")
_SHOWN = 120
_SECONDS = 300


class Incomplete(Exception):
    """Objects of the tip are missing here. The argument says which."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a tip, and where."""

    what: str
    commit: ObjectId
    path: str = ""


def validate(
    repository: Repository,
    database: Database,
    tip: ObjectId,
    known: Iterable[ObjectId],
    whose: str = "the remote's memory",
) -> list[ObjectId]:
    """Check a tip against what is known to be good (commits that this clone has whole).

    Returns those of its new ancestors whose files the tip may lack, because a commit dropped them; they are checked
    too. `whose` is what messages call it. Raises IncomingRefused for a structural fault, FormatTooNew for a later
    format, Incomplete where objects are missing.
    """
    good = [commit for commit in known if database.backend.contains(commit)]
    if tip in good:
        return []
    judge = _Judge(repository, database, whose)
    try:
        judge.check_kind(tip)
        fresh = new_commits(repository, tip, good)
        judge.commits(fresh, tip)
        judge.tree(tip, good)
        dropped = [commit for commit in dropped_parents(repository, database, fresh) if commit not in good]
        for commit in dropped:
            judge.tree(commit, [*good, tip])
        return dropped
    except _Refused as refusal:
        raise _error(refusal.fault, whose) from None
    except StoreCorrupt as error:
        raise Incomplete(error.message) from None


def new_commits(repository: Repository, tip: ObjectId, known: Iterable[ObjectId]) -> list[ObjectId]:
    """Return the commits that a tip adds to those that are known, parents first. Raises Incomplete."""
    lines = [tip, *(f"^{commit}" for commit in known)]
    answer = run_git(
        repository,
        ["rev-list", "--topo-order", "--reverse", "--stdin"],
        stdin="".join(f"{line}\n" for line in lines).encode(),
        timeout=_SECONDS,
    )
    if answer.returncode != 0:
        raise Incomplete(answer.stderr.decode("utf-8", "replace").strip()[:200])
    return [ObjectId(line) for line in answer.stdout.decode().split()]


def is_whole(repository: Repository, database: Database, commit: ObjectId, known: Iterable[ObjectId]) -> bool:
    """Tell whether a commit is here with all that it reaches and the known ones do not."""
    if not database.backend.contains(commit):
        return False
    arguments = ["rev-list", "--objects", "--quiet", commit, *(f"^{one}" for one in known)]
    return run_git(repository, arguments, timeout=_SECONDS).returncode == 0


class _Refused(Exception):
    def __init__(self, fault: Fault) -> None:
        self.fault = fault


_Directory = tuple[str, ObjectId, list[ObjectId]]  # its path, its tree, what the good commits have there


class _Judge:
    """Walks what a tip adds."""

    def __init__(self, repository: Repository, database: Database, whose: str) -> None:
        self._repository = repository
        self._database = database
        self._whose = whose
        self._seqs: dict[ObjectId, int] = {}

    def check_kind(self, tip: ObjectId) -> None:
        """Check that the tip is a commit: a ref may name anything."""
        self._check_sizes([(tip, "")], _COMMIT_BYTES, "commit", tip)

    def commits(self, commits: list[ObjectId], tip: ObjectId) -> None:
        """Check the form of commits, given parents first, and that their seq never falls."""
        self._check_sizes(((oid, "") for oid in commits), _COMMIT_BYTES, "commit", tip)
        for oid in commits:
            commit = self._commit(oid)
            if len(commit.parents) > _PARENTS:
                raise _Refused(Fault(f"a commit with {len(commit.parents)} parents", oid))
            self._seqs[oid] = seq = self._seq(oid, commit)
            for parent in commit.parents:
                if seq < self._seq_of(parent):
                    raise _Refused(Fault(f"its sequence {seq} is below its parent's, {self._seq_of(parent)}", oid))

    def tree(self, tip: ObjectId, good: list[ObjectId]) -> None:
        """Check the part of the tip's tree that no good commit's tree holds, some directories after another."""
        self._check_format(tip)
        roots = [self._database.commit(commit).tree for commit in good]
        waiting: list[_Directory] = [("", self._commit(tip).tree, roots)]
        entries = 0
        while waiting:
            entries += self._some_directories(tip, waiting)
            if entries > _MOST_ENTRIES:
                raise _Refused(Fault(f"more than {_MOST_ENTRIES} files and directories", tip))
        stores = self._database.tree(self._commit(tip).tree).get("stores")
        is_known = stores is not None and any(stores == self._database.tree(root).get("stores") for root in roots)
        fault = None if is_known else without_beginning(self._database, tip)
        if fault is not None:
            raise _Refused(Fault(fault, tip, "stores"))

    def _some_directories(self, tip: ObjectId, waiting: list[_Directory]) -> int:
        """Judge the last of the directories that wait, in whose place come those below; return how many entries.

        What is held at a time is bounded, whatever the trees say: a few small ones can name millions of paths.
        """
        batch = waiting[-_DIRECTORIES_AT_ONCE:]
        del waiting[-_DIRECTORIES_AT_ONCE:]
        self._check_sizes(((oid, path) for path, oid, _ in batch), _TREE_BYTES, "tree", tip)
        below: list[_Directory] = []
        files: list[tuple[ObjectId, str]] = []
        while batch and len(below) + len(files) < _ENTRIES_AT_ONCE:
            path, oid, known = batch.pop()
            for name, item, there in self._difference(tip, path, oid, known):
                if item.is_tree:
                    self._check_directory(tip, f"{path}{name}")
                    below.append((f"{path}{name}/", item.oid, [one.oid for one in there if one.is_tree]))
                else:
                    files.append((item.oid, self._checked(tip, f"{path}{name}", there)))
        waiting += [*batch, *below]
        self._check_files(tip, files)
        return len(below) + len(files)

    def _check_directory(self, tip: ObjectId, path: str) -> None:
        if not is_wellformed_directory(path):
            raise _Refused(Fault("a directory that no store has", tip, path))

    def _check_files(self, tip: ObjectId, files: list[tuple[ObjectId, str]]) -> None:
        for limit, group in _by_limit(files):
            self._check_sizes(group, limit, "blob", tip)
        for oid, path in files:
            fault = other_bytes(self._database, path, oid)
            if fault is not None:
                raise _Refused(Fault(fault, tip, path))

    def _difference(
        self, tip: ObjectId, path: str, oid: ObjectId, known: list[ObjectId]
    ) -> Iterator[tuple[str, TreeItem, list[TreeItem]]]:
        """Yield the entries of a directory that none of the known ones holds, with what these hold under the name."""
        if oid in known:
            return
        entries = self._entries(tip, path, oid)
        others = [self._database.tree(one) for one in known]
        for name, item in entries.items():
            there = [found for other in others if (found := other.get(name)) is not None]
            if item not in there:
                yield name, item, there

    def _entries(self, tip: ObjectId, path: str, oid: ObjectId) -> Tree:
        """Return the entries of a directory that has the one form which Git and memgit give it."""
        try:
            entries = self._database.tree(oid)
        except StoreCorrupt as error:
            if "tree object" in error.message:  # its form, not its absence
                raise _Refused(Fault(error.message, tip, path)) from None
            raise
        if not entries and path:
            raise _Refused(Fault("an empty directory", tip, path))
        for name, item in entries.items():
            if item.mode not in (FILE_MODE, TREE_MODE):
                what = f"mode {item.mode.decode()}: neither a file nor a directory"
                raise _Refused(Fault(what, tip, f"{path}{name}"))
        if encode_tree(entries) != self._database.tree_data(oid):
            raise _Refused(Fault("a directory whose entries are not in Git's order", tip, path))
        return entries

    def _checked(self, tip: ObjectId, path: str, there: list[TreeItem]) -> str:
        """Return the path of a file that a store may hold there."""
        if not is_wellformed(path):
            raise _Refused(Fault("a path that no store has", tip, path))
        if any(one.is_tree for one in there):
            raise _Refused(Fault("a file where this clone has a directory", tip, path))
        if there:
            raise _Refused(Fault("other bytes than this clone has under the same name", tip, path))
        fault = op_above(path, self._seq_of(tip))
        if fault is not None:
            raise _Refused(Fault(fault, tip, path))
        return path

    def _check_format(self, tip: ObjectId) -> None:
        root = self._commit(tip).tree
        self._check_sizes([(root, "")], _TREE_BYTES, "tree", tip)
        item = self._entries(tip, "", root).get("format")
        names = self._entries(tip, "format/", item.oid) if item is not None and item.is_tree else {}
        later = [int(match[1]) for name in names if (match := _LATER_FORMAT.fullmatch(f"format/{name}"))]
        if later and max(later) > FORMAT:
            raise FormatTooNew(
                f"{self._whose} has format {max(later)}; this program reads {FORMAT}",
                details={"commit": tip},
            )
        constant = names.get(FORMAT_PATH.partition("/")[2])
        if constant is None:
            raise _Refused(Fault("not a store: its tree has no format/ directory", tip))
        if constant.oid != self._database.make("blob", FORMAT_TEXT).oid:
            raise _Refused(Fault("other bytes than a store has there", tip, FORMAT_PATH))

    def _check_sizes(self, items: Iterable[tuple[ObjectId, str]], limit: int, kind: str, tip: ObjectId) -> None:
        """Ask Git for the type and size of each object, without reading one."""
        paths = dict(items)
        for oid, found, size in object_sizes(self._repository, paths):
            place = (oid, "") if kind == "commit" else (tip, paths[oid])
            if found != kind:
                raise _Refused(Fault(f"object {oid} is a {found} where a {kind} belongs", ObjectId(place[0]), place[1]))
            if size > limit:
                raise _Refused(Fault(f"{size} bytes, more than {limit}", ObjectId(place[0]), place[1]))

    def _commit(self, oid: ObjectId) -> Commit:
        data = self._database.read(oid, "commit")
        try:
            return decode_commit(data)
        except StoreCorrupt as error:
            raise _Refused(Fault(error.message, oid)) from None

    def _seq_of(self, oid: ObjectId) -> int:
        if oid not in self._seqs:
            self._seqs[oid] = self._seq(oid, self._commit(oid))
        return self._seqs[oid]

    def _seq(self, oid: ObjectId, commit: Commit) -> int:
        found = SEQ_TRAILER.findall(commit.message)
        if not found:
            raise _Refused(Fault("a commit without a Memgit-Seq trailer", oid))
        seq = int(found[-1])
        # Twice the room that a writer needs: whoever takes this tip can still write.
        if not 0 < seq <= DEFAULT.sequence - 2 * DEFAULT.sequence_room:
            raise _Refused(Fault(f"its sequence {seq} leaves no room", oid))
        return seq


def object_sizes(repository: Repository, oids: Iterable[ObjectId]) -> Iterator[tuple[ObjectId, str, int]]:
    """Yield id, type and size of each object. Raises Incomplete where one is missing."""
    asked = "".join(f"{oid}\n" for oid in oids).encode()
    if not asked:
        return
    answer = run_git(repository, ["cat-file", "--batch-check", "--buffer"], stdin=asked, timeout=_SECONDS)
    for line in answer.stdout.decode("utf-8", "replace").splitlines():
        fields = line.split(" ")
        if len(fields) != 3 or not fields[2].isdecimal():
            raise Incomplete(f"object {line[:80]}")
        yield ObjectId(fields[0]), fields[1], int(fields[2])
    if answer.returncode != 0:
        raise Incomplete(answer.stderr.decode("utf-8", "replace").strip()[:200])


def _by_limit(files: list[tuple[ObjectId, str]]) -> Iterator[tuple[int, list[tuple[ObjectId, str]]]]:
    blobs = [(oid, path) for oid, path in files if path.startswith("blobs/")]
    records = [(oid, path) for oid, path in files if not path.startswith("blobs/")]
    yield DEFAULT.artifact_bytes, blobs
    yield DEFAULT.record_bytes, records


def _error(fault: Fault, whose: str) -> IncomingRefused:
    data = fault.path.encode("utf-8", "surrogateescape")
    shown = "".join(chr(byte) if 32 <= byte < 127 else f"\\x{byte:02x}" for byte in data)
    shown = shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
    place = f" at {shown}" if fault.path else ""
    return IncomingRefused(
        f"{whose} is refused: commit {fault.commit[:12]}{place}: {fault.what}",
        details={"commit": fault.commit, "path": shown, "fault": fault.what},
    )
