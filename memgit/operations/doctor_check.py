"""One finding of the doctor, as each of its examinations yields them."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class Check(Struct, frozen=True, kw_only=True):
    """What was looked at and found. `about` is a place or a thing; `hint` says what to do where `state` is bad."""

    name: str
    state: Literal["good", "bad", "note"]
    about: str
    text: str
    hint: str = ""
