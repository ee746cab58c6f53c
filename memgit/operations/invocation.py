"""Everything that one request can reach, opened when it is first needed.

A read that the state cache can answer opens neither pygit2 nor YAML; a write opens the store. The context is resolved
once and echoed in the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memgit import clock
from memgit.config.git_config import read_git_config
from memgit.config.resolve import Config
from memgit.environment import Environment
from memgit.errors import (
    IndexNotReady,
    InvalidRequest,
    LimitExceeded,
    StoreBusy,
    StoreCorrupt,
    StoreNotInitialized,
)
from memgit.limits import DEFAULT
from memgit.scope.context import Context
from memgit.scope.horizon import Reach, reach, visible
from memgit.scope.resolve import Identity, Place, ambient_context
from memgit.store.quick_tip import quick_tip
from memgit.store.repository import Repository, discover

if TYPE_CHECKING:
    from msgspec import Struct

    from memgit.index.state_cache import StateCache
    from memgit.records.op import Scope
    from memgit.store.backend import BackendName
    from memgit.store.snapshot import Snapshot
    from memgit.store.store import Store
    from memgit.store.writer import Build, RequestKey, Written


@dataclass(frozen=True, slots=True)
class Observed:
    """The store's position that an answer speaks of."""

    seq: int | None
    commit_id: str | None


