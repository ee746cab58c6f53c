"""Words that name a secret, and names that only contain such a word: `token_count`, `public_key`, `password_reset`.

Words are matched in text in lower case. English first, and the word for a password in other languages, because a note
is written in its author's language.
"""

from __future__ import annotations

import re
from enum import Enum

from memgit.screening.patterns import compiled


class NameKind(Enum):
    """How much a name says. A password may be short; a key must look drawn; beside a hint, hexadecimal is no key."""

    PASSWORD = 1
    KEY = 2
    HINT = 3


_LATIN_WORDS = (
    r"secret|token|key|(?:api|access|private|signing|encryption|master|account)key|"
    r"pass(?:w(?:or)?d|phrase|code|wort|e(?![a-z])|(?![a-z]))|p(?:wd|at(?![a-z0-9]))|auth|credential|"
    r"kennwort|contrasena|wachtwoord|senha|haslo"
)
_OTHER_WORDS = r"contraseña|hasło|пароль|密码|密碼|パスワード|비밀번호"
_TAIL = r"(?P<tail>[a-z0-9_-]{0,40}+)"
_OPENING_WORDS = (
    r"pass(?:w(?:or)?d|phrase|code|wort|e(?![a-z]))|(?<![a-z])pass(?![a-z])|pwd|"
    r"kennwort|wachtwoord|senha|haslo|contrasena"
)
_QUALIFIED_KEY = (
    r"(?:api|access|private|signing|encryption|auth|account|master|service|admin|app|application|client|shared|session|"
    r"deploy|license|write|server|webhook|storage|bot|secret)[_. -]?key"
)
_KEY = rf"secret|token|credential|{_QUALIFIED_KEY}"
# Inside `compass`, `monkey`, `author` they mean nothing: only at the start of a word.
_SHORT_WORDS = ("pass", "pwd", "pat", "key", "auth")
_LAST_WORD = r".*(?:secret|token|key|passw(?:or)?d|passphrase|pass|pwd|auth|credential)"
_HARMLESS_TAIL = (
    r"(?:[_-]?(?:ids?|names?|types?|hash(?:es|ed)?|digest|counts?|ur[il]s?|endpoints?|paths?|files?|fields?|len(?:gth)?|"
    r"size|limit|expir[a-z]*|ttl|policy|regex|patterns?|hints?|labels?|placeholder|prompt|reset|help|errors?|messages?|"
    r"msg|title|text|description|input|env|vars?|versions?|alg[a-z]*|format|prefix|suffix|bucket|budget|s?manager|"
    r"provider|stores?|scopes?|ring|board[a-z]*|words?|strokes?|frames?|i[sz][a-z]+|less|er|class|kind|set|maps?|list|"
    r"dict|index|info|data|usage|pair|column|row|order|events?|code|press[a-z]*|down|up|bindings?|or[a-z]*|parser|stream|"
    r"gen[a-z]*|checksum|fingerprint|arn|ref[a-z]*|rotation|management|template|factory|handler|service|vault|"
    r"scann[a-z]+|detect[a-z]*|screen[a-z]*|last[a-z]*|"
    r"y|ie|et|al|th)){1,3}(?:[_-][a-z0-9_-]*)?"
)
_HARMLESS_LEAD = (
    r"(?:public|primary|foreign|sort|partition|cache|csrf|xsrf|next_?page|continuation|sync|cancel[a-z]*|pagination|"
    r"cursor|idempotency|dedup[a-z]*|locale|lookup|surrogate|composite|integrity|etag|known|"
    r"(?<![a-z])(?:pub|page|next|hash|i18n|bos|eos|pad|unk|cls|sep|mask|map|dict|object|row|column|group|range|index|"
    r"unique|natural|content|by|no|non|without|host))[_. -]?\Z"
)
LEAD_LENGTH = 24  # characters before the telling word that can change what it means


def names_in(text: str, folded: str) -> list[re.Match[str]]:
    """Return the words that may name a secret, each with the rest of its name, in order.

    Positions hold for the text and for `folded`, the same text in lower case.
    """
    words = _LATIN_WORDS if folded.isascii() else f"{_LATIN_WORDS}|{_OTHER_WORDS}"
    pattern = compiled(f"(?:{words}){_TAIL}")
    names: list[re.Match[str]] = []
    found = pattern.search(folded)
    while found is not None:
        if _begins_a_word(text, found):
            names.append(found)
            after = found.end()
        else:  # the `auth` of `oauth_token`: the word that tells is in the tail
            after = found.start() + 1
        found = pattern.search(folded, after)
    return names


def _begins_a_word(text: str, name: re.Match[str]) -> bool:
    start = name.start()
    if start == 0 or not name[0].startswith(_SHORT_WORDS) or not (text[start - 1].isalnum() or text[start - 1] == "+"):
        return True  # a digit or a plus before a short word is base 64 more often than a name
    if name[0].startswith(("passw", "passphrase")):
        return True
    return text[start].isupper() and text[start - 1].islower()  # camel case


def kind_of(folded: str, name: re.Match[str]) -> NameKind | None:
    """Return how much a name says; None where it says something about a secret (its id, type, length, place)."""
    lead = folded[max(0, name.start() - LEAD_LENGTH) : name.start()]
    last = compiled(_LAST_WORD).match(name[0])
    if last is not None and compiled(_HARMLESS_TAIL).fullmatch(name[0], last.end()):
        return None
    if compiled(_HARMLESS_LEAD).search(lead):
        return None
    if not name[0].isascii() or compiled(_OPENING_WORDS).search(name[0]):
        return NameKind.PASSWORD
    if compiled(_KEY).search(lead[-12:] + name[0]):
        return NameKind.KEY
    return NameKind.HINT
