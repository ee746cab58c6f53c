"""Who the user is: what Git's environment and configuration say, and what the machine says when they do not."""

from __future__ import annotations

import getpass
import os
import platform
from collections.abc import Mapping

from memgit import clock
from memgit.store.objects import Signature

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
