"""Keys as their issuers make them, from the public documentation of each format. Owns no rule and imports none.

Written before the rules, and used by the tests and by `python -m benchmarks.screening`. Nothing here is a real key:
each is drawn from a seeded generator when it is asked for, so no file here holds anything that a scanner flags.
Twenty kinds, most with several variants; five more (`UNNAMED`) have no prefix, no checksum and no rule of their own.
"""

from __future__ import annotations

import base64
import json
import string
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

BASE62 = string.digits + string.ascii_uppercase + string.ascii_lowercase
ALNUM = string.ascii_letters + string.digits
URLSAFE = ALNUM + "-_"
BASE64 = ALNUM + "+/"
HEX = "0123456789abcdef"
BASE32 = string.ascii_uppercase + "234567"
BECH32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"


@dataclass(frozen=True, slots=True)
class Key:
    """`text` is what must be caught. `shape` says where it can stand: a token anywhere, a URL, a password, a block."""

    name: str
    text: str
    shape: str = "token"


Maker = Callable[[Random], Key]


def draw(random: Random, alphabet: str, length: int) -> str:
    """Return `length` characters of the alphabet, each drawn independently."""
    return "".join(random.choices(alphabet, k=length))


def base62_crc32(payload: str) -> str:
    """Return GitHub's checksum of a token's random part: CRC32 in base 62, six digits (github.blog, 2021-04-05)."""
    value, digits = zlib.crc32(payload.encode()), ""
    while value:
        value, rest = divmod(value, 62)
        digits = BASE62[rest] + digits
    return digits.rjust(6, "0")


def token(names: str, make: Callable[[Random], str], shape: str = "token") -> Maker:
    """Return a maker of keys that are known by one of `names` (separated by spaces)."""
    return lambda random: Key(random.choice(names.split() or [""]), make(random), shape)


def _checksummed(prefix: str) -> Callable[[Random], str]:
    def make(random: Random) -> str:
        payload = draw(random, BASE62, 30)
        return prefix + payload + base62_crc32(payload)

    return make


def _drawn(prefix: str, alphabet: str, length: int, suffix: str = "") -> Callable[[Random], str]:
    return lambda random: prefix + draw(random, alphabet, length) + suffix


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _jwt(random: Random) -> str:
    header = {"alg": random.choice(["HS256", "RS256", "ES256"]), "typ": "JWT"}
    claims = {"sub": str(random.randrange(10**9)), "iat": 1_700_000_000 + random.randrange(10**8), "scope": "api"}
    parts = [_base64url(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims)]
    return ".".join([*parts, _base64url(random.randbytes(32))])


def _pem(random: Random, label: str, size: int) -> str:
    body = base64.b64encode(b"0\x82" + random.randbytes(size)).decode()
    return _armour(label, [body[at : at + 64] for at in range(0, len(body), 64)])


def _armour(label: str, lines: list[str]) -> str:
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])


def _openssh(random: Random) -> str:
    body = base64.b64encode(b"openssh-key-v1\0" + b"\0\0\0\x04none" * 2 + random.randbytes(220)).decode()
    return _armour("OPENSSH PRIVATE KEY", [body[at : at + 70] for at in range(0, len(body), 70)])


def _pgp(random: Random) -> str:
    body = base64.b64encode(b"\x95\x03\x98" + random.randbytes(600)).decode()
    lines = [body[at : at + 64] for at in range(0, len(body), 64)]
    return _armour("PGP PRIVATE KEY BLOCK", ["", *lines, "=" + draw(random, BASE64, 4)])


def _age(random: Random) -> str:
    data = [random.randrange(32) for _ in range(52)]
    text = "age-secret-key-1" + "".join(BECH32[value] for value in data + bech32_checksum("age-secret-key-", data))
    return text.upper()


def bech32_checksum(prefix: str, data: list[int]) -> list[int]:
    """Return the six checksum values of BIP 173 for `data` (five bits each) under a lower-case prefix."""
    value = 1
    expanded = [ord(letter) >> 5 for letter in prefix] + [0] + [ord(letter) & 31 for letter in prefix]
    for item in [*expanded, *data, 0, 0, 0, 0, 0, 0]:
        top = value >> 25
        value = (value & 0x1FFFFFF) << 5 ^ item
        for bit, generator in enumerate((0x3B6A57B2, 0x26508E6D, 0x1EA119FA, 0x3D4233DD, 0x2A1462B3)):
            value ^= generator if top >> bit & 1 else 0
    value ^= 1
    return [value >> 5 * (5 - place) & 31 for place in range(6)]


