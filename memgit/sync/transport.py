"""Talking to a remote, through the `git` command alone: its credentials, proxies and SSH configuration are the user's.

What is sent and what is removed is decided here and nowhere else: no refspec, mirror, prune, tag or submodule setting
of the user's configuration takes part, and no hook runs. Nothing here may be called while the writer's lock is held.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from memgit.errors import RemoteUnavailable
from memgit.store.git_command import WITHOUT_HOOKS, git_environment, run_git
from memgit.store.objects import ObjectId
from memgit.store.repository import Repository
from memgit.sync.causes import failed_otherwise
from memgit.sync.process import Answer, Bounds, Progress, run_bounded, without_password

Verdict = Literal["done", "raced", "refused"]

_OID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SSH_PROGRAM = re.compile(r"""^(?:\S*/)?ssh(?:\.exe)?(?=\s|$)""")
_OPTIONS = (
    *WITHOUT_HOOKS,
    *("-c", "gc.auto=0", "-c", "maintenance.auto=false"),
    *("-c", "push.followTags=false", "-c", "push.recurseSubmodules=no", "-c", "push.useForceIfIncludes=false"),
    *("-c", "push.gpgSign=false", "-c", "push.pushOption="),
    *("-c", "fetch.recurseSubmodules=false", "-c", "fetch.writeCommitGraph=false", "-c", "fetch.parallel=1"),
)
_UNATTENDED = ("-c", "credential.interactive=false")
_ONE_PLACE = "memgit-push"  # what a remote is called that stands for the first place which another one pushes to
_NOT_TAKEN_OVER = frozenset(("url", "pushurl", "fetch", "push", "mirror", "prune", "prunetags", "tagopt"))
_FETCH_OPTIONS = (
    *("--no-tags", "--no-prune", "--no-filter", "--no-auto-maintenance", "--no-write-fetch-head"),
    *("--no-recurse-submodules", "--no-show-forced-updates", "--refmap=", "--progress"),
)


@dataclass(frozen=True, slots=True)
class Pushed:
    """What became of a push. `reason` is the remote's own words where it did not take it."""

    verdict: Verdict
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Network:
    """How to use the network: how long, and whether somebody is there to be asked and told."""

    bounds: Bounds = field(default_factory=Bounds)
    attended: bool = False
    progress: Progress | None = None


