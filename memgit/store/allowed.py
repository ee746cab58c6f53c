"""What somebody looked at and let in although it looks like a secret: the digests of those records and blobs.

A file of this clone that is never pushed. The screen of what goes out believes it, so that nobody is asked twice;
another clone asks again. It holds digests only: the text is in the store, and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from memgit.records import ids

_NAME = "allowed-flagged"


class AllowedList:
    """The list of one repository. It is only ever added to."""

    def __init__(self, state_dir: Path) -> None:
        self.path = state_dir / _NAME

    def digests(self) -> frozenset[str]:
        """Return the digests of records and blobs. What is no digest, such as a torn line, is passed over."""
        try:
            text = self.path.read_text("ascii", "replace")
        except FileNotFoundError:
            return frozenset()
        return frozenset(filter(ids.is_digest, text.split("\n")))

    def add(self, digests: Iterable[str]) -> None:
        """Note digests, with one write. Raises OSError."""
        added = sorted(set(digests) - self.digests())
        if not added:
            return
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        descriptor = os.open(self.path, flags, 0o600)
        try:
            # The line end in front sets these apart from what a writer that died may have left.
            os.write(descriptor, "".join(["\n", *(f"{digest}\n" for digest in added)]).encode())
        finally:
            os.close(descriptor)
