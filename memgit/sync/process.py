"""One `git` command that talks to another machine: bounded, cancelled as a whole, without a prompt of its own.

It runs in a process group of its own, so that what it starts (`ssh`, `git-remote-https`, a credential helper) ends with
it, at a timeout and at Ctrl-C. Where nobody attends it also has no controlling terminal: nothing below it can ask.
"""

from __future__ import annotations

import os
import queue
import re
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from memgit.errors import NotARepository, RemoteUnavailable, StoreBusy
from memgit.sync.foreground import foreground

_KEPT_LINES = 60  # of what Git says beside progress; a server may say more, and nobody reads it
_KEPT_BYTES = 1 << 20  # of standard output; a push and a look answer with a few lines
_CHUNK_BYTES = 1 << 16
_DRAIN_SECONDS = 1.0  # after Git's own end: an `ssh` master in the background keeps the pipe open for ever
_GRACE_SECONDS = 2.0  # between asking a group to end, so that it removes its temporary files, and ending it
_PASSWORD = re.compile(r"(://[^/@\s:]*):[^/@\s]*@")

Progress = Callable[[str], None]
"""Takes one line of Git's progress, without its line end."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """How long a command may take, in seconds: in silence, and altogether."""

    idle: float = 30.0
    total: float = 600.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command said: its exit status, standard output, and its complaints without progress or passwords."""

    status: int
    out: str
    said: tuple[str, ...]

    @property
    def reason(self) -> str:
        """The line that says most about a failure."""
        lines = [line for line in self.said if line.startswith(("fatal:", "error:", "ssh:"))]
        lines = lines or [line for line in self.said if line.strip()]
        return lines[0].removeprefix("fatal: ").removeprefix("error: ").strip() if lines else f"status {self.status}"


def run_bounded(
    command: Sequence[str],
    directory: Path,
    environment: Mapping[str, str],
    bounds: Bounds,
    *,
    attended: bool = False,
    progress: Progress | None = None,
) -> Answer:
    """Run a command and return its answer. Raises RemoteUnavailable where it takes too long, and ends it then.

    `attended`: a person sits at the terminal and may be asked; silence is not limited then, because they may be typing.
    """
    process = _start(command, directory, environment, attended)
    try:
        with _ended(process), foreground(process.pid if attended else None):
            answer = _Listener(process, bounds, attended, progress).listen(command)
    finally:
        if progress is not None:
            progress("")
    if attended and answer.status == -signal.SIGINT:
        raise KeyboardInterrupt  # the terminal's Ctrl-C went to the group that had the terminal
    return answer


def _start(
    command: Sequence[str], directory: Path, environment: Mapping[str, str], attended: bool
) -> subprocess.Popen[bytes]:
    group: dict[str, object] = (
        {} if os.name == "nt" else {"process_group": 0} if attended else {"start_new_session": True}
    )
    try:
        return subprocess.Popen(  # type: ignore[call-overload, no-any-return]  # mypy cannot see through the group
            list(command),
            cwd=directory,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **group,
        )
    except FileNotFoundError:
        raise NotARepository("the `git` command is not on the PATH", hint="Install Git.") from None
    except OSError as error:
        raise StoreBusy(f"`git` could not be run: {error.strerror or error}") from None


@contextmanager
def _ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """See to it that the whole group has ended when the block is left by an error or an interrupt."""
    try:
        yield
    except BaseException:
        _end_group(process)
        raise


def _end_group(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, getattr(signal, "SIGKILL", signal.SIGTERM)):
        with suppress(OSError):  # it has ended by itself
            if os.name == "nt":
                process.kill()
            else:
                os.killpg(process.pid, number)
        with suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
            if os.name == "nt":
                return


class _Listener:
    """Reads both pipes until the process ends, and judges its silence."""

    def __init__(
        self, process: subprocess.Popen[bytes], bounds: Bounds, attended: bool, progress: Progress | None
    ) -> None:
        self._process = process
        self._bounds = bounds
        self._idle = bounds.total if attended else bounds.idle
        self._progress = progress
        self._events: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
        self._out = bytearray()
        self._rest = b""
        self._said: list[str] = []

    def listen(self, command: Sequence[str]) -> Answer:
        begun = heard = time.monotonic()
        threads = [
            threading.Thread(target=self._read, args=(name, stream), daemon=True)
            for name, stream in (("out", self._process.stdout), ("err", self._process.stderr))
        ]
        threads.append(threading.Thread(target=self._wait, daemon=True))
        for thread in threads:
            thread.start()
        open_pipes, ended = 2, False
        while not ended or open_pipes:
            moment = time.monotonic()
            patience = min(heard + self._idle, begun + self._bounds.total) - moment
            if ended:
                patience = _DRAIN_SECONDS
            try:
                name, data = self._events.get(timeout=max(patience, 0.001))
            except queue.Empty:
                if ended:
                    break
                self._give_up(command, time.monotonic() - begun, time.monotonic() - heard)
            heard = time.monotonic()
            if name == "ended":
                ended = True
            elif not data:
                open_pipes -= 1
            else:
                self._take(name, data)
        self._take("err", b"\n")
        return Answer(self._process.returncode, self._out.decode("utf-8", "replace"), tuple(self._said))

    def _read(self, name: str, stream: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while data := os.read(stream.fileno(), _CHUNK_BYTES):
                self._events.put((name, data))
        self._events.put((name, b""))

    def _wait(self) -> None:
        self._process.wait()
        self._events.put(("ended", b""))

    def _take(self, name: str, data: bytes) -> None:
        if name == "out":
            self._out += data[: _KEPT_BYTES - len(self._out)]
            return
        *lines, self._rest = re.split(rb"([^\r\n]*[\r\n])", self._rest + data)
        for raw in filter(None, lines):
            line = without_password(raw.decode("utf-8", "replace").rstrip())
            if not line:
                continue
            if raw.endswith(b"\r") or _is_progress(line):
                if self._progress is not None:
                    self._progress(line)
            elif len(self._said) < _KEPT_LINES:
                self._said.append(line)

    def _give_up(self, command: Sequence[str], whole: float, silent: float) -> None:
        asked = next((word for word in command[1:] if word in ("fetch", "push", "ls-remote")), "git")
        if whole >= self._bounds.total:
            text = f"`git {asked}` took more than {self._bounds.total:g} s"
        else:
            text = f"`git {asked}` said nothing for {silent:.0f} s"
        said = f"; it last said: {self._said[-1]}" if self._said else ""
        raise RemoteUnavailable(
            f"the remote does not answer: {text} and was ended{said}",
            hint="Try again; `git memory config set networkIdle SECONDS` makes it wait longer.",
            details={"timeout": True},
        )


def without_password(text: str) -> str:
    """Return text in which no URL shows a password."""
    return _PASSWORD.sub(r"\1:***@", text)


def _is_progress(line: str) -> bool:
    """Tell whether a line is the last of a progress display, which ends in a line feed."""
    return re.search(r":\s+\d+(% \(\d+/\d+\))?.*, done\.$", line) is not None
