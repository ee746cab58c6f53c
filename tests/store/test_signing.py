"""Signed commits: made by the user's own program where he signs, never with a prompt, and accepted by Git."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from memgit import clock
from memgit.errors import SigningFailed
from memgit.store import signing
from memgit.store.join import joined
from memgit.store.objects import ObjectId
from memgit.store.signing import signing_key, with_signature
from memgit.store.store import Store, StoreOptions
from tests.conftest import Kind, MakeRepository
from tests.store.scenario import REF, claims, fsck, git, new_store, open_store, statements, write

needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen (8.2 or later) is not here")
needs_agent = pytest.mark.skipif(shutil.which("ssh-agent") is None, reason="ssh-agent is not here")
needs_gpg = pytest.mark.skipif(shutil.which("gpg") is None, reason="gpg is not here (Debian: gnupg)")


@dataclass(frozen=True)
class Keys:
    """An SSH key of a user, and the signers that Git is told to accept."""

    private: Path

    @property
    def public(self) -> str:
        """The public half, as a line."""
        return self.private.with_suffix(".pub").read_text().strip()

    @property
    def allowed(self) -> Path:
        """A file that names the key's owner."""
        path = self.private.with_name("allowed")
        path.write_text(f'test@example.org namespaces="git" {self.public}\n')
        return path


def ssh_key(directory: Path, passphrase: str = "") -> Keys:
    """Make a key."""
    path = directory / f"key-{bool(passphrase)}"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", passphrase, "-f", str(path)], check=True)
    return Keys(path)


def signs_with(path: Path, key: Path | str, form: str = "ssh") -> None:
    """Let a repository's user sign all commits."""
    git(path, "config", "commit.gpgSign", "true")
    git(path, "config", "gpg.format", form)
    git(path, "config", "user.signingKey", str(key))


def verified(path: Path, commit: str = REF, allowed: Path | None = None) -> bool:
    """Tell whether Git accepts the signature of a commit."""
    options = ["-c", f"gpg.ssh.allowedSignersFile={allowed}"] if allowed is not None else []
    done = subprocess.run(["git", *options, "verify-commit", commit], cwd=path, capture_output=True)
    return done.returncode == 0


def is_signed(path: Path, commit: str = REF) -> bool:
    """Tell whether a commit carries a signature of the kind that its repository has."""
    header = "gpgsig-sha256" if len(git(path, "rev-parse", commit)) == 64 else "gpgsig"
    return f"\n{header} -----BEGIN " in git(path, "cat-file", "commit", commit)


def counted(directory: Path, program: str, action: str = "") -> tuple[Path, Path]:
    """Make a program that notes each of its runs before it does what `action` says, by default as `program` does."""
    notes, path = directory / "runs", directory / "program"
    notes.write_text("")
    done = action or f'exec {program} "$@"'
    path.write_text(f'#!/bin/sh\necho run >> "{notes}"\n{done}\n')
    path.chmod(0o755)
    return path, notes


CASES: list[tuple[str, Kind]] = [("pygit2", "plain"), ("plumbing", "plain"), ("plumbing", "sha256")]


