"""Everything that one request can reach, opened when it is first needed.

A read that the state cache can answer opens neither pygit2 nor YAML; a write opens the store. The context is resolved
once and echoed in the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from memgit import clock
from memgit.environment import Environment
from memgit.errors import (
    CitationError,
    FormatTooNew,
    IndexNotReady,
    InvalidRequest,
    LimitExceeded,
    MemgitError,
    NotARepository,
    NotFound,
    StoreCorrupt,
    StoreNotInitialized,
)
from memgit.limits import DEFAULT
from memgit.operations.hook_events import heard_from_hooks
from memgit.operations.layer_choice import (
    DRAFT_VARIABLE,
    holders,
    home,
    layers_in_sight,
    out_of_sight,
    said_layer,
)
from memgit.operations.states import States
from memgit.operations.surroundings import Surroundings
from memgit.operations.writing import WriteRequest
from memgit.scope.context import Context
from memgit.scope.horizon import Reach, reach, visible
from memgit.scope.resolve import Identity, Place, ambient_context
from memgit.store.private import SHARED, draft_layer, private_repository
from memgit.store.repository import Repository

if TYPE_CHECKING:
    from msgspec import Struct

    from memgit.index.state_cache import StateCache
    from memgit.operations.trusting import Trusting
    from memgit.records.codec import StoreRecord
    from memgit.records.op import Scope
    from memgit.store.snapshot import Snapshot
    from memgit.store.writer import Build, RequestKey, Written


@dataclass(frozen=True, slots=True)
class Observed:
    """The store's position that an answer speaks of."""

    seq: int | None
    commit_id: str | None


