"""A difference within a number of bytes: whole changes, in the order of the sections, the rest counted."""

from __future__ import annotations

import msgspec

from memgit.review.changes import SECTIONS, Diff


def bounded(diff: Diff, most: int) -> Diff:
    """Return the difference with as many changes as fit into `most` bytes of JSON; `counts` stay whole.

    Conflicts come first: they are what somebody has to decide. A section that does not fit leaves room to the next.
    """
    encode = msgspec.json.Encoder().encode
    room = most
    kept: dict[str, object] = {}
    left_out = dict(diff.left_out)
    for name in SECTIONS:
        items = getattr(diff, name)
        fitting = []
        for item in items:
            size = len(encode(item))
            if size > room:
                break
            room -= size
            fitting.append(item)
        kept[name] = tuple(fitting)
        if len(fitting) < len(items):
            left_out[name] = left_out.get(name, 0) + len(items) - len(fitting)
    authors = dict(list(diff.authors.items())[:100])
    return msgspec.structs.replace(diff, **kept, authors=authors, left_out=left_out)
