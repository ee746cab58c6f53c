"""Keys of known forms that nobody computed a checksum for, wherever they stand: the second source of keys."""

from __future__ import annotations

import string
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from memgit.screening import screen_text
from tests.screening import keys
from tests.screening.found import REPOSITORY, found
from tests.screening.issued_places import issued, kinds
from tests.screening.issued_tokens import TOKENS, draw
from tests.screening.surroundings import Planted

FORMS_WITH_A_CHECKSUM = {"github": "gh" + "p_<A36>", "npm": "np" + "m_<A36>", "age": "AGE-SECRET-" + "KEY-1<c58>"}


def _is_found(key: Planted) -> bool:
    return any(finding.start < key.end and key.start < finding.end for finding in screen_text(key.text, "text"))


def test_there_are_kinds_enough() -> None:
    """The second source has more than thirty kinds, and eight surroundings for each."""
    made = Counter(key.kind for key in issued(Random(1), rounds=1))
    assert set(made) == set(kinds())
    assert len(made) > 30
    assert set(made.values()) == {8}


def test_each_kind_is_found_in_each_place() -> None:
    """Of 24 keys of each kind at least 21 are found, and 98 in 100 of all: bare, in prose, code, settings and URLs."""
    planted = list(issued(Random(30), rounds=3))
    caught = Counter(key.kind for key in planted if _is_found(key))
    assert {kind: caught[kind] for kind in kinds() if caught[kind] < 21} == {}
    assert caught.total() >= 0.98 * len(planted)


@pytest.mark.parametrize("form", FORMS_WITH_A_CHECKSUM.values(), ids=FORMS_WITH_A_CHECKSUM)
@pytest.mark.parametrize("place", ["{}", "use {} for CI", "{} publishes", "  - {}", "f('{}')", "_{}_", "https://h/{}"])
def test_no_checksum_is_asked_for(form: str, place: str) -> None:
    """A prefix, a length and an alphabet are enough, with no telling word before them: the body is drawn."""
    random = Random(17)
    for _ in range(40):
        token = draw(form, random)
        found_at = [(finding.start, finding.end) for finding in screen_text(place.format(token), "text")]
        assert found_at == [(place.index("{"), place.index("{") + len(token))]


def test_a_documented_example_is_found() -> None:
    """The token that the issuer's announcement shows has no valid checksum, and is found."""
    shown = "ghp_16C7e42F29" + "2c6912E7710c83" + "8347Ae178B4a"
    assert [finding.rule for finding in screen_text(f"use {shown} for CI", "text")] == ["github-token"]


