"""Patterns are compiled when they are first needed: compiling them all at import would cost more than a screening.

Every pattern of this room has bounded or possessive repetitions, so that the time is linear in the text's length.
"""

from __future__ import annotations

import re
from functools import cache


@cache
def compiled(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return the compiled pattern; each is compiled once in a process."""
    return re.compile(pattern, flags)
