"""Whether a process that a file names still runs. Unknown counts as running."""

from __future__ import annotations

import os
from pathlib import Path


def is_running(pid: int, started: str = "") -> bool:
    """Tell whether a process of this machine runs; with `started`, whether it is that one and not a later namesake."""
    if os.name == "nt":
        return True  # there, signal 0 would interrupt the process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    now = process_start(pid)
    return not (now and started and now != started)


def process_start(pid: int) -> str:
    """Return the start of a process in the kernel's clock ticks, or nothing where the system does not tell."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
