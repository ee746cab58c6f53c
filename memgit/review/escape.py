"""Stored text on its way into Markdown: shown, never obeyed.

Stored text is anybody's text. In a comment of a code host it could break out of its place, run HTML, mention people or
link issues. Hosts do none of that inside code, so every stored text stands in a code span, in a fence that is longer
than any run of backticks in it, or in a `<code>` element with HTML escaped.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable

from memgit.records.visible import visible

_BACKTICKS = re.compile(r"`+")


def flat(text: str, most: int = 0) -> str:
    """Return a visible text on one line, with `most` at most that many characters."""
    line = " ".join(visible(text).split())
    return line if not most or len(line) <= most else line[: most - 1].rstrip() + "…"


def code_span(text: str, most: int = 0) -> str:
    """Return a stored text as an inline code span, on one line."""
    line = flat(text, most) or " "
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(line)), default=0))
    return f"{fence} {line} {fence}" if "`" in line else f"`{line}`"


def code_block(lines: Iterable[str], language: str = "text") -> list[str]:
    """Return stored lines as a fenced block. It stands between blank lines, in the first column."""
    found = [line for text in lines for line in visible(text).split("\n")]
    longest = max((len(run) for line in found for run in _BACKTICKS.findall(line)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", *found, fence]


def code_element(text: str, most: int = 0) -> str:
    """Return a stored text as an HTML element, for the summary of a details block."""
    return f"<code>{html.escape(flat(text, most))}</code>"
