"""Lexical indexes that stay open for the life of a process: opening one costs more than asking it.

An index that is kept sees what other processes write, and lets go of what was deleted, at its next call.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from memgit.index.lexical import LexicalIndex, open_index

_MOST = 8  # stores with their combinations of layers that one process asks in turn


def kept_index(directory: Path, implementation: str) -> LexicalIndex:
    """Return the index of a directory as `open_index` does. It is shared: do not close it."""
    return _opened(os.getpid(), directory, implementation)


@lru_cache(maxsize=_MOST)
def _opened(process: int, directory: Path, implementation: str) -> LexicalIndex:
    """Return an open index. A process that was forked needs its own: the threads of a library are not in it."""
    return open_index(directory, implementation)
