"""Whether one word may be another, misspelt or shortened. Character trigrams find the pairs.

Pure and symmetric to no index: an index proposes words that share trigrams, this module alone accepts them, so that
every back end accepts the same ones.
"""

from __future__ import annotations

from typing import Literal

from memgit.index.analysis import is_exact_word
from memgit.index.english import stem
from memgit.index.languages.unspaced import is_unspaced

Likeness = Literal["typo", "abbreviation"]

SHORTEST = 3  # letters; below, everything is like everything
LONGEST = 32  # letters; longer runs are no words, and the comparison is quadratic
SHORTEST_STEM = 6  # letters; shorter stems are too many words at once (`linter` is an edit from the stem of `literal`)
SHORTEST_ABBREVIATED = 3  # letters that an abbreviation leaves out: `perf(ormance)`; fewer is a typo or another ending
LONGEST_PREFIX = 4  # letters: un-, non-, anti-
_DENYING_ENDINGS = ("less", "free", "los", "frei")  # `state` is no short form of `stateless`


def comparable(word: str) -> bool:
    """Tell whether a folded word can be compared at all: letters only, of a script that is written with spaces."""
    return SHORTEST <= len(word) <= LONGEST and not is_exact_word(word) and not is_unspaced(word)


def trigrams(word: str) -> frozenset[str]:
    """Return the character trigrams of a folded word between a start and an end mark: as many as it has letters."""
    marked = f"^{word}$"
    return frozenset(marked[i : i + 3] for i in range(len(word)))


def shared_trigrams_needed(word: str) -> int:
    """Return how many trigrams a word must share with `word` to be worth comparing.

    An edit destroys at most three (a transposition four) of the trigrams, so a third of them survives in every pair
    that `likeness` accepts, but for three letters with an edit, where one must.
    """
    return max(1, len(word) // 3)


def likeness(asked: str, written: str) -> Likeness | None:
    """Return how the folded word `asked` may stand for `written`, or None.

    typo: the same first letter and one edit, or two from eight letters on (insertion, deletion, substitution,
    transposition of neighbours), between the words, or their stems of six letters and more; a word of three letters may
    only lack one.
    abbreviation: a beginning of at least three letters that leaves out at least three.
    Words that differ by a prefix are two words, and often say opposite things: un-, in-, non-, de-, re-, не-.
    """
    if asked == written or not (comparable(asked) and comparable(written)):
        return None
    if _is_prefixed(asked, written) or _is_prefixed(stem(asked), stem(written)):
        return None
    if _is_typo(asked, written):
        return "typo"
    if written.startswith(asked) and len(written) - len(asked) >= SHORTEST_ABBREVIATED:
        return None if written.endswith(_DENYING_ENDINGS) else "abbreviation"
    return None


def _is_prefixed(one: str, other: str) -> bool:
    """Tell whether a word is another with a prefix; a first letter that is only doubled is none (`ccache`)."""
    short, long = sorted((one, other), key=len)
    longer = len(long) - len(short)
    return 0 < longer <= LONGEST_PREFIX and long.endswith(short) and not (longer == 1 and long[0] == short[0])


def _is_typo(asked: str, written: str) -> bool:
    if asked[0] != written[0]:
        return False
    if len(asked) == SHORTEST:
        return len(written) == SHORTEST + 1 and edit_distance(asked, written, 1) == 1
    allowed = 2 if len(asked) >= 8 else 1
    if edit_distance(asked, written, allowed) <= allowed:
        return True
    pairs = {(asked, stem(written)), (stem(asked), stem(written))}
    return any(min(len(a), len(b)) >= SHORTEST_STEM and edit_distance(a, b, allowed) <= allowed for a, b in pairs)


def edit_distance(left: str, right: str, most: int) -> int:
    """Return the optimal string alignment distance of two words, or `most` + 1 as soon as it must be larger."""
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    above = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        row = [i]
        for j, b in enumerate(right, 1):
            cost = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
        before, above = above, row
    return above[-1]
