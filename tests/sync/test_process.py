"""One bounded command: it ends as a whole, in time, and what it says is told apart from its progress."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from memgit.errors import NotARepository, RemoteUnavailable
from memgit.sync.process import Answer, Bounds, run_bounded, without_password

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a POSIX shell")


def run(script: str, bounds: Bounds | None = None, **options: object) -> Answer:
    """Run a shell script, bounded."""
    return run_bounded(["sh", "-c", script], Path("/"), os.environ, bounds or Bounds(), **options)  # type: ignore[arg-type]


def is_gone(pid: int) -> bool:
    """Tell whether a process ends within two seconds."""
    for _ in range(100):
        try:
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except OSError:
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize("ignoring", ["", "trap '' TERM; "])
def test_a_timeout_ends_the_whole_group(tmp_path: Path, ignoring: str) -> None:
    """What the command started ends with it, also where it does not listen."""
    child = tmp_path / "child"
    script = f"{ignoring}sleep 60 & echo $! >{child}; wait; sleep 60"

    with pytest.raises(RemoteUnavailable) as error:
        run(script, Bounds(idle=0.5))

    assert "said nothing" in error.value.message and error.value.retryable
    assert is_gone(int(child.read_text()))


def test_an_interrupt_ends_the_whole_group(tmp_path: Path) -> None:
    """Ctrl-C, or any other exception on the way, leaves no process behind."""
    child = tmp_path / "child"

    def interrupt(line: str) -> None:
        if line:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(f"sleep 60 & echo $! >{child}; printf 'half\\r' >&2; wait", progress=interrupt)

    assert is_gone(int(child.read_text()))


def test_talking_does_not_extend_the_whole_time() -> None:
    """Output resets the silence, never the total."""
    begun = time.monotonic()

    with pytest.raises(RemoteUnavailable) as error:
        run("while :; do echo x >&2; sleep 0.1; done", Bounds(idle=0.5, total=1.2))

    assert 1.1 < time.monotonic() - begun < 8 and "more than 1.2 s" in error.value.message


def test_a_background_child_is_not_waited_for() -> None:
    """A child that keeps the pipes open, as an `ssh` master does, does not hold the answer back."""
    begun = time.monotonic()

    answer = run("(sleep 8 &) ; echo done")

    assert answer.out == "done\n" and time.monotonic() - begun < 5


def test_progress_is_not_what_is_said() -> None:
    """Lines that end in a carriage return, and the last of each display, are progress; the rest is Git's complaint."""
    seen: list[str] = []

    answer = run(
        "printf 'Receiving objects:  50%% (1/2)\\rReceiving objects: 100%% (2/2), 1 KiB | 1 MiB/s, done.\\n' >&2;"
        "printf 'fatal: it went wrong\\n' >&2; exit 128",
        progress=seen.append,
    )

    assert answer.said == ("fatal: it went wrong",) and answer.reason == "it went wrong"
    assert answer.status == 128
    assert [line.partition(":")[0] for line in seen] == ["Receiving objects", "Receiving objects", ""]


def test_what_is_said_is_bounded() -> None:
    """A server may talk without end; what is kept of it is not."""
    answer = run("yes 'remote: words' | head -n 20000 >&2; yes out | head -c 3000000")

    assert len(answer.said) <= 100 and len(answer.out) <= 1 << 20


def test_nobody_can_be_asked() -> None:
    """Where nobody attends, there is no terminal below the command and nothing on its standard input."""
    answer = run("(: </dev/tty) 2>/dev/null && echo terminal; cat; echo end")

    assert answer.out == "end\n"


def test_passwords_are_not_shown() -> None:
    """A URL with a password in Git's words loses it."""
    assert without_password("fatal: https://me:geheim@host.invalid/x: no") == "fatal: https://me:***@host.invalid/x: no"
    assert run("echo 'fatal: ssh://a:b@c/d' >&2; exit 1").reason == "ssh://a:***@c/d"


def test_a_missing_program() -> None:
    """A machine without Git gets one clear error."""
    with pytest.raises(NotARepository):
        run_bounded(["git-that-is-not-there"], Path("/"), os.environ, Bounds())
