"""High entropy counts only beside a word that names a secret, and never for what names, checks or encodes things."""

from __future__ import annotations

from random import Random

import pytest

from memgit.screening import screen_text
from memgit.screening.randomness import is_varied, looks_random
from tests.screening.innocents import MAKERS
from tests.screening.keys import ALNUM, HEX, UNNAMED, URLSAFE, draw
from tests.screening.surroundings import plant

DRAWS = 40


@pytest.mark.parametrize("kind", UNNAMED)
def test_keys_that_no_rule_names(kind: str) -> None:
    """Keys without a prefix are found beside their name: at least 38 of 40 in any surroundings."""
    random = Random(5)
    planted = [plant(kind, UNNAMED[kind], random) for _ in range(DRAWS)]
    caught = [
        any(finding.start < key.end and key.start < finding.end for finding in screen_text(key.text, "text"))
        for key in planted
    ]
    assert sum(caught) >= 38


@pytest.mark.parametrize("template", ["We rotated the token, old one {} from March.", "secret of the runner ({})"])
def test_a_random_run_after_a_secret_word(template: str) -> None:
    """A run of 24 random characters is found after the word, on its line, without any notation between."""
    random = Random(6)
    texts = [template.format(draw(random, ALNUM, 24)) for _ in range(DRAWS)]
    assert sum(bool(screen_text(text, "text")) for text in texts) >= 36


@pytest.mark.parametrize(
    "template",
    [
        "The build {} failed on Friday.",
        "We talked about the token.\n\nBuild {} failed.",
        "the token parser changed in commit {}",
        "secret-scan digest {}",
        "token.js sha512-{}",
        "import token from './{}'",
        "the public key of the deploy job is {}",
        "key fingerprint SHA256:{}",
        "see https://docs.corp.net/token/{}",
    ],
)
def test_a_random_run_without_a_secret_word_passes(template: str) -> None:
    """Far from such a word, on another line, or where something nearer says what it is, a run is left alone."""
    random = Random(8)
    for _ in range(DRAWS):
        assert screen_text(template.format(draw(random, ALNUM, 40)), "text") == ()


@pytest.mark.parametrize("maker", MAKERS)
def test_ids_hashes_and_data_pass(maker: str) -> None:
    """Commit ids, UUIDs, ULIDs, lock files, images, maps, citations and placeholders pass, whatever words are near."""
    random = Random(9)
    for _ in range(DRAWS):
        text = MAKERS[maker](random)
        assert screen_text(text, "text") == (), maker


@pytest.mark.parametrize("length", [7, 12, 32, 40, 64])
def test_hexadecimal_in_prose_passes(length: str) -> None:
    """A hash or a commit id in a sentence about secrets is none, however long."""
    random = Random(int(length))
    for _ in range(DRAWS):
        value = draw(random, HEX, int(length))
        assert (
            screen_text(f"The token parser and the secret scan were fixed in {value}, see the key rotation.", "t") == ()
        )


def test_long_generated_lines_are_not_prose() -> None:
    """On a line of more than a thousand characters only what is assigned counts: minified code has such words."""
    value = draw(Random(2), URLSAFE, 40)
    filling = "var a=b(c);" * 120
    assert screen_text(f"{filling}token {value}", "text") == ()
    assert [finding.rule for finding in screen_text(f'{filling}token="{value}"', "text")] == ["assigned-secret"]


@pytest.mark.parametrize(
    "text",
    [
        "abcdefghijklmnopqrstuvwxyz0123456789", "0123456789abcdef0123456789abcdef", "aaaaaaaaaaaaaaaaaaaaaaaa",
        "deadbeefdeadbeefdeadbeefdeadbeef", "ABCABCABCABCABCABCABCABC", "9876543210fedcba9876543210",
    ],
)  # fmt: skip
def test_patterns_are_not_random(text: str) -> None:
    """Alphabets, counters and repetitions look random to an entropy sum and do not to us."""
    assert not looks_random(text)
    assert not (is_varied(text) and looks_random(text))


@pytest.mark.parametrize(
    "text",
    [
        "getUserAccountPreferencesById2", "EdgePackagingJobSummaries", "test_password_reset_token_v2_1",
        "com.example.billing.InvoiceService2", "python3.11-site-packages",
        "feature/PROJ-1234-rotate-tokens-2024", "MaxResultsPerPageLimit100",
    ],
)  # fmt: skip
def test_names_are_not_random(text: str) -> None:
    """Identifiers, suites, paths and branches have the entropy of a key and the letters of a language."""
    assert not looks_random(text)
