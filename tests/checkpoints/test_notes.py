"""A continuity note as a value: what of a text is kept, when it expires, and what is no note."""

from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit import clock
from memgit.checkpoints.notes import (
    DamagedNote,
    Note,
    checked_session,
    checked_text,
    decode_note,
    encode_note,
    kept_text,
    new_note,
)
from memgit.errors import InvalidRequest, LimitExceeded
from memgit.limits import DEFAULT

DAY = 86_400
PLACE = {"session": "one", "workspace": "wsp", "project": "prj", "worktree": "."}


def note(text: str = "The tests hang on a slow disk.") -> Note:
    """Return a note of the session `one`."""
    return new_note(text, **PLACE)


@given(text=st.text(min_size=1, max_size=50), times=st.integers(1, 3000))
def test_at_most_4_kib_are_kept_with_a_mark_and_whole_characters(text: str, times: int) -> None:
    """A short text is kept as it is; of a longer one the beginning, and a mark within the bound says what it had."""
    whole = text * times
    size = len(whole.encode())
    kept, cut = kept_text(whole)
    if size <= DEFAULT.note_bytes:
        assert (kept, cut) == (whole, None)
        return
    data = kept.encode()
    assert cut is not None
    assert whole.encode().startswith(data[:cut])
    assert data[cut:].decode() == f"\n[truncated: the note had {size} bytes]"
    assert DEFAULT.note_bytes - 3 <= len(data) <= DEFAULT.note_bytes


@pytest.mark.parametrize("character", ["a", "é", "語", "🪶"])
def test_the_bound_is_exact(character: str) -> None:
    """4096 bytes are whole; one byte more is cut, and never inside of a code point."""
    text = "x" * (DEFAULT.note_bytes % len(character.encode())) + character * (4096 // len(character.encode()))
    assert kept_text(text)[1] is None
    assert kept_text(text + "x")[1] is not None


def test_what_is_no_note_is_refused() -> None:
    """Blank, a NUL, lone surrogates; 64 KiB are taken and a byte more is not."""
    for text in ("", " \n\t", "a\0b", "\udcff"):
        with pytest.raises(InvalidRequest):
            checked_text(text)
    assert checked_text("x" * 65_536)
    with pytest.raises(LimitExceeded) as refused:
        checked_text("é" * 32_768 + "x")
    assert refused.value.details == {"limit": "note_input_bytes", "value": 65_536, "size": 65_537}


@pytest.mark.parametrize(
    "name", ["", "..", ".", "a/b", "a\\b", "../x", "a..b", "-x", "x" * 129, "é", "a b", "a\n", "a\0"]
)
def test_a_session_is_no_path(name: str) -> None:
    """Slashes, dots alone, two dots, blanks, controls and other letters name no session."""
    with pytest.raises(InvalidRequest):
        checked_session(name)


def test_a_note_waits_14_days() -> None:
    """From when it was put; a clock that went back makes a note no older."""
    with clock.pinned(1_800_000_000):
        put = note()
    states = {}
    for days in (-4000, 0, 13.9, 14, 4000):
        states[days] = put.state(clock.format_time(1_800_000_000 + days * DAY))
    assert states == {-4000: "waiting", 0: "waiting", 13.9: "waiting", 14: "expired", 4000: "expired"}


@given(text=st.text(min_size=1, max_size=3000))
def test_a_note_is_read_as_it_was_written(text: str) -> None:
    """Whatever the text."""
    put = note(text)
    assert decode_note(encode_note(put)) == put


def test_two_notes_of_one_session_have_two_identities() -> None:
    """The same text at another time is another note."""
    with clock.pinned(1_800_000_000, step=1):
        first, second = note(), note()
    assert first.text == second.text and first.identity != second.identity


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"text": "Other words"},
        {"digest": "0" * 64},
        {"session": "../x"},
        {"project": "a/b"},
        {"task": ".."},
        {"at": "yesterday"},
        {"at": 5},
        {"seen_expired": "soon"},
        {"cut": 9000},
        {"more": 1},
        {"session": None},
    ],
)
def test_a_changed_file_is_damaged(change: dict[str, object]) -> None:
    """Another format, other words, names that cannot be, fields too many: told, with a reason, and never read half."""
    data = json.dumps({**json.loads(encode_note(note())), **change}).encode()
    with pytest.raises(DamagedNote, match=r"^its? "):
        decode_note(data)


@given(data=st.binary(max_size=300))
def test_any_bytes_are_a_note_or_damaged(data: bytes) -> None:
    """No bytes cause anything else."""
    whole = encode_note(note())
    for bytes_ in (data, whole[: len(data)], data + whole, b"[" * 60_000, b" " * 70_000):
        try:
            decode_note(bytes_)
        except DamagedNote:
            continue
        assert msgspec.json.decode(bytes_) == json.loads(whole)
