"""Which back end serves a repository, and what libgit2's words mean."""

from __future__ import annotations

import pytest
from pygit2 import AlreadyExistsError, GitError

from memgit.errors import NotARepository
from memgit.store.backend import ObjectMissing, RefLocked, RefMoved, needs_plumbing, open_backend
from memgit.store.pygit2_backend import _ref_fault
from memgit.store.repository import discover
from tests.conftest import Kind, MakeRepository
from tests.store.scenario import REF, git


@pytest.mark.parametrize(("kind", "name"), [("plain", "pygit2"), ("sha256", "plumbing"), ("partial", "plumbing")])
def test_the_choice_of_a_back_end(repository: MakeRepository, kind: Kind, name: str) -> None:
    """libgit2 serves what it serves wholly, Git's plumbing the rest, without anybody having to say so."""
    found = discover(repository(kind))

    assert open_backend(found).name == name
    assert needs_plumbing(found) == (name == "plumbing")


def test_a_repository_of_a_group(repository: MakeRepository) -> None:
    """libgit2 ignores `core.sharedRepository`, so that the next member of the group could not write: Git does it."""
    path = repository()
    git(path, "config", "core.sharedRepository", "group")

    assert open_backend(discover(path)).name == "plumbing"


@pytest.mark.parametrize(
    ("error", "meaning"),
    [
        (GitError("failed to lock file '/x/store.lock' for writing: "), RefLocked),
        (GitError("failed to create locked file '/x/store.lock': File exists"), RefLocked),
        (GitError("failed to create locked file '/x/store.lock': No such file or directory"), RefLocked),
        (GitError("failed to create locked file '/x/store.lock': Read-only file system"), OSError),
        (GitError("failed to create locked file '/x/store.lock': No space left on device"), OSError),
        (GitError("failed to create locked file '/x/store.lock': Permission denied"), OSError),
        (GitError("old reference value does not match"), RefMoved),
        (AlreadyExistsError("failed to write reference"), RefMoved),
        (KeyError("reference 'refs/memgit/store' not found"), RefMoved),
        (GitError("target OID for the reference doesn't exist on the repository"), ObjectMissing),
        (OSError(5, "Input/output error"), OSError),
    ],
)
def test_what_libgit2_means(repository: MakeRepository, error: Exception, meaning: type[Exception]) -> None:
    """libgit2 says little more than a sentence; each that a ref update has been seen to fail with means one thing.

    The second and the third come only when Git takes its lock, or tidies the directory, at the same instant.
    """
    fault = _ref_fault(error, REF, discover(repository("bare")))

    assert type(fault) is meaning


def test_a_forced_choice_that_cannot_be(repository: MakeRepository) -> None:
    """`memgit.backend = pygit2` where libgit2 refuses is an error with a way out, not a traceback."""
    with pytest.raises(NotARepository) as refused:
        open_backend(discover(repository("sha256")), "pygit2")

    assert "memgit.backend" in refused.value.hint
