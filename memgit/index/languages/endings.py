"""Endings of languages for which Whoosh has no safe stemmer: one is cut off, the longest that leaves a word.

Cruder than Snowball, and on purpose: it joins the cases and persons of a word, and does not derive words from one
another. Arabic has a stemmer in Whoosh (ISRI), which reduces words to roots, so that office, book and writer are one;
what this module does instead follows the light stemmer of L. S. Larkey et al., "Light Stemming for Arabic", 2007. J.
Savoy measured light stemmers like these for several languages ("Light stemming approaches for the French, Portuguese,
German and Hungarian languages", 2006).
"""

from __future__ import annotations

SHORTEST_STEM = 4  # letters that must remain; Arabic words are written without short vowels, so three are enough there
_SHORTEST = {"ar": 3}
_MOST = {"tr": 4}  # endings that one word may have, behind each other


def _longest_first(endings: str) -> tuple[str, ...]:
    return tuple(sorted(endings.split(), key=lambda ending: (-len(ending), ending)))


ENDINGS: dict[str, tuple[str, ...]] = {
    "pl": _longest_first(
        """
        a e i o u y ie ia iu io em im ym om ow ej ach iach ami iami owi iowi ego iego emu iemu ych ich ymi imi iej
        ac ec ic yc owac al ala ali alo aly il ila ili ilo ily yl yla yli ylo yly el ela eli elo am asz amy acie aja
        emy esz ecie eja imy isz icie ymy ysz ycie uje ujesz ujemy ujecie uja ano ana any ane anych anym anymi anego
        anej eni ono ona ony one onych onym onymi onego onej owany owana owane owano owanych owanym owanymi owanej
        anie ania aniu aniem enie enia eniu eniem owanie owania owaniu owaniem
        """
    ),
    "cs": _longest_first(
        """
        a e i o u y em im ym am om um ou ach ech ich ych ami emi imi ymi ovi ove ova ovo ovy ho eho iho emu imu
        at et it yt ut ovat al ala ali alo aly il ila ili ilo ily el ela eli elo as es is ame eme ime ate ete ite
        aji eji uje ujes ujeme ujete uji an ana ano any ani en ena eno eny eni ovan ovana ovano ovany ovani anim enim
        """
    ),
    "uk": _longest_first(
        """
        а е и і ї о у ю я ам ям ах ях ами ями ою ею єю ові еві єві ого его ому ему ій ої их им ими іх їх ів їв ем єм ом
        ати ити іти яти увати ав ала али ало ив ила или ило ув ає ають є ють уть ять ить ує ують ується уються ться
        ний на не ні них ним ними ної ному
        """
    ),
    "el": _longest_first(
        """
        α ε η ι ο υ ω ας ες ης ος ους ου ων εις οι ια ιο ιου ιων ιες αι ει ουν ουμε ετε ατα ατος ατων ματα ματος ματων
        εται ονται ηκε ηκαν θηκε θηκαν ησε ησαν ισε ισαν μενος μενη μενο μενοι μενες μενα
        """
    ),
    "tr": _longest_first(
        """
        lar ler lari leri larin lerin larini lerini larda lerde lardan lerden lara lere larimiz lerimiz
        i u a e in un da de ta te dan den tan ten yi yu ya ye nin nun si su sini sinin imiz umuz la le yla yle
        ir ar er ur ilir ulur inir unur iyor uyor di du ti tu dir dur tir tur mis mus acak ecek mak mek masi mesi
        ilmek ilmak ildi uldu iliyor inmek inmak
        """
    ),
    "ar": _longest_first("ها ان ات ون ين يه ه ي ا"),
}

_ARABIC_BEGINNINGS = ("وال", "بال", "كال", "فال", "لل", "ال", "و")


def without_ending(word: str, language: str) -> str:
    """Return a folded word without its language's endings, as far as they leave enough of it: one, in Turkish each."""
    if language == "ar":
        word = _without_beginning(word)
    for _ in range(_MOST.get(language, 1)):
        shorter = _cut(word, language)
        if shorter == word:
            break
        word = shorter
    return word


def _cut(word: str, language: str) -> str:
    least = _SHORTEST.get(language, SHORTEST_STEM)
    for ending in ENDINGS[language]:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    return word


def _without_beginning(word: str) -> str:
    for beginning in _ARABIC_BEGINNINGS:
        if word.startswith(beginning) and len(word) - len(beginning) >= _SHORTEST["ar"]:
            return word[len(beginning) :]
    return word
