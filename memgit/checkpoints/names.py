"""Names of files that look like secrets: they are left out of a snapshot as contents are, and not repeated.

A name that a commit has is in the history anyway, and is not looked at.
"""

from __future__ import annotations

from collections.abc import Collection

from memgit.checkpoints.record import shown_path

_HIDDEN = "[not shown]"


def flagged_names(paths: Collection[bytes]) -> frozenset[bytes]:
    """Return the paths of which a part looks as if it held a secret."""
    if not paths:
        return frozenset()
    from memgit.screening import screen_text  # loads the rules

    parts = {part for path in paths for part in path.split(b"/")}
    if not screen_text("\n".join(map(_text, parts)), "names"):
        return frozenset()  # one look for all, which is nearly always enough
    flagged = {part for part in parts if screen_text(_text(part), "name")}
    return frozenset(path for path in paths if not flagged.isdisjoint(path.split(b"/")))


def hidden(path: bytes) -> bytes:
    """Return a path without what looks like a secret in it. The same path gives the same."""
    return b"/".join(_hidden(part) for part in path.split(b"/"))


def _hidden(part: bytes) -> bytes:
    from memgit.screening import screen_text

    text = _text(part)
    found = screen_text(text, "name")
    for finding in reversed(found):
        text = text[: finding.start] + _HIDDEN + text[finding.end :]
    return text.encode() if found else part


def _text(part: bytes) -> str:
    """Return a name on one line."""
    return " ".join(shown_path(part).splitlines())
