"""The user's own history: commits, what each changed, and the bytes of files. Read only, offline, and as it really is.

It knows nothing of memory. Replace refs and grafts are off, nothing is ever fetched: what a partial or shallow clone
lacks is ObjectMissing or an absent commit, which the caller must say.
"""

from __future__ import annotations

import subprocess
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import devnull
from typing import NamedTuple

from memgit.store.backend import Backend, ObjectMissing, open_backend
from memgit.store.git_command import WITHOUT_HOOKS, git_environment, run_git
from memgit.store.objects import ObjectId, TreeItem, decode_tree
from memgit.store.repository import Repository
from memgit.store.shallow_file import boundaries

_CACHED_TREES = 512
_WALK_SECONDS = 120  # a first walk over a long history on a slow disk

_PATCH = ["diff-tree", "-p", "-r", "-U3", "--no-renames", "--no-ext-diff", "--no-textconv", "--full-index"]

SYMLINK = b"120000"
GITLINK = b"160000"
_PLAIN_PATHS = ["-c", "core.quotePath=false"]
_FILES = ("100644", "100755", "100664")


class Change(NamedTuple):
    """What one commit did to one file, against one parent. None where the side holds no regular file."""

    status: str  # Git's letter: A, C, D, M, R, T
    old_path: str  # paths keep bytes that are not UTF-8 as surrogates
    new_path: str
    old_blob: ObjectId | None
    new_blob: ObjectId | None
    similarity: int = 100  # in percent, of a copy or a rename


@dataclass(frozen=True, slots=True)
class CommitGraph:
    """Commits with their parents, children before their parents, down to what was asked for."""

    target: ObjectId
    parents: Mapping[ObjectId, tuple[ObjectId, ...]]
    is_whole: bool  # down to the roots, or to where a shallow history is cut off

    def __contains__(self, commit: object) -> bool:
        return commit in self.parents


