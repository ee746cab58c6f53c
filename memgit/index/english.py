"""What retrieval knows of English: the words that carry no content, and stems.

Data and one function. A word's language is not detected here: text in another language passes through unstemmed where
its letters are not ASCII, and is stemmed as if it were English otherwise, on both sides alike.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP_WORDS = _word_set(
    """
    a about above across after again against all along already also although always am among an and another any
    anybody anyone are aren around as at away be became because become becomes been before behind being below beneath
    beside besides between beyond both but by can cannot could couldn did didn do does doesn doing don done down during
    each either else ever every everybody everyone few for from further had hadn has hasn have haven having he hence
    her here hers herself him himself his how however i if in indeed instead into is isn it its itself just least less
    ll many may me might mine more moreover most much must mustn my myself near neither never no nobody none nor not
    now of off often on once only onto or other others otherwise ought our ours ourselves out over own per perhaps
    quite rather re same shall shan she should shouldn since so some somebody someone somewhat soon still such than
    that the their theirs them themselves then there therefore these they this those though through throughout thus to
    together too toward towards under unless until up upon us ve very via was wasn we well were weren what whatever
    when whenever where whereas whether which while who whoever whom whose why will with within without won would
    wouldn yes yet you your yours yourself yourselves
    """
)
"""Function words, and what an apostrophe leaves of them (`don`, `isn`, `ll`). Single letters are no words at all.

Negations are among them: `not cached` and `cached` are about the same thing, and a query asks what a thing is about.
The 127 words of Whoosh's English list, and more of the closed classes of English, put together by hand.
"""

QUESTION_WORDS = _word_set(
    """
    am are can could did do does had has have how is may might must shall should was were what when where which who
    whom whose why will would
    """
)
"""A query that begins with one of them is a question even without its mark."""

FRAMING_WORDS = _word_set(
    """
    anything describe everything exactly explain give happen happened happens know known knows mean means need needed
    needs ok okay please possible remember remind say says show something supposed tell thing things use used uses
    using want wanted wants
    """
)
"""Words that ask instead of naming what is asked for; they count only where a query has no others. Chosen by hand; the
gates of `benchmarks.recall_corpus` hold with them."""


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the English Snowball stem of a folded word; short words and other letters than ASCII come back unchanged.

    M. F. Porter's "English (Porter2)" algorithm, as Whoosh implements it. Whoosh's older Porter stemmer leaves
    `customized` and `customize` apart.
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    return str(_stemmer().stem(word))


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    from whoosh.lang.snowball.english import EnglishStemmer

    return EnglishStemmer()
