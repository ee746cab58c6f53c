"""What a request finds where it is made: the repository, the settings, whom its user trusts, and the store's layers.

Each is read or opened when it is first needed.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from memgit.config.git_config import last_values, read_git_config
from memgit.config.kept_git_config import kept_git_pairs
from memgit.config.resolve import Config
from memgit.config.settings import TRUST_KEY
from memgit.environment import Environment
from memgit.errors import InvalidRequest
from memgit.store.repository import Repository, discover

if TYPE_CHECKING:
    from memgit.scope.trust import TrustPolicy
    from memgit.store.backend import BackendName
    from memgit.store.layers import Layers
    from memgit.store.signing import SigningChoice
    from memgit.store.store import Store


class Surroundings:
    """Where a request is made. `flags` are settings that it brings along; a repository that is known is not looked for.

    `warnings` are the sentences that go beside the answer.
    """

    def __init__(
        self,
        directory: Path,
        environment: Environment | None = None,
        *,
        flags: Mapping[str, str] | None = None,
        repository: Repository | None = None,
    ) -> None:
        if repository is not None:
            self.__dict__["repository"] = repository
        self.directory = directory
        self.environment = environment or Environment.read()
        self.warnings: list[str] = []
        self._flags = flags
        self._opened_store: Store | None = None
        self._opened_layers: Layers | None = None

    @cached_property
    def repository(self) -> Repository:
        """The repository that the request is made in. Raises NotARepository."""
        return discover(self.directory)

    @cached_property
    def config(self) -> Config:
        """The settings as they hold here."""
        return Config(self.environment, git=lambda: last_values(self._git_pairs), flags=self._flags)

    def config_with(self, source: Literal["session", "marker"], context: Mapping[str, str]) -> Config:
        """Return the settings with a context that one of their sources gives."""
        git = partial(read_git_config, self.repository.git_dir)
        if source == "session":
            return Config(self.environment, git=git, flags=self._flags, session=context)
        return Config(self.environment, git=git, flags=self._flags, marker=context)

    def fresh_config(self) -> Config:
        """Return the settings as they hold after this request changed one."""
        self.__dict__.pop("config", None)
        self.__dict__.pop("_git_pairs", None)
        return self.config

    @cached_property
    def trust_policy(self) -> TrustPolicy:
        """Whom this clone's user trusts, as Git config says."""
        from memgit.scope.trust import policy_of
        from memgit.store.identity import own_addresses

        said = [value for key, value in self._git_pairs if key == TRUST_KEY]
        policy, wrong = policy_of(said, own_addresses(self._git_pairs))
        if wrong:
            self.warnings.append(f"Git config {TRUST_KEY} has {wrong[0][:80]!r}, which names nobody")
        return policy

    @property
    def store(self) -> Store:
        """The shared layer of the repository's store; it need not exist yet."""
        if self._opened_store is None:
            from memgit.store.layers import Layers
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
                    sign=_signing(self.config.text("sign")),
                ),
            )
            self._opened_layers = Layers(self._opened_store)
        return self._opened_store

    @property
    def layers(self) -> Layers:
        """All layers of the repository's memory."""
        self.store  # noqa: B018 - opens both
        assert self._opened_layers is not None
        return self._opened_layers

    def close(self) -> None:
        """Release what was opened."""
        if self._opened_layers is not None:
            self._opened_layers.close()
        if self._opened_store is not None:
            self._opened_store.close()

    @cached_property
    def _git_pairs(self) -> tuple[tuple[str, str], ...]:
        return kept_git_pairs(self.repository.git_dir, self.repository.common_dir)


def _signing(name: str) -> SigningChoice:
    return "always" if name == "always" else "never" if name == "never" else "auto"


def _backend(name: str) -> BackendName:
    names: tuple[BackendName, ...] = ("auto", "pygit2", "plumbing")
    for known in names:
        if known == name:
            return known
    raise InvalidRequest(f"there is no back end {name!r}", hint=f"It is one of {', '.join(names)}.")
