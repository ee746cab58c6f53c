"""Who the user is: what Git's environment and configuration say, and what the machine says when they do not."""

from __future__ import annotations

import getpass
import os
import platform
from collections.abc import Iterable, Mapping

from memgit import clock
from memgit.store.objects import Signature
from memgit.store.signing import SIGNING_KEYS

UNKNOWN_NOTE = (
    "Git does not know your name: the write is signed with your login. "
    "Set user.name and user.email before you share it."
)

USER_KEYS = ("user.name", "user.email", "author.name", "author.email", *SIGNING_KEYS)
USER_PREFIXES = ("user.", "author.", "commit.gpgsign", "gpg.")
"""What of the configuration says who the user is and how he signs: each key, and what such keys begin with."""

# With these, `git` reads a configuration that libgit2 does not see (1.9 reads the usual files alone).
_CONFIGURATION_VARIABLES = (
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_SYSTEM",
)


def identity(settings: Mapping[str, str]) -> tuple[Signature, bool]:
    """Return the author that Git would name, and whether anybody has said so.

    `settings` are the user.* and author.* values of the configuration, keys in lower case.
    """
    name = os.environ.get("GIT_AUTHOR_NAME") or settings.get("author.name") or settings.get("user.name")
    email = (
        os.environ.get("GIT_AUTHOR_EMAIL")
        or settings.get("author.email")
        or settings.get("user.email")
        or os.environ.get("EMAIL")
    )
    machine_name, machine_email = _machine_identity()
    return Signature(name or machine_name, email or machine_email, int(clock.timestamp())), bool(name and email)


def own_addresses(settings: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the addresses that are the user's own here. `settings` are pairs with keys in lower case.

    All of `user.email`, `author.email` and `committer.email`, and the committer of Git's environment; where none of
    these says anything, what a write would be signed with. GIT_AUTHOR_EMAIL is no proof of who sits here: during a
    rebase Git sets it to the author of the commit that is replayed.
    """
    found = [value for key, value in settings if key in ("user.email", "author.email", "committer.email")]
    found += filter(None, [os.environ.get("GIT_COMMITTER_EMAIL")])
    return tuple(dict.fromkeys(found or [os.environ.get("EMAIL") or _machine_identity()[1]]))


def has_configuration_variables() -> bool:
    """Tell whether the environment changes what Git's configuration is."""
    return any(name in os.environ for name in _CONFIGURATION_VARIABLES)


def _machine_identity() -> tuple[str, str]:
    """Return a name and an address made from the login and the machine."""
    try:
        login = getpass.getuser()
    except (OSError, KeyError, ImportError):
        login = "unknown"
    return login, f"{login}@{platform.node() or 'localhost'}"
