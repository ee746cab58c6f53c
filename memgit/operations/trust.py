"""`trust.list`, `trust.add`, `trust.remove`: whose word may be put into a prompt, as this clone's user says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Literal

from msgspec import Struct

from memgit.config.git_config import ScopedValue, add_value, read_scoped_values, remove_value
from memgit.config.settings import TRUST_KEY
from memgit.errors import InvalidRequest, NotFound, StoreNotInitialized
from memgit.operations.invocation import Invocation
from memgit.records.op import Actor
from memgit.scope.trust import EVERYBODY, TrustEntry, TrustPolicy, normal_address, parse_entry, trusted

Verdict = Literal["trusted", "not trusted", "where the key signed"]


class TrustList(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List whom this clone's user trusts, and the authors that the store names. Takes no input."""


class TrustAdd(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Trust an address, `*@domain`, or such with ` key:` and a fingerprint; `*` alone needs `everybody`."""

    entry: str
    for_user: bool = False
    everybody: bool = False


class TrustRemove(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Remove an entry; without a key, all entries of that address."""

    entry: str
    for_user: bool = False


class EntryView(Struct, frozen=True, kw_only=True):
    """One entry and who says it. `scope` is Git config's, or `own` for the user's own address. `problem`: no entry."""

    entry: str
    pattern: str | None
    key: str | None
    scope: str
    origin: str
    problem: str | None = None


class AuthorView(Struct, frozen=True, kw_only=True):
    """An address that the store names as an author's, with the name of its latest revision.

    `revisions` are of claims and artifacts. `commits` and `signed_commits` count by the commits' own author; whether a
    signature is good is looked at only where an entry names a key.
    """

    name: str
    email: str
    trust: Verdict
    revisions: int
    commits: int
    signed_commits: int


class TrustView(Struct, frozen=True, kw_only=True):
    """What the user says, and what there is to say something of."""

    entries: tuple[EntryView, ...]
    authors: tuple[AuthorView, ...]


class TrustChanged(Struct, frozen=True, kw_only=True):
    """The entries that were added or removed, and where. `changed` is false where an entry was there already."""

    entries: tuple[str, ...]
    scope: Literal["local", "global"]
    changed: bool


def list_trust(invocation: Invocation, request: TrustList) -> TrustView:
    """Return the entries in Git's order, the user's own addresses first, and the authors by their address."""
    policy = invocation.trust_policy
    own = [
        EntryView(
            entry=address,
            pattern=address,
            key=None,
            scope="own",
            origin="your own: user.email, author.email or committer.email",
        )
        for address in sorted(policy.own)
    ]
    said = read_scoped_values(TRUST_KEY, invocation.repository.git_dir)
    return TrustView(entries=(*own, *map(_entry_view, said)), authors=_authors(invocation, policy))


def add(invocation: Invocation, request: TrustAdd) -> TrustChanged:
    """Add an entry to the repository's Git config, or to the user's. Raises InvalidRequest."""
    entry = parse_entry(request.entry)
    if entry.pattern == EVERYBODY and not request.everybody:
        raise InvalidRequest(
            "`*` trusts everybody who can push, whatever they write",
            hint="Name addresses or a domain (`*@example.org`); if it is meant, say `--everybody` as well.",
            details={"field": "everybody"},
        )
    known = entry in [found for value in _here(invocation, request.for_user) if (found := _parsed(value.value))]
    if not request.for_user and entry.pattern != EVERYBODY and not _is_author(invocation, entry):
        invocation.warnings.append(
            f"no author of this memory has an address like {entry.pattern}; `git memory trust list` names all of them"
        )
    if not known:
        add_value(TRUST_KEY, entry.text, _git_dir(invocation, request.for_user), for_user=request.for_user)
    return TrustChanged(entries=(entry.text,), scope=_scope(request.for_user), changed=not known)


def remove(invocation: Invocation, request: TrustRemove) -> TrustChanged:
    """Remove an entry from the repository's Git config, or from the user's. Raises NotFound."""
    text = request.entry.strip()
    here = _here(invocation, request.for_user)
    found = list(dict.fromkeys(value.value for value in here if value.value == request.entry or _is_meant(value, text)))
    for value in found:
        remove_value(TRUST_KEY, value, _git_dir(invocation, request.for_user), for_user=request.for_user)
    if found:
        return TrustChanged(entries=tuple(found), scope=_scope(request.for_user), changed=True)
    elsewhere = [value for value in _said(invocation) if _is_meant(value, text)]
    raise NotFound(
        f"no entry of the {'user' if request.for_user else 'repository'}'s Git config is {text[:80]!r}",
        hint=f"It stands in {elsewhere[0].origin}." if elsewhere else "`git memory trust list` shows the entries.",
        details={"entry": text[:80]},
    )


def _is_author(invocation: Invocation, entry: TrustEntry) -> bool:
    """Tell whether an author of the memory has an address that an entry is about; in a place without memory, yes."""
    policy = TrustPolicy((TrustEntry(entry.pattern),), frozenset())
    try:
        entities = invocation.state.entities()
    except StoreNotInitialized:
        return True
    revisions = (revision for entity in entities for revision in entity.lineage.revisions)
    return any(trusted(revision.actor, policy) for revision in revisions)


def _authors(invocation: Invocation, policy: TrustPolicy) -> tuple[AuthorView, ...]:
    """Return the authors of all claims and artifacts. Reads every one of them."""
    from memgit.store.objects import ObjectId
    from memgit.store.vouching import Commits, commits_by_address

    try:
        state = invocation.state
    except StoreNotInitialized:
        return ()
    counts: Counter[str] = Counter()
    latest: dict[str, tuple[int, Actor]] = {}
    for entity in state.entities():
        for revision in entity.lineage.revisions:
            address = normal_address(revision.actor.email)
            counts[address] += 1
            latest[address] = max(latest.get(address, (0, revision.actor)), (revision.seq, revision.actor), key=_first)
    assert invocation.observed.commit_id is not None
    made: dict[str, Commits] = {}
    for email, found in commits_by_address(invocation.store.database, ObjectId(invocation.observed.commit_id)).items():
        known = made.get(normal_address(email), Commits())
        made[normal_address(email)] = Commits(known.made + found.made, known.signed + found.signed)
    return tuple(
        AuthorView(
            name=latest[address][1].name,
            email=address,
            trust=_verdict(latest[address][1], policy),
            revisions=counts[address],
            commits=made.get(address, Commits()).made,
            signed_commits=made.get(address, Commits()).signed,
        )
        for address in sorted(latest)
    )


def _verdict(actor: Actor, policy: TrustPolicy) -> Verdict:
    if trusted(actor, policy):
        return "trusted"
    return "where the key signed" if policy.deciding(actor.email) else "not trusted"


def _first(pair: tuple[int, Actor]) -> int:
    return pair[0]


def _entry_view(value: ScopedValue) -> EntryView:
    try:
        entry = parse_entry(value.value)
    except InvalidRequest as error:
        return EntryView(
            entry=value.value, pattern=None, key=None, scope=value.scope, origin=value.origin, problem=error.message
        )
    return EntryView(entry=entry.text, pattern=entry.pattern, key=entry.key, scope=value.scope, origin=value.origin)


def _is_meant(value: ScopedValue, text: str) -> bool:
    """Tell whether a value is the entry that a text names, or one of the address that it names without a key."""
    entry, wanted = _parsed(value.value), _parsed(text)
    if entry is None or wanted is None:
        return False
    return entry.pattern == wanted.pattern and wanted.key in (None, entry.key)


def _parsed(text: str) -> TrustEntry | None:
    try:
        return parse_entry(text)
    except InvalidRequest:
        return None


def _said(invocation: Invocation) -> tuple[ScopedValue, ...]:
    return read_scoped_values(TRUST_KEY, invocation.repository.git_dir)


def _here(invocation: Invocation, for_user: bool) -> list[ScopedValue]:
    return [value for value in _said(invocation) if value.scope == _scope(for_user)]


def _scope(for_user: bool) -> Literal["local", "global"]:
    return "global" if for_user else "local"


def _git_dir(invocation: Invocation, for_user: bool) -> Path | None:
    return None if for_user else invocation.repository.common_dir
