"""Verdicts on answers, kept in one local file for somebody to evaluate. Ranking never reads it.

A query is kept as a fingerprint: a keyed digest, with a key that this file alone has, so that a guess of what was asked
cannot be confirmed elsewhere. The words themselves are kept only where the request says so.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

import msgspec
from blake3 import blake3
from msgspec import Struct

from memgit.errors import LimitExceeded, StoreCorrupt, StoreReadOnly

FILE_NAME = "feedback.jsonl"
KEY_NAME = "feedback.key"
LARGEST_FILE = 16 * 1024 * 1024  # bytes: some 50,000 verdicts
_KEY_BYTES = 32


class Feedback(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One verdict. `subject` is a citation or an id, or absent where the answer as a whole is meant."""

    at: str
    verdict: str
    fingerprint: str | None = None
    query: str | None = None
    subject: str | None = None
    note: str | None = None
    workspace: str | None = None
    project: str | None = None
    commit: str | None = None


class FeedbackFile:
    """The verdicts of one repository, in `state/`. Whole lines only: a torn last line is left out when read."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / FILE_NAME
        self._key_path = state_dir / KEY_NAME
        self.damaged = 0

    def fingerprint(self, query: str) -> str:
        """Return the keyed digest of a query, whatever its case, spacing and Unicode form.

        Raises StoreReadOnly, and StoreCorrupt where the key is damaged.
        """
        folded = " ".join(unicodedata.normalize("NFKC", query).casefold().split())
        return blake3(folded.encode(errors="replace"), key=self._key()).hexdigest()[:32]

    def append(self, feedback: Feedback) -> None:
        """Keep a verdict. Raises LimitExceeded where the file is full, StoreReadOnly."""
        line = msgspec.json.encode(feedback) + b"\n"
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                size = os.fstat(descriptor).st_size
                if size + len(line) > LARGEST_FILE:
                    raise LimitExceeded(
                        f"{self._path} has {size} bytes; at most {LARGEST_FILE} are kept",
                        hint="Export it with `git memory feedback export`, then remove the file.",
                        details={"limit": "feedback_bytes", "value": LARGEST_FILE, "size": size + len(line)},
                    )
                os.write(descriptor, line)  # one call: lines of several processes do not mix
            finally:
                os.close(descriptor)
        except OSError as error:
            raise StoreReadOnly(f"{self._path} cannot be written: {error.strerror or error}") from None

    def read(self) -> Iterator[Feedback]:
        """Yield the verdicts, oldest first. What is not one is left out; `damaged` counts it."""
        self.damaged = 0
        try:
            file = self._path.open("rb")
        except FileNotFoundError:
            return
        with file:
            for line in file:
                try:
                    yield msgspec.json.decode(line, type=Feedback)
                except msgspec.DecodeError:
                    self.damaged += 1

    def _key(self) -> bytes:
        """Return the key, made at the first use. Raises StoreCorrupt where it is damaged, StoreReadOnly."""
        with suppress(FileNotFoundError):
            return self._read_key()
        try:
            self._make_key()
        except OSError as error:
            raise StoreReadOnly(f"{self._key_path} cannot be written: {error.strerror or error}") from None
        return self._read_key()

    def _make_key(self) -> None:
        """Put a whole key in its place in one step, unless another process was faster. OSErrors pass through."""
        descriptor, name = mkstemp(prefix=f"{KEY_NAME}.", dir=self._key_path.parent)
        made = Path(name)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(os.urandom(_KEY_BYTES))
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(made, self._key_path)
            except FileExistsError:
                pass
            except OSError:  # a file system without links: the later of two wins, and one fingerprint is no other's
                if not self._key_path.exists():
                    made.replace(self._key_path)
        finally:
            made.unlink(missing_ok=True)

    def _read_key(self) -> bytes:
        """Return the key. Raises FileNotFoundError, StoreCorrupt for what is shorter: anybody could guess it."""
        found = self._key_path.read_bytes()
        if len(found) < _KEY_BYTES:
            raise StoreCorrupt(
                f"{self._key_path} is damaged: it has {len(found)} bytes, and a key has {_KEY_BYTES}",
                hint="Remove it; a new one is made. Fingerprints of before cannot be compared with new ones then.",
            )
        return blake3(found).digest(_KEY_BYTES)
