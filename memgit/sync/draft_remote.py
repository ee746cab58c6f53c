"""The drafts of one remote: sent, fetched and judged by the same rules as the memory itself.

They go through the user's own repository, so that credentials apply, with the objects of the private one lent to it.
What arrives is stored in the private one; no ref is made in the user's.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from memgit.errors import NotFound, PurgePending, RemoteRefused, StoreUnrelated
from memgit.store import private
from memgit.store.ancestry import descends
from memgit.store.backend import ObjectMissing, RefLocked, RefMoved
from memgit.store.join import are_related
from memgit.store.layers import PrivateStore
from memgit.store.objects import ObjectId
from memgit.store.packing import new_packs, pack_names
from memgit.store.private import PrivateRepository
from memgit.store.purged_history import holder
from memgit.store.snapshot import Snapshot
from memgit.store.terms import Terms
from memgit.store.validate import Incomplete, validate
from memgit.sync.sending import Screen, Sender, rounds
from memgit.sync.transport import Network, Transport, unavailable

_FETCHES = 4  # before what Git says is believed


class DraftRemote:
    """One remote, as far as drafts go. `below` is what stands before a draft's name there."""

    def __init__(self, own: PrivateRepository, remote: str, network: Network, below: str) -> None:
        self._own = own
        self._remote = remote
        self._network = network
        self._below = below
        self.transport = self._transport({"GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(self._objects(own.common_dir))})

    def ref(self, name: str) -> str:
        """Return the ref of a draft there."""
        return self._below + name

    def look(self, name: str) -> ObjectId | None:
        """Return what the remote has of a draft. Raises RemoteUnavailable."""
        return self.transport.look([self.ref(name)]).get(self.ref(name))

    def send(self, draft: PrivateStore, name: str, screen: Screen) -> tuple[ObjectId, bool, tuple[str, ...]]:
        """Send a draft; return what the remote has now, whether it had it before, and what the screen let in.

        Raises RemoteRefused, SecretDetected, RemoteUnavailable.
        """
        sender, ref = Sender(self.transport, screen, "draft"), self.ref(name)
        for _ in rounds(self._remote):
            tip, there = draft.snapshot().commit_id, self.look(name)
            if there is not None and not descends(draft.database, tip, there):
                raise RemoteRefused(
                    f"{self._remote} has a draft {name} that holds what is not here",
                    hint=f"`git memory draft fetch {name}` unites the two; or give yours another name.",
                    details={"remote": self._remote, "ref": ref},
                )
            if there == tip or sender.send(tip, ref, there):
                self._note(draft, name, tip)
                return tip, there == tip, sender.allowed
        raise AssertionError("the rounds end with an error")

    def fetch(self, draft: PrivateStore, name: str, shared: Snapshot) -> list[str]:
        """Fetch a draft, judge it, unite it with the one that is here; return what deserves a word.

        Raises NotFound, IncomingRefused, StoreUnrelated, PurgePending, RemoteUnavailable, RemoteRefused.
        """
        there = self._bring(draft, name)
        dropped = self._judge(draft, there, name, shared)
        for commit in (*dropped, there):
            draft.unite(commit, Terms(f"draft {name} of {self._remote}"))
        self._note(draft, name, there)
        if not dropped:
            return []
        return [f"a commit in the draft {name} of {self._remote} dropped files that it was not to drop; they are kept"]

    def _bring(self, draft: PrivateStore, name: str) -> ObjectId:
        """Fetch what the remote has of a draft, whole, and return its commit."""
        users = self._objects(self._own.owner.common_dir)
        lent = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": _quoted(users)}
        into = self._transport({**lent, "GIT_OBJECT_DIRECTORY": str(self._objects(self._own.common_dir))})
        for attempt in range(_FETCHES):
            there = self.look(name)
            if there is None:
                raise NotFound(
                    f"{self._remote} has no draft {name}",
                    hint="`git memory draft list --remote` shows what it has.",
                    details={"draft": name, "remote": self._remote},
                )
            before = pack_names(draft.backend)
            answer = into.fetch_objects(self.ref(name))
            draft.database.forget()
            if answer.status == 0 and draft.backend.contains(there):  # else it has moved meanwhile
                draft.note_packs(new_packs(draft.backend, before, there))  # many fetches must not leave many packs
                return there
            time.sleep(random.random() * 0.1 * (attempt + 1))  # noqa: S311
        raise unavailable(self._remote, answer)

    def _judge(self, draft: PrivateStore, tip: ObjectId, name: str, shared: Snapshot) -> list[ObjectId]:
        """Judge what arrived as memory that arrives is judged; return the ancestors whose files it may lack.

        It must be a draft of this very store, and lead to nothing that was purged here.
        """
        known = [found for found in (draft.tip(),) if found is not None]
        try:
            dropped = validate(draft.repository, draft.database, tip, known, f"the draft {name} of {self._remote}")
        except Incomplete as error:
            raise RemoteRefused(
                f"the draft of {self._remote} is not whole: {error}", hint="A clone that has it can share it again."
            ) from None
        if not are_related(shared, draft.snapshot(tip)):
            raise StoreUnrelated(
                f"the draft of {self._remote} belongs to another store", details={"remote": self._remote}
            )
        if holder(draft.repository, tip, shared.purged()) is not None:
            raise PurgePending(
                f"the draft {name} of {self._remote} still leads to what was purged",
                hint=f"`git memory draft drop {name} --remote --yes` removes it there; whoever has it shares it again "
                "after `git memory sync --accept-purge`.",
                details={"remote": self._remote, "draft": name},
            )
        return dropped

    def _note(self, draft: PrivateStore, name: str, tip: ObjectId) -> None:
        """Note what the remote has now; what cannot be noted is looked up again."""
        ref = private.shared_draft_ref(self._remote, name)
        with suppress(RefMoved, RefLocked, ObjectMissing, OSError):
            draft.backend.move_ref(ref, tip, draft.backend.read_ref(ref))

    def _transport(self, objects: Mapping[str, str]) -> Transport:
        return Transport(self._own.owner, self._remote, self._network, objects)

    def _objects(self, common_dir: Path) -> Path:
        return common_dir / "objects"


def _quoted(path: Path) -> str:
    """Return a path for Git's list of alternates, where a separator or a quote in it would end it."""
    text = os.fspath(path)
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"' if os.pathsep in text or '"' in text else text
