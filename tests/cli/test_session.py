"""`session exec`: a task for a command and all that it starts."""

from __future__ import annotations

import json
import signal
import sys

import pytest

from tests.cli.conftest import Shell
from tests.cli.test_process import start

PYTHON = sys.executable


def test_the_command_works_inside_the_task(shell: Shell) -> None:
    """It gets the context and the directory; streams and status are its own."""
    (shell.directory / "below").mkdir()
    code = (
        "import os, sys; print(os.environ['MEMOREE_CONTEXT']); print(os.getcwd()); print(sys.stdin.read()); sys.exit(7)"
    )
    said = start(shell, "-C", "below", "session", "exec", "--task", "Fix it", "--", PYTHON, "-c", code, given=b"input")
    document, directory, given = said.stdout.decode().split("\n")[:3]
    context = json.loads(document)
    assert (said.returncode, given, directory) == (7, "input", str((shell.directory / "below").resolve()))
    assert (context["workspace_id"], context["project_id"], context["task"]) == ("wsp-tests", "prj-tests", "Fix it")
    assert context["task_id"].startswith("tsk_")


def test_what_is_written_there_stays_there(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    """A claim of one task is out of sight elsewhere, and comes back with the task's id."""
    words = ("session", "exec", "--task", "audit", "--task-id", "tsk_01jd0000000000000000000000", "--")
    document = start(shell, *words, PYTHON, "-c", "import os; print(os.environ['MEMOREE_CONTEXT'])").stdout.decode()
    with monkeypatch.context() as inside:
        inside.setenv("MEMOREE_CONTEXT", document)
        shell.ok("remember", "Halfway there")
        assert shell.ok("recall", "halfway there").text.startswith("presence: claims")
    assert shell.ok("recall", "halfway there").text.startswith("presence: none")


def test_options_of_the_command_are_its_own(shell: Shell) -> None:
    """Also without `--`, nothing after the first word is ours."""
    said = start(shell, "session", "exec", "--task", "t", PYTHON, "-c", "import sys; print(sys.argv)", "--json", "-h")
    assert said.stdout.decode().strip() == "['-c', '--json', '-h']"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")
def test_the_command_gets_default_signals(shell: Shell) -> None:
    """Python ignores SIGPIPE, and would hand that on; a death by signal is the command's own too."""
    words = ("session", "exec", "--task", "t", "--")
    shown = start(shell, *words, "sh", "-c", "grep SigIgn /proc/self/status")
    if shown.returncode == 0:  # where there is such a file
        assert not int(shown.stdout.split()[1], 16) & (1 << (signal.SIGPIPE - 1))
    killed = start(shell, *words, "sh", "-c", "kill -TERM $$")
    assert killed.returncode == -signal.SIGTERM


@pytest.mark.parametrize(("name", "status"), [("no-such-command", 127), ("./plain.txt", 126), (".", 126)])
def test_a_command_that_cannot_be_run(shell: Shell, name: str, status: int) -> None:
    """As in a shell: 127 where there is none, 126 where it is not executable."""
    shell.write("plain.txt", "text")
    said = start(shell, "session", "exec", "--task", "t", "--", name)
    assert (said.returncode, said.stdout) == (status, b"")
    assert said.stderr.startswith(b"error: ") and b"Traceback" not in said.stderr


def test_wrong_use(shell: Shell, empty: Shell) -> None:
    """No task, no command, a task of two lines: refused before anything starts."""
    shell.refused("session", "exec", "--", "true", status=2)
    shell.refused("session", "exec", "--task", "t", status=2)
    shell.refused("session", status=2)
    shell.refused("session", "exec", "--task", "a\nb", "--", "true")
    outside = empty.directory.parent / "nowhere"
    outside.mkdir()
    Shell(outside).refused("session", "exec", "--task", "t", "--", "true")
