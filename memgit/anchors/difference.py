"""The difference at hand: from the anchored text to what is there now, bounded."""

from __future__ import annotations

from difflib import unified_diff

from memgit.anchors.files import Files, OldTextMissing
from memgit.anchors.located import Located
from memgit.anchors.text import Text
from memgit.anchors.way import read_path
from memgit.anchors.work_tree import WorkTree
from memgit.limits import DEFAULT
from memgit.records.codec import digest_of
from memgit.records.op import Anchor
from memgit.store.objects import ObjectId

_COMPARED_LINES = 2000  # of each side
_CONTEXT = 2


def difference(anchor: Anchor, located: Located, files: Files, work_tree: WorkTree | None) -> str:
    """Return a unified difference of at most `limits.anchor_text_bytes`; nothing where the text is unchanged.

    The old side is the anchored text, from the repository or from the anchor's copy; of a text that is gone, the new
    side is empty. Where neither holds the old text, the answer says so.
    """
    if located.unchanged or anchor.path is None:
        return ""
    old = _old_lines(anchor, files)
    if old is None:
        return "(the old text is not here)\n"
    new = _new_lines(located, files, work_tree)
    if new is None:
        return "(the present text is not here)\n"
    was = f"a/{anchor.path}"
    now = f"b/{located.place.path}" if located.place is not None else "/dev/null"
    lines = unified_diff(old[:_COMPARED_LINES], new[:_COMPARED_LINES], was, now, n=_CONTEXT, lineterm="")
    return _bounded(list(lines))


def _old_lines(anchor: Anchor, files: Files) -> list[str] | None:
    if anchor.blob is not None:
        try:
            return _lines(files.text(ObjectId(anchor.blob)), anchor.start_line, anchor.end_line)
        except OldTextMissing:
            pass
    return None if anchor.text is None else anchor.text.splitlines()


def text_digest(located: Located, files: Files, work_tree: WorkTree | None) -> str | None:
    """Return the digest of the whole present text, as an anchor holds one; None where it is gone or not in this clone.

    A difference is bounded, so that two of them may be equal where the texts are not.
    """
    place, text = located.place, _present(located, files, work_tree)
    if place is None or text is None:
        return None
    start = 0 if place.start_line is None else place.start_line - 1
    return digest_of(text.part(start, len(text.lines) if place.end_line is None else place.end_line))


def _new_lines(located: Located, files: Files, work_tree: WorkTree | None) -> list[str] | None:
    place = located.place
    if place is None:
        return []
    text = _present(located, files, work_tree)
    return None if text is None else _lines(text, place.start_line, place.end_line)


def _present(located: Located, files: Files, work_tree: WorkTree | None) -> Text | None:
    """Return the file that an anchor is in; None where it is in none, or in one that is not in this clone."""
    if located.place is None:
        return None
    text: Text | None = None
    if work_tree is not None:
        text = work_tree.present(read_path(located.place.path, located.place.path_encoded))
    if text is None and located.blob is not None:
        try:
            text = files.text(ObjectId(located.blob))
        except OldTextMissing:
            return None
    return text


def _lines(text: Text, start: int | None, end: int | None) -> list[str]:
    part = text.lines if start is None else text.lines[start - 1 : end]
    return [line.decode("utf-8", "replace") for line in part]


def _bounded(lines: list[str]) -> str:
    size = 0
    kept: list[str] = []
    for line in lines:
        size += len(line.encode("utf-8", "replace")) + 1
        if size > DEFAULT.anchor_text_bytes:
            kept.append(f"(… {len(lines) - len(kept)} more lines)")
            break
        kept.append(line)
    return "".join(f"{line}\n" for line in kept)
