"""An anchor that was made by a symbol follows it: what is written into the definition belongs to the anchor.

Lines are followed first. Where the definition has other lines than these, its own count, and the text has changed.
"""

from __future__ import annotations

from textwrap import dedent

from msgspec.structs import replace

from memgit.anchors.files import Files, OldTextMissing
from memgit.anchors.located import Located
from memgit.anchors.symbols import Definition, definition
from memgit.anchors.text import Text
from memgit.anchors.wanted import Wanted
from memgit.anchors.way import read_path
from memgit.errors import InvalidRequest, NotFound
from memgit.records.op import Anchor
from memgit.store.objects import ObjectId


def by_symbol(anchor: Anchor, located: Located, text: Text, files: Files) -> Located:
    """Return the answer with the place of the anchor's symbol in `text`, which is the file that it was found in.

    A symbol that the file defines no more, or twice, decides nothing; nor does one that is only the name of some lines.
    """
    place = located.place
    if anchor.symbol is None or place is None or place.start_line is None or place.end_line is None:
        return located
    now = _defined(text, read_path(place.path, place.path_encoded), anchor.symbol)
    if now is None or (now.start + 1, now.end) == (place.start_line, place.end_line):
        return located
    if not _is_definition(anchor, anchor.symbol, files):
        return located
    return replace(
        located,
        state="drifted",
        why=f"the definition of {anchor.symbol} has other lines than before",
        place=replace(place, start_line=now.start + 1, end_line=now.end),
    )


def wanted_again(anchor: Anchor, located: Located) -> Wanted:
    """Return what to capture to tie an anchor anew to where it is now; its symbol stays with it.

    Of an anchor that is gone, that is its commit. The lines are the symbol's own where the anchor follows one.
    """
    place = located.place
    if place is None:
        return Wanted(commit=located.commit or anchor.commit)
    return Wanted(read_path(place.path, place.path_encoded), place.start_line, place.end_line, anchor.symbol)


def _is_definition(anchor: Anchor, symbol: str, files: Files) -> bool:
    """Tell whether the anchored lines were the whole definition of the symbol."""
    path = read_path(anchor.path or "", anchor.path_encoded)
    start, end = (anchor.start_line or 1) - 1, anchor.end_line or 0
    if anchor.blob is not None:
        try:
            was = _defined(files.text(ObjectId(anchor.blob)), path, symbol)
            return was is not None and (was.start, was.end) == (start, end)
        except OldTextMissing:
            pass
    copy = Text(dedent(anchor.text or "").encode())
    was = _defined(copy, path, symbol.rpartition(".")[2])
    return was is not None and (was.start, was.end) == (0, end - start)


def _defined(text: Text, path: str, symbol: str) -> Definition | None:
    try:
        return definition(text, path, symbol)
    except (InvalidRequest, NotFound):
        return None
