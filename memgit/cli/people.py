"""Who wrote something, in a column of a list."""

from __future__ import annotations

from memgit.cli.terminal import one_line

_NAME = 8  # characters of a name that a long agent leaves


def person(written: str, most: int) -> str:
    """Return `Name <address> (agent)` in at most so many characters: the address gives way first, the agent stays."""
    whole = one_line(written)
    name, _, rest = whole.partition(" <")
    agent = rest.partition("> ")[2]
    if len(whole) <= most or not agent:
        return one_line(whole, most)
    shown = one_line(agent, most - _NAME - 1)
    return f"{one_line(name, most - len(shown) - 1)} {shown}"
