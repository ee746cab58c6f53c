"""From text to a setting's value. Every text is untrusted: it may come from a file that somebody else wrote."""

from __future__ import annotations

import re

from memgit.config.settings import Setting, SettingValue
from memgit.errors import InvalidRequest
from memgit.records.ids import is_scope_id

REF_BYTES = 200  # Git's lock file and a reflog append to it, and a file name has 255 bytes
TEXT_BYTES = 2_048  # a URL or a command, not a document

_CODE = ("refs/heads/main", "refs/heads/master")  # where remotes keep code: an empty one would check memory out

# Namespaces in which Git or we overwrite, delete or hide refs without asking, or that each working tree has of its own.
_FOREIGN_NAMESPACES = (
    "refs/bisect",
    "refs/heads/memgit-drafts",
    "refs/memgit/drafts",
    "refs/memgit/remotes",
    "refs/prefetch",
    "refs/remotes",
    "refs/replace",
    "refs/rewritten",
    "refs/tags",
    "refs/worktree",
)
_REF_COMPONENT = re.compile(r"(?![.])(?!.*[.]{2})(?!.*@\{)[A-Za-z0-9_.+@%=!#-]+(?<![.])(?<![.]lock)")
_REF_FORBIDDEN = frozenset(' ~^:?*[\\"<>|')  # Git's rules, and what Windows cannot have in a file name
_INTEGER = re.compile(r"[0-9]{1,12}")


def parse_value(setting: Setting, text: str, where: str) -> SettingValue:
    """Return the value that `text` holds for this setting; `where` names its origin in messages.

    Raises InvalidRequest, whose hint says what the setting takes.
    """
    value = _parse(setting, text)
    if value is None:
        shown = ascii(text if len(text) <= 60 else text[:60] + "…")
        raise InvalidRequest(
            f"{where}: {shown} is not a value of {setting.name}",
            hint=f"{setting.name} takes {describe_values(setting)}.",
            details={"setting": setting.name, "allowed": list(setting.allowed)},
        )
    return value


def describe_values(setting: Setting) -> str:
    """Return what the setting takes, for people."""
    if setting.kind == "choice":
        return ", ".join(setting.allowed[:-1]) + f" or {setting.allowed[-1]}"
    return {
        "integer": f"a whole number from {setting.minimum} to {setting.maximum}",
        "ref": "a full ref name such as refs/memgit/store or refs/heads/memgit, outside Git's own namespaces",
        "remote": "the name of one of this repository's remotes",
        "scope_id": "1 to 128 letters, digits, `.`, `_` or `-`, starting with a letter or digit",
    }.get(setting.kind, "one line of printable text")


def is_store_ref(name: str) -> bool:
    """Tell whether `name` can hold a store: a full, portable ref name outside the namespaces that others manage."""
    components = name.split("/")
    if len(name) > REF_BYTES or len(components) < 3 or components[0] != "refs" or _REF_FORBIDDEN & set(name):
        return False
    if any(name == space or name.startswith(f"{space}/") for space in _FOREIGN_NAMESPACES):
        return False
    if name in _CODE:
        return False
    return all(_REF_COMPONENT.fullmatch(component) for component in components) and components[-1] != "HEAD"


def _parse(setting: Setting, text: str) -> SettingValue:
    """Return the value, or None where the text holds none."""
    if setting.kind == "choice":
        lowered = text.strip().lower()
        return lowered if lowered in setting.allowed else None
    if setting.kind == "integer":
        return _integer(setting, text.strip())
    if setting.kind == "ref":
        return text if is_store_ref(text) else None
    if setting.kind == "scope_id":
        return text if is_scope_id(text) else None
    is_line = text.isprintable() and bool(text.strip()) and len(text.encode()) <= TEXT_BYTES
    if setting.kind == "remote":
        # A leading dash would become an option of `git fetch`.
        return text if is_line and " " not in text and not text.startswith("-") else None
    return text if is_line else None


def _integer(setting: Setting, text: str) -> int | None:
    if not _INTEGER.fullmatch(text):
        return None
    number = int(text)
    return number if setting.minimum <= number <= setting.maximum else None
