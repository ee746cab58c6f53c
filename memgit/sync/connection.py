"""The door to the network for the operations: how it may be used, and what is opened with it.

Nothing outside this room imports the transport or starts a process that talks to another machine.
"""

from __future__ import annotations

from memgit.store.repository import Repository
from memgit.store.store import Store
from memgit.sync.exchange import Exchange
from memgit.sync.foreground import can_lend
from memgit.sync.process import Bounds, Progress
from memgit.sync.sending import Screen
from memgit.sync.transport import Network, Transport

__all__ = ["Network", "holds_any", "network", "open_exchange"]


def network(
    idle: int, total: int, *, wait: float | None = None, attended: bool = False, progress: Progress | None = None
) -> Network:
    """Return how the network may be used: `idle` and `total` in seconds, both at most `wait`.

    `attended`: a person sits there, and may be asked, where this process has the terminal and nobody is in a hurry.
    """
    idle, total = max(1, idle), max(1, total)
    bounds = Bounds(idle, total) if wait is None else Bounds(min(wait, idle), min(wait, total))
    return Network(bounds, attended and wait is None and can_lend(), progress)


def holds_any(repository: Repository, remote: str, use: Network, refs: list[str]) -> bool:
    """Tell whether a remote has one of some refs. Raises RemoteUnavailable."""
    return bool(Transport(repository, remote, use).look(refs))


def open_exchange(store: Store, remote: str, use: Network, ref: str, *, elsewhere: bool, screen: Screen) -> Exchange:
    """Return an exchange with a remote that keeps the memory in `ref`; see `Exchange`."""
    return Exchange(store, Transport(store.repository, remote, use), ref, elsewhere=elsewhere, screen=screen)