@needs_ssh
@pytest.mark.parametrize(("backend", "kind"), CASES)
def test_every_commit_of_the_store_is_signed(
    repository: MakeRepository, tmp_path: Path, backend: str, kind: Kind
) -> None:
    """Init, a write, an import and a union carry a signature that Git accepts, on both back ends and object formats."""
    path, keys = repository(kind), ssh_key(tmp_path)
    signs_with(path, keys.private)
    store = Store(open_store(path).repository, StoreOptions(backend=backend))  # type: ignore[arg-type]
    store.initialize("wsp_a", "prj_b")
    first = store.tip()
    store.write(claims("one"))
    store.write_bulk(claims("two", "three"))
    mine = store.snapshot()
    git(path, "update-ref", REF, str(first))
    # The next write finds that another program set the ref back, and joins what it finds with what was lost.
    other = git(path, "commit-tree", f"{first}^{{tree}}", "-p", str(first), "-m", "x\n\nMemgit-Seq: 1")
    git(path, "update-ref", REF, other)
    open_store(path).write(claims("four"))

    commits = git(path, "rev-list", REF).split()
    ours = [commit for commit in commits if commit != other]
    assert len(ours) == 5 and mine.commit_id in ours
    assert all(verified(path, commit, keys.allowed) for commit in ours)
    assert all(is_signed(path, commit) for commit in ours)
    assert 'Good "git" signature for test@example.org' in subprocess.check_output(
        ["git", "-c", f"gpg.ssh.allowedSignersFile={keys.allowed}", "log", "-1", "--show-signature", REF],
        cwd=path,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert sorted(statements(path)) == ["four", "one", "three", "two"]
    fsck(path)


@needs_ssh
def test_a_changed_commit_is_not_accepted(repository: MakeRepository, tmp_path: Path) -> None:
    """The signature covers the commit: with another word in it, Git says no."""
    path, keys = repository(), ssh_key(tmp_path)
    signs_with(path, keys.private)
    write(new_store(path), "one")
    data = git(path, "cat-file", "commit", REF).replace("one", "two")
    forged = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"], cwd=path, input=data, text=True, capture_output=True
    ).stdout.strip()

    assert verified(path, REF, keys.allowed)
    assert is_signed(path, forged) and not verified(path, forged, keys.allowed)


@needs_ssh
def test_an_import_without_a_signature_is_the_commit_that_git_made(repository: MakeRepository) -> None:
    """Our bytes of an import's commit are Git's: nothing but a signature ever makes another commit of it."""
    path = repository()
    store = new_store(path)
    written = store.write_bulk(claims(*(f"claim {number}" for number in range(5))))

    assert written.commit_id == git(path, "rev-parse", REF)
    assert git(path, "fsck", "--unreachable", "--no-reflogs").splitlines() == []


@pytest.mark.parametrize("choice", ["auto", "never"])
def test_who_does_not_sign_starts_no_program(
    repository: MakeRepository, monkeypatch: pytest.MonkeyPatch, choice: str
) -> None:
    """Without `commit.gpgSign`, or with `sign = never`, a write starts nothing and looks for nothing."""
    path = repository()
    if choice == "never":
        signs_with(path, "/nonexistent")

    def fail(*_: object) -> None:
        raise AssertionError("a program was started")

    monkeypatch.setattr(signing, "_run", fail)
    store = Store(open_store(path).repository, StoreOptions(sign=choice))  # type: ignore[arg-type]
    store.initialize("wsp_a", "prj_b")
    store.write(claims("one"))

    assert not is_signed(path)
    assert store.take_notes() == []
    assert not (store.repository.state_dir / "signing.json").exists()


@needs_ssh
def test_a_key_with_a_passphrase_fails_at_once(repository: MakeRepository, tmp_path: Path) -> None:
    """Nobody is asked: the write goes through unsigned, is told once, and soon after nothing is tried again."""
    path, keys = repository(), ssh_key(tmp_path, "a passphrase")
    signs_with(path, keys.private)
    program, notes = counted(tmp_path, "ssh-keygen")
    git(path, "config", "gpg.ssh.program", str(program))
    began = time.monotonic()
    store = new_store(path)
    store.write(claims("one", "two"))
    told = store.take_notes()

    assert time.monotonic() - began < signing.SIGN_SECONDS
    assert statements(path) == ["one", "two"] and not is_signed(path)
    assert len(told) == 1 and "not signed" in told[0] and "passphrase" in told[0]
    assert notes.read_text().count("run") == 1
    # Another process, a moment later and an hour later: silent on the same day, and it tries again.
    later = open_store(path)
    write(later, "three")
    assert notes.read_text().count("run") == 1
    with clock.pinned(clock.timestamp() + 3600):
        write(later, "four")
    assert notes.read_text().count("run") == 2
    with clock.pinned(clock.timestamp() + 2 * 86_400):
        fresh = open_store(path)
        write(fresh, "five")
        assert len(fresh.take_notes()) == 1
    assert later.take_notes() == []


