"""What a store needs of Git, and the choice between the two ways to get it.

`pygit2` serves what libgit2 can serve wholly. Git's plumbing serves the rest: SHA-256 objects, reftable and other
extensions that libgit2 refuses, and partial clones, which it opens and then takes for damaged.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, Protocol

from memgit.errors import NotARepository
from memgit.store.objects import ObjectFormat, ObjectId, ObjectType, RawObject, Signature
from memgit.store.repository import Repository

BackendName = Literal["auto", "pygit2", "plumbing"]


class ObjectMissing(Exception):
    """The repository does not hold the object, or holds it damaged. The argument is its id."""


class RefMoved(Exception):
    """The ref no longer has the value that the caller expected: somebody else moved it."""


class RefLocked(Exception):
    """Another Git process holds the ref's lock. The argument is the lock file's path, where there is one."""


class RefDamaged(Exception):
    """The ref's file holds something that is not an object id, as a power loss may leave it."""


class Backend(Protocol):
    """Objects, refs and identity of one repository. Not thread-safe; one per thread."""

    name: str
    object_format: ObjectFormat
    repository: Repository
    objects_dir: str  # the repository's own `objects` directory

    def read(self, oid: ObjectId) -> tuple[ObjectType, bytes]:
        """Return an object's type and content. Raises ObjectMissing. Never fetches."""

    def contains(self, oid: ObjectId) -> bool:
        """Tell whether the object is there (not whether it is whole)."""

    def write(self, objects: Iterable[RawObject]) -> None:
        """Store objects, each whole or not at all. Raises OSError as the file system does."""

    def read_ref(self, name: str) -> ObjectId | None:
        """Return what a direct ref names, or None. Raises RefDamaged, StoreCorrupt."""

    def move_ref(self, name: str, new: ObjectId, old: ObjectId | None) -> None:
        """Set a ref by compare-and-swap; `old` None means that it must not exist.

        Raises RefMoved, RefLocked, ObjectMissing where `new` is gone (`gc --prune=now` beside us), and OSError.
        """

    def delete_ref(self, name: str, old: ObjectId) -> None:
        """Delete a ref by compare-and-swap. Raises RefMoved and RefLocked."""

    def head(self) -> tuple[ObjectId | None, str | None]:
        """Return HEAD's commit and its branch's full name; either is None where there is none."""

    def identity(self) -> tuple[Signature, bool]:
        """Return who the user is to Git, and whether Git's configuration or environment says so."""

    def user_config(self) -> Mapping[str, str]:
        """Return the configuration that says who the user is and how he signs, lower-case keys, the last values."""

    def config(self, prefix: str) -> Mapping[str, str]:
        """Return the configuration whose keys start with `prefix`, lower-case keys, the last value of each."""

    def sync_writes(self) -> None:
        """Make every later write reach the disk before it returns (durability `safe`)."""

    def refresh(self) -> None:
        """Forget what is cached about packs and refs, because another process has changed them."""

    def close(self) -> None:
        """Release file handles and child processes."""


def open_backend(repository: Repository, choice: BackendName = "auto") -> Backend:
    """Return a back end for the repository. Raises NotARepository where Git's ownership check refuses it."""
    if choice != "plumbing" and (choice == "pygit2" or not needs_plumbing(repository)):
        from memgit.store.pygit2_backend import LibgitRefuses, Pygit2Backend

        try:
            return Pygit2Backend(repository)
        except (LibgitRefuses, NotARepository):  # libgit2 may look elsewhere for `safe.directory`: Git itself decides
            if choice == "pygit2":
                raise
    from memgit.store.plumbing_backend import PlumbingBackend

    return PlumbingBackend(repository)


def needs_plumbing(repository: Repository) -> bool:
    """Tell, from the configuration file alone, whether libgit2 would refuse or half-serve the repository.

    A false answer is only a slower start: whatever libgit2 refuses falls back to plumbing anyway. The partial clone is
    the case that must be seen here, because libgit2 opens it.
    """
    text = _config_text(repository.common_dir / "config").lower()
    # libgit2 ignores core.sharedRepository: other members of the group could not write into its directories.
    if "sharedrepository" in text:
        return True
    return "promisor" in text or "partialclone" in text or "objectformat" in text or "refstorage" in text


def _config_text(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
