"""Scripts without spaces: Han, kana, Thai, Lao, Burmese, Khmer; and Hangul, whose words carry particles.

No dictionary says where a word begins, so a run of them is indexed by its pairs of neighbouring letters. A query is cut
at what only holds a sentence together (particles, endings, question words). What is left is asked by its pairs, and a
pair between two others that a text holds need not be there: it only says that in the query two words stood side by
side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

CHARACTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0002fa1f"
)
"""The inside of a character class. The middle dot of Japanese (U+30FB) separates and is not among them."""

_RUN = re.compile(f"[{CHARACTERS}]+")
_LETTER = re.compile(  # a syllable of Thai or Lao stands with its vowels and tones; elsewhere every character by itself
    "[\u0e40-\u0e44\u0ec0-\u0ec4]?[\u0e01-\u0e2e\u0e81-\u0eae][\u0e30-\u0e3a\u0e45\u0e47-\u0e4e\u0eb0-\u0ebd\u0ec8-\u0ecd]*"
    "|[\u1000-\u102a\u1780-\u17b3][\u102b-\u103e\u17b4-\u17d3]*|.",
    re.DOTALL,
)
_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f"
_PIECE = re.compile(
    f"[{_HAN}]+|[\u3041-\u309f]+|[\u30a0-\u30ff\u31f0-\u31ff]+|[\uac00-\ud7af]+|[\u0e00-\u0eff]+|.", re.DOTALL
)

_CHINESE = re.compile(
    "为什么|為什麼|什么时候|什麼時候|什么|什麼|怎么样|怎么|怎麼|怎样|怎樣|如何|哪里|哪裡|哪儿|哪个|哪個|"
    "哪些|哪|谁|誰|多少(?:个|個|次)?|多久|几(?:个|次)?|幾(?:個|次)?|是否|是不是|有没有|有沒有|我们|我們|"
    "你们|他们|它们|这个|這個|那个|那個|这些|這些|那些|可以|应该|應該|需要|必须|必須|以及|或者|因为|因為|"
    "所以|但是|如果|已经|已經|目前|的|了|吗|嗎|呢|吧|啊|嘛|是|和|与|與|及|或|把|被|让|讓|从|從|也|都|很|"
    "就|还|還|又|着|著|这|這|那|您|你|我|他|她|它|们|們|之|其|在(?!线|線|职|乎)|有(?!限|效|序|关|關)|请|"
    "請|吧|(?<![开大年例])会(?=.)(?!议|员|计|话)|(?<![開大年例])會(?=.)(?!議|員|計|話)|要(?!求|素|点)|由|"
    "对(?!象|称|齐)|给|給|将|將|每"
)
_JAPANESE = re.compile(
    "(?:です|でした|でしょう|ます|ました|ません|まし|ませ|する|します|しました|しません|して|した|しない|"
    "すれば|すると|される|されます|されました|されて|された|されない|られる|られます|られた|られて|れる|"
    "れます|れた|れて|せる|ている|ています|ていた|ていない|ておく|てい|ている|いる|います|いた|いない|"
    "ある|あります|あった|ない|なく|なかった|なる|なります|なった|なって|できる|できます|できない|でき|"
    "こと|もの|とき|ため|ほう|よう|ところ|から|まで|より|など|だけ|しか|ほど|くらい|ぐらい|ごと|ずつ|"
    "について|によって|により|による|において|における|として|とは|には|では|への|との|この|その|あの|"
    "どの|これ|それ|あれ|どれ|ここ|そこ|どこ|どう|どうして|なぜ|いつ|だれ|なに|なん|いくつ|いくら|どちら|"
    "どんな|か|が|の|は|を|に|へ|と|で|も|や|ね|よ|ば|だ|な|て|た|し)+"
)
_PARTICLES = re.compile("(?:から|まで|より|など|には|では|への|との|の|は|が|を|に|へ|と|で|も|や)\\Z")
_OKURIGANA = 2  # kana behind a Han character that only inflect it
_KOREAN_ENDINGS = (
    "하나요 되나요 인가요 할까요 될까요 했나요 됐나요 에서는 에게서 으로부터 로부터 에서도 까지는 "
    "부터는 이라고 라고는 에서의 으로는 으로의 입니다 입니까 합니다 합니까 했습니다 했습니까 됩니다 "
    "됩니까 되었습니다 되었다 되어야 된다면 하였다 하지만 하면서 하기 하고 하는 하여 하며 하면 한다 "
    "했다 해야 해서 되는 되며 되면 된다 됐다 되어 되고 된 한 할 함 됨 될 에서 에게 께서 으로 부터 "
    "까지 처럼 보다 마다 이나 이란 라는 이다 였다 이며 이고 은 는 이 가 을 를 의 에 로 와 과 도 만 나 "
    "란 야 인"
)
_KOREAN_CUT = tuple(sorted(_KOREAN_ENDINGS.split(), key=lambda ending: (-len(ending), ending)))
_KOREAN_WORDS = frozenset(
    """
    언제 어디 어디서 어디에 누가 누구 무엇 무엇을 무엇이 뭐 왜 어떻게 어떤 얼마나 얼마 몇 어느 그 이
    저 우리 우리는 우리의 그리고 그러나 하지만 또는 및 때문에 위해 위한 대한 대해 있다 있는 있나요
    있습니까 없다 없는 것 수 등 더 매우 모든 다시
    """.split()  # noqa: SIM905 - a table of words reads better
)
_THAI = re.compile(
    "เมื่อไหร่|เมื่อไร|อย่างไร|ยังไง|ทำไม|อะไร|ที่ไหน|ไหน|ใคร|เท่าไหร่|เท่าไร|กี่|หรือไม่|หรือเปล่า|ไหม|"
    "มั้ย|หรือ|และ|ของ|ที่|ใน|เป็น|คือ|ได้|ให้|จะ|ไม่|จาก|กับ|โดย|เพื่อ|เพราะ|แต่|ถ้า|เมื่อ|แล้ว|อยู่|"
    "ซึ่ง|นี้|นั้น|เรา|ถูก|ต้อง|ทุก|ไป(?:ยัง)?|ยัง|หลังจาก|หลัง|ก่อน|มี"
)


class Asked(NamedTuple):
    """A pair of letters, or a single one, that a query asks for.

    `beside`: the neighbouring pairs that together hold both its letters, None where there are not two. `frames`: it
    only holds the query together. `instead`: what may stand for it, where its last syllable may be a particle.
    """

    name: str
    beside: tuple[str, str] | None = None
    frames: bool = False
    instead: tuple[str, ...] = ()


def is_unspaced(word: str) -> bool:
    """Tell whether a folded word consists of a script without spaces, or of Hangul."""
    return not word.isascii() and _RUN.fullmatch(word) is not None


def split(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of `text` in order, and whether each is a run of these scripts."""
    position = 0
    for match in _RUN.finditer(text):
        if match.start() > position:
            yield text[position : match.start()], False
        yield match[0], True
        position = match.end()
    if position < len(text):
        yield text[position:], False


