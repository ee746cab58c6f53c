"""Every failure that memgit reports on purpose: one tree, one class a protocol code.

A message says what happened and to what; the hint says what to do next. Nothing here formats for a terminal:
the front doors decide how an error looks, and none of them shows a traceback for one of these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


class MemgitError(Exception):
    """The root. `code` is the protocol's, `exit_status` the command line's."""

    code: ClassVar[str] = "INTERNAL"
    exit_status: ClassVar[int] = 1
    retryable: ClassVar[bool] = False
    default_hint: ClassVar[str] = ""

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        details: Mapping[str, JsonValue] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint
        self.details: dict[str, JsonValue] = dict(details or {})


class InvalidRequest(MemgitError):
    """The request is not of the form that its operation takes."""

    code = "INVALID_REQUEST"
    default_hint = "Compare the request with `git memory schema OPERATION`."


class UnsupportedVersion(MemgitError):
    """The request names a protocol version that this program does not speak."""

    code = "UNSUPPORTED_VERSION"
    default_hint = 'Send `"v": 1`; `git memory capabilities` lists the versions spoken here.'


class UnknownOperation(MemgitError):
    """No operation has this name."""

    code = "UNKNOWN_OPERATION"
    default_hint = "`git memory capabilities` lists the operations."


class NoAmbientContext(MemgitError):
    """Nothing says which workspace and project this request belongs to."""

    code = "NO_AMBIENT_CONTEXT"
    default_hint = "Run `git memory init` in the repository, or pass a context."


class NotARepository(MemgitError):
    """The directory is not inside a Git repository."""

    code = "NOT_A_REPOSITORY"
    default_hint = "Change into a repository, pass `-C DIR`, or run `git init`."


class StoreNotInitialized(MemgitError):
    """The repository has no memory yet."""

    code = "STORE_NOT_INITIALIZED"
    default_hint = "Run `git memory init` to begin one, or `git memory sync` to bring the one that the remote has."


class NotFound(MemgitError):
    """No entity, revision, case or object has this name."""

    code = "NOT_FOUND"
    default_hint = "`git memory search` finds what is there."


class ScopeViolation(MemgitError):
    """The entity can be read from here but belongs to another project or task, so it cannot be written."""

    code = "SCOPE_VIOLATION"
    default_hint = "Run the command from the project or task that owns the entity."


class RevisionConflict(MemgitError):
    """Somebody revised the entity after the revision that this request names."""

    code = "REVISION_CONFLICT"
    default_hint = "Read the entity again and name its current revision (all heads, where it has forked)."


class IdempotencyConflict(MemgitError):
    """The idempotency key was used before, for another request."""

    code = "IDEMPOTENCY_CONFLICT"
    default_hint = "Use a new key for a new request, or repeat the first request unchanged."


class IndexNotReady(MemgitError):
    """The index has not observed the commit that the request asks for."""

    code = "INDEX_NOT_READY"
    retryable = True
    default_hint = "Retry, or ask for a commit that this clone has."


class LimitExceeded(MemgitError):
    """The request is larger than a limit allows."""

    code = "LIMIT_EXCEEDED"
    default_hint = "`git memory capabilities` lists the limits."


class SecretDetected(MemgitError):
    """The text looks as if it held a secret, so nothing was written."""

    code = "SECRET_DETECTED"
    default_hint = (
        "Take it out and try again. If you looked at it and it is no secret, pass `--allow-flagged` (in a request: "
        "`allow_flagged`)."
    )


class SigningFailed(MemgitError):
    """Commits must be signed here, and this one could not be without asking somebody."""

    code = "SIGNING_FAILED"
    default_hint = (
        "Unlock the key in its agent and try again (`echo x | gpg -bso /dev/null`, or `ssh-add`), or let "
        "`git memory config set sign auto` write unsigned where signing fails."
    )


class StoreBusy(MemgitError):
    """Another process holds the store's lock."""

    code = "STORE_BUSY"
    retryable = True
    default_hint = "Retry; if no other process runs, look at the lock that the message names."


class StoreCorrupt(MemgitError):
    """The store holds something that memgit did not write."""

    code = "STORE_CORRUPT"
    default_hint = "Run `git memory verify`; a clone or a backup may hold what is missing."


class StoreReadOnly(StoreBusy):
    """The repository cannot be written: a read-only file system, no permission, or a full disk."""

    retryable = False
    default_hint = "Make the repository's Git directory writable and free some space; reading still works."


class NoRemote(MemgitError):
    """There is no remote that memory goes to, or it is not the one that was named."""

    code = "NO_REMOTE"
    default_hint = "`git remote -v` lists the remotes; `git memory sync NAME` chooses the one that memory goes to."


class RemoteUnavailable(MemgitError):
    """The remote could not be reached, or did not answer in time."""

    code = "REMOTE_UNAVAILABLE"
    retryable = True
    default_hint = (
        "Check the network and your access (`git ls-remote NAME`), then try again; nothing is lost meanwhile."
    )


class RemoteRefused(MemgitError):
    """The remote answered, and does not take the memory."""

    code = "REMOTE_REFUSED"
    default_hint = "Ask whoever runs the remote what it accepts."


class IncomingRefused(MemgitError):
    """What arrived from a remote is not a store that memgit wrote, so nothing of it was taken."""

    code = "INCOMING_REFUSED"
    default_hint = "Nothing changed here. Whoever pushed the commit that is named must set the remote's ref back."


class StoreUnrelated(MemgitError):
    """The two stores were begun apart from each other."""

    code = "STORE_UNRELATED"
    default_hint = "`git memory sync --join` makes them one, for good."


class PurgePending(MemgitError):
    """The two sides do not agree on what is purged, so they are not united in silence."""

    code = "PURGE_PENDING"
    default_hint = "`git memory sync --accept-purge` removes the same here."


class FormatTooNew(MemgitError):
    """The store was written by a newer memgit."""

    code = "FORMAT_TOO_NEW"
    default_hint = "Upgrade git-memgit."


class EncryptedNoKey(MemgitError):
    """The store is encrypted and no key opens it."""

    code = "ENCRYPTED_NO_KEY"


class CitationError(MemgitError):
    """The citation does not name bytes that exist. `details.kind` says why."""

    code = "CITATION_ERROR"
    default_hint = "Copy the citation from an answer; `git memory cat ID` shows the whole text."


class ProviderUnavailable(MemgitError):
    """A memory provider could not be reached."""

    code = "PROVIDER_UNAVAILABLE"
    retryable = True


class Internal(MemgitError):
    """A fault of memgit itself."""

    exit_status = 3
    default_hint = "Please report it with the text above; nothing was written."


def all_codes() -> dict[str, type[MemgitError]]:
    """Return the protocol's error codes, each with the class that first defines it, in source order."""
    codes: dict[str, type[MemgitError]] = {}
    for kind in MemgitError.__subclasses__():
        codes.setdefault(kind.code, kind)
    return codes
