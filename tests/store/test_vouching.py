"""Which keys vouch for an operation: of commits that brought it, whoever merged it since."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit.errors import StoreBusy, StoreCorrupt
from memgit.records.paths import parse_op_path
from memgit.store.join import joined
from memgit.store.objects import ObjectId
from memgit.store.store import Store
from memgit.store.vouching import Vouched, vouched
from tests.conftest import Kind, MakeRepository
from tests.store.scenario import REF, claims, git, new_store, open_store

pytestmark = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here")


@dataclass(frozen=True)
class Key:
    """A signing key and its fingerprint."""

    path: Path

    @property
    def fingerprint(self) -> str:
        """As a trust list names it."""
        said = subprocess.check_output(["ssh-keygen", "-lf", str(self.path)], text=True)
        return said.split()[1]


@pytest.fixture
def ada(tmp_path: Path) -> Key:
    """Ada's key."""
    return make_key(tmp_path / "ada")


@pytest.fixture
def bob(tmp_path: Path) -> Key:
    """Bob's key."""
    return make_key(tmp_path / "bob")


def make_key(path: Path) -> Key:
    """Make a key."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return Key(path)


def wrote(path: Path, text: str, key: Key | None, *, bulk: bool = False) -> str:
    """Write a claim, signed or not, and return the path of its operation."""
    git(path, "config", "commit.gpgSign", "true" if key else "false")
    git(path, "config", "gpg.format", "ssh")
    if key is not None:
        git(path, "config", "user.signingKey", str(key.path))
    store = open_store(path)
    (store.write_bulk if bulk else store.write)(claims(text))
    return brought(path)[0]


def brought(path: Path, commit: str = REF) -> list[str]:
    """The operations that a commit added to its first parent."""
    changed = git(path, "diff", "--name-only", f"{commit}^1", commit).splitlines()
    return [name for name in changed if parse_op_path(name)]


def keys(path: Path, operation: str, tip: str = REF, since: ObjectId | None = None) -> frozenset[str]:
    """Return who vouches for an operation."""
    store = open_store(path)
    found = vouched(store.database, ObjectId(git(path, "rev-parse", tip)), [operation], since=since, seconds=10)
    return found[operation].keys


def union(store: Store, ours: str, theirs: str) -> ObjectId:
    """Unite two tips as a sync does, and move the ref there."""
    pair = (store.snapshot(ObjectId(ours)), store.snapshot(ObjectId(theirs)))
    objects = joined(store.database, *pair, store.author().signature, "store sync: test")
    store.database.write(objects)
    git(Path(store.repository.root), "update-ref", REF, objects[-1].oid)
    return objects[-1].oid


def commit_tree(path: Path, tree: str, parents: list[str], message: str, key: Key | None = None) -> str:
    """Make a commit with Git's own means."""
    signing = ["-c", "gpg.format=ssh", "-c", f"user.signingKey={key.path}"] if key else []
    named = [word for parent in parents for word in ("-p", parent)]
    return git(path, *signing, "commit-tree", *(["-S"] if key else []), tree, *named, "-m", message)


@pytest.mark.parametrize("kind", ["plain", "sha256"])
@pytest.mark.parametrize("bulk", [False, True])
def test_a_signed_write_is_vouched_for(repository: MakeRepository, ada: Key, bob: Key, kind: Kind, bulk: bool) -> None:
    """Each operation has the key of its own commit, however much was written since, by whomever."""
    path = repository(kind)
    new_store(path)
    first = wrote(path, "ada's", ada, bulk=bulk)
    plain = wrote(path, "unsigned", None)
    last = wrote(path, "bob's", bob)

    assert keys(path, first) == {ada.fingerprint}
    assert keys(path, plain) == frozenset()
    assert keys(path, last) == {bob.fingerprint}
    assert keys(path, first.replace("assert", "revise")) == frozenset()


def test_a_union_neither_blesses_nor_curses(repository: MakeRepository, ada: Key, bob: Key) -> None:
    """Whoever merges, signed or not, the operations on both sides keep their own keys, or none."""
    path = repository()
    new_store(path)
    base = git(path, "rev-parse", REF)
    signed = wrote(path, "ada's", ada)
    ours = git(path, "rev-parse", REF)
    git(path, "update-ref", "-d", REF)
    shutil.rmtree(path / ".git/memgit/state/log")
    git(path, "update-ref", REF, base)
    plain = wrote(path, "unsigned", None)
    theirs = git(path, "rev-parse", REF)
    for signer in (None, bob):
        git(path, "config", "commit.gpgSign", "true" if signer else "false")
        git(path, "config", "user.signingKey", str(bob.path))
        store = open_store(path)
        for pair in ((ours, theirs), (theirs, ours)):
            union(store, *pair)
            assert keys(path, signed) == {ada.fingerprint}
            assert keys(path, plain) == frozenset()


def test_an_operation_that_came_twice_keeps_its_key(repository: MakeRepository, ada: Key) -> None:
    """Somebody brings a signed operation in once more, unsigned, on a side branch: the signature still counts."""
    path = repository()
    new_store(path)
    base = git(path, "rev-parse", REF)
    signed = wrote(path, "ada's", ada)
    tip = git(path, "rev-parse", REF)
    message = git(path, "log", "-1", "--format=%B", tip)
    again = commit_tree(path, f"{tip}^{{tree}}", [base], message)
    for parents in ([tip, again], [again, tip]):
        merge = commit_tree(path, f"{tip}^{{tree}}", parents, "store sync: x\n\nMemgit-Seq: 2")
        assert keys(path, signed, merge) == {ada.fingerprint}
    assert keys(path, signed, again) == frozenset()


