"""The first back end: libgit2, in process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, cast

import pygit2

from memgit.errors import NotARepository, StoreCorrupt
from memgit.store.backend import ObjectMissing, RefDamaged, RefLocked, RefMoved
from memgit.store.git_command import git_config
from memgit.store.identity import USER_KEYS, USER_PREFIXES, has_configuration_variables, identity
from memgit.store.loose import DamagedLoose, is_loose, read_loose, write_loose
from memgit.store.objects import ObjectFormat, ObjectId, ObjectType, RawObject, Signature, hash_object
from memgit.store.ref_file import is_damaged, read_head
from memgit.store.repository import Repository

if TYPE_CHECKING:
    from pygit2.repository import Repository as LibgitRepository

_TYPE_NUMBERS: dict[str, int] = {"commit": 1, "tree": 2, "blob": 3, "tag": 4}
_TYPE_NAMES: dict[int, ObjectType] = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}


_FAULTS = (pygit2.GitError, KeyError, ValueError, OSError)  # pygit2 maps libgit2's codes to these


class LibgitRefuses(NotARepository):
    """libgit2 does not serve this repository: an extension, an object format, or a ref back end that it lacks."""

    default_hint = "Let `memgit.backend` be `auto` or `plumbing`."


class Pygit2Backend:
    """`Backend` on libgit2."""

    name = "pygit2"
    object_format: ObjectFormat = "sha1"

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.objects_dir = str(repository.common_dir / "objects")
        self._sync = False
        self._open()
        self._shared = "core.sharedrepository" in self.config("core.shared")

    def read(self, oid: ObjectId) -> tuple[ObjectType, bytes]:
        try:
            found = read_loose(self.objects_dir, oid)
        except (DamagedLoose, OSError):
            raise ObjectMissing(oid) from None
        kind, data = found if found is not None else self._read_packed(oid)
        if hash_object(kind, data, self.object_format).oid != oid:  # libgit2 leaves this check to its callers
            raise ObjectMissing(oid)
        return kind, data

    def _read_packed(self, oid: ObjectId) -> tuple[ObjectType, bytes]:
        try:
            kind, data = self._odb.read(oid)
        except _FAULTS:
            self.refresh()  # a pack that was open may be gone: `git repack -ad` ran beside us
            try:
                kind, data = self._odb.read(oid)
            except _FAULTS:
                raise ObjectMissing(oid) from None
        return _TYPE_NAMES[int(kind)], data

    def contains(self, oid: ObjectId) -> bool:
        return is_loose(self.objects_dir, oid) or bool(self._odb.exists(oid))

    def write(self, objects: Iterable[RawObject]) -> None:
        if not self._shared:
            write_loose(self.objects_dir, objects, sync=self._sync)
            return
        try:
            for item in objects:
                self._odb.write(_TYPE_NUMBERS[item.type], item.data)
        except pygit2.GitError as error:
            raise OSError(f"Git objects cannot be written: {error}") from None

    def read_ref(self, name: str) -> ObjectId | None:
        try:
            reference = self._git.references.get(name)
        except _FAULTS as error:
            if is_damaged(self.repository.common_dir, name):
                raise RefDamaged(name) from None
            raise StoreCorrupt(f"the ref {name} cannot be read: {error}") from None
        if reference is None:
            return None
        if not isinstance(reference.target, pygit2.Oid):
            is_damaged(self.repository.common_dir, name)
            raise StoreCorrupt(f"{name} is not a direct ref")
        return ObjectId(str(reference.target))

    def move_ref(self, name: str, new: ObjectId, old: ObjectId | None) -> None:
        try:
            if old is None:
                self._git.references.create(name, new, force=False)
                return
            reference = self._git.references.get(name)
            if reference is None or str(reference.target) != old:
                raise RefMoved(name)
            # libgit2 compares with the value that this reference object was read with, under the ref's lock.
            reference.set_target(pygit2.Oid(hex=new))
        except _FAULTS as error:
            raise _ref_fault(error, name, self.repository) from None

    def delete_ref(self, name: str, old: ObjectId) -> None:
        try:
            reference = self._git.references.get(name)
            if reference is None or str(reference.target) != old:
                raise RefMoved(name)
            reference.delete()
        except _FAULTS as error:
            raise _ref_fault(error, name, self.repository) from None

    def head(self) -> tuple[ObjectId | None, str | None]:
        commit, branch = read_head(self.repository.git_dir)
        if branch is not None:
            try:
                reference = self._git.references.get(branch)
                commit = ObjectId(str(reference.resolve().target)) if reference is not None else None
            except _FAULTS:
                commit = None
        return commit, branch

    def identity(self) -> tuple[Signature, bool]:
        return identity(self.user_config())

    def user_config(self) -> Mapping[str, str]:
        if has_configuration_variables():
            return git_config(self.repository, *USER_PREFIXES)
        config = self._config()
        return {key: value for key in USER_KEYS if (value := _get(config, key)) is not None}

    def config(self, prefix: str) -> Mapping[str, str]:
        wanted = prefix.lower()
        return {entry.name.lower(): entry.value for entry in self._config() if entry.name.lower().startswith(wanted)}

    def sync_writes(self) -> None:
        self._sync = True
        pygit2.option(pygit2.enums.Option.ENABLE_FSYNC_GITDIR, True)

    def refresh(self) -> None:
        self._open()

    def close(self) -> None:
        self._git.free()

    def _open(self) -> None:
        # Not a linked working tree's own directory: from there libgit2 1.9 overwrites a ref that it is to create.
        path = str(self.repository.common_dir)
        try:
            self._git: LibgitRepository = pygit2.Repository(path)
        except pygit2.GitError as error:
            text = str(error)
            if "not owned" in text or "safe" in text:
                raise NotARepository(
                    f"{path} belongs to another user, and Git's `safe.directory` does not name it",
                    hint=f"If you trust it: git config --global --add safe.directory {self.repository.root}",
                ) from None
            raise LibgitRefuses(text) from None
        self._odb = self._git.odb

    def _config(self) -> Any:
        return cast(Any, self._git.config)


def _get(config: Any, key: str) -> str | None:
    try:
        return str(config[key]) if key in config else None
    except _FAULTS:
        return None


def _ref_fault(error: Exception, name: str, repository: Repository) -> Exception:
    """Return what a failed ref update means. pygit2 maps libgit2's codes to few classes, so the text decides."""
    text = str(error).lower()
    if isinstance(error, (pygit2.AlreadyExistsError, KeyError)) or "does not match" in text:
        return RefMoved(name)
    if "target oid" in text:
        return ObjectMissing(name)
    refused = any(reason in text for reason in ("permission", "read-only", "no space", "not permitted"))
    if ("failed to lock" in text or "locked file" in text) and not refused:
        return RefLocked(str(repository.common_dir / f"{name}.lock"))
    return OSError(f"the ref {name} cannot be moved: {error}")