class CodeHistory:
    """The code of one repository. Not thread-safe. Close it to release child processes."""

    def __init__(self, repository: Repository, backend: Backend | None = None) -> None:
        self.repository = repository
        self._backend = backend
        self._is_own = backend is None
        self._trees: OrderedDict[ObjectId, dict[str, TreeItem]] = OrderedDict()

    @property
    def backend(self) -> Backend:
        """The back end, opened when it is first needed: an answer from a cache needs none."""
        if self._backend is None:
            self._backend = open_backend(self.repository)
        return self._backend

    def close(self) -> None:
        """Release what this history opened itself."""
        if self._backend is not None and self._is_own:
            self._backend.close()
            self._backend = None

    # Commits

    def head(self) -> ObjectId | None:
        """Return HEAD's commit; None in a repository without one."""
        return self.backend.head()[0]

    def resolve(self, revision: str) -> ObjectId | None:
        """Return the commit that a revision names; None where it names none."""
        if revision in ("HEAD", "@"):
            return self.head()
        answer = self.git(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"])
        text = answer.stdout.decode("ascii", "replace").strip()
        return ObjectId(text) if answer.returncode == 0 and text.isalnum() else None  # `^HEAD` leaves one out

    def has(self, oid: str) -> bool:
        """Tell whether an object is here."""
        return self.backend.contains(ObjectId(oid))

    def boundaries(self) -> frozenset[ObjectId]:
        """Return the commits at which a shallow history is cut off."""
        return frozenset(boundaries(self.repository))

    def tree_of(self, commit: ObjectId) -> ObjectId:
        """Return a commit's tree. Raises ObjectMissing."""
        kind, data = self.backend.read(commit)
        if kind != "commit":
            raise ObjectMissing(commit)
        return ObjectId(data[5 : data.index(b"\n")].decode("ascii"))

    def parents_of(self, commit: ObjectId) -> tuple[ObjectId, ...]:
        """Return a commit's parents as the object names them. Raises ObjectMissing."""
        kind, data = self.backend.read(commit)
        if kind != "commit":
            raise ObjectMissing(commit)
        head = data.partition(b"\n\n")[0].split(b"\n")
        return tuple(ObjectId(line[7:].decode("ascii")) for line in head if line.startswith(b"parent "))

    def subject(self, commit: ObjectId) -> str:
        """Return the first line of a commit's message, or nothing where the commit is not here."""
        try:
            data = self.backend.read(commit)[1]
        except ObjectMissing:
            return ""
        return data.partition(b"\n\n")[2].partition(b"\n")[0].decode("utf-8", "replace")

    def graph(self, target: ObjectId, wanted: Iterable[ObjectId], stop: Iterable[ObjectId] = ()) -> CommitGraph:
        """Return the history of `target` until every wanted commit was met, or whole where one is not in it.

        What `stop` reaches is left out.
        """
        missing = set(wanted) - {target}
        parents: dict[ObjectId, tuple[ObjectId, ...]] = {}
        arguments = ["rev-list", "--topo-order", "--parents", target, *(f"^{commit}" for commit in stop), "--"]
        for line in self._lines(arguments):
            ids = [ObjectId(item) for item in line.decode("ascii").split()]
            parents[ids[0]] = tuple(ids[1:])
            missing.discard(ids[0])
            if not missing and ids[0] != target:
                return CommitGraph(target, parents, False)
        return CommitGraph(target, parents, True)

    def merge_base(self, one: ObjectId, other: ObjectId) -> ObjectId | None:
        """Return the best common ancestor of two commits; None where there is none here."""
        answer = self.git(["merge-base", one, other])
        text = answer.stdout.decode("ascii", "replace").split()
        return ObjectId(text[0]) if answer.returncode == 0 and text else None

    def commits_on(self, path: str, target: ObjectId, stop: ObjectId | None, count: int) -> list[ObjectId]:
        """Return the newest commits of a history that touched a path, merges too, newest first, at most `count`."""
        limits = [f"^{stop}"] if stop is not None else []
        arguments = ["rev-list", "--topo-order", "--full-history", f"-n{count}", target, *limits, "--", _literal(path)]
        return [ObjectId(line.decode("ascii").strip()) for line in self._lines(arguments)]

    # What changed

    def changes(
        self, pairs: Sequence[tuple[ObjectId, ObjectId]], paths: Iterable[str] | None = None
    ) -> Iterator[list[Change]]:
        """Return, for each pair of a parent and its commit, what changed between the two, without renames.

        Where trees are not here, the pairs before the first of these come, and then ObjectMissing.
        """
        limits = [_literal(path) for path in paths] if paths is not None else []
        arguments = ["diff-tree", "--stdin", "--always", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", "--"]
        feed = "".join(f"{commit} {parent}\n" for parent, commit in pairs).encode()
        answer = self.git([*arguments, *limits], stdin=feed, timeout=_WALK_SECONDS)
        if answer.returncode == 0:
            yield from self._per_commit(answer.stdout)
            return
        # The last one that was begun may not be whole.
        yield from list(self._per_commit(answer.stdout))[:-1]
        raise ObjectMissing("a tree of the history")

    def renames(self, old: ObjectId, new: ObjectId) -> list[Change]:
        """Return all that changed between two commits or trees, with renames and copies as Git detects them.

        Where old blobs are missing, only exact renames are seen. Raises ObjectMissing where trees are.
        """
        arguments = ["diff-tree", "-r", "--raw", "-z", "--no-abbrev", "-l2000"]
        answer = self.git([*arguments, "-M", "-C", old, new, "--"], timeout=_WALK_SECONDS)
        if answer.returncode != 0:
            answer = self.git([*arguments, "-M100%", old, new, "--"], timeout=_WALK_SECONDS)
        if answer.returncode != 0:
            raise ObjectMissing(f"a tree between {old} and {new}")
        return list(self.rows(answer.stdout.split(b"\0")))

    def changed_paths(self, old: ObjectId, new: ObjectId) -> set[str]:
        """Return the paths whose content differs between two commits; a rename is both of its paths.

        Raises ObjectMissing where trees are not here.
        """
        command = ["diff-tree", "-r", "--name-only", "-z", "--no-renames", old, new, "--"]
        answer = self.git(command, timeout=_WALK_SECONDS)
        if answer.returncode != 0:
            raise ObjectMissing(f"a tree between {old} and {new}")
        return {_text(name) for name in answer.stdout.split(b"\0") if name}

    def patch_ids(self, commits: Sequence[ObjectId]) -> dict[ObjectId, str]:
        """Return the stable patch ids of commits that have one parent and change something.

        Raises ObjectMissing where one of the commits, or what it changed, is not here whole. Git's own command computes
        them; renames are two halves, whatever the user's configuration says.
        """
        feed = "".join(f"{commit}\n" for commit in commits).encode()
        patches = self._patch(["--stdin", "--"], feed)
        answer = self.git(["patch-id", "--stable"], stdin=patches, timeout=_WALK_SECONDS).stdout
        pairs = (line.split() for line in answer.decode("ascii", "replace").splitlines())
        return {ObjectId(pair[1]): pair[0] for pair in pairs if len(pair) == 2}

    def patch_id_between(self, old: ObjectId, new: ObjectId) -> str | None:
        """Return the stable patch id of all that lies between two commits, as a squash would have it.

        None where nothing does. Raises ObjectMissing.
        """
        patch = self._patch([old, new, "--"])
        answer = self.git(["patch-id", "--stable"], stdin=patch, timeout=_WALK_SECONDS).stdout
        return answer.decode("ascii", "replace").split()[0] if answer.strip() else None

    def _patch(self, arguments: list[str], feed: bytes = b"") -> bytes:
        answer = self.git([*_PATCH, *arguments], stdin=feed, timeout=_WALK_SECONDS)
        if answer.returncode != 0:
            raise ObjectMissing("what a commit changed")
        return answer.stdout

    # Files

    def entry(self, tree: ObjectId, path: str) -> TreeItem | None:
        """Return what a tree holds at a path, or None. Raises ObjectMissing."""
        item: TreeItem | None = TreeItem(tree, True)
        for part in path.split("/"):
            if item is None or not item.is_tree:
                return None
            item = self.read_tree(item.oid).get(part)
        return item

    def file(self, commit: ObjectId, path: str) -> ObjectId | None:
        """Return the blob of a regular file in a commit; None where there is none. Raises ObjectMissing."""
        item = self.entry(self.tree_of(commit), path)
        return item.oid if item is not None and item.mode.decode("ascii") in _FILES else None

    def read_tree(self, oid: ObjectId) -> dict[str, TreeItem]:
        """Return a tree's entries. Raises ObjectMissing."""
        if oid in self._trees:
            self._trees.move_to_end(oid)
            return self._trees[oid]
        data = self.backend.read(oid)[1]
        self._trees[oid] = entries = decode_tree(data, self.backend.object_format)
        if len(self._trees) > _CACHED_TREES:
            self._trees.popitem(last=False)
        return entries

    def blob(self, oid: ObjectId) -> bytes:
        """Return a blob's bytes. Raises ObjectMissing."""
        return self.backend.read(oid)[1]

    # The process

    def git(
        self, arguments: list[str], *, stdin: bytes = b"", timeout: float = 20, in_work_tree: bool = False
    ) -> subprocess.CompletedProcess[bytes]:
        """Run one offline `git` and return its outcome, whatever its exit status."""
        work_tree = self.repository.work_tree if in_work_tree else None
        return run_git(
            self.repository,
            [*_PLAIN_PATHS, *(["--work-tree", str(work_tree)] if work_tree else []), *arguments],
            stdin=stdin,
            timeout=timeout,
            directory=work_tree,
            variables=self._variables(),
        )

    def _lines(self, arguments: list[str]) -> Iterator[bytes]:
        """Return the lines that a `git` prints; it is ended when the caller has seen enough."""
        process = subprocess.Popen(
            ["git", *WITHOUT_HOOKS, *_PLAIN_PATHS, *arguments],
            cwd=self.repository.git_dir,
            env=git_environment(self.repository) | self._variables(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert process.stdout is not None
        try:
            yield from process.stdout
        finally:
            process.stdout.close()
            process.kill()
            process.wait()

    def _variables(self) -> dict[str, str]:
        # A graft is a lie about parents that only this clone believes. (A shallow history has a file of its own.)
        return {"GIT_GRAFT_FILE": devnull} if (self.repository.common_dir / "info" / "grafts").exists() else {}

    def _per_commit(self, output: bytes) -> Iterator[list[Change]]:
        fields = output.split(b"\0")
        at = 0
        while at < len(fields) and fields[at]:
            at += 1  # the commit's id
            rows: list[bytes] = []
            while at < len(fields) and fields[at].startswith(b":"):
                rows += fields[at : at + 2]
                at += 2
            yield list(self.rows(rows))

    def rows(self, fields: Sequence[bytes]) -> Iterator[Change]:
        """Return the changes that `--raw -z` printed, its output split at NUL."""
        at = 0
        while at < len(fields) and fields[at].startswith(b":"):
            old_mode, new_mode, old, new, status = fields[at][1:].decode("ascii").split()
            two = status[0] in "CR"
            old_path, new_path = _text(fields[at + 1]), _text(fields[at + 2 if two else at + 1])
            yield Change(
                status[0],
                old_path,
                new_path,
                ObjectId(old) if old_mode in _FILES else None,
                ObjectId(new) if new_mode in _FILES and new.strip("0") else None,
                int(status[1:]) if two and status[1:] else 100,
            )
            at += 3 if two else 2


def _text(name: bytes) -> str:
    return name.decode("utf-8", "surrogateescape")


def _literal(path: str) -> str:
    return f":(top,literal){path}"
