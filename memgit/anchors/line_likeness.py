"""How much two lines are alike, with cheap bounds first: most pairs of lines have nothing to do with each other."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from memgit.anchors.text import characters

_LIKE = 0.6  # SequenceMatcher's ratio: below it, a line was replaced rather than edited
_COMPARED_BYTES = 400  # of a line
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Line:
    """A line without the blanks around it, ready to be compared with many others.

    `places` tells of each character by bits where it is. `bag` is the multiset of the characters, as a set: each with
    how many of it came before.
    """

    text: str
    places: dict[str, int]
    bag: frozenset[tuple[str, int]]

    @staticmethod
    def of(data: bytes) -> Line:
        """Return a line of a file; of a very long one, its beginning."""
        text = characters(data[:_COMPARED_BYTES].strip())
        places: dict[str, int] = {}
        seen: dict[str, int] = {}
        bag = []
        for at, character in enumerate(text):
            places[character] = places.get(character, 0) | 1 << at
            bag.append((character, count := seen.get(character, 0)))
            seen[character] = count + 1
        return Line(text, places, frozenset(bag))

    def likeness(self, before: Line) -> float | None:
        """Return SequenceMatcher's ratio of a former line and this one; None where it is too low to say something."""
        least = _LIKE * (len(before.text) + len(self.text)) / 2 - _ROUNDING
        # What agrees is at most the characters that both have, and at most those of them in the same order.
        if len(before.bag & self.bag) < least or _in_order(before, self.text) < least:
            return None
        ratio = SequenceMatcher(None, before.text, self.text, autojunk=False).ratio()
        return ratio if ratio >= _LIKE else None


def _in_order(line: Line, other: str) -> int:
    """Return the length of the longest common subsequence (the bit-parallel algorithm of Hyyrö, 2004)."""
    whole = (1 << len(line.text)) - 1
    rest = whole
    for character in other:
        common = rest & line.places.get(character, 0)
        rest = (rest + common | rest - common) & whole
    return len(line.text) - rest.bit_count()