class Transport:
    """One remote of one repository."""

    def __init__(
        self, repository: Repository, remote: str, network: Network, objects: Mapping[str, str] | None = None
    ) -> None:
        self.remote = remote
        self._objects = objects or {}  # Git's variables for other object directories than the repository's own
        self._repository = repository
        self._network = network

    def look(self, refs: list[str]) -> dict[str, ObjectId]:
        """Return what the remote has of these refs (full names). Raises RemoteUnavailable."""
        return {name: oid for name, oid in self._listed(*refs) if name in refs}

    def look_below(self, prefix: str) -> dict[str, ObjectId]:
        """Return the refs that the remote has below a prefix that ends in a slash. Raises RemoteUnavailable."""
        return {name: oid for name, oid in self._listed(f"{prefix}*") if name.startswith(prefix)}

    def _listed(self, *patterns: str) -> list[tuple[str, ObjectId]]:
        answer = self._git([], ["ls-remote", "--", self.remote, *patterns])
        if answer.status != 0:
            raise unavailable(self.remote, answer)
        pairs = (line.split("\t", 1) for line in answer.out.splitlines() if "\t" in line)
        return [(name, ObjectId(oid)) for oid, name in pairs if _OID.fullmatch(oid)]

    def fetch_objects(self, ref: str) -> Answer:
        """Bring all that a ref of the remote reaches, and make no ref; return Git's answer, whatever it is."""
        configured = ["-c", "fetch.unpackLimit=1", "-c", "transfer.unpackLimit=1"]
        return self._git(configured, ["fetch", *_FETCH_OPTIONS, "--refetch", "--", self.remote, ref], complete=True)

    def fetch(self, ref: str, tracking: str, *, refetch: bool = False, complete: bool = False) -> Answer:
        """Bring a ref of the remote into a tracking ref, whole; return Git's answer, whatever it is.

        `refetch`: as if nothing were here. `complete`: as if the repository were not shallow.
        """
        options = [*_FETCH_OPTIONS, *(["--refetch"] if refetch else [])]
        # One pack for what arrives: loose objects of others are nobody's to pack but the user's `gc`.
        configured = ["-c", "fetch.unpackLimit=1", "-c", "transfer.unpackLimit=1"]
        return self._git(configured, ["fetch", *options, "--", self.remote, f"+{ref}:{tracking}"], complete=complete)

    def push(self, commit: ObjectId, ref: str, expected: ObjectId | None) -> Pushed:
        """Make the remote's ref name a commit if it names `expected` (None: if it does not exist).

        Of several places that the remote is pushed to, where Git sends code to each, it goes to the first alone. Raises
        RemoteUnavailable where nothing is known of the outcome.
        """
        return self._push(commit, ref, expected)

    def remove(self, ref: str, expected: ObjectId) -> Pushed:
        """Take a ref away from the remote if it names `expected`. Raises RemoteUnavailable as `push` does."""
        return self._push("", ref, expected)

    def _push(self, source: str, ref: str, expected: ObjectId | None) -> Pushed:
        options = ["--porcelain", "--progress", "--no-verify", "--no-follow-tags", "--recurse-submodules=no"]
        options.append(f"--force-with-lease={ref}:{expected or ''}")
        configured = ["-c", "pack.window=0"]
        name, place = self._one_place()
        answer = self._git([*configured, *place], ["push", *options, "--", name, f"{source}:{ref}"])
        line = next(
            (line for line in answer.out.splitlines() if re.match(rf".\t[^\t]*:{re.escape(ref)}\t", line)), None
        )
        if line is None:
            raise unavailable(self.remote, answer)
        if line[0] != "!":
            return Pushed("done")
        summary = line.split("\t", 2)[2]
        # "[rejected]" is Git's own judgement before anything is sent: the remote's ref is not what was expected.
        verdict: Verdict = "raced" if summary.startswith("[rejected]") else "refused"
        return Pushed(verdict, _remote_words(answer, summary))

    def _one_place(self) -> tuple[str, list[str]]:
        """Return the remote to push to, and the settings that make it: one with the first place only, if it has more.

        A later value of `remote.NAME.pushurl` would add a place, so it is a remote of another name with the same
        settings.
        """
        settings = self._remote_settings()
        places = [value for key, value in settings if key == "pushurl"]
        places = places or [value for key, value in settings if key == "url"]
        if len(places) <= 1:
            return self.remote, []
        kept = [(key, value) for key, value in settings if key not in _NOT_TAKEN_OVER]
        kind = "pushurl" if any(key == "pushurl" for key, _ in settings) else "url"
        made = [("url", places[0]), *([("pushurl", places[0])] if kind == "pushurl" else []), *kept]
        return _ONE_PLACE, [word for key, value in made for word in ("-c", f"remote.{_ONE_PLACE}.{key}={value}")]

    def _remote_settings(self) -> list[tuple[str, str]]:
        """Return the remote's own section of the configuration: variables in lower case, and values, in order."""
        prefix = f"remote.{self.remote}."
        answer = run_git(self._repository, ["config", "-z", "--get-regexp", r"^remote\."])
        records = answer.stdout.decode("utf-8", "surrogateescape").split("\0")
        pairs = (record.partition("\n") for record in records if record.startswith(prefix))
        return [(key.removeprefix(prefix), value) for key, _, value in pairs if "." not in key.removeprefix(prefix)]

    def _git(self, configured: list[str], arguments: list[str], *, complete: bool = False) -> Answer:
        environment = self._environment()
        unattended = () if self._network.attended else _UNATTENDED
        if complete:
            environment["GIT_SHALLOW_FILE"] = ""  # Git: an empty name means that nothing is shallow
        return run_bounded(
            ["git", *_OPTIONS, *unattended, *self._own_settings(), *configured, *arguments],
            self._repository.root,  # where Git itself reads a remote's relative path from
            environment,
            self._network.bounds,
            attended=self._network.attended,
            progress=self._network.progress,
        )

    def _own_settings(self) -> list[str]:
        """Return what overrides the remote's own section of the configuration."""
        overrides = {"mirror": "false", "prune": "false", "pruneTags": "false", "tagOpt": "--no-tags"}
        pairs = [f"remote.{self.remote}.{key}={value}" for key, value in overrides.items()]
        idle = max(1, int(self._network.bounds.idle))
        pairs += ["http.lowSpeedLimit=1", f"http.lowSpeedTime={idle}"]
        return [word for pair in pairs for word in ("-c", pair)]

    def _environment(self) -> dict[str, str]:
        environment = git_environment(self._repository, network=True) | dict(self._objects)
        if self._network.attended:
            del environment["GIT_TERMINAL_PROMPT"]
            return environment
        environment |= {"SSH_ASKPASS": "", "GCM_INTERACTIVE": "never"}
        ssh = environment.get("GIT_SSH_COMMAND") or self._configured_ssh()
        if ssh:
            # Another program than OpenSSH's has other options; it is bounded like everything, and has no terminal.
            environment["GIT_SSH_COMMAND"] = _SSH_PROGRAM.sub(r"\g<0> -o BatchMode=yes", ssh)
        elif not environment.get("GIT_SSH"):
            environment["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes"
        return environment

    def _configured_ssh(self) -> str:
        answer = run_git(self._repository, ["config", "--get", "core.sshCommand"])
        return answer.stdout.decode("utf-8", "surrogateescape").strip()


def unavailable(remote: str, answer: Answer) -> RemoteUnavailable:
    """Return the error of a command that could not talk to the remote, with Git's own words."""
    cause = failed_otherwise(answer.said)
    return RemoteUnavailable(
        f"{remote} cannot be reached: {answer.reason}" if cause is None else f"{cause.what}: {cause.line}",
        hint=cause.hint if cause is not None else None,
        details={"remote": remote, "said": list(answer.said[-5:]), "status": answer.status},
    )


def _remote_words(answer: Answer, summary: str) -> str:
    """Return why a push was not taken: the status line's reason, and what the remote's hook said."""
    reason = re.sub(r"^\[[a-z ]+\]\s*", "", summary).strip().removeprefix("(").removesuffix(")")
    said = [line.removeprefix("remote:").strip() for line in answer.said if line.startswith("remote:")]
    words = [reason, *(line for line in said if line and not line.startswith("error: hook declined"))]
    return without_password("; ".join(word for word in words[:4] if word))
