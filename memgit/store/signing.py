"""Signatures of the store's commits: by the user's own program and key, in Git's form, and never with a prompt.

What asks for a passphrase, a touch or a PIN fails at once, or after two seconds: whoever writes holds the lock. So a
program gets no terminal, no input and no dialog. The signature covers the commit as Git writes it, and stands in the
header that Git reads (`git verify-commit`).
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memgit.environment import git_child_environment
from memgit.store.objects import ObjectFormat

SigningChoice = Literal["auto", "always", "never"]
"""`auto`: as Git's `commit.gpgSign` says, and unsigned where it cannot be done. `always`: or nothing is written."""

SIGNING_KEYS = (
    "commit.gpgsign",
    "user.signingkey",
    "gpg.format",
    "gpg.program",
    "gpg.openpgp.program",
    "gpg.x509.program",
    "gpg.ssh.program",
    "gpg.ssh.defaultkeycommand",
)
"""What of Git's configuration decides, in lower case."""

SIGN_SECONDS = 2.0  # gpg with an agent takes 20 ms, ssh-keygen 5; whatever takes this long waits for a person

_TRUE = frozenset({"true", "yes", "on", "1", ""})
_HEADERS: dict[ObjectFormat, str] = {"sha1": "gpgsig", "sha256": "gpgsig-sha256"}
_PROGRAMS = {"openpgp": "gpg", "x509": "gpgsm", "ssh": "ssh-keygen"}
_SSH_KEY_TYPES = ("ssh-", "ecdsa-sha2-", "sk-ssh-", "sk-ecdsa-")


class CannotSign(Exception):
    """The signature could not be made. The argument says why, for a person."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """How to sign. `key` is what Git's configuration names, empty where it names none."""

    form: str  # openpgp, x509 or ssh
    program: str
    key: str
    key_command: str
    required: bool

    def sign(self, payload: bytes, committer: str) -> bytes:
        """Return the armoured signature of `payload`; `committer` is `name <email>`. Raises CannotSign."""
        if self.form not in _PROGRAMS:
            raise CannotSign(f"`gpg.format` is {self.form[:40]!r}; Git knows openpgp, x509 and ssh")
        deadline = time.monotonic() + SIGN_SECONDS
        signature = (
            self._by_ssh(payload, deadline) if self.form == "ssh" else self._by_gpg(payload, committer, deadline)
        )
        if not signature.startswith(b"-----BEGIN "):
            raise CannotSign(f"{self.program} made no signature")
        return signature.replace(b"\r\n", b"\n")

    def _by_gpg(self, payload: bytes, committer: str, deadline: float) -> bytes:
        quiet = ["--batch", "--no-tty", "--pinentry-mode", "error"]
        status, signature, said = _run(
            [self.program, "--status-fd=2", *quiet, "-bsau", self.key or committer], payload, deadline
        )
        if status != 0 or b"\n[GNUPG:] SIG_CREATED " not in b"\n" + said:
            raise CannotSign(f"{self.program}: {_reason(said)}")
        return signature

    def _by_ssh(self, payload: bytes, deadline: float) -> bytes:
        from tempfile import TemporaryDirectory

        key = self.key or self._default_key(deadline)
        with TemporaryDirectory(prefix="memgit-sign-") as directory:
            message, public = Path(directory, "commit"), Path(directory, "key")
            message.write_bytes(payload)
            literal = _literal_key(key)
            if literal is not None:
                public.write_text(literal + "\n", "utf-8")
            name = str(public) if literal is not None else expanded(key)
            command = [self.program, "-Y", "sign", "-n", "git", "-f", name, str(message)]
            status, _, said = _run(command, b"", deadline)
            made = message.with_name("commit.sig")
            if status != 0 or not made.exists():
                raise CannotSign(f"{self.program}: {_reason(said)}")
            return made.read_bytes()

    def _default_key(self, deadline: float) -> str:
        """Return the key that `gpg.ssh.defaultKeyCommand` prints in its first line."""
        import shlex

        if not self.key_command:
            raise CannotSign("neither `user.signingKey` nor `gpg.ssh.defaultKeyCommand` names a key")
        try:
            command = shlex.split(self.key_command)
        except ValueError as error:
            raise CannotSign(f"`gpg.ssh.defaultKeyCommand` cannot be read: {error}") from None
        status, answer, said = _run(command, b"", deadline)
        line = answer.decode("utf-8", "replace").split("\n", 1)[0].strip()
        if status != 0 or _literal_key(line) is None:
            raise CannotSign(f"`gpg.ssh.defaultKeyCommand` gave no key: {_reason(said)}")
        return line


def signing_key(config: Mapping[str, str], choice: SigningChoice) -> SigningKey | None:
    """Return how commits are to be signed, or None where they are not. `config` has keys in lower case."""
    wanted = choice == "always" or (choice == "auto" and config.get("commit.gpgsign", "false").lower() in _TRUE)
    if not wanted:
        return None
    form = config.get("gpg.format", "openpgp").lower()
    program = config.get(f"gpg.{form}.program") or (config.get("gpg.program") if form == "openpgp" else None)
    return SigningKey(
        form=form,
        program=expanded(program or _PROGRAMS.get(form, "")),
        key=config.get("user.signingkey", ""),
        key_command=config.get("gpg.ssh.defaultkeycommand", ""),
        required=choice == "always",
    )


def with_signature(commit: bytes, signature: bytes, object_format: ObjectFormat) -> bytes:
    """Return a commit's bytes with a signature in its header."""
    head, blank, message = commit.partition(b"\n\n")
    lines = signature.rstrip(b"\n").replace(b"\n", b"\n ")
    return b"%s\n%s %s%s%s" % (head, _HEADERS[object_format].encode(), lines, blank, message)


def expanded(path: str) -> str:
    """Return a path of Git's configuration with a leading `~` as Git reads it."""
    with suppress(RuntimeError):  # no home, or no such user
        return str(Path(path).expanduser()) if path.startswith("~") else path
    return path


def _run(command: list[str], payload: bytes, deadline: float) -> tuple[int, bytes, bytes]:
    """Run a program that has nobody to ask; return its status, output and messages. Raises CannotSign."""
    environment = git_child_environment(keep_configuration=True, extra={"SSH_ASKPASS_REQUIRE": "never"})
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_ASKPASS", "GPG_TTY"):
        environment.pop(name, None)
    try:
        # A session of its own has no terminal: what opens /dev/tty to ask fails.
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise CannotSign(f"{command[0]} cannot be run: {error.strerror or error}") from None
    try:
        answer, said = process.communicate(payload, timeout=max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        _kill(process)
        raise CannotSign(f"{command[0]} did not answer within {SIGN_SECONDS:g} s: it seems to ask somebody") from None
    return process.returncode, answer, said


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a program and what it started, and wait for it alone: a helper of its may hold the pipes open."""
    with suppress(OSError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with suppress(OSError):
                stream.close()
    process.wait()


def _literal_key(key: str) -> str | None:
    """Return a public key that stands in the configuration itself, or None where that names a file."""
    if key.startswith("key::"):
        return key.removeprefix("key::")
    return key if key.startswith(_SSH_KEY_TYPES) and " " in key else None


def _reason(said: bytes) -> str:
    """Return what a program said, without gpg's lines for programs."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines()]
    spoken = [line for line in lines if line and not line.startswith("[GNUPG:]")]
    return (
        "".join(character if character.isprintable() else " " for character in "; ".join(spoken))[:200] or "no reason"
    )
