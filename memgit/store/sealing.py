"""Whether and how the commits of a store are signed, and what becomes of a write where that fails.

Owns what is remembered of a failure: for a minute nobody tries again, so that an agent that does not answer holds up
one write and not each, and a person hears of it once a day.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from memgit import clock
from memgit.errors import SigningFailed
from memgit.store.objects import ObjectFormat
from memgit.store.signing import CannotSign, SigningChoice, signing_key, with_signature

_NAME = "signing.json"
_AGAIN_AFTER_SECONDS = 60.0
_COMMITTER = re.compile(rb"^committer (.* <[^>\n]*>) -?[0-9]+ [+-][0-9]{4}$", re.MULTILINE)


class Sealer:
    """Signs the commits of one store. `config` returns what Git's configuration says now, as `user_config` does."""

    def __init__(
        self,
        state_dir: Path,
        choice: SigningChoice,
        object_format: ObjectFormat,
        config: Callable[[], Mapping[str, str]],
    ) -> None:
        self._path = state_dir / _NAME
        self._choice = choice
        self._object_format = object_format
        self._config = config
        self._notes: list[str] = []
        self._told = False

    def seal(self, commit: bytes) -> bytes:
        """Return the commit's bytes with a signature where the user signs; as they are where that may fail and does.

        Raises SigningFailed where commits must be signed and this one cannot be.
        """
        key = signing_key(self._config(), self._choice)
        if key is None:
            return commit
        failure = None if key.required else self._failure()
        if failure is not None and 0 <= clock.timestamp() - failure["at"] < _AGAIN_AFTER_SECONDS:
            return commit
        committer = _COMMITTER.search(commit)
        assert committer is not None
        try:
            signature = key.sign(commit, committer[1].decode("utf-8", "replace"))
        except CannotSign as error:
            if key.required:
                raise SigningFailed(f"the commit cannot be signed, so nothing was written: {error}") from None
            self._note(str(error), failure)
            return commit
        if failure is not None:
            with suppress(OSError):
                self._path.unlink()
        return with_signature(commit, signature, self._object_format)

    def take_notes(self) -> list[str]:
        """Return what a person should hear, once."""
        notes, self._notes = self._notes, []
        return notes

    def _failure(self) -> dict[str, Any] | None:
        """Return the last failure that was not followed by a success: `at` in seconds, `told` a date; else None."""
        try:
            noted = json.loads(self._path.read_bytes())
            return {"at": float(noted["at"]), "told": str(noted["told"])}
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def _note(self, reason: str, before: Mapping[str, Any] | None) -> None:
        """Keep a failure, and say it unless it was said in this process or today."""
        today = clock.now()[:10]
        if not self._told and (before is None or before["told"] != today):
            self._notes.append(
                f"the memory's commits are not signed for now: {reason}. What is written now stays unsigned; "
                "`git memory config set sign never` says that this is meant."
            )
        self._told = True
        with suppress(OSError):
            text = json.dumps({"at": clock.timestamp(), "told": today, "reason": reason})
            self._path.write_text(text, "utf-8")