@pytest.mark.parametrize("how", ["merge", "replay", "root"])
def test_who_carries_the_words_of_others_does_not_vouch(repository: MakeRepository, ada: Key, how: str) -> None:
    """A signed commit that says of no operation that it wrote it vouches for none, although it adds their files."""
    path = repository()
    new_store(path)
    base = git(path, "rev-parse", REF)
    plain = wrote(path, "forged", None)
    tip = git(path, "rev-parse", REF)
    message = git(path, "log", "-1", "--format=%B", tip)
    carried = {
        "merge": (message, [base, commit_tree(path, f"{base}^{{tree}}", [base], "x\n\nMemgit-Seq: 1")]),
        "replay": ("store sync: purge accepted\n\nMemgit-Seq: 9", [base]),
        "root": ("store sync: purge accepted\n\nMemgit-Seq: 9", []),
    }[how]
    carrier = commit_tree(path, f"{tip}^{{tree}}", carried[1], carried[0], ada)

    assert keys(path, plain, carrier) == frozenset()
    honest = commit_tree(path, f"{tip}^{{tree}}", [base], message, ada)
    assert keys(path, plain, honest) == {ada.fingerprint}, "the same commit vouches where it says what it wrote"


def test_the_end_of_a_cut_history_vouches_for_nothing(repository: MakeRepository, ada: Key, tmp_path: Path) -> None:
    """A shallow clone's oldest commit seems to bring everything; its signature is not that of all of it."""
    path = repository()
    new_store(path)
    forged = wrote(path, "forged", None)
    last = wrote(path, "ada's", ada)
    clone = tmp_path / "clone"
    subprocess.run(["git", "init", "-q", str(clone)], check=True)
    git(clone, "fetch", "-q", "--depth=1", path.as_uri(), f"{REF}:{REF}")

    assert not keys(clone, forged) and not keys(clone, last)
    git(clone, "fetch", "-q", "--unshallow", path.as_uri(), REF)
    assert not keys(clone, forged) and keys(clone, last) == {ada.fingerprint}


def test_a_message_cannot_pretend_to_be_signed(repository: MakeRepository, ada: Key) -> None:
    """Whatever a commit says in its message, its author or its name, only a good signature counts."""
    path = repository()
    new_store(path)
    plain = wrote(path, "forged", None)
    tip = git(path, "rev-parse", REF)
    lie = f"commit {'a' * 40}\tG\t{ada.fingerprint}\t{ada.fingerprint}"
    message = f"{lie}\n\n{lie}\n\nMemgit-Operation: {lie}\n {lie}\nMemgit-Seq: 2"
    forged = commit_tree(path, f"{tip}^{{tree}}", [f"{tip}^"], message)

    assert keys(path, plain, forged) == frozenset()
    assert keys(path, lie, forged) == frozenset()


def test_the_users_own_signers_are_asked(repository: MakeRepository, ada: Key, tmp_path: Path) -> None:
    """With a list of signers Git judges by it: its key counts, one that it revokes does not; a lost list is no list."""
    path = repository()
    new_store(path)
    signed = wrote(path, "ada's", ada)
    allowed, revoked = tmp_path / "allowed", tmp_path / "revoked"
    allowed.write_text(f"ada@example.org {ada.path.with_suffix('.pub').read_text()}")
    git(path, "config", "gpg.ssh.allowedSignersFile", str(allowed))
    assert keys(path, signed) == {ada.fingerprint}
    revoked.write_text(ada.path.with_suffix(".pub").read_text())
    git(path, "config", "gpg.ssh.revocationFile", str(revoked))
    assert keys(path, signed) == frozenset()
    git(path, "config", "gpg.ssh.allowedSignersFile", "/nonexistent")
    assert keys(path, signed) == {ada.fingerprint}


def test_only_what_is_new_is_looked_through(repository: MakeRepository, ada: Key) -> None:
    """From a commit on, older ones are not looked at; a commit that is not there is an error, not an answer."""
    path = repository()
    new_store(path)
    first = wrote(path, "one", ada)
    seen = ObjectId(git(path, "rev-parse", REF))
    last = wrote(path, "two", ada)

    assert not keys(path, first, since=seen) and keys(path, last, since=seen) == {ada.fingerprint}
    with pytest.raises(StoreCorrupt):
        keys(path, first, since=ObjectId("1" * 40))
    store = open_store(path)
    with pytest.raises(StoreBusy):
        vouched(store.database, seen, [first], seconds=0.0001)


@pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not here")
def test_a_key_that_is_not_at_hand_may_come_later(repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """An OpenPGP signature whose key is not in the ring vouches for nothing now, and that is not final."""
    import tempfile

    path = repository()
    new_store(path)
    with tempfile.TemporaryDirectory(prefix="mg", dir="/tmp") as home, tempfile.TemporaryDirectory(dir="/tmp") as other:
        monkeypatch.setenv("GNUPGHOME", home)
        quiet = ["gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]
        user = "Ada <ada@example.org>"
        subprocess.run([*quiet, "--quick-gen-key", user, "ed25519", "sign", "never"], check=True, capture_output=True)
        listed = subprocess.check_output(["gpg", "--batch", "--with-colons", "-K"], text=True)
        fingerprint = next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))
        git(path, "config", "commit.gpgSign", "true")
        git(path, "config", "user.signingKey", fingerprint)
        store = open_store(path)
        store.write(claims("ada's"))
        signed = brought(path)[0]
        assert keys(path, signed) == {fingerprint}
        subprocess.run(["gpgconf", "--kill", "all"], capture_output=True)
        monkeypatch.setenv("GNUPGHOME", other)
        found = vouched(store.database, ObjectId(git(path, "rev-parse", REF)), [signed], seconds=10)
        assert found == {signed: Vouched(frozenset(), final=False)}
        subprocess.run(["gpgconf", "--kill", "all"], capture_output=True)