def pairs(run: str) -> list[str]:
    """Return the pairs of neighbouring letters of one script, in order; a letter that has no such neighbour alone."""
    found: list[str] = []
    for piece in _PIECE.findall(run):
        letters = _LETTER.findall(piece)
        found += map("".join, pairwise(letters)) if len(letters) > 1 else letters
    return found


def singles(run: str) -> list[str]:
    """Return the letters of a run that may be words by themselves: Han characters, a syllable before a particle."""
    found = [letter for piece in _PIECE.findall(run) if _is_han(piece) and len(piece) > 1 for letter in piece]
    if _is_hangul(run) and len(run) > 1 and len(core := _korean_core(run)) == 1:
        found.append(core)
    return found


def asked(run: str) -> list[Asked]:
    """Return what a query asks for with a run: the pairs of its words, or all of it where it has none."""
    if _is_hangul(run) and len(run) == 2 and run not in _KOREAN_WORDS:
        core = _korean_core(run)
        return [Asked(run, instead=(core,) if core != run else ())]
    found: list[Asked] = []
    for stretch in _stretches(run):
        letters = _LETTER.findall(stretch)
        names = ["".join(pair) for pair in pairwise(letters)] or letters
        for i, name in enumerate(names):
            inner = 0 < i < len(names) - 1
            found.append(Asked(name, (names[i - 1], names[i + 1]) if inner else None))
    return found or [Asked(name, frames=True) for name in pairs(run)]


def _stretches(run: str) -> Iterator[str]:
    """Yield the parts of a run that carry content."""
    if _is_hangul(run):
        if run not in _KOREAN_WORDS:
            yield _korean_core(run)
        return
    pieces = _PIECE.findall(run)
    japanese = any("\u3041" <= piece[0] <= "\u30ff" for piece in pieces)
    before = ""
    for piece in pieces:
        if "\u3041" <= piece[0] <= "\u309f":
            yield from _hiragana(piece, after_han=_is_han(before))
        elif "\u30a0" <= piece[0] <= "\u30ff":
            yield piece.rstrip("ー") if len(piece) > 2 else piece  # サーバー is サーバ
        elif _is_han(piece):
            yield from (part for part in ([piece] if japanese else _CHINESE.split(piece)) if part)
        else:
            yield from (part for part in _THAI.split(piece) if part)
        before = piece


def _hiragana(piece: str, *, after_han: bool) -> Iterator[str]:
    """Yield what of a run of hiragana is a word by itself, without the particle behind it."""
    longest = min(_OKURIGANA, len(piece)) if after_han else 0
    if any(not piece[cut:] or _JAPANESE.fullmatch(piece, cut) for cut in range(longest + 1)):
        return
    word = _PARTICLES.sub("", piece)
    yield word if len(word) > 1 else piece


def _korean_core(run: str) -> str:
    for ending in _KOREAN_CUT:
        if run.endswith(ending) and len(run) > len(ending):
            return run[: -len(ending)]
    return run


def _is_han(piece: str) -> bool:
    return bool(piece) and re.fullmatch(f"[{_HAN}]+", piece) is not None


def _is_hangul(run: str) -> bool:
    return all("\uac00" <= letter <= "\ud7af" for letter in run)