@pytest.mark.parametrize(
    "kind", ["github-classic", "github-oauth", "gitlab-personal", "npm", "pypi", "anthropic", "openai"]
)
def test_a_mistyped_token_is_found(kind: str) -> None:
    """A character that is wrong, missing or doubled, or the end cut off, does not make a token harmless."""
    random = Random(18)
    for form in TOKENS[kind]:
        for _ in range(20):
            token = draw(form, random)
            at = random.randrange(len(token) // 2, len(token) - 1)
            wrong = random.choice(string.digits)
            for text in (
                token[:at] + wrong + token[at + 1 :],
                token[:at] + token[at + 1 :],
                token[:-4],
                token[:at] + token[at - 1 :],
            ):
                assert screen_text(f"use {text} for CI", "text"), (kind, len(text))


@pytest.mark.parametrize(
    "body",
    [
        "x" * 36, "X" * 36, "0" * 36, "abcdefghijklmnopqrstuvwxyz0123456789", "0123456789abcdefghijklmnopqrstuvwxyz",
        "1a2b3c4d5e6f7g8h9i0j1k2l3m4n5o6p7q8r", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8", "abc123" * 6,
        "EXAMPLEa8Kd92LmQpX0vTz71RbYw5NcJhGf4", "yourTokenHereyourTokenHereyourTokenH",
        "insertYourPersonalAccessTokenHere123",
        "ThisIsWhereThePersonalAccessTokenOfTheUserGoes",
    ],
)  # fmt: skip
@pytest.mark.parametrize("prefix", ["ghp_", "npm_", "glpat-", "sk_live_", "hf_", "xoxb-"])
def test_placeholders_with_a_prefix_pass(prefix: str, body: str) -> None:
    """Repetitions, sequences, interleaved ones too, and words that say so stand in a token's place in documents."""
    assert screen_text(f"use {prefix}{body} for CI", "text") == ()


def test_a_checksum_outweighs_a_word() -> None:
    """A token whose body happens to say `xxxx` is one where its checksum holds, and a placeholder where it does not."""
    payload = draw("<A13>xxxx<A13>", Random(5))
    checksum = keys.base62_crc32(payload)
    assert [finding.rule for finding in screen_text("ghp_" + payload + checksum, "text")] == ["github-token"]
    assert screen_text("ghp_" + payload + checksum[::-1], "text") == ()


@pytest.mark.parametrize("body", ["MIIEowIBAAKCAQEA", "<b24>", "<b40>\n<b12>", "MC4CAQAw<b8>"])
@pytest.mark.parametrize("place", ["{}", "# Notes\n\n```\n{}\n```\n", "> {}", "    {}"])
def test_a_short_private_key_is_found(body: str, place: str) -> None:
    """The armour of a private key with a few characters of a key in it is one, in a document as anywhere."""
    for seed in range(10):
        label = "RSA PRIVATE" + " KEY"
        block = f"-----BEGIN {label}-----\n{draw(body, Random(seed))}\n-----END {label}-----"
        text = place.format(block.replace("\n", "\n" + place[: place.index("{")].rpartition("\n")[2]))
        assert [finding.rule for finding in screen_text(text, "text")] == ["private-key"], seed


@pytest.mark.parametrize(
    "body", ["...", "MIIE...", "MIIEowIBAAKCAQEA...", "<your key>", "contents here", "xxxxxxxxxxxxxxxx", "base64 data"]
)
def test_armour_without_a_key_passes(body: str) -> None:
    """Documents show the armour with dots or words in it."""
    label = "RSA PRIVATE" + " KEY"
    assert screen_text(f"-----BEGIN {label}-----\n{body}\n-----END {label}-----", "text") == ()


@pytest.mark.parametrize("before", ["\\n", "\\u0022", "%3D", "\x1b[32m", "=3D", "&quot;", "x-access-token:", "bot\t"])
def test_what_ends_an_escape_is_no_letter_of_a_token(before: str) -> None:
    """A token begins after an escape of JSON, an address, a terminal or a mail, though a letter ends it."""
    for form in ("glpat-<A20>", "SG.<A22>.<A43>", "AKIA<B16>"):
        assert screen_text(before + draw(form, Random(3)), "text"), form


@pytest.mark.parametrize(
    "text",
    [
        "npm_config_registry_authentication_settings", "npm_lifecycleEventOfThePackageManager",
        "AKIA" * 5,
        "hf_hub_download_file_from_repository", "sk-estimator-doc-link-container-of-the-page",
        "module.SKeleton00000000",
        "pypi-attestations-and-provenance-of-the-releases-of-all-projects-in-one", "glpat-glpat-glpat-glpat-glpat",
        "Mxxxxxxxxxxxxxxxxxxxxxxx.abcdef.xxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "arn:aws:backup:*:*:backup-vault:shop-2024",
        "arn:aws:sns:*:123456789012:builds-2024:4f1c7a52",
        "ssh://687fb701029421ae5549d998@ssh.corp.net", "apt\tpasswd\t1:4.13+dfsg1-1+deb12u1\napt\tpatch",
        "default login anonymous password user1@site", "certtool used PKCS12-3DES-SHA1 for key encryption",
        "as fast as PKCS5_PBKDF2_HMAC for passwords", "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    ],
)  # fmt: skip
def test_a_word_is_no_token(text: str) -> None:
    """Identifiers with a token's prefix, users in addresses, packages and algorithms named beside a secret pass."""
    assert screen_text(text, "text") == ()


def test_files_of_the_standard_library_pass() -> None:
    """Of 600 texts from the library's sources and fixtures and from our documents, at most one looks like a key."""
    texts = found(
        Random(4),
        600,
        [Path(string.__file__).parent / "email", Path(string.__file__).parent / "asyncio", REPOSITORY / "docs"],
    )
    assert len(texts) == 600
    assert sum(bool(screen_text(text.text, "text")) for text in texts) <= 1
