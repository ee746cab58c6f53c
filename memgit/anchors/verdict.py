"""From the end of a way to what is said of the anchor: is it the same text, and is it still about the same thing?"""

from __future__ import annotations

from difflib import SequenceMatcher

from memgit.anchors.located import UNCHANGED, Located, State
from memgit.anchors.text import Text, bare_key, characters, is_utf_8, line_key, telling
from memgit.anchors.way import Ended, Spot, read_path
from memgit.records.codec import digest_of
from memgit.records.op import Anchor

_RECOGNISED = 0.5  # the share of the anchored lines that must be left for a place to stay certain
_GUESSED = 0.25  # or less of many lines, after a step that was only likely: that is a guess
_MANY_LINES = 4
_COMPARED = 2000  # characters of each text, where no line is left

_NOT_UTF_8 = "\N{REPLACEMENT CHARACTER}".encode()


def found(anchor: Anchor, spot: Spot, text: Text | None, *, commit: str | None, reachable: bool) -> Located:
    """Return what is said of an anchor that is at a spot. `text` None says that the file is the anchored one itself."""
    path = read_path(anchor.path or "", anchor.path_encoded)
    if text is not None and not _is_same(anchor, spot, text):
        return _drifted(anchor, spot, text, commit, reachable)
    state: State = "fresh" if spot.path == path else "moved"
    where = f"; now in {spot.place().path}" if state == "moved" else ""
    why = f"{UNCHANGED}{where}" + (f" ({spot.why})" if spot.why and spot.certainty != "certain" else "")
    return Located(
        state=state,
        certainty=spot.certainty,
        why=why,
        place=spot.place(),
        blob=spot.blob,
        commit=commit,
        reachable=reachable,
    )


def ended(way: Ended, *, commit: str | None, reachable: bool) -> Located:
    """Return what is said of an anchor whose way ended and whose text was found nowhere else."""
    return Located(
        state="gone",
        certainty=way.certainty,
        why=way.why,
        commit=commit,
        reachable=reachable,
        last=way.last.place(),
        ended_by=way.commit,
        others=tuple(spot.place() for spot in way.others),
    )


def unread(spot: Spot, *, commit: str | None, reachable: bool) -> Located:
    """Return what is said of a spot in a file that is another one and whose text is not in this clone."""
    why = f"the present text of {spot.place().path} is not in this clone"
    if spot.is_whole:
        place = spot.place()
        return Located(
            state="drifted",
            certainty="likely",
            why=why,
            place=place,
            blob=spot.blob,
            commit=commit,
            reachable=reachable,
        )
    return Located(state="gone", certainty="lost", why=why, last=spot.place(), commit=commit, reachable=reachable)


def _is_same(anchor: Anchor, spot: Spot, text: Text) -> bool:
    if spot.blob is not None and spot.blob == anchor.blob:
        start = None if spot.start is None else spot.start + 1
        if (start, spot.end) == (anchor.start_line, anchor.end_line):
            return True
    data = text.data if spot.start is None or spot.end is None else text.part(spot.start, spot.end)
    return digest_of(data) == anchor.text_digest


def _drifted(anchor: Anchor, spot: Spot, text: Text, commit: str | None, reachable: bool) -> Located:
    path = read_path(anchor.path or "", anchor.path_encoded)
    where = f", now in {spot.place().path}" if spot.path != path else ""
    reason = f"; {spot.why}" if spot.why else ""
    found = Located(
        state="drifted",
        certainty=spot.certainty,
        why=f"the text has changed{where}{reason}",
        place=spot.place(),
        blob=spot.blob,
        commit=commit,
        reachable=reachable,
    )
    if spot.is_whole or anchor.text is None:
        return found
    likeness = _likeness(anchor.text.encode(), text.part(spot.start or 0, spot.end or 0))
    is_guess = found.certainty == "likely" and likeness <= _GUESSED and len(anchor.text.splitlines()) >= _MANY_LINES
    if likeness == 0 or is_guess:
        return _replace(found, state="gone", certainty="lost", why=f"rewritten beyond recognition{where}{reason}")
    if likeness <= _RECOGNISED and found.certainty == "certain":
        return _replace(found, certainty="likely", why=f"most of the text has changed{where}{reason}")
    return found


def _replace(item: Located, **fields: object) -> Located:
    from msgspec.structs import replace

    if fields.get("state") == "gone" and item.place is not None:
        fields |= {"place": None, "blob": None, "last": item.place, "others": (item.place,)}
    return replace(item, **fields)


def _likeness(old: bytes, new: bytes) -> float:
    """Return the share of the old lines that can be recognised, or 0 where nothing is alike."""
    lines = old.split(b"\n")
    # The copy of a text that is not UTF-8 holds replacement characters in place of what was there.
    key_of = bare_key if _NOT_UTF_8 in old or not is_utf_8(new) else line_key
    wanted = [key for at in telling(lines) if lines[at].strip() and (key := key_of(lines[at]))]
    present = {key_of(line) for line in new.split(b"\n")}
    share = sum(key in present for key in wanted) / max(1, len(wanted))
    if share:
        return share
    ours, theirs = characters(old)[:_COMPARED], characters(new)[:_COMPARED]
    ratio = SequenceMatcher(None, ours, theirs, autojunk=False).ratio()
    return ratio / 4 if ratio >= 0.5 else 0.0
