"""Which parts of a long turn a session lacks. Pure.

A turn beyond the bound of a claim is kept in parts, by their numbers. Two clones that take in one session make each
part twice, and a part may have been undone since; with another bound the same turn is cut elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from memgit.operations.session_text import split


def missing_parts(text: str, size: int, known: Mapping[int, Set[str]]) -> set[int] | None:
    """Return the numbers of the parts of `text`, cut at `size` bytes, that are not among the `known` ones.

    None are missing where the known ones, cut at whatever size, are the whole text. Returns None where one of them is
    of other words.
    """
    expected = dict(enumerate(split(text, size), 1))
    others = {(number, part) for number, parts in known.items() for part in parts if part != expected.get(number)}
    if not others:
        return set(expected) - set(known)
    return set() if others <= _in_a_whole(text, known) else None


def _in_a_whole(text: str, known: Mapping[int, Set[str]]) -> set[tuple[int, str]]:
    """Return the parts that belong to a sequence from the first on which, joined, is the text."""
    begins: dict[int, set[int]] = {1: {0}}
    for number in range(1, max(known, default=0) + 1):
        ends = {
            start + len(part)
            for start in begins[number]
            for part in known.get(number, ())
            if text.startswith(part, start)
        }
        begins[number + 1] = ends
    found: set[tuple[int, str]] = set()
    leads: set[int] = set()  # the places at which the next number begins and the end is reached from
    for number in range(max(known, default=0), 0, -1):
        reached: set[int] = set()
        for part in known.get(number, ()):
            starts = {start for start in begins[number] if text.startswith(part, start)}
            good = {start for start in starts if start + len(part) == len(text) or start + len(part) in leads}
            if good:
                found.add((number, part))
                reached |= good
        leads = reached
    return found
