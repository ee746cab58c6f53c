"""A value is a secret because of its name: in the languages and formats that people write, and not for any name."""

from __future__ import annotations

import string
from random import Random

import pytest

from memgit.screening import screen_text
from tests.screening.keys import ALNUM, HEX, KINDS, password
from tests.screening.surroundings import (
    BARE_ASSIGNMENTS,
    CODE,
    CONFIGURATION,
    PASSWORD_PROSE,
    PROSE_NAMED,
    SHELL,
    names,
)

KEY = "k9" + "VtQ2xLw7" + "RmZp4Hs8"  # eighteen characters, split so that no scanner takes it for one
DRAWN = Random(7)


def _found(text: str) -> list[str]:
    return [text[finding.start : finding.end] for finding in screen_text(text, "text")]


@pytest.mark.parametrize("template", CODE + CONFIGURATION + SHELL + PROSE_NAMED)
def test_a_key_is_found_in_every_notation(template: str) -> None:
    """Code, configuration, shell and prose: the value alone is reported, whatever joins it to its name."""
    for name in ("api_key", "clientSecret", "GITHUB_TOKEN"):
        assert _found(template.format(key=KEY, **names(name))) == [KEY], name


@pytest.mark.parametrize("template", CODE + CONFIGURATION + PASSWORD_PROSE)
def test_a_password_is_found_in_every_notation(template: str) -> None:
    """A password may be short and half a word; a name that says password is enough, with a digit or a mark in it."""
    for value in ("Falcon" + "-falcon62", "Winter" + "2024!", "q7" + "Rm#pL2x"):
        assert [found.rstrip("!") for found in _found(template.format(key=value, **names("db_password")))] == [
            value.rstrip("!")  # a mark at the end of a sentence is the sentence's
        ]


@pytest.mark.parametrize("template", BARE_ASSIGNMENTS)
@pytest.mark.parametrize(
    "value",
    [
        "",
        "null",
        "changeme",
        "xxxxxxxxxxxxxxxxxxxxxxxx",
        "your_api_key_here",
        "<your-token-here>",
        "${API_KEY}",
        "$API_KEY",
        "{{ secrets.API_KEY }}",
        "%API_KEY%",
        "process.env.API_KEY",
        'os.environ["API_KEY"]',
        "config.api_key_v2",
        "settings.API_KEY_2024",
        "getenv('API_KEY')",
        "vault:secret/data/app#key",
        "op://vault/item/field",
        "arn:aws:secretsmanager:eu-west-1:123456789012:secret:app",
        "/run/secrets/api_key_2024",
        "./keys/id_ed25519.pub",
        "https://vault.corp.net/v1/secret/data/app2024",
        "ghp_" + "EXAMPLE1234567890abcdefghijkl",
        "********",
        "REPLACE_ME_2024",
        "1234567890123456",
        string.ascii_lowercase + "012345",
        "2024-11-30T17:21:44Z",
        "4f1c7a52-9b1e-4c5e-8f0a-3b1d2c9e7a60",
        "clm_01jd8x3v5n9q4r7t2w6y8z0a1b",
    ],
)
def test_placeholders_and_references_pass(template: str, value: str) -> None:
    """What says where a secret is kept, or that one belongs there, is none; neither are ids, dates and paths."""
    for name in ("api_key", "DB_PASSWORD", "authToken"):
        assert _found(template.format(key=value, **names(name))) == [], name


@pytest.mark.parametrize(
    "name",
    [
        "token_count", "secret_name", "password_hash", "public_key", "primary_key", "cache_key", "key_id", "tokenizer",
        "next_page_token", "password_reset_url", "csrf_token", "keyboard", "author", "compass", "passed", "token_type",
        "idempotency_key", "secretsmanager", "passwordless", "sort_key", "credential_provider", "api_key_length",
    ],
)  # fmt: skip
def test_names_about_secrets_pass(name: str) -> None:
    """A name that only contains such a word says something about a secret, or about something else."""
    assert _found(f'{name} = "{KEY}"') == []


@pytest.mark.parametrize(
    "text",
    [
        'raw = {"password": get_password()}',
        "def login(user: str, password: str, token: OAuth2Token | None = None) -> Session256:",
        "password = self.password_v2",
        "token = tokens[12]",
        "if token == previous_token_2: return",
        "const secret = require('./secret-store-v2')",
        "the password was reset on 2024-03-14 by an admin",
        "the api key is required, the token is optional",
        "password" + ": bcrypt, token: sha256",
        'hash_password(password, scheme="argon2id", rounds=16)',
        "key1=value1&key2=value2&key3=value3",
        'MOVED = ("HTTPPasswordMgr", "urllib2", "urllib.request")',
        "Keep the secret; the token bucket holds 100 tokens and refills 10 a second.",
    ],
)
def test_code_and_prose_about_secrets_pass(text: str) -> None:
    """Programs and documents that deal with secrets do not hold one."""
    assert _found(text) == []


@pytest.mark.parametrize(
    ("rule", "name", "value"),
    [
        ("aws-secret-access-key", "AWS_SECRET_ACCESS_KEY", KINDS["aws-secret"][0](DRAWN).text),
        ("heroku-api-key", "HEROKU_API_KEY", "-".join("".join(DRAWN.choices(HEX, k=n)) for n in (8, 4, 4, 4, 12))),
        ("twilio-auth-token", "TWILIO_AUTH_TOKEN", "".join(DRAWN.choices(HEX, k=32))),
    ],
)
def test_formats_that_only_a_name_makes_known(rule: str, name: str, value: str) -> None:
    """40 characters of base 64, a UUID or 32 hexadecimal digits are a key under one name, and nothing under another."""
    assert [finding.rule for finding in screen_text(f"{name}={value}", "text")] == [rule]
    assert rule not in [finding.rule for finding in screen_text(f"BUILD_ID={value}", "text")]


@pytest.mark.parametrize(
    "text",
    [
        "das Passwort ist {}", "contraseña: {}", "mot de passe : {}", "wachtwoord={}", "senha: {}", "hasło: {}",
        "пароль: {}", "密码: {}", "密碼:{}", "パスワード: {}", "비밀번호: {}",
    ],
)  # fmt: skip
def test_other_languages(text: str) -> None:
    """The word for a password is known in the languages of a team, with its own punctuation."""
    assert _found(text.format("Falcon-falcon62")) == ["Falcon-falcon62"]


def test_values_of_a_query_are_told_apart() -> None:
    """In an address or a form, a value ends where the next parameter begins."""
    assert _found(f"POST grant=1&client_secret={KEY}&scope=all") == [KEY]


def test_a_long_value_is_reported_whole() -> None:
    """A value is judged by its beginning and reported to its end."""
    value = "".join(Random(3).choices(ALNUM, k=700))
    assert _found(f"SESSION_TOKEN={value} next") == [value]


def test_made_passwords_are_mostly_found() -> None:
    """Of passwords as people and managers make them, at least 95 in 100 are found beside their name."""
    random = Random(11)
    made = [password(random) for _ in range(200)]
    assert sum(bool(_found("DB_PASSWORD=" + value)) for value in made) >= 190
