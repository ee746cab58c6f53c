"""The program as a process: start-up, streams, signals, encodings. Each promise needs a real one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

import memgit
from tests.cli.conftest import Shell

PROGRAM = (sys.executable, "-m", "memgit.cli")
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither these devices nor these signals")


def start(
    shell: Shell, *words: str, given: bytes = b"", program: Sequence[str] = PROGRAM, **variables: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the program in a process of its own."""
    environment = {**os.environ, **variables}
    return subprocess.run([*program, *words], cwd=shell.directory, env=environment, input=given, capture_output=True)


def test_the_version_imports_nothing(empty: Shell) -> None:
    """`--version` answers before click or anything heavy is imported."""
    code = "import sys; from memgit.cli.main import main; main(['--version']); print(sorted(sys.modules))"
    said = start(empty, program=(sys.executable, "-c", code)).stdout.decode()
    assert said.startswith(f"git-memory {memgit.__version__}\n")
    for heavy in ("click", "msgspec", "pygit2", "re", "pathlib", "memgit.cli.group"):
        assert f"'{heavy}'" not in said, heavy
    assert start(empty, "-C", ".", "--version").stdout.decode() == f"git-memory {memgit.__version__}\n"


def test_the_executable_serves_git(shell: Shell) -> None:
    """Git finds `git-memory` on the PATH, and its own `-C` works too."""
    directory = Path(sys.executable).parent
    if not (directory / "git-memory").exists():
        pytest.skip("memgit runs from its sources here, without an executable")
    path = f"{directory}{os.pathsep}{os.environ['PATH']}"
    said = start(shell, "-C", str(shell.directory), "memory", "status", program=("git",), PATH=path)
    assert said.returncode == 0 and said.stdout.startswith(b"memory sto_")
    assert start(shell, "memory", "nonsense", program=("git",), PATH=path).returncode == 2


def test_verbs_load_alone(shell: Shell) -> None:
    """A verb imports its own module and not another's; a read opens neither pygit2 nor whoosh nor rich."""
    code = (
        "import sys; from memgit.cli.main import main; main(['status']);"
        "print(*(name for name in sys.modules if name.startswith('memgit.cli.commands.')), file=sys.stderr);"
        "print(*({'pygit2', 'whoosh', 'rich', 'yaml'} & set(sys.modules)), file=sys.stderr)"
    )
    start(shell, "status")
    modules, heavy = start(shell, program=(sys.executable, "-c", code)).stderr.decode().splitlines()[-2:]
    assert modules.split() == ["memgit.cli.commands.status"]
    assert not {"pygit2", "whoosh", "rich"} & set(heavy.split())


def test_call_is_one_line_in_one_line_out(shell: Shell) -> None:
    """A real pipe: JSON in, JSON out, status 0; a refusal is status 1 and still an envelope."""
    said = start(shell, "call", given=b'{"op": "status", "request_id": "r1"}')
    assert (json.loads(said.stdout)["request_id"], said.returncode, said.stderr) == ("r1", 0, b"")
    said = start(shell, "call", given=b'{"op": "claim.get", "input": {"claim_id": "x"}}')
    assert (json.loads(said.stdout)["ok"], said.returncode) == (False, 1)


@needs_posix
def test_a_reader_that_leaves_is_no_failure(shell: Shell) -> None:
    """`git memory ... | head -1`: quiet, and the status that a shell reports for Git itself."""
    for number in range(3):
        shell.ok("remember", f"{number} " + "many words " * 700)
    for words in ("log", "-h", "--json schema", "--version"):
        command = f"{sys.executable} -m memgit.cli {words} | true; exit ${{PIPESTATUS[0]}}"
        said = start(shell, program=("bash", "-c", command))
        assert said.stderr == b"", words
        assert said.returncode in (0, 141), words


@needs_posix
def test_a_full_or_closed_output_is_told(shell: Shell) -> None:
    """Standard output that cannot be written is an error; one that the caller closed is nobody's."""
    said = start(shell, program=("sh", "-c", f"{sys.executable} -m memgit.cli status > /dev/full"))
    assert said.returncode == 1 and said.stderr.startswith(b"error: standard output cannot be written: No space")
    for streams in (">&- 2>&-", "<&-"):
        said = start(shell, program=("sh", "-c", f"{sys.executable} -m memgit.cli status {streams}"))
        assert said.returncode == 0 and b"Traceback" not in said.stderr
    said = start(shell, program=("sh", "-c", f"{sys.executable} -m memgit.cli remember - <&-"))
    assert said.returncode == 1 and said.stderr.startswith(b"error: standard input is closed")


