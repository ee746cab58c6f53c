"""One score from several: words met, nearness of meaning, what was said around it, who said it and when. Pure.

Each part is the product of a weight and a measure from 0 to 1, and a score is the sum of its parts, so that every hit
explains itself. What belongs to no session is its own surroundings, and ranks by words and meaning alone.

The weights were chosen on the development half of LoCoMo (997 questions) for both embedders at once and rounded; one
conversation left out at a time, fitted weights agree with them. `docs/decisions/0028-ranking.md` shows what each part
gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from math import log1p

from msgspec import Struct

WORDS, AROUND_WORDS, SESSION_WORDS = 1.0, 1.3, 0.7
MEANING, AROUND_MEANING = 1.0, 1.5
SPEAKER, QUESTION, LENGTH, DATE = 0.4, -0.3, 1.0, 2.5

REACH = 3  # turns before and after that are looked at; none of the distances below is larger
NEIGHBOURS = {-1: 1.0, 1: 0.7, -2: 0.9, 2: 0.5, -3: 0.7}
"""What a word counts that was said so many turns earlier (minus) or later: what was said before sets the topic."""

MEANING_REACH = 2  # turns before and after whose nearness is averaged
ENOUGH_WORDS = 50  # words; a longer turn says no more for that


@dataclass(frozen=True, slots=True)
class Said:
    """What is known of a text. `terms` are the weights of the query's terms that it meets, `near` its cosine.

    `asks`: it asks something. The rest matters only for what was said in a session: `length` in words, whether the one
    speaker whom the query names said it, and how well its time fits a date that the query names (0 to 1).
    """

    terms: Mapping[str, float] = field(default_factory=dict)
    near: float = 0.0
    asks: bool = False
    length: int = 0
    by_named: bool = False
    date: float = 0.0

    def share(self, scale: Scale) -> float:
        """Return how much it meets of words and meaning by itself, from 0 to 2."""
        return sum(self.terms.values()) / scale.words + self.near / scale.meaning


NOTHING = Said()


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What was said around a text: by distance in turns, and the best weight of each term in its whole session."""

    turns: Mapping[int, Said]
    session: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """What stands for 1: the sum of weights of the text that meets most, and the nearest one's cosine."""

    words: float
    meaning: float


class Parts(Struct, frozen=True):
    """The parts of a score. They add up to it. One is made for each proposal, and a struct is made fastest."""

    words: float = 0.0
    around_words: float = 0.0
    session_words: float = 0.0
    meaning: float = 0.0
    around_meaning: float = 0.0
    speaker: float = 0.0
    question: float = 0.0
    length: float = 0.0
    date: float = 0.0

    @property
    def score(self) -> float:
        """The whole score."""
        return (
            self.words
            + self.around_words
            + self.session_words
            + self.meaning
            + self.around_meaning
            + self.speaker
            + self.question
            + self.length
            + self.date
        )

    def as_dict(self) -> dict[str, float]:
        """Return the parts by name."""
        return {name: float(getattr(self, name)) for name in self.__struct_fields__}


def scale_of(texts: Iterable[Said]) -> Scale:
    """Return the scale for texts that compete."""
    words = meaning = 0.0
    for said in texts:
        words, meaning = max(words, sum(said.terms.values())), max(meaning, said.near)
    return Scale(words or 1.0, meaning or 1.0)


def fuse(said: Said, around: Surroundings | None, scale: Scale) -> Parts:
    """Return the parts of a text's score. `around` is None for what belongs to no session."""
    own = sum(said.terms.values()) / scale.words
    near = said.near / scale.meaning
    if around is None:
        return Parts(
            words=WORDS * own,
            around_words=AROUND_WORDS * own,
            session_words=SESSION_WORDS * own,
            meaning=MEANING * near,
            around_meaning=AROUND_MEANING * near,
            length=LENGTH,
        )
    asked = around.turns.get(-1, NOTHING)
    if not asked.asks:
        asked = NOTHING  # an answer is met by the words of its question, and by no others of another turn
    near_by = [(around.turns[at].terms, share) for at, share in NEIGHBOURS.items() if at in around.turns]
    means = [said.near, *(each.near for at, each in around.turns.items() if abs(at) <= MEANING_REACH)]
    return Parts(
        words=WORDS * _best(((said.terms, 1.0), (asked.terms, 1.0))) / scale.words,
        around_words=AROUND_WORDS * _best([(said.terms, 1.0), *near_by]) / scale.words,
        session_words=SESSION_WORDS * sum(around.session.values()) / scale.words,
        meaning=MEANING * max(near, asked.near / scale.meaning),
        around_meaning=AROUND_MEANING * sum(means) / len(means) / scale.meaning,
        speaker=SPEAKER * said.by_named,
        question=QUESTION * said.asks,
        length=LENGTH * min(1.0, log1p(said.length) / log1p(ENOUGH_WORDS)),
        date=DATE * said.date,
    )


def _best(texts: Iterable[tuple[Mapping[str, float], float]]) -> float:
    """Return the sum over all terms of the best weight that a text gives it, each text's times its share."""
    best: dict[str, float] = {}
    for terms, share in texts:
        for term, weight in terms.items():
            best[term] = max(best.get(term, 0.0), weight * share)
    return sum(best.values())
