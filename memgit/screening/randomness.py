"""Whether a string was drawn by chance or written by somebody. Owns no context: who asks knows what stands beside it.

Shannon entropy alone does not tell: of the identifiers of 20 characters in the packages that memgit needs, 38 % have
more of it than a random key's first percentile. What tells is which letters follow each other: the 120 commonest pairs
make up three quarters of the pairs in source code and documents, and under a fifth of those in random letters.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from memgit.screening.patterns import compiled

# Counted over 4,800 pieces of source code, documents and licences of one machine, most frequent first.
_PAIRS = (
    "ineronrethordestentiseesatteancoheliaritiontleisnsaledritrngpeneromendtatocefimaetssraasicecpageopveousidiofctutamef"
    "lafonopruromlochacilrtushaelncexllsotyidunodclnaeapocaothirsigmpiftsadiaiewiplimabmoulagolkeemwablhtibttptosbuypdarg"
)
_COMMON_PAIRS = frozenset(_PAIRS[at : at + 2] for at in range(0, len(_PAIRS), 2))

COMMON_SHARE = 0.5  # at most, of a random string's pairs: 99 % of random keys of 20 characters stay below
STRICT_SHARE = 0.4  # where little else speaks for a key: in prose, beside a mere hint
_SHARE_PER_ISLAND, _SHARE_OF_ISLANDS = 0.03, 0.15  # more, for digits between letters: chance makes many, people few
_SHARE_WITHOUT_DIGITS = 0.33  # CamelCase changes case nearly as often as chance does
_FEW_PAIRS = 5  # fewer say nothing
_SAMPLE = 96  # characters: more of a random text says nothing new

_DIGIT = r"[0-9]"
_DIGIT_ISLAND = r"(?<=[A-Za-z])[0-9]{1,2}(?=[A-Za-z])"
_LETTER_PAIR = r"(?=([a-z]{2}))"
_HEXADECIMAL = r"(?:0x)?(?:[0-9a-f]++|[0-9A-F]++)"


def is_hexadecimal(text: str) -> bool:
    """Tell whether the text is hexadecimal digits of one case: what hashes, commit ids and many keys are made of."""
    return compiled(_HEXADECIMAL).fullmatch(text) is not None


def common_pair_share(text: str) -> float:
    """Return which share of the pairs of letters is common in written text, 0 to 1; 0 where there are hardly any."""
    pairs = compiled(_LETTER_PAIR).findall(text.lower())
    if len(pairs) < _FEW_PAIRS:
        return 0.0
    return sum(pair in _COMMON_PAIRS for pair in pairs) / len(pairs)


def is_varied(text: str) -> bool:
    """Tell whether the characters neither repeat nor count up or down as fillers, alphabets and test vectors do."""
    text = text[:_SAMPLE]
    length = len(text)
    if len(set(text)) < min(8, length // 2):
        return False
    triples = {text[at : at + 3] for at in range(length - 2)}
    if len(triples) * 3 < (length - 2) * 2:
        return False
    return _steps(text) * 5 < length * 2 and _steps(text[::2].lower()) + _steps(text[1::2].lower()) < length * 0.6


def _steps(text: str) -> int:
    """Return how many characters are followed by themselves or a neighbour: `1a2b3c` has them at every other place."""
    return sum(-1 <= ord(after) - ord(before) <= 1 for before, after in pairwise(text))


def looks_drawn(token: str) -> bool:
    """Tell whether a token with a known prefix and length is no word: a looser question than `looks_random`."""
    return is_varied(token) and (compiled(_DIGIT).search(token) is not None or common_pair_share(token) <= COMMON_SHARE)


def drawn_from(whole: int) -> Callable[[str], bool]:
    """Return a check for tokens that have `whole` characters or more: a shorter one may be cut, or may be a name.

    So a shorter one must look random, not merely drawn.
    """
    return lambda token: looks_drawn(token) if len(token) >= whole else looks_random(token)


def looks_random(text: str, share: float = COMMON_SHARE) -> bool:
    """Tell whether a text of 10 characters or more looks drawn by chance, hexadecimal digits included.

    At least two digits are asked for, or letters of both cases in an order that nobody writes and hardly any common
    pair: words of an unknown language have neither. `share` is how many pairs may be common, 0 to 1.
    """
    text = text[:_SAMPLE]
    if not is_varied(text):
        return False
    digits = len(compiled(_DIGIT).findall(text))
    if is_hexadecimal(text):
        return len(text) / 5 <= digits < len(text)
    if sum(letter.isalpha() for letter in text) < 3:
        return False
    if digits < 2:
        return _case_changes(text) * 4 >= len(text) and common_pair_share(text) <= _SHARE_WITHOUT_DIGITS
    islands = len(compiled(_DIGIT_ISLAND).findall(text))
    return common_pair_share(text) <= share + min(islands * _SHARE_PER_ISLAND, _SHARE_OF_ISLANDS)


def _case_changes(text: str) -> int:
    letters = [letter.isupper() for letter in text if letter.isalpha()]
    return sum(before != after for before, after in pairwise(letters))