@needs_ssh
def test_what_must_be_signed_is_refused_otherwise(repository: MakeRepository, tmp_path: Path) -> None:
    """With `sign = always` nothing is written unsigned, small or large, and the error says what to do."""
    path, keys = repository(), ssh_key(tmp_path, "a passphrase")
    store = new_store(path)
    tip = store.tip()
    signs_with(path, keys.private)
    git(path, "config", "commit.gpgSign", "false")
    strict = Store(store.repository, StoreOptions(sign="always"))
    for attempt in (strict.write, strict.write_bulk):
        with pytest.raises(SigningFailed, match="nothing was written") as caught:
            attempt(claims("one"))
        assert "ssh-add" in caught.value.hint and "sign auto" in caught.value.hint

    assert open_store(path).tip() == tip
    assert git(path, "fsck", "--unreachable", "--no-reflogs").splitlines() == []
    git(path, "config", "user.signingKey", str(ssh_key(tmp_path).private))
    Store(store.repository, StoreOptions(sign="always")).write(claims("two"))
    assert is_signed(path)


@needs_ssh
def test_a_program_that_waits_for_somebody_is_ended(
    repository: MakeRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dialog or a touch that does not come holds up one write, for a bounded time, with all that it started."""
    monkeypatch.setattr(signing, "SIGN_SECONDS", 0.5)
    path = repository()
    new_store(path)
    program, _ = counted(tmp_path, "", f'sleep 60 & echo $! > "{tmp_path}/child"; wait')
    signs_with(path, "key", "openpgp")
    git(path, "config", "gpg.program", str(program))
    began = time.monotonic()
    store = open_store(path)
    write(store, "one")

    assert time.monotonic() - began < 5
    assert "did not answer" in store.take_notes()[0]
    child = int((tmp_path / "child").read_text())
    with pytest.raises(ProcessLookupError):
        for _ in range(100):
            os.kill(child, 0)
            time.sleep(0.02)


@needs_ssh
def test_a_program_gets_nobody_to_ask(repository: MakeRepository, tmp_path: Path) -> None:
    """No terminal, no input, no dialog: whatever opens one of them fails at once."""
    path = repository()
    new_store(path)
    asked = tmp_path / "asked"
    program, _ = counted(
        tmp_path,
        "",
        f'{{ (: < /dev/tty) 2>/dev/null && echo tty; read -r line && echo input; echo "$DISPLAY$SSH_ASKPASS"; '
        f'echo "$SSH_ASKPASS_REQUIRE"; }} > "{asked}"; exit 1',
    )
    signs_with(path, "ssh-ed25519 AAAA")
    git(path, "config", "gpg.ssh.program", str(program))
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DISPLAY", ":0")
        environment.setenv("SSH_ASKPASS", "/bin/false")
        write(open_store(path), "one")

    assert asked.read_text().split("\n") == ["", "never", ""]


@needs_ssh
@needs_agent
def test_a_key_in_an_agent_signs(repository: MakeRepository, monkeypatch: pytest.MonkeyPatch) -> None:
    """With its key unlocked in an agent, a user who has a passphrase signs, by file or by the key itself."""
    path = repository()
    with tempfile.TemporaryDirectory(prefix="m", dir="/tmp") as short:  # a socket's name has 108 bytes at most
        socket = Path(short) / "a"
        agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.DEVNULL)
        try:
            for _ in range(200):
                if socket.exists():
                    break
                time.sleep(0.01)
            monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
            keys = ssh_key(Path(short))
            subprocess.run(["ssh-add", "-q", str(keys.private)], check=True, capture_output=True)
            keys.private.unlink()
            allowed = keys.allowed
            for key in (f"key::{keys.public}", keys.public, str(keys.private.with_suffix(".pub"))):
                signs_with(path, key)
                write(new_store(path) if not git(path, "for-each-ref", REF) else open_store(path), "by agent")
                assert verified(path, REF, allowed), key
            git(path, "config", "--unset", "user.signingKey")
            git(path, "config", "gpg.ssh.defaultKeyCommand", f"sh -c 'echo \"key::{keys.public}\"'")
            write(open_store(path), "by the command's key")
            assert verified(path, REF, allowed)
        finally:
            agent.kill()
            agent.wait()


@pytest.fixture
def gpg_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A GnuPG home of its own, whose agent ends with the test. Its name is short: a socket's may have 108 bytes."""
    home = Path(tempfile.mkdtemp(prefix="mg", dir="/tmp"))
    monkeypatch.setenv("GNUPGHOME", str(home))
    yield home
    subprocess.run(["gpgconf", "--kill", "all"], capture_output=True)
    shutil.rmtree(home, ignore_errors=True)


def gpg_key(passphrase: str = "") -> str:
    """Make a key for the tests' user and return its fingerprint."""
    user = "Test Person <test@example.org>"
    quiet = ["gpg", "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", passphrase]
    subprocess.run([*quiet, "--quick-gen-key", user, "ed25519", "sign", "never"], check=True, capture_output=True)
    listed = subprocess.check_output(["gpg", "--batch", "--with-colons", "-K"], text=True, stderr=subprocess.DEVNULL)
    return next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))


