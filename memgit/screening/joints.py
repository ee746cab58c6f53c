"""What joins a name to its value in the languages and formats that people write, and where the value ends.

`password = "…"`, `"token": "…"`, `API_KEY=…`, `apiKey := "…"`, `define('KEY', '…')`, `<password>…</password>`,
`--password …`, `the password for staging is …`, `use … as the password`. Everything is within a bounded distance of the
name, so the time is linear in the text's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memgit.screening.patterns import compiled

_JOINT = r"""
    \\?["'`*]{0,2}[\])]?                                           # what closes a quoted name or a subscript
    (?:
        \s?,?\s{0,12}["']?value["']?\s?[=:]\s?                     # key="NAME" value="…"; "name": "NAME", "value": "…"
      | \s?:\s?[&?]?[a-z_][a-z0-9_.<>\[\]|'? ]{0,30}?\s?=(?!=)\s{0,4}   # a declared type, then the value
      | \s(?:string|str)\s?=\s{0,4}
      | \s{0,8}(?:\|\|=|&&=|\?\?=|\?=|:=|=>|={1,3}|[:\uff1a]\*{0,2}|->|(?<=\s)\|\s)\s{0,4}  # assignment, member, cell
      | (?<=["'`])\s?,\s?                                             # define("NAME", "value")
      | \(\s?(?=["'`])                                                # .password("value")
      | \ (?=["'])                                                    # ALTER ROLE app PASSWORD 'value'
      | (?<!["'`])>(?=[^\s<=>])                                       # <password>value</password>
      | (?<=["'])\s?\{\s{1,40}(?:type\s{0,4}=\s{0,4}string\s{1,40})?default\s{0,8}=\s{0,4}   # Terraform
      | \t{1,4}                                                        # a column
      | (?:\ [a-z-]{1,16}){0,3}\s(?:is|was|ist|est|es|to)(?:\snow)?(?:\s?[:\uff1a]\s?|\s)
    )
"""
_JOINT_STARTS = frozenset("\\\"'`*]) \t\n:=|&?-,(>\uff1a")
_QUOTED = r"""
    [a-zA-Z@]{0,2}(?:new\ String\()?(?P<quote>\\?["'`])
    (?P<value>[^\s"'`\\\0]{4,128}+)(?:(?P=quote)|(?=[^\s"'`\\\0]))      # longer ones are judged by their beginning
"""
_BARE = r"""(?P<value>[^\s"'`,;<>()\[\]{}|\\\0]{4,128}+)(?P<next>.?)"""
_NEXT_PARAMETER = r"&[A-Za-z_.-]{1,24}="
_REST = r"""[^\s"'`,;<>()\[\]{}|\\\0]*+"""
_REVERSED = r"""(?P<value>[^\s"'`\0]{8,200}+)["'`]?\ (?:as\ |for\ (?=the|an?\ |our|my|your))(?:[a-z-]{1,16}\ ){0,4}\Z"""
_REVERSED_LENGTH = 280
_OPTION = r"(?:(?:^|\s)--?[a-z-]{0,24}|\b(?:set|put|setx|setenv) [0-9A-Za-z_.-]{0,24})\Z"
_LEAD_LENGTH = 28  # characters before a name that say what joins it to its value
_COLUMN = r"\t{1,4}[^\s0-9]{0,64}[0-9]"
_FIRST_ARGUMENT = r"""\(\s?["'`][0-9A-Za-z_.-]{0,24}\Z"""
JUDGED = 128  # characters of a value; the rest of a longer one adds nothing
_SENTENCE_END = ".:!?"


@dataclass(frozen=True, slots=True)
class Value:
    """Where a value stands. `is_literal` is false where it may be an expression of some programming language."""

    start: int
    end: int
    is_literal: bool


def values_of(text: str, folded: str, name: re.Match[str]) -> Iterator[Value]:
    """Yield the values that are joined to a name: what follows it, then what stands before it in a sentence."""
    for value in (_value_after(text, folded, name), _value_before(text, folded, name)):
        if value is not None:
            yield value


def end_of(text: str, value: Value) -> int:
    """Return where a value ends that may be longer than what was judged."""
    if value.end - value.start < JUDGED:
        return value.end
    rest = compiled(_REST).match(text, value.end)
    return value.end if rest is None else rest.end()


def _value_after(text: str, folded: str, name: re.Match[str]) -> Value | None:
    at = _joint_end(text, folded, name)
    if at is None:
        return None
    quoted = compiled(_QUOTED, re.VERBOSE).match(text, at)
    if quoted is not None:
        joint = folded[name.end() : at]
        return Value(*quoted.span("value"), is_literal="," not in joint and not joint.isspace())
    if text[at - 1] in ",(" or text[at - 2 : at] == ", ":
        return None  # the next argument of a call
    bare = compiled(_BARE).match(text, at)
    if bare is None or bare["next"] in ("(", "[", "{"):
        return None
    start, end = bare.span("value")
    parameter = compiled(_NEXT_PARAMETER).search(text, start, end)
    if parameter is not None:
        end = parameter.start()
    end = start + len(text[start:end].rstrip(_SENTENCE_END))
    return Value(start, end, _is_environment(text, name, at))


def _joint_end(text: str, folded: str, name: re.Match[str]) -> int | None:
    end = name.end()
    if folded[end : end + 1] not in _JOINT_STARTS:
        return None
    joint = compiled(_JOINT, re.VERBOSE).match(folded, end)
    if joint is not None:
        if joint[0].startswith("\t") and not _heads_a_column(text, name):
            return None  # a list of packages, in which one is called `passwd`, or of names in a header of C
        lists = "," in joint[0] and "value" not in joint[0]
        return None if lists and not _is_first_argument(text, name) else joint.end()
    return end + 1 if text.startswith(" ", end) and _follows(_OPTION, text, name) else None


def _is_first_argument(text: str, name: re.Match[str]) -> bool:
    """Tell whether the quoted name comes first in a call: in a list, the next string is another name."""
    return _follows(_FIRST_ARGUMENT, text, name)


def _heads_a_column(text: str, name: re.Match[str]) -> bool:
    """Tell whether a name is written as in a program, and what the next column holds has a digit."""
    whole = text[max(0, name.start() - 1) : name.end()]
    return ("_" in whole or not whole.islower()) and compiled(_COLUMN).match(text, name.end()) is not None


def _follows(pattern: str, text: str, name: re.Match[str]) -> bool:
    return compiled(pattern).search(text[max(0, name.start() - _LEAD_LENGTH) : name.start()]) is not None


def _is_environment(text: str, name: re.Match[str], at: int) -> bool:
    """Tell whether `=` without blanks makes the value a literal: in env files and shells, and in connection strings."""
    if text[name.end() : at] != "=":
        return False
    return text[name.start() : name.end()].isupper() or text[name.start() - 1 : name.start()] == ";"


def _value_before(text: str, folded: str, name: re.Match[str]) -> Value | None:
    first = max(0, name.start() - _REVERSED_LENGTH)
    near = folded[max(0, name.start() - 60) : name.start()]
    if " as " not in near and " for " not in near:
        return None
    match = compiled(_REVERSED, re.VERBOSE).search(text[first : name.start()])
    return None if match is None else Value(first + match.start("value"), first + match.end("value"), is_literal=True)