class Invocation:
    """One request's reach. Close it when the answer is out."""

    def __init__(
        self,
        directory: Path,
        environment: Environment | None = None,
        *,
        context: object = None,
        idempotency_key: str | None = None,
        flags: Mapping[str, str] | None = None,
        repository: Repository | None = None,
    ) -> None:
        if repository is not None:
            self.__dict__["repository"] = repository  # known already: nothing is discovered
        self.directory = directory
        self.environment = environment or Environment.read()
        self.instant = clock.now()
        self.warnings: list[str] = []
        self.observed = Observed(None, None)
        self.reach = Reach("ambient")
        self._requested_context = context
        self._key = idempotency_key
        self._flags = flags
        self._opened_store: Store | None = None
        self._opened_state: StateCache | None = None
        if idempotency_key is not None and not 0 < len(idempotency_key.encode()) <= DEFAULT.idempotency_key_bytes:
            raise LimitExceeded(
                f"an idempotency key has 1 to {DEFAULT.idempotency_key_bytes} bytes",
                details={
                    "limit": "idempotency_key_bytes",
                    "value": DEFAULT.idempotency_key_bytes,
                    "size": len(idempotency_key.encode()),
                },
            )

    @cached_property
    def repository(self) -> Repository:
        """The repository that the request is made in. Raises NotARepository."""
        return discover(self.directory)

    @cached_property
    def config(self) -> Config:
        """The settings as they hold here."""
        return Config.of_repository(self.repository.git_dir, self.environment, self._flags)

    def config_with(self, source: Literal["session", "marker"], context: Mapping[str, str]) -> Config:
        """Return the settings with a context that one of their sources gives."""
        git = partial(read_git_config, self.repository.git_dir)
        if source == "session":
            return Config(self.environment, git=git, flags=self._flags, session=context)
        return Config(self.environment, git=git, flags=self._flags, marker=context)

    def fresh_config(self) -> Config:
        """Return the settings as they hold after this request changed one."""
        self.__dict__.pop("config", None)
        return self.config

    @cached_property
    def context(self) -> Context:
        """The context of the request. Raises NoAmbientContext, or the error of a malformed source."""
        place = Place(self.directory, self.repository.common_dir, self.repository.work_tree)
        resolution = ambient_context(
            place,
            self.environment,
            request=self._requested_context,
            store=self._store_identity,
            personal=self._personal_identity,
        )
        self.warnings.extend(resolution.warnings)
        return resolution.context

    @property
    def resolved_context(self) -> Context | None:
        """The context where this request has resolved one, for the answer to echo."""
        return self.__dict__.get("context")

    @property
    def store(self) -> Store:
        """The shared layer of the repository's store; it need not exist yet."""
        if self._opened_store is None:
            from memgit.store.store import Store, StoreOptions

            self._opened_store = Store(
                self.repository,
                StoreOptions(
                    ref=self.config.text("ref"),
                    backend=_backend(self.config.text("backend")),
                    sync=self.config.text("durability") == "safe",
                    lock_wait_ms=self.config.integer("lockWait"),
                    pack_every=self.config.integer("packEvery"),
                    agent=self.environment.agent,
                ),
            )
        return self._opened_store

    @property
    def state(self) -> StateCache:
        """The folded state, of one commit for the whole request. Raises StoreNotInitialized."""
        if self._opened_state is None:
            from memgit.index.state_cache import StateCache

            tip = self._tip()
            state = StateCache(self.repository.cache_dir, self._recover)
            self._opened_state = state
            if state.watermark is None or state.watermark.commit_id != tip:
                snapshot = self.store.snapshot()
                if state.watermark is not None and snapshot.seq < state.watermark.seq:
                    snapshot = self._after_rewind(snapshot)
                state.refresh(snapshot, self._is_tip)
            state.hold()
        state = self._opened_state
        self.warnings.extend(state.take_notes())
        assert state.watermark is not None
        self.observed = Observed(state.watermark.seq, state.watermark.commit_id)
        return state

    def state_of(self, snapshot: Snapshot) -> StateCache:
        """Return the folded state at a snapshot, for a write that must see what its own tip holds."""
        state = self.state
        if state.watermark is None or state.watermark.commit_id != snapshot.commit_id:
            state.refresh(snapshot, self._is_tip)
            state.hold()
        return state

    def look(self, horizon: str | None, reason: str | None) -> Reach:
        """Fix how far this request looks. Raises InvalidRequest for a broad horizon without a reason."""
        self.reach = reach(horizon, reason)
        return self.reach

    def sees(self, scope: Scope, entity: str | None = None) -> bool:
        """Tell whether the request's context and horizon show something of this scope."""
        return visible(scope, self.context, self.reach.horizon, entity)

    def await_commit(self, min_commit_seq: int | None, min_commit: str | None) -> None:
        """Raise IndexNotReady unless this clone has observed what the request depends on."""
        if min_commit is not None:
            self.store.require(min_commit)
        if min_commit_seq is not None:
            seen = self.state.watermark
            if seen is None or seen.seq < min_commit_seq:
                raise IndexNotReady(
                    f"the store is at sequence {seen.seq if seen else 0}, before {min_commit_seq}",
                    details={"requested": min_commit_seq, "observed": seen.seq if seen else 0},
                )

    def write(self, operation: str, request: Struct, build: Build, *, bulk: bool = False) -> Written:
        """Publish what `build` stages, under the request's idempotency key where it has one."""
        key = self._request_key(operation, request)
        written = self.store.write_bulk(build, key) if bulk else self.store.write(build, key)
        self.observed = Observed(written.seq, written.commit_id)
        if not self.store.has_identity():
            self.warnings.append(
                "Git does not know your name: the write is signed with your login. "
                "Set user.name and user.email before you share it."
            )
        return written

    def close(self) -> None:
        """Release what was opened."""
        if self._opened_store is not None:
            self._opened_store.close()
        if self._opened_state is not None:
            self._opened_state.close()

    def _after_rewind(self, seen: Snapshot) -> Snapshot:
        """Return the store after another program set its ref back: a write without content restores what was lost."""
        try:
            self.store.write(lambda _: {})
        except (StoreBusy, StoreCorrupt) as error:
            self.warnings.append(f"another program set the memory's ref back: {error.message}")
        restored = self.store.snapshot()
        if restored.commit_id != seen.commit_id:
            self.warnings.append("another program had set the memory's ref back; what was written since is restored")
        return restored

    def _is_tip(self, commit_id: str) -> bool:
        return self.store.tip() == commit_id

    def _recover(self) -> Snapshot:
        return self.store.snapshot()

    def _tip(self) -> str:
        """Return the store's tip, from the ref's file where that is enough."""
        tip = quick_tip(self.repository, self.config.text("ref")) or self.store.tip()
        if tip is None:
            raise StoreNotInitialized(f"{self.repository.root} has no memory yet")
        return tip

    def _request_key(self, operation: str, request: Struct) -> RequestKey | None:
        if self._key is None:
            return None
        from memgit.operations.request_digest import request_key

        return request_key(self._key, self.context.scope, operation, request)

    def _store_identity(self) -> Identity | None:
        """Return the workspace and project that the store itself names, or None where there is no store."""
        with suppress(StoreNotInitialized):
            stores = self.state.stores()
            if stores:
                return Identity(stores[0].workspace, stores[0].project, f"the store in {self.repository.root}")
        return None

    def _personal_identity(self) -> Identity | None:
        found = self.config.personal()
        return None if found is None else Identity(*found, "the personal fallback of Git config")


def _backend(name: str) -> BackendName:
    names: tuple[BackendName, ...] = ("auto", "pygit2", "plumbing")
    for known in names:
        if known == name:
            return known
    raise InvalidRequest(f"there is no back end {name!r}", hint=f"It is one of {', '.join(names)}.")