@needs_gpg
@pytest.mark.parametrize("kind", ["plain", "sha256"])
def test_gpg_signs(repository: MakeRepository, gpg_home: Path, kind: Kind) -> None:
    """An OpenPGP key signs, by its fingerprint or, where none is named, by the committer's name as Git looks for it."""
    path, key = repository(kind), gpg_key()
    signs_with(path, key, "openpgp")
    write(new_store(path), "one")
    assert verified(path)
    git(path, "config", "--unset", "user.signingKey")
    git(path, "config", "--unset", "gpg.format")
    write(open_store(path), "two")
    assert verified(path) and is_signed(path)
    assert key in git(path, "log", "-1", "--format=%GF", REF)


@needs_gpg
def test_gpg_asks_nobody_for_a_passphrase(repository: MakeRepository, gpg_home: Path) -> None:
    """A key whose passphrase the agent does not hold fails at once, and no dialog comes up."""
    agent = gpg_home / "gpg-agent.conf"
    agent.write_text("s2k-count 65536\n")  # else gpg takes seconds to find out how slow it can be
    path, key = repository(), gpg_key("a passphrase")
    subprocess.run(["gpgconf", "--kill", "all"], check=True, capture_output=True)
    agent.write_text(f"pinentry-program {gpg_home}/pinentry\n")
    (gpg_home / "pinentry").write_text(f"#!/bin/sh\ntouch {gpg_home}/asked\nexec sleep 60\n")
    (gpg_home / "pinentry").chmod(0o755)
    signs_with(path, key, "openpgp")
    began = time.monotonic()
    store = new_store(path)

    assert time.monotonic() - began < signing.SIGN_SECONDS
    assert not is_signed(path) and len(store.take_notes()) == 1
    assert not (gpg_home / "asked").exists()


@pytest.mark.skipif(shutil.which("gpgsm") is None, reason="gpgsm is not here (Debian: gpgsm)")
def test_gpgsm_signs(repository: MakeRepository, gpg_home: Path) -> None:
    """An X.509 certificate signs, too: the same way with another program."""
    wish, made = gpg_home / "wish", gpg_home / "certificate"
    wish.write_text(
        "Key-Type: RSA\nKey-Length: 2048\nKey-Usage: sign\nSerial: random\n"
        "Name-DN: CN=Test Person\nName-Email: test@example.org\n"
    )
    (gpg_home / "gpgsm.conf").write_text("disable-crl-checks\n")
    quiet = ["gpgsm", "--batch", "--pinentry-mode", "loopback", "--passphrase-fd", "0"]
    with made.open("wb") as file:
        subprocess.run([*quiet, "--generate-key", str(wish)], stdin=subprocess.DEVNULL, stdout=file, check=True)
    subprocess.run(["gpgsm", "--batch", "--import", str(made)], check=True, capture_output=True)
    listed = subprocess.check_output(["gpgsm", "--batch", "--with-colons", "-K"], text=True)
    key = next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))
    (gpg_home / "trustlist.txt").write_text(f"{key} S relax\n")
    subprocess.run(["gpgconf", "--kill", "all"], check=True, capture_output=True)
    path = repository()
    signs_with(path, key, "x509")
    store = new_store(path)

    assert store.take_notes() == []
    assert is_signed(path) and verified(path)
    assert git(path, "log", "-1", "--format=%GF", REF) == key


