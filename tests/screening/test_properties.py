"""For any text and any bytes: an answer, the same each time, in a time that grows with the length and no faster."""

from __future__ import annotations

import sys
import time
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.screening import screen_bytes, screen_text
from memgit.screening.checksums import decode_base64, has_crc32_base62, is_bech32, is_jwt
from memgit.screening.screen import fold
from memgit.screening.table import RULES
from tests.screening.keys import ALNUM, KINDS, draw
from tests.screening.surroundings import plant

PARTS = st.sampled_from(
    [anchor for rule in RULES for anchor in rule.anchors]
    + [
        "password",
        "token",
        "api_key",
        "secret",
        " = ",
        ": ",
        "=",
        '"',
        "'",
        "\\",
        "\n",
        " ",
        ",",
        "(",
        "{",
        "${",
        "is ",
    ]
    + [ALNUM, "A1b2C3d4E5f6G7h8", "x" * 40, "://a:b@c", "İ", "ß", "密码", "\0", "-----", "eyJhbGciOiJub25lIn0."]
)
TEXTS = st.one_of(st.text(max_size=300), st.lists(PARTS, max_size=30).map("".join))


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_any_text_has_an_answer(text: str) -> None:
    """No text raises; positions lie inside it, in order, without overlaps; line and column agree with them."""
    findings = screen_text(text, "text")
    assert findings == screen_text(text, "text")
    end = 0
    for finding in findings:
        assert end <= finding.start < finding.end <= len(text)
        end = finding.end
        assert finding.line == text.count("\n", 0, finding.start) + 1
        assert finding.column == finding.start - (text.rfind("\n", 0, finding.start) + 1) + 1


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=400), TEXTS.map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_have_an_answer(data: bytes) -> None:
    """No bytes raise; positions are bytes of the data."""
    for finding in screen_bytes(data, "blob"):
        assert 0 <= finding.start < finding.end <= len(data)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(sorted(KINDS)), st.text(max_size=40), st.text(max_size=40))
def test_surroundings_do_not_move_a_finding(seed: int, kind: str, before: str, after: str) -> None:
    """Lines before and after a text shift its findings and change none of them."""
    text = plant(kind, KINDS[kind], Random(seed)).text
    alone = {(finding.rule, finding.start, finding.end) for finding in screen_text(text, "text")}
    head = before + "\n\n"
    inside = {
        (finding.rule, finding.start - len(head), finding.end - len(head))
        for finding in screen_text(f"{head}{text}\n\n{after}", "text")
    }
    assert alone <= inside


@given(st.text(alphabet=st.characters(max_codepoint=0x2FF), max_size=80))
def test_checks_never_raise(text: str) -> None:
    """The checks take anything that a pattern may hand them, and more."""
    is_bech32(text)
    is_jwt(text)
    decode_base64(text)
    if text.isascii() and text.isalnum() and len(text) > 6:
        has_crc32_base62("p_" + text)


def test_folding_keeps_every_position() -> None:
    """Lower case has the length of the text for all of Unicode, alone and in words (the Greek sigma looks around)."""
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    assert len(fold(everything)) == len(everything)
    assert all(len(fold(letter)) == 1 for letter in everything)
    assert fold("ΣΑΣ İstanbul PASSWORD") == "σας istanbul password"


ADVERSARIAL = {
    **{anchor: anchor for rule in RULES for anchor in rule.anchors},
    **{f"{anchor} and eight": anchor + "A1b2C3d4" for rule in RULES for anchor in rule.anchors},
    **{
        text: text
        for text in (
            "token ", "key=", "key", "auth ", "password is ", "secret:", "as the key ", 'token="', "password=Ab1!xy ",
            "pass ", "a", "1", "\n", " ", "\0", "://a:b@", "://a:", "eyJ.eyJ.", "eyJ-eyJ",
            "machine a login b password ",
            "curl -u a:", "token a b c is ", "é token ", 'key"value=', "--token ", "İpassword=", "aA", "xX9-", "& a=",
            "oauthauth", "password: aaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "token = aA9_aA9_aA9_aA9_",
            "-----BEGIN " + "PRIVATE KEY-----\n",
        )
    },
}  # fmt: skip
BYTES_EACH = 12 * 1024
SLOWEST = 12e-6  # seconds of processor time a character: an ordinary text takes a tenth of a microsecond


@pytest.mark.parametrize("part", [0, 1, 2, 3])
def test_nothing_makes_it_slow(part: int) -> None:
    """A text that is one literal, word or notation over and over takes time in proportion to its length.

    The bound is several times what the worst of them takes on a slow machine; a quadratic one takes a hundred times.
    """
    for name in sorted(ADVERSARIAL)[part::4]:
        text = (ADVERSARIAL[name] * BYTES_EACH)[:BYTES_EACH]
        begun = time.process_time()
        screen_text(text, "text")
        assert time.process_time() - begun < BYTES_EACH * SLOWEST, name


def test_twice_the_text_takes_twice_the_time() -> None:
    """The worst notations together grow linearly: eight times the text takes less than twenty times as long."""
    worst = "key=SharedAccessKey=A1b2C3d4 curl -u a: --token x password" + '=Ab1!xy://a: token="'

    def seconds(size: int) -> float:
        text = (worst * size)[:size]
        begun = time.process_time()
        screen_text(text, "text")
        return time.process_time() - begun

    seconds(4096)
    assert seconds(128 * 1024) < 20 * max(seconds(16 * 1024), 0.002)


def test_a_statement_takes_under_a_millisecond() -> None:
    """1 KiB of prose with a word for a secret in each sentence: the median of 30 runs."""
    text = (
        "The token bucket refills every second; the API key is read from the vault, password_hash is bcrypt. " * 11
    )[:1024]
    times = []
    for _ in range(30):
        begun = time.process_time()
        screen_text(text, "statement")
        times.append(time.process_time() - begun)
    assert sorted(times)[15] < 0.001


def test_recall_of_the_twenty_kinds() -> None:
    """Of 400 keys of 20 kinds, made without knowledge of the rules, at least 95 in 100 are found where they stand."""
    random = Random(20)
    keys = [plant(kind, makers, random) for kind, makers in KINDS.items() for _ in range(20)]
    caught = [
        any(finding.start < key.end and key.start < finding.end for finding in screen_text(key.text, "text"))
        for key in keys
    ]
    assert sum(caught) >= 380


def test_a_secret_among_much_text() -> None:
    """A key is found in the middle of a large artifact, at its exact place."""
    token = "gl" + "pat-" + draw(Random(3), ALNUM, 20)
    filling = "The retry budget is three attempts with jitter; see docs/retries.md.\n" * 4000
    text = filling + token + "\n" + filling
    (finding,) = screen_text(text, "artifact")
    assert (finding.line, finding.column, finding.start) == (4001, 1, len(filling))