def _service_account(random: Random) -> str:
    project = random.choice(["atlas-prod", "billing-318204", "ml-staging"])
    return json.dumps(
        {
            "type": "service_account",
            "project_id": project,
            "private_key_id": draw(random, HEX, 40),
            "private_key": _pem(random, "PRIVATE KEY", 1190) + "\n",
            "client_email": f"deploy@{project}.iam.gserviceaccount.com",
            "client_id": draw(random, string.digits, 21),
            "token_uri": "https://oauth2.googleapis.com/token",
        },
        indent=2,
    )


def _pypi(random: Random) -> str:
    identifier = json.dumps({"version": 1, "permissions": "user", "nonce": draw(random, HEX, 16)}).encode()
    body = b"\x02\x01\x08pypi.org\x02" + bytes([len(identifier)]) + identifier + b"\x00\x00\x06\x20"
    return "pypi-" + _base64url(body + random.randbytes(32))


def _discord(random: Random) -> str:
    user = _base64url(str(random.randrange(10**17, 10**18)).encode())
    return f"{user}.{draw(random, URLSAFE, 6)}.{draw(random, URLSAFE, random.choice([27, 38]))}"


def _openai(random: Random) -> str:
    marker = "T3Blbk" + "FJ"  # "OpenAI" in base 64, in the middle of every key
    size = 74 if (prefix := random.choice(["sk-", "sk-proj-", "sk-svcacct-"])) != "sk-" else 20
    return prefix + draw(random, ALNUM, size) + marker + draw(random, ALNUM, size)


def _azure_connection(random: Random) -> str:
    key = base64.b64encode(random.randbytes(64)).decode()
    account = draw(random, string.ascii_lowercase, 9)
    return f"DefaultEndpointsProtocol=https;AccountName={account};AccountKey={key};EndpointSuffix=core.windows.net"


def _service_bus(random: Random) -> str:
    key = base64.b64encode(random.randbytes(32)).decode()
    host = draw(random, string.ascii_lowercase, 8)
    policy = "RootManageSharedAccessKey"
    return f"Endpoint=sb://{host}.servicebus.windows.net/;SharedAccessKeyName={policy};SharedAccessKey={key}"


def password(random: Random) -> str:
    """Return a password as people and their managers choose one: 8 to 24 characters, never a single dictionary word."""
    words = ["Winter", "harbour", "Falcon", "Tango", "maple", "Orbit", "velvet", "Cobalt", "ranger", "Ember"]
    form = random.randrange(4)
    if form == 0:
        return random.choice(words) + str(random.randrange(10, 9999)) + random.choice("!#$%&*?")
    if form == 1:
        return (
            random.choice(words) + random.choice("-_.") + random.choice(words).lower() + str(random.randrange(10, 99))
        )
    if form == 2:
        return draw(random, ALNUM, random.randrange(10, 25))
    return draw(random, ALNUM, 8) + draw(random, "!#%*+-=?^_~", 2) + draw(random, ALNUM, random.randrange(2, 10))


def _database_url(random: Random) -> str:
    scheme, port = random.choice(
        [("postgres", 5432), ("postgresql", 5432), ("mysql", 3306), ("mongodb+srv", 0), ("redis", 6379), ("amqp", 5672)]
    )
    secret = password(random).translate({ord(mark): f"%{ord(mark):02X}" for mark in "#%?&"})
    user = "" if scheme == "redis" else random.choice(["app", "svc_billing", "admin"])
    host = random.choice(["db.internal", "10.0.3.17", "cluster0.ab1cd.mongodb.net"]) + (f":{port}" if port else "")
    return f"{scheme}://{user}:{secret}@{host}/prod"


def _basic_auth_url(random: Random) -> str:
    secret = draw(random, ALNUM, random.randrange(12, 30))
    host = random.choice(["git.corp.net/team/app.git", "nexus.corp.net/repository/npm/", "grafana.corp.net/api/health"])
    return f"https://{random.choice(['deploy', 'ci-bot', 'jsmith'])}:{secret}@{host}"


