"""The text of a continuity note, as typed or piped in."""

from __future__ import annotations

import sys


def note_text(typed: str) -> str:
    """Return a note as typed, or from standard input, of which no more is read than a note may have."""
    if typed != "-":
        return typed
    from memgit.checkpoints.notes import too_large
    from memgit.errors import InvalidRequest
    from memgit.limits import DEFAULT

    if sys.stdin.isatty():
        raise InvalidRequest("standard input is a terminal", hint="Pipe the text in, or give it as TEXT.")
    data = sys.stdin.buffer.read(DEFAULT.note_input_bytes + 1)
    if len(data) > DEFAULT.note_input_bytes:
        raise too_large()
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise InvalidRequest(
            f"standard input is not UTF-8 at byte {error.start}", hint="Convert it; a note is text."
        ) from None
