"""Paths and lines of the user's code as a request names them: from its directory, as Git itself reads them."""

from __future__ import annotations

import os
import posixpath
from pathlib import Path

from memgit.anchors.wanted import read_lines, require_possible
from memgit.errors import InvalidRequest
from memgit.operations.invocation import Invocation


def prefix_of(invocation: Invocation) -> str:
    """Return the request's directory from the working tree's top; nothing at the top, and in a bare repository."""
    top = invocation.repository.work_tree
    if top is None:
        return ""
    here, root = invocation.directory.resolve(), top.resolve()
    return "" if here == root or not here.is_relative_to(root) else here.relative_to(root).as_posix()


def from_top(invocation: Invocation, given: str) -> str:
    """Return a path of the repository, from its top, with `/` between parts; `` is the top itself.

    A whole path counts if it leads into the working tree. Raises InvalidRequest for what lies outside.
    """
    if not given or "\0" in given:
        raise InvalidRequest("a path is missing", hint="Name a file of the repository.", details={"field": "path"})
    require_possible(given)
    text = Path(given).as_posix() if os.sep != "/" else given
    if posixpath.isabs(text) or (os.sep != "/" and Path(given).is_absolute()):
        text = _inside(invocation, Path(given))
    else:
        text = posixpath.join(prefix_of(invocation), text)
    path = posixpath.normpath(text)
    if path == ".." or path.startswith("../"):
        raise InvalidRequest(
            f"{given[:200]} lies outside the repository", hint="Name a file below its top.", details={"field": "path"}
        )
    return "" if path == "." else path


def line_range(text: str | None) -> tuple[int | None, int | None]:
    """Return the lines that `12` or `12-20` means, both included. Raises InvalidRequest."""
    if text is None:
        return None, None
    start, end = read_lines(text.strip()) or (0, 0)
    if not 1 <= start <= end:
        raise InvalidRequest(
            f"{text[:40]!r} are no lines",
            hint="Write `12` or `12-20`: they count from 1, the first one comes first.",
            details={"field": "lines"},
        )
    return start, end


def _inside(invocation: Invocation, given: Path) -> str:
    """Return a whole path from the working tree's top; a link in its last part keeps its own name."""
    top = invocation.repository.work_tree
    real = Path(os.path.normpath(given)).parent.resolve() / given.name
    root = top.resolve() if top is not None else None
    if root is not None and real == root:
        return "."
    if root is None or not real.is_relative_to(root):
        raise InvalidRequest(
            f"{str(given)[:200]} lies outside the repository",
            hint="Name a file below its top.",
            details={"field": "path"},
        )
    return real.relative_to(root).as_posix()
