"""Which languages a text may be in, by its script, its function words, its letters and its endings.

Small on purpose: no model is loaded, and a short text costs some 20 µs. It decides which stems a text is indexed under,
and English is the default, so it needs evidence before it says anything else; where two languages are equally likely it
names both. It never decides whether a word may be found as it was written.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memgit.index.english import STOP_WORDS
from memgit.index.languages.folding import fold
from memgit.index.languages.function_words import FUNCTION_WORDS

DEFAULT_LANGUAGE = "en"

Signs = tuple[tuple[str, float], ...]
"""What something says: languages, and how much for each."""

_LETTERS: dict[str, str] = {
    "de": "äöüß", "fr": "çéèêëàâîïôûùœ", "es": "ñáéíóú", "it": "àèéìòù", "pt": "ãõçáâéêíóôú", "sv": "åäö", "da": "æøå",
    "no": "æøå", "fi": "äö", "hu": "áéíóöőúüű", "ro": "ăâîșşțţ", "pl": "ąćęłńóśźż", "cs": "áčďéěíňóřšťúůýž",
    "tr": "çğıöşü", "nl": "ëï",
}  # fmt: skip
_ENDINGS: dict[str, str] = {
    "en": "ing tion ness ment ed ly able ies ould",
    "de": "ung ungen keit heit keiten heiten lich liche lichen isch ische ischen schaft tet ten ieren ierung igt",
    "fr": "eur eurs euse ement ements ique iques aient ées és eux ait aux ette ettes ière tions",
    "es": "ción ciones dad dades mente ados adas idos idas ando iendo ería eros amos emos aron ieron ible cion",
    "it": "zione zioni mente ità aggio aggi ando endo ati ate iti ite ono ano ezza tore tori ioni iamo anno glie",
    "pt": "ção ções dade dades mente ões ados adas ando endo ário ários ável ência ências eiro eiros amos cao coes",
    "nl": "heid heden lijk lijke ingen tie ties eren eerd eerde aar elen sen atie aties baar",
    "sv": "ningar ningen arna erna orna heten ande ade ades ats erar erades skt ligt liga orna",
    "da": "erne ede edes hed heder lig lige elsen else ning ninger erede",
    "no": "ene ede het heter lig lige elsen else ning ninger ingen erte",
    "fi": "ssa ssä sta stä lla llä lta ltä lle ksi vat vät inen iset een iin aan ään uus yys itse taan tään tetaan den "
    "mme nut nyt tty ttu lta",
    "hu": "ban ben nak nek val vel ból ből tól től ról ről hoz hez höz ság ség ások ések ott ett tak tek nak unk ünk "
    "kat ket",
    "ro": "lor ului elor ilor ează esc ește ată ate iei iile urile ului ați ăm eşte",
    "pl": "ych ich ami ach ego emu owa owy owe ość ości anie enie uje ują ymi imi ają eją cji cja cje ów ano ony owych",
    "cs": "ých ého ému ové ost osti ání ení uje ují ách ích ami ovat ích ěné ován ány eny",
    "tr": "lar ler ları leri ların lerin lık lik mak mek ması mesi dır dir yor ılır ilir ında inde larda lerde nın nin",
}
"""Endings that are frequent in a language and rare in the others here, chosen by hand; one that several have counts for
each a part. `tests/retrieval/test_languages.py` holds what they decide on texts that they were not chosen by."""

_SCRIPTS = re.compile(
    r"(?P<ja>[\u3040-\u30ff\u31f0-\u31ff])|(?P<ko>[\u1100-\u11ff\uac00-\ud7af])|(?P<th>[\u0e00-\u0e7f])"
    r"|(?P<zh>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])|(?P<ru>[\u0400-\u052f])|(?P<el>[\u0370-\u03ff\u1f00-\u1fff])"
    r"|(?P<ar>[\u0600-\u06ff\u0750-\u077f])|(?P<he>[\u0590-\u05ff])|(?P<hi>[\u0900-\u097f])"
)
_WORD = re.compile(r"[^\W\d_]+")
_CONSIDERED = 2000  # characters from the beginning; a passage's language is plain by then
_ENOUGH = 0.6  # a word that two languages share, or several weaker signs together; less is no evidence
_PLAIN = 1.5  # less is thin evidence: English is named as well
_NEARLY = 0.75  # of the best score: both are named
_MOST = 3  # Latin languages of one text
_CERTAIN = 2.0  # two such words: other languages' inflections need not be tried
_SETTLED = 3.0  # by function words alone, where no language has half as much
_ENDING_SAYS, _LETTERS_SAY = 0.5, 1.2  # of one word, shared by the languages that have them
_LONGEST_ENDING, _SHORTEST_REST = 6, 3  # letters
_UKRAINIAN_LETTERS, _RUSSIAN_LETTERS = "іїєґ", "ыэёъ"
_LATIN_LETTER = re.compile("[a-zA-Z\u00c0-\u024f]")


def languages_of(text: str) -> tuple[str, ...]:
    """Return the languages that a text is analysed under, likeliest first: for each of its scripts one or two."""
    return _languages_of(text.strip()[:_CONSIDERED])


@lru_cache(maxsize=2048)
def _languages_of(text: str) -> tuple[str, ...]:
    found = list(_by_script(text))
    if not found or _LATIN_LETTER.search(text):
        found += _likeliest(_latin_scores(text)) or [DEFAULT_LANGUAGE]
    return tuple(found)


@lru_cache(maxsize=1024)
def certain_languages(text: str) -> frozenset[str]:
    """Return the only languages that a text can be in, or nothing where it is too short to say."""
    text = text.strip()[:_CONSIDERED]
    found = frozenset(_by_script(text))
    if not found or _LATIN_LETTER.search(text):
        scores = _latin_scores(text)
        if max(scores.values(), default=0.0) < _CERTAIN:
            return frozenset()
        best = max(scores.values())
        found |= {language for language, score in scores.items() if score >= best / 2}
    return found


def _by_script(text: str) -> list[str]:
    """Return the languages of the scripts other than Latin that a text holds."""
    if text.isascii():
        return []
    found = {match.lastgroup or "" for match in _SCRIPTS.finditer(text)}
    if "ja" in found:
        found.discard("zh")
    if "ru" in found:
        found = found - {"ru"} | _cyrillic(text.lower())
    return sorted(found)


def _cyrillic(text: str) -> set[str]:
    """Return which of Russian and Ukrainian a lower-case text may be, by the letters that only one of them has."""
    if any(letter in text for letter in _UKRAINIAN_LETTERS):
        return {"uk"}
    return {"ru"} if any(letter in text for letter in _RUSSIAN_LETTERS) else {"ru", "uk"}


def _latin_scores(text: str) -> dict[str, float]:
    """Return how much speaks for each language: by function words, and where these do not settle it, by other signs."""
    words = set(_WORD.findall(text.lower()))
    votes = _votes()
    scores: dict[str, float] = {}
    for word in words:
        _count(scores, votes.get(word, ()))
    first, second = sorted([0.0, 0.0, *scores.values()])[:-3:-1]
    if first < _SETTLED or second > first / 2:
        for word in words:
            if word not in votes:
                _count(scores, _ending_signs(word))
    if not text.isascii():
        for word in words:
            _count(scores, _letter_signs(word))
    return scores


def _count(scores: dict[str, float], signs: Signs) -> None:
    for language, weight in signs:
        scores[language] = scores.get(language, 0.0) + weight


def _ending_signs(word: str) -> Signs:
    """Return what the longest known ending of a word says."""
    endings = _ending_votes()
    for length in range(min(_LONGEST_ENDING, len(word) - _SHORTEST_REST), 1, -1):
        if signs := endings.get(word[-length:]):
            return signs
    return ()


def _letter_signs(word: str) -> Signs:
    """Return the languages that have all the accented letters of a word."""
    if word.isascii():
        return ()
    letters = _letter_votes()
    seen = [letters[letter] for letter in set(word) if letter in letters]
    common = frozenset.intersection(*seen) if seen else frozenset()
    return tuple((language, _LETTERS_SAY / len(common)) for language in common)


def _likeliest(scores: dict[str, float]) -> list[str]:
    best = max(scores.values(), default=0.0)
    if best < _ENOUGH:
        return []
    near = [(-score, language) for language, score in scores.items() if score >= _NEARLY * best]
    found = [language for _, language in sorted(near)][:_MOST]
    return found if best >= _PLAIN or DEFAULT_LANGUAGE in found else [*found, DEFAULT_LANGUAGE]


@lru_cache(maxsize=1)
def _votes() -> dict[str, Signs]:
    """Return for each function word the languages that have it, and how much it says: less the more have it."""
    latin = {language: set(words.split()) for language, words in FUNCTION_WORDS.items() if language in _LETTERS}
    latin["en"] = {word for word in STOP_WORDS if len(word) > 1} | {"a", "i"}
    owners: dict[str, list[str]] = {}
    for language, words in latin.items():
        for word in words | {fold(word) for word in words}:
            owners.setdefault(word, []).append(language)
    return {word: tuple((language, _weight(word, len(of))) for language in of) for word, of in owners.items()}


def _weight(word: str, languages: int) -> float:
    """Return what a function word says that so many languages share; one letter may stand for anything."""
    return {1: 1.0, 2: 0.6, 3: 0.4}.get(languages, 0.25) * (0.5 if len(word) == 1 else 1.0)


@lru_cache(maxsize=1)
def _ending_votes() -> dict[str, Signs]:
    owners: dict[str, list[str]] = {}
    for language, endings in _ENDINGS.items():
        for ending in set(endings.split()):
            owners.setdefault(ending, []).append(language)
    return {ending: tuple((language, _ENDING_SAYS / len(of)) for language in of) for ending, of in owners.items()}


@lru_cache(maxsize=1)
def _letter_votes() -> dict[str, frozenset[str]]:
    letters = set("".join(_LETTERS.values()))
    return {letter: frozenset(name for name, of in _LETTERS.items() if letter in of) for letter in letters}