class Invocation(Surroundings):
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
        super().__init__(directory, environment, flags=flags, repository=repository)
        self.instant = clock.now()
        self.attended = False  # a person is at the terminal: Git may ask for a password there
        self.progress: Callable[[str], None] | None = None  # takes one line on how far it is; an empty one at the end
        self.observed = Observed(None, None)
        self.observed_layers: dict[str, Observed] = {}  # where the private layers stood that the answer unites
        self.written: list[str] = []  # the layers that this request wrote to, in their order
        self.reach = Reach("ambient")
        self.ambient_draft = self.environment.overrides.get(DRAFT_VARIABLE)
        self._request: Struct | None = None
        self._requested_context = context
        self._key = _bounded(idempotency_key)
        self._states = States(self)

    @cached_property
    def trusts(self) -> Trusting:
        """Tells of a revision of this store whether its author is trusted."""
        return self.trusts_in(self)

    def trusts_in(self, place: Invocation) -> Trusting:
        """Return what tells of a revision of another store whether this request's user trusts its author."""
        from memgit.operations.trusting import Trusting

        return Trusting(self.trust_policy, place, self.warnings.append)

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

    def take(self, request: Struct) -> None:
        """Let a request say which layers are in sight. Raises InvalidRequest, NotFound for a draft that is absent."""
        self._request = request
        self.warnings.extend(heard_from_hooks(self))
        if self.__dict__.pop("sight", None) is not None:
            self.sight  # noqa: B018 - a draft that is not there is said at once

    @property
    def sees_shared_only(self) -> bool:
        """Whether the request asked for the shared layer alone."""
        return getattr(self._request, "layer", None) == SHARED

    @cached_property
    def sight(self) -> tuple[str, ...]:
        """The private layers that this request reads beside the shared one."""
        return layers_in_sight(private_repository(self.repository), self._request, self.ambient_draft)

    @property
    def state(self) -> StateCache:
        """The folded state of all layers in sight, of one moment for the whole request. Raises StoreNotInitialized."""
        state = self._state_in_sight()
        self.warnings.extend(state.take_notes())
        positions = {layer: Observed(seen.seq, seen.commit_id) for layer, seen in state.positions().items()}
        self.observed = positions.pop(SHARED)
        self.observed_layers = positions
        return state

    def snapshot(self) -> Snapshot:
        """Return what the state was folded from: the layers in sight at the moment that the request observes."""
        seen = self.state.watermark
        assert seen is not None
        return self.snapshot_at(seen.commit_id)

    def snapshot_at(self, commit_id: str) -> Snapshot:
        """Return layers as they stood at a watermark. Raises StoreCorrupt where that cannot be read."""
        return self.layers.at(commit_id)

    def state_of(self, snapshot: Snapshot) -> StateCache:
        """Return the folded state at a snapshot, for a write that must see what its own tip holds."""
        return self._states.at(snapshot)

    def _state_in_sight(self) -> StateCache:
        """Return the state of the layers in sight. Private ones that cannot be read are left out, and that is said.

        Raises what is wrong with them where the request names a draft, and what is wrong with the shared layer.
        """
        try:
            return self._states.of(self.sight)
        except (StoreCorrupt, FormatTooNew, NotARepository) as error:
            if not self.sight or getattr(self._request, "draft", None) is not None:
                raise
            self.warnings.append(f"{' and '.join(self.sight)} cannot be read and was left out: {error.message}")
            self.__dict__["sight"] = ()
            return self._states.of(())

    def look(self, horizon: str | None, reason: str | None) -> Reach:
        """Fix how far this request looks. Raises InvalidRequest for a broad horizon without a reason."""
        self.reach = reach(horizon, reason)
        return self.reach

    def sees(self, scope: Scope, entity: str | None = None) -> bool:
        """Tell whether the request's context and horizon show something of this scope."""
        return visible(scope, self.context, self.reach.horizon, entity, self.state.aliases)

    def await_commit(self, min_commit_seq: int | None, min_commit: str | None) -> None:
        """Raise IndexNotReady unless this clone has observed what the request depends on."""
        if min_commit_seq is not None and min_commit_seq < 0:
            raise InvalidRequest(
                f"`min_commit_seq` is {min_commit_seq}; the first commit is 1", details={"field": "min_commit_seq"}
            )
        if min_commit is not None:
            self._require(min_commit)
        if min_commit_seq is not None:
            seen = self.state.watermark
            if seen is None or seen.seq < min_commit_seq:
                raise IndexNotReady(
                    f"the store is at sequence {seen.seq if seen else 0}, before {min_commit_seq}",
                    details={"requested": min_commit_seq, "observed": seen.seq if seen else 0},
                )

    def write(self, operation: str, request: Struct, build: Build, *, bulk: bool = False) -> Written:
        """Publish what `build` stages, under the request's idempotency key where it has one.

        It goes to the layer that the request means, and sees that one and the shared one.
        """
        layer = self.layer_of(request)
        key = self._request_key(operation, request, layer)
        allow_flagged = getattr(request, "allow_flagged", False)
        return self.publish(layer, build, key, bulk=bulk, allow_flagged=allow_flagged)

    def publish(
        self,
        layer: str,
        build: Build,
        key: RequestKey | None = None,
        *,
        bulk: bool = False,
        allow_flagged: bool = False,
    ) -> Written:
        """Publish what `build` stages in a layer, which is begun where it does not exist."""
        store = self.layers.writable(layer)
        publish = store.write_bulk if bulk else store.write
        try:
            written = publish(build, key, allow_flagged=allow_flagged)
        except (NotFound, CitationError) as error:
            raise self.elsewhere(error, layer) from None
        self.observed = Observed(written.seq, written.commit_id)
        self.observed_layers = {} if layer == SHARED else {layer: self.observed}
        self.written += [] if layer in self.written else [layer]
        self.warnings.extend(store.take_notes())
        if not self.store.has_identity():
            from memgit.store.identity import UNKNOWN_NOTE

            self.warnings.append(UNKNOWN_NOTE)
        return written

    def layer_of(self, request: Struct) -> str:
        """Return the layer that a write goes to: what the request says, where what it changes lives, the defaults."""
        said = said_layer(request)
        if said is not None:
            return said
        assert isinstance(request, WriteRequest)
        named = request.changed()
        found = home(self.layers, named, request.built_on()) if named else None
        if found is not None:
            return found
        if self.ambient_draft is not None:
            return draft_layer(self.ambient_draft)
        return SHARED if named else self.config.text("defaultLayer")

    def elsewhere(self, error: MemgitError, written: str | None = None) -> MemgitError:
        """Return the error of a request that names nothing which it sees; where another layer holds it, that is said.

        `written` is the layer that it would write to, None for a read.
        """
        name = error.details.get("id")
        seen = self.sight if written is None else (written,)
        found = [held for held in holders(self.layers, name) if held not in seen] if isinstance(name, str) else []
        return out_of_sight(error, str(name), found[0], written) if found else error

    def close(self) -> None:
        """Release what was opened."""
        super().close()
        self._states.close()

    def _require(self, min_commit: str) -> None:
        """Raise IndexNotReady unless some layer in sight contains a commit."""
        stores = [self.store, *(self.layers.private(layer) for layer in self.sight)]
        for store in stores[1:]:
            with suppress(IndexNotReady):
                store.require(min_commit)
                return
        self.store.require(min_commit)

    def _request_key(self, operation: str, request: Struct, layer: str) -> RequestKey | None:
        if self._key is None:
            return None
        from memgit.index.meanings import aliases_at
        from memgit.operations.request_digest import request_key
        from memgit.scope.aliases import NO_ALIASES

        aliases = aliases_at(self.store.snapshot()) if self.store.tip() is not None else NO_ALIASES
        return request_key(self._key, self.context.scope, operation, request, layer, aliases)

    def founder(self) -> StoreRecord | None:
        """Return the record that says whose store this is. Opens the store only where there are several records."""
        founding = [record for record in self.state.stores() if record.alias_of is None]
        return founding[0] if len(founding) == 1 else self.store.founder(founding) if founding else None

    def _store_identity(self) -> Identity | None:
        """Return the workspace and project that the store itself names, or None where there is no store."""
        with suppress(StoreNotInitialized):
            record = self.founder()
            if record is not None:
                return Identity(record.workspace, record.project, f"the store in {self.repository.root}")
        return None

    def _personal_identity(self) -> Identity | None:
        found = self.config.personal()
        return None if found is None else Identity(*found, "the personal fallback of Git config")


def _bounded(key: str | None) -> str | None:
    """Return an idempotency key. Raises LimitExceeded where it is empty or too long."""
    if key is not None and not 0 < len(key.encode()) <= DEFAULT.idempotency_key_bytes:
        raise LimitExceeded(
            f"an idempotency key has 1 to {DEFAULT.idempotency_key_bytes} bytes",
            details={
                "limit": "idempotency_key_bytes",
                "value": DEFAULT.idempotency_key_bytes,
                "size": len(key.encode()),
            },
        )
    return key
