"""Who the user is when Git does not say."""

from __future__ import annotations

import getpass
import platform


def machine_identity() -> tuple[str, str]:
    """Return a name and an address made from the login and the machine, for a user whom Git does not know."""
    try:
        login = getpass.getuser()
    except (OSError, KeyError, ImportError):
        login = "unknown"
    return login, f"{login}@{platform.node() or 'localhost'}"