KINDS: dict[str, tuple[Maker, ...]] = {
    "github": (
        token("GITHUB_TOKEN GH_TOKEN", _checksummed("ghp_")),
        token("GITHUB_TOKEN github_token", _checksummed("gho_")),
        token("GH_APP_TOKEN", _checksummed("ghs_")),
        token("GITHUB_PAT", lambda random: f"github_pat_{draw(random, BASE62, 22)}_{draw(random, BASE62, 59)}"),
    ),
    "gitlab": (
        token("GITLAB_TOKEN CI_PUSH_TOKEN", _drawn("glpat-", URLSAFE, 20)),
        token("GITLAB_RUNNER_TOKEN", _drawn("glrt-", URLSAFE, 20)),
        token("GITLAB_DEPLOY_TOKEN", _drawn("gldt-", URLSAFE, 20)),
    ),
    "aws-key-id": (
        token("AWS_ACCESS_KEY_ID aws_access_key_id", _drawn("AKIA", BASE32, 16)),
        token("AWS_ACCESS_KEY_ID", _drawn("ASIA", BASE32, 16)),
    ),
    "aws-secret": (
        token("AWS_SECRET_ACCESS_KEY aws_secret_access_key awsSecretAccessKey", _drawn("", BASE64, 40), "named"),
    ),
    "slack": (
        token(
            "SLACK_BOT_TOKEN SLACK_TOKEN",
            lambda random: (
                f"xoxb-{draw(random, '123456789', 12)}-{draw(random, '123456789', 13)}-{draw(random, ALNUM, 24)}"
            ),
        ),
        token(
            "SLACK_WEBHOOK_URL",
            lambda random: (
                "https://hooks.slack.com/services/"
                f"T{draw(random, BASE32, 10)}/B{draw(random, BASE32, 10)}/{draw(random, ALNUM, 24)}"
            ),
            "url",
        ),
        token(
            "SLACK_APP_TOKEN",
            lambda random: (
                f"xapp-1-A{draw(random, BASE32, 10)}-{draw(random, string.digits, 13)}-{draw(random, HEX, 64)}"
            ),
        ),
    ),
    "stripe": (
        token("STRIPE_SECRET_KEY STRIPE_API_KEY stripeKey", _drawn("sk_live_", ALNUM, 24)),
        token("STRIPE_SECRET_KEY", _drawn("sk_live_51", ALNUM, 97)),
        token("STRIPE_RESTRICTED_KEY", _drawn("rk_live_", ALNUM, 24)),
        token("STRIPE_WEBHOOK_SECRET", _drawn("whsec_", ALNUM, 32)),
    ),
    "google": (
        token("GOOGLE_API_KEY MAPS_KEY firebaseApiKey", _drawn("AIza", URLSAFE, 35)),
        token("GOOGLE_CLIENT_SECRET", _drawn("GOCSPX-", URLSAFE, 28)),
    ),
    "service-account": (token("GOOGLE_APPLICATION_CREDENTIALS", _service_account, "block"),),
    "private-key": (
        token("TLS_KEY", lambda random: _pem(random, "RSA PRIVATE KEY", 1190), "block"),
        token("SIGNING_KEY", lambda random: _pem(random, "EC PRIVATE KEY", 119), "block"),
        token("SIGNING_KEY", lambda random: _pem(random, "PRIVATE KEY", 300), "block"),
        token("DEPLOY_KEY", _openssh, "block"),
        token("RELEASE_KEY", _pgp, "block"),
        token("AGE_IDENTITY", _age),
    ),
    "jwt": (token("ACCESS_TOKEN session_token id_token", _jwt),),
    "azure": (
        token("AZURE_STORAGE_CONNECTION_STRING", _azure_connection, "url"),
        token("SERVICE_BUS_CONNECTION", _service_bus, "url"),
        token("AZURE_CLIENT_SECRET", lambda random: f"{draw(random, ALNUM, 3)}8Q~{draw(random, URLSAFE, 34)}"),
    ),
    "registry": (
        token("NPM_TOKEN NODE_AUTH_TOKEN", _checksummed("npm_")),
        token("TWINE_PASSWORD PYPI_TOKEN", _pypi),
        token("GEM_HOST_API_KEY", _drawn("rubygems_", HEX, 48)),
    ),
    "mail-and-phone": (
        token("SENDGRID_API_KEY", lambda random: f"SG.{draw(random, URLSAFE, 22)}.{draw(random, URLSAFE, 43)}"),
        token("TWILIO_AUTH_TOKEN twilio_auth_token", _drawn("", HEX, 32), "named"),
        token("TWILIO_API_SECRET", _drawn("", ALNUM, 32), "named"),
        token("MAILGUN_API_KEY", _drawn("key-", HEX, 32)),
        token("MAILCHIMP_API_KEY", _drawn("", HEX, 32, "-us14")),
    ),
    "model-provider": (
        token("OPENAI_API_KEY", _openai),
        token("ANTHROPIC_API_KEY", _drawn("sk-ant-api03-", URLSAFE, 93, "AA")),
        token("HF_TOKEN HUGGINGFACE_TOKEN", _drawn("hf_", string.ascii_letters, 34)),
    ),
    "hosting": (
        token("DIGITALOCEAN_TOKEN DO_PAT", _drawn("dop_v1_", HEX, 64)),
        token(
            "HEROKU_API_KEY",
            lambda random: "-".join(draw(random, HEX, size) for size in (8, 4, 4, 4, 12)),
            "named",
        ),
        token("DOCKERHUB_TOKEN", _drawn("dckr_pat_", URLSAFE, 27)),
    ),
    "commerce": (
        token("SHOPIFY_ACCESS_TOKEN", _drawn("shpat_", HEX, 32)),
        token("SHOPIFY_SHARED_SECRET", _drawn("shpss_", HEX, 32)),
        token("SQUARE_SECRET", _drawn("sq0csp-", URLSAFE, 43)),
        token("SQUARE_ACCESS_TOKEN", _drawn("EAAA", URLSAFE, 60)),
    ),
    "chat": (
        token(
            "TELEGRAM_BOT_TOKEN BOT_TOKEN",
            lambda random: f"{random.randrange(10**8, 10**10)}:AA{draw(random, URLSAFE, 33)}",
        ),
        token("DISCORD_TOKEN DISCORD_BOT_TOKEN", _discord),
        token(
            "DISCORD_WEBHOOK",
            lambda random: (
                f"https://discord.com/api/webhooks/{random.randrange(10**17, 10**18)}/{draw(random, URLSAFE, 68)}"
            ),
            "url",
        ),
    ),
    "database-url": (token("DATABASE_URL DB_URI CELERY_BROKER_URL", _database_url, "url"),),
    "basic-auth": (
        token("REPO_URL REGISTRY_URL UPSTREAM", _basic_auth_url, "url"),
        token("", lambda random: draw(random, URLSAFE, random.randrange(28, 60)), "bearer"),
        token("", lambda random: base64.b64encode(f"svc:{password(random)}".encode()).decode(), "basic"),
        token("", password, "netrc"),
    ),
    "password": (
        token("DB_PASSWORD password POSTGRES_PASSWORD smtp_password adminPassword", password, "password"),
        token("SECRET_KEY session_secret JWT_SECRET clientSecret", _drawn("", ALNUM + "!#%*+-=^_", 40), "named"),
    ),
}
"""The twenty kinds of the figure."""

UNNAMED: dict[str, tuple[Maker, ...]] = {
    "cloudflare": (token("CLOUDFLARE_API_TOKEN CF_API_TOKEN", _drawn("", URLSAFE, 40), "named"),),
    "datadog": (token("DD_API_KEY DATADOG_APP_KEY datadog_api_key", _drawn("", HEX, 32), "named"),),
    "okta": (token("OKTA_API_TOKEN OKTA_CLIENT_SECRET", _drawn("00", URLSAFE, 40), "named"),),
    "vercel": (token("VERCEL_TOKEN vercelToken", _drawn("", ALNUM, 24), "named"),),
    "fastly": (token("FASTLY_API_KEY fastly_api_token", _drawn("", URLSAFE, 32), "named"),),
}
"""Kinds that no rule may name: what catches them is entropy beside a word that names a secret."""
