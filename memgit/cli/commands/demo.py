"""`git memory demo`: the main job, on this project's own documentation, in a scratch repository."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from memgit.cli.front import Front
from memgit.cli.grammar import verb
from memgit.environment import git_child_environment
from memgit.errors import Internal, NotARepository

if TYPE_CHECKING:
    from memgit.cli.shipped import Passage

NEXT = """\
Now in a repository of yours:

  git memory init                                   once
  git memory import markdown docs                   keep what is written already
  git memory remember "TEXT" --type decision --evidence FILE
  git memory recall WORDS
  git memory instructions >> AGENTS.md              tell your coding agent
"""


@verb("demo")
@click.option("--keep", is_flag=True, help="Leave the scratch repository, and say where it is.")
@click.pass_obj
def command(front: Front, /, keep: bool) -> None:
    """See the main job at work: import, remember, recall, prove.

    In a scratch repository, this project's own documentation is imported, a decision is remembered with the sentence
    that proves it, recalled, and its citation resolved to exactly those bytes. Each command is shown as you would type
    it, with its real output. Nothing of yours is read or changed; no network is used.

    \b
    Examples:
      git memory demo
      git memory demo --keep
    """
    scratch = Path(tempfile.mkdtemp(prefix="git-memory-demo-"))
    try:
        with _apart():
            if front.as_json:
                _as_json(front, scratch)
            else:
                _play(_scratch_front(front, scratch))
                front.out.block(NEXT.rstrip(), indent="")
    finally:
        if not keep:
            _remove(scratch)
    if keep:
        front.out.note(f"kept: {scratch / 'repository'}")


def _play(front: Front) -> None:
    """Type the commands and check what they promise."""
    from memgit.cli.shipped import copy_documentation, find_passage

    count = copy_documentation(front.directory)
    passage = find_passage(front.directory)
    front.out.line(f"A scratch repository with {count} documents of memgit itself.")
    _type(front, "init")
    _type(front, "import", "markdown", ".")
    evidence = ("--subject", passage.title, "--evidence", passage.path)
    remembered = _type(front, "remember", passage.sentence, "--type", "decision", *evidence)
    recalled = _type(front, "recall", passage.title, "--max-artifact-refs", "1")
    claims = [claim for claim in recalled.claims if claim.claim_id == remembered.claim_id]
    if not claims:
        raise Internal("the demo's claim was not recalled")
    citation = claims[0].evidence[0].citation
    _type(front, "cat", citation)
    front.out.line()
    _prove(front, citation, passage)


def _prove(front: Front, citation: str, passage: Passage) -> None:
    """Compare what the citation resolves to with the file, byte for byte."""
    from memgit.operations.citation import CitedBytes

    cited = front.ask("citation.get", {"citation": citation}, CitedBytes).content.data.encode()
    start, end = (int(number) for number in citation.rpartition("#")[2].split("-"))
    if cited != (front.directory / passage.path).read_bytes()[start:end]:
        raise Internal("the citation does not resolve to the bytes of the file")
    front.out.line()
    front.out.line(
        ("good", "Byte-exact: "), f"these are bytes {start} to {end} of {passage.path}, compared with the file."
    )
    front.out.line()


def _type(front: Front, *words: str) -> Any:
    """Show a command as a person would type it, run it, and return its result."""
    from memgit.cli.group import PROGRAM
    from memgit.cli.group import command as root

    front.out.line()
    front.out.line(("strong", f"$ {PROGRAM} {shlex.join(words)}"))
    with root.make_context(PROGRAM, list(words), obj=front) as context:
        return root.invoke(context)


def _scratch_front(front: Front, scratch: Path) -> Front:
    """Return a front on a new repository: no session, no registry, no marker of the caller reaches it."""
    repository = scratch / "repository"
    _git("init", "--quiet", "--template=", str(repository))
    _git("-C", str(repository), "config", "user.name", "memgit demo")
    _git("-C", str(repository), "config", "user.email", "demo@example.invalid")
    environment = replace(
        front.environment,
        session_document=None,
        overrides=MappingProxyType({}),
        data_dir=scratch / "data",
        git_dir=None,
        work_tree=None,
        ceilings=(scratch,),
    )
    inner = Front(repository, environment)
    inner.out.quiet = front.out.quiet
    return inner


def _git(*arguments: str) -> None:
    try:
        done = subprocess.run(["git", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except FileNotFoundError:
        raise NotARepository("the `git` command is not on the PATH", hint="Install Git.") from None
    if done.returncode:
        raise NotARepository(
            f"the scratch repository was not made: {done.stderr.strip()}", hint="Try plain `git init`."
        )


@contextmanager
def _apart() -> Iterator[None]:
    """Take away what names another repository: a hook or `git --git-dir` exports it, and the demo would write there."""
    before = dict(os.environ)
    after = git_child_environment(before)
    for name in before.keys() - after.keys():
        del os.environ[name]
    try:
        yield
    finally:
        os.environ.update(before)


def _as_json(front: Front, scratch: Path) -> None:
    """Print one envelope, with everything that a person would have read as its text."""
    import io
    from contextlib import redirect_stdout

    from memgit.cli.terminal import write_bytes
    from memgit.protocol.envelope import VERSION, Answer

    text = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with redirect_stdout(text):
        _play(_scratch_front(front, scratch))
    text.seek(0)
    whole = {"v": VERSION, "request_id": None, "ok": True, "context": None, "commit_seq": None, "commit": None}
    write_bytes(Answer({**whole, "result": {"text": text.read()}, "warnings": []}, 0).encode())


def _remove(scratch: Path) -> None:
    """Delete the scratch directory; on Windows, Git's objects are read-only and must be made writable first."""
    import shutil
    import stat
    import sys

    if sys.platform == "win32":
        for path in scratch.rglob("*"):
            path.chmod(stat.S_IWRITE)
    shutil.rmtree(scratch, ignore_errors=True)
