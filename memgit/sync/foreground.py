"""Lending the terminal to a child's process group, so that Git may ask for a password there.

A process of a background group that reads the terminal is stopped by the system, and Ctrl-C would not reach it.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def foreground(group: int | None) -> Iterator[None]:
    """Make `group` the terminal's foreground group while the block runs, where this process's group is it now."""
    terminal = _terminal() if group is not None else None
    if terminal is None or group is None:
        yield
        return
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # else setting the group from the background stops us
    try:
        with suppress(OSError):
            os.tcsetpgrp(terminal, group)
        yield
    finally:
        with suppress(OSError):
            os.tcsetpgrp(terminal, os.getpgrp())
        signal.signal(signal.SIGTTOU, before)
        os.close(terminal)


def can_lend() -> bool:
    """Tell whether this process is in the foreground of a terminal."""
    terminal = _terminal()
    if terminal is None:
        return False
    os.close(terminal)
    return True


def _terminal() -> int | None:
    """Return an open descriptor of the controlling terminal if our group is in its foreground."""
    if os.name == "nt":
        return None
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return None
    with suppress(OSError):
        if os.tcgetpgrp(terminal) == os.getpgrp():
            return terminal
    os.close(terminal)
    return None
