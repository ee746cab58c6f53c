"""Whether a text only asks: what was asked is not what is known. Pure."""

from __future__ import annotations

import re

from memgit.records.op import ClaimPayload
from memgit.records.state import Revision

_SENTENCE = re.compile(r"[^.!?。！？؟;\n]+[.!?。！？؟;]*|\n+")
_MARKS = "?？؟\u037e"
_LETTER = re.compile(r"\w")


def only_asks(revision: Revision) -> bool:
    """Tell whether a claim's statement asks in each of its sentences, and so says nothing."""
    payload = revision.payload
    if not isinstance(payload, ClaimPayload) or not payload.statement or payload.value is not None:
        return False
    text = payload.statement
    if not any(mark in text for mark in _MARKS):
        return False
    sentences = [found[0].strip(" \t\r\n\"'”’»)]") for found in _SENTENCE.finditer(text)]
    return all(sentence.endswith(tuple(_MARKS)) for sentence in sentences if _LETTER.search(sentence))
