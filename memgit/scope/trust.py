"""Whose word may be put into a prompt: what this clone's user says of authors, and the one function that decides.

Everybody's claims arrive and can be recalled, labelled. Only those of a trusted author may be injected into a prompt
that nobody asked for, because a claim is text that a model reads: `trusted` is the gate, and nothing goes around it.

Trust is said in the user's own Git config, never by what arrives: not by the store, a marker or a session. A name and
an address in a record prove nothing, since whoever can push can write any; only a key that must have signed does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from msgspec import Struct

from memgit.errors import InvalidRequest
from memgit.records.op import Actor
from memgit.scope.context import excerpt

EVERYBODY = "*"

_ENTRY_BYTES = 512
_SSH_KEY = re.compile(r"SHA256:[A-Za-z0-9+/]{43}")
_FINGERPRINT = re.compile(r"[0-9A-F]{40}|[0-9A-F]{64}")
_HINT = "An entry is an address, `*@domain`, or such followed by ` key:` and the fingerprint of the key that must sign."


class TrustEntry(Struct, frozen=True, order=True):
    """Whom the user trusts: `pattern` is an address, `*@domain` or `*`. `key` must have signed, where there is one."""

    pattern: str
    key: str | None = None

    @property
    def text(self) -> str:
        """The entry as it stands in Git config."""
        return self.pattern if self.key is None else f"{self.pattern} key:{self.key}"


class TrustPolicy(Struct, frozen=True):
    """What the user says. `own` are his own addresses here, as `normal_address` writes them."""

    entries: tuple[TrustEntry, ...] = ()
    own: frozenset[str] = frozenset()

    def deciding(self, email: str) -> tuple[TrustEntry, ...]:
        """Return the entries that decide about an address: those that name it, else its domain's, else everybody's.

        The user's own address needs no entry; one that names it with a key is his wish that his own word be proved.
        """
        address = normal_address(email)
        named = [entry for entry in self.entries if entry.pattern == address]
        if address in self.own and not named:
            return (TrustEntry(address),)
        domain = [f"*@{address.rpartition('@')[2]}"] if _is_address(address) else []  # else it is nobody's there
        for pattern in (address, *domain, EVERYBODY):
            found = tuple(entry for entry in self.entries if entry.pattern == pattern)
            if found:
                return found
        return ()


def nobody() -> frozenset[str]:
    """Return that no key has signed."""
    return frozenset()


def trusted(actor: Actor, policy: TrustPolicy, signers: Callable[[], Collection[str]] = nobody) -> bool:
    """Tell whether what `actor` wrote may be injected into a prompt. THE GATE: whatever injects asks it, item by item.

    `signers` returns the keys whose signature vouches for the very operation: of the commits that first brought it into
    the store. It is asked only where nothing but a key decides. What is not known is not trusted.
    """
    deciding = policy.deciding(actor.email)
    if any(entry.key is None for entry in deciding):
        return True
    keys = {entry.key for entry in deciding}
    return bool(keys) and not keys.isdisjoint(signers())


def normal_address(email: str) -> str:
    """Return an address as it is compared: without spaces around it, the ASCII letters of the domain in lower case.

    Nothing else is made equal: the part before the @, and letters that only look alike, are compared as they are.
    """
    local, at, domain = email.strip(" \t\r\n").rpartition("@")
    lowered = "".join(character.lower() if character.isascii() else character for character in domain)
    return f"{local}{at}{lowered}" if at else domain


def normal_key(key: str) -> str | None:
    """Return the fingerprint of an SSH key (`SHA256:…`) or of an OpenPGP or X.509 one (hexadecimal), or None."""
    if _SSH_KEY.fullmatch(key):
        return key
    bare = key.removeprefix("0x").removeprefix("0X").replace(":", "").upper()
    return bare if _FINGERPRINT.fullmatch(bare) else None


def parse_entry(text: str) -> TrustEntry:
    """Return the entry that a text holds. Raises InvalidRequest."""
    pattern, _, rest = text.strip(" \t\r\n").partition(" ")
    rest = rest.strip(" \t")
    key = normal_key(rest.removeprefix("key:")) if rest.startswith("key:") else None
    if rest and key is None:
        raise InvalidRequest(f"{excerpt(text)} is no entry: {excerpt(rest)} names no key", hint=_HINT)
    if len(text.encode("utf-8", "replace")) > _ENTRY_BYTES or not _is_pattern(pattern):
        raise InvalidRequest(f"{excerpt(text)} is no entry: {excerpt(pattern)} is no address", hint=_HINT)
    return TrustEntry(normal_address(pattern), key)


def policy_of(values: Iterable[str], own: Iterable[str]) -> tuple[TrustPolicy, tuple[str, ...]]:
    """Return what the values of Git config say, and those that say nothing: they widen nothing and stop nobody."""
    entries: list[TrustEntry] = []
    wrong: list[str] = []
    for value in values:
        try:
            entries.append(parse_entry(value))
        except InvalidRequest:
            wrong.append(value)
    addresses = frozenset(normal_address(email) for email in own if "@" in email)
    return TrustPolicy(tuple(dict.fromkeys(entries)), addresses), tuple(wrong)


def _is_pattern(pattern: str) -> bool:
    """Tell whether this is an address, a domain's or everybody: no other place takes an asterisk, and nothing else."""
    if pattern == EVERYBODY:
        return True
    local, _, domain = pattern.rpartition("@")
    return _is_address(pattern) and "*" not in domain and (local == "*" or "*" not in local)


def _is_address(text: str) -> bool:
    """Tell whether this has the form of exactly one address."""
    local, at, domain = text.partition("@")
    if not (local and at and domain) or "@" in domain:
        return False
    return text.isprintable() and not any(character in text for character in " <>,;\"'\\()")