@pytest.mark.parametrize(
    ("config", "why"),
    [
        ({"gpg.format": "pgp"}, "gpg.format"),
        ({"gpg.program": "/nonexistent/gpg"}, "cannot be run"),
        ({"gpg.program": "false"}, "no reason"),
        ({"gpg.format": "ssh"}, "names a key"),
        ({"gpg.format": "ssh", "gpg.ssh.defaultkeycommand": "echo 'unclosed"}, "cannot be read"),
        ({"gpg.format": "ssh", "gpg.ssh.defaultkeycommand": "echo /path"}, "gave no key"),
        ({"gpg.format": "ssh", "user.signingkey": "/nonexistent"}, "ssh-keygen"),
    ],
)
def test_what_cannot_sign_says_why(config: dict[str, str], why: str) -> None:
    """Whatever is wrong with a configuration is one sentence that names it."""
    key = signing_key({"commit.gpgsign": "true", **config}, "auto")
    assert key is not None
    with pytest.raises(signing.CannotSign, match=why):
        key.sign(b"commit", "Ann <ann@x>")


def test_when_commits_are_signed() -> None:
    """The setting, then `commit.gpgSign`; the program is that of the form, and `gpg.program` only gpg's."""
    for value, wanted in {"true": True, "Yes": True, "1": True, "false": False, "no": False}.items():
        assert (signing_key({"commit.gpgsign": value}, "auto") is not None) == wanted
    assert signing_key({}, "auto") is None
    assert signing_key({"commit.gpgsign": "true"}, "never") is None
    always = signing_key({"gpg.format": "SSH", "gpg.program": "mine"}, "always")
    assert always is not None and always.required and (always.form, always.program) == ("ssh", "ssh-keygen")
    mine = signing_key({"gpg.program": "mine", "commit.gpgsign": "true"}, "auto")
    assert mine is not None and not mine.required and mine.program == "mine"


def test_a_note_that_cannot_be_read_is_no_failure(repository: MakeRepository) -> None:
    """A torn or odd note of a failure counts as none: signing is tried."""
    path = repository()
    store = new_store(path)
    signs_with(path, "/nonexistent")
    for text in ("", "[]", '{"at": "x"}', json.dumps({"told": "today"})):
        (store.repository.state_dir / "signing.json").write_text(text)
        fresh = open_store(path)
        write(fresh, "one")
        assert len(fresh.take_notes()) == 1, text


def test_the_signature_stands_where_git_reads_it() -> None:
    """After the last header, its lines continued by a space, under the name of the object format."""
    commit, signature = b"tree 1\ncommitter x\n\nsubject\n\nbody\n", b"-----BEGIN\n\nabc\n-----END\n"
    assert with_signature(commit, signature, "sha1") == (
        b"tree 1\ncommitter x\ngpgsig -----BEGIN\n \n abc\n -----END\n\nsubject\n\nbody\n"
    )
    assert b"\ngpgsig-sha256 -----BEGIN\n" in with_signature(commit, signature, "sha256")


@needs_ssh
def test_a_union_is_signed(repository: MakeRepository, tmp_path: Path) -> None:
    """What a sync makes of two tips is this program's own commit, so it is signed as a write is."""
    path, keys = repository(), ssh_key(tmp_path)
    store = new_store(path)
    signs_with(path, keys.private)
    store = open_store(path)
    tips = [ObjectId(write(store, text).commit_id) for text in ("one", "two")]
    ours, theirs = map(store.snapshot, tips)
    objects = joined(store.database, ours, theirs, store.author().signature, "store sync: test")
    store.database.write(objects)

    assert verified(path, objects[-1].oid, keys.allowed)