@needs_posix
def test_an_interrupt_is_status_130(shell: Shell) -> None:
    """Ctrl-C ends it without a word."""
    process = subprocess.Popen(
        [*PROGRAM, "remember", "-"],
        cwd=shell.directory,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    time.sleep(0.6)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out, err) == (130, b"", b"")


def test_ascii_and_latin1_outputs_escape_what_they_cannot_say(shell: Shell) -> None:
    """No UnicodeEncodeError, on either stream; what fits is as it is."""
    claim = shell.ok("remember", "Zażółć gęślą jaźń 🐍 é").first
    said = start(shell, "show", claim, PYTHONIOENCODING="ascii")
    assert said.returncode == 0 and said.stdout.isascii() and rb"Za\u017c\xf3\u0142\u0107" in said.stdout
    assert b"\xe9" in start(shell, "show", claim, PYTHONIOENCODING="latin-1").stdout
    said = start(shell, "recal\u017c", PYTHONIOENCODING="ascii")
    assert said.returncode == 2 and said.stderr.isascii()
    for words in ("-h", "recall jaźń"):
        said = start(shell, *words.split(), PYTHONIOENCODING="ascii", LC_ALL="C", PYTHONUTF8="0")
        assert (said.returncode, said.stdout.isascii()) == (0, True), words


@needs_posix
def test_a_terminal_gets_colours_and_tables(shell: Shell) -> None:
    """On a terminal ids are coloured; NO_COLOR, a dumb terminal and a pipe get none; 40 columns are enough."""
    shell.ok("remember", "Words")

    def on_terminal(*words: str, **variables: str) -> bytes:
        """Run with a terminal of 40 columns as standard output and return what it received."""
        import fcntl
        import pty
        import struct
        import termios

        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 40, 0, 0))
        environment = {**os.environ, "TERM": "xterm", **variables}
        process = subprocess.Popen([*PROGRAM, *words], cwd=shell.directory, env=environment, stdout=theirs)
        os.close(theirs)
        received = b""
        while True:
            try:
                chunk = os.read(ours, 65536)
            except OSError:  # Linux reports the closed other end so
                break
            if not chunk:
                break
            received += chunk
        os.close(ours)
        assert process.wait() == 0
        return received

    assert b"\x1b[33mclm_" in on_terminal("status")
    assert b"\x1b[" not in on_terminal("status", NO_COLOR="1")
    assert b"\x1b[" not in on_terminal("status", TERM="dumb")
    table = on_terminal("config", "list", NO_COLOR="1").decode()
    assert table.startswith("setting") and all(len(line) <= 40 for line in table.split("\r\n"))
    shell.ok("config", "set", "color", "always")
    assert b"\x1b[33m" in start(shell, "status").stdout
    assert b"\x1b[" not in start(shell, "status", NO_COLOR="1").stdout


@needs_posix
def test_a_terminal_gets_stored_text_made_safe(shell: Shell) -> None:
    """`cat` sends exact bytes into a pipe; a terminal must not obey them."""
    artifact = shell.ok("artifact", "put", "-", given=b"\x1b]0;owned\x07 text").first
    assert start(shell, "cat", artifact).stdout == b"\x1b]0;owned\x07 text"
    command = f"{sys.executable} -m memgit.cli cat {artifact}"
    said = start(shell, program=("script", "-qec", command, "/dev/null"))
    if said.returncode == 127:
        pytest.skip("there is no `script` here")
    assert b"\x1b]0" not in said.stdout and rb"\x1b]0;owned\x07 text" in said.stdout


def test_a_fault_is_a_sentence_with_status_3(shell: Shell) -> None:
    """What nobody foresaw names its place and not the data; MEMGIT_DEBUG shows the rest to whoever asks."""
    code = (
        "import sys, memgit.operations.status as s\n"
        "def fault(*_): raise RuntimeError('secret data')\n"
        "s.status = fault\n"
        "from memgit.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    program = (sys.executable, "-c", code)
    said = start(shell, "status", program=program)
    assert (said.returncode, said.stdout) == (3, b"")
    assert said.stderr.startswith(b"error: RuntimeError at ") and b"secret" not in said.stderr
    assert json.loads(start(shell, "--json", "status", program=program).stdout)["error"]["code"] == "INTERNAL"
    assert b"Traceback" in start(shell, "status", program=program, MEMGIT_DEBUG="1").stderr
