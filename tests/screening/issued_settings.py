"""A second source of keys: what is a secret by its name or its place, and what fills several lines.

Belongs to `issued_tokens.py`, and like it was written without the rules at hand. `NAMED` are values without a form of
their own, with the names they go by; `LINES` are whole lines of a notation; `BLOCKS` are private keys.
"""

from __future__ import annotations

import base64
import textwrap
from collections.abc import Callable
from random import Random

from tests.screening.issued_tokens import draw

NAMED: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "aws-secret": (("AWS_SECRET_ACCESS_KEY", "aws_secret_access_key", "secretAccessKey"), ("<b40>",)),
    "azure-storage-key": (("AZURE_STORAGE_KEY", "storageAccountKey"), ("<b86>==",)),
    "azure-devops-old": (("AZURE_DEVOPS_PAT", "AZURE_DEVOPS_EXT_PAT"), ("<w52>",)),
    "cloudflare-token": (("CLOUDFLARE_API_TOKEN", "CF_API_KEY", "cloudflareApiToken"), ("<u40>", "<h37>")),
    "heroku-uuid": (("HEROKU_API_KEY", "heroku_api_token"), ("<h8>-<h4>-<h4>-<h4>-<h12>",)),
    "datadog": (("DD_API_KEY", "DATADOG_API_KEY", "datadog_app_key"), ("<h32>", "<h40>")),
    "twilio-auth-token": (("TWILIO_AUTH_TOKEN", "twilioAuthToken"), ("<h32>",)),
    "mailgun-named": (("MAILGUN_API_KEY", "mailgunApiKey"), ("<h32>-<h8>-<h8>",)),
    "consul-and-vault-old": (("VAULT_TOKEN", "vault_token"), ("s.<A24>",)),
    "okta": (("OKTA_API_TOKEN", "oktaApiToken"), ("00<u40>",)),
    "algolia": (("ALGOLIA_ADMIN_KEY", "algolia_api_key"), ("<h32>",)),
    "webhook-signing": (("SESSION_SECRET", "WEBHOOK_SECRET", "cookieSecret"), ("<h64>", "<A40>", "<b43>=")),
    "password": (
        ("DB_PASSWORD", "password", "smtp_password", "adminPassword"),
        ("<A12>", "<A16>!", "<l6><d4>!", "Harbor<d4>$", "<u20>"),
    ),
}
"""Kind: names, and forms of the value."""

_ENCODED_ARMOUR = base64.b64encode(b"-----BEGIN RSA PRIVATE" + b" KEY-----\n").decode().rstrip("=")

LINES: dict[str, tuple[str, ...]] = {
    "password-syntaxes": (
        'password = "[<A14>]"',
        "PASSWORD=[<A14>]",
        "password: [<A14>]",
        '"password": "[<A14>]",',
        ":password => '[<A14>]'",
        "<password>[<A14>]</password>",
        '<setting name="password" value="[<A14>]"/>',
        "spring.datasource.password=[<A14>]",
        "mysql -u root -p[<A14>] shop",
        "IDENTIFIED BY '[<A14>]';",
        "$password = '[<A14>]';",
        '$env:PASSWORD = "[<A14>]"',
        "psql --host db --set password='[<A14>]'",
        'PASSWORD="[<A14>]" ./run.sh',
    ),
    "database-url": (
        "postgres://app:[<A16>]@db.internal:5432/shop",
        "mysql://root:[<A12>]@10.0.0.4/shop",
        "mongodb+srv://svc:[<A18>]@cluster0.ab1cd.mongodb.net/shop",
        "redis://:[<A24>]@cache.internal:6379/0",
        "amqp://ci:[<A14>]@mq.internal//",
        "postgresql+asyncpg://app:[<l6><d4>]@localhost/shop",
        "jdbc:postgresql://db.internal/shop?user=app&password=[<A16>]",
        "Server=db.internal;Database=shop;User Id=sa;Password=[<A12>];",
    ),
    "azure-connection": (
        "DefaultEndpointsProtocol=https;AccountName=shopdata;AccountKey=[<b86>==];EndpointSuffix=core.windows.net",
        "Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=RootManage;SharedAccessKey=[<b43>=]",
        "https://shop.blob.core.windows.net/c?sv=2022-11-02&ss=b&se=2026-01-01&sp=r&sig=[<A43>%3D]",
    ),
    "git-url": (
        "https://ci:[<A20>]@git.example.invalid/team/app.git",
        "https://oauth2:[glpat-<u20>]@gitlab.example.invalid/team/app.git",
        "https://[ghp_<A36>]@github.com/team/app.git",
        "https://x-access-token:[ghs_<A36>]@github.com/team/app.git",
    ),
    "bearer-header": (
        "Authorization: Bearer [<A40>]",
        '-H "Authorization: Bearer [<u48>]"',
        "'authorization': 'Bearer [<h40>]'",
        "Authorization: token [<h40>]",
        "X-Api-Key: [<A32>]",
        "PRIVATE-TOKEN: [<A20>]",
        "Authorization: Basic [<b36>]",
    ),
    "telegram-url": ("https://api.telegram.org/bot[<d10>:AA<u33>]/getMe",),
    "netrc": (
        "machine api.example.invalid login ci password [<A16>]",
        "machine git.example.invalid\n  login ci\n  password [<A20>]",
        "default login ci password [<A16>]",
    ),
    "pgpass": ("db.internal:5432:shop:app:[<A16>]", "*:*:*:postgres:[<A14>]", "localhost:5432:*:app:[<l6><d4>]"),
    "kubeconfig": (
        "users:\n- name: ci\n  user:\n    token: [<A40>]",
        f"    client-key-data: [{_ENCODED_ARMOUR}<A200>]",
        "    token: [eyJhbGciOiJSUzI1" + "NiIsImtpZCI6Ij<A20>.eyJ<A90>.<u342>]",
        "    token: [<w6>.<w16>]",
    ),
    "docker-auth": ('"auths": {"registry.example.invalid": {"auth": "[ZGVwbG95O<b35>]"}}',),
    "npmrc": (
        "//registry.npmjs.org/:_authToken=[npm_<A36>]",
        "//npm.example.invalid/:_authToken=[<h8>-<h4>-<h4>-<h4>-<h12>]",
        "_auth=[Y2k6<A24>]",
    ),
    "aws-credentials-file": (
        "[[default]]\naws_access_key_id = AKIA<B16>\naws_secret_access_key = [<b40>]",
        "AKIA<B16>,[<b40>]",
        "AKIA<B16>\n[<b40>]",
    ),
}
"""Kind: lines of a notation, the secret in brackets (a bracket that is meant is written twice)."""

_LABELS = ("RSA PRIVATE", "EC PRIVATE", "PRIVATE", "DSA PRIVATE", "ENCRYPTED PRIVATE")


def _pem(random: Random, size: int) -> str:
    body = base64.b64encode(b"0\x82" + random.randbytes(size)).decode()
    return _armour(random.choice(_LABELS) + " KEY", textwrap.wrap(body, 64))


def _armour(label: str, lines: list[str]) -> str:
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"])


def _openssh(random: Random) -> str:
    data = b"openssh-key-v1\0" + b"\0\0\0\x04none" * 2 + random.randbytes(200)
    return _armour("OPENSSH PRIVATE KEY", textwrap.wrap(base64.b64encode(data).decode(), 70))


def _pgp(random: Random, size: int) -> str:
    body = textwrap.wrap(base64.b64encode(b"\x95\x03\x98" + random.randbytes(size)).decode(), 64)
    return _armour("PGP PRIVATE KEY BLOCK", ["", *body, "=" + draw("<b4>", random)])


BLOCKS: dict[str, tuple[Callable[[Random], str], ...]] = {
    "pem": (lambda random: _pem(random, 1190), lambda random: _pem(random, 118)),
    "pem-short": (
        lambda random: _pem(random, 46),
        lambda random: _pem(random, random.randrange(14, 40)),
        lambda random: _armour("RSA PRIVATE KEY", [draw("MIIE<b12>", random)]),
        lambda random: _pem(random, 46).rpartition("\n")[0],
    ),
    "openssh": (_openssh,),
    "pgp": (lambda random: _pgp(random, 600), lambda random: _pgp(random, 60)),
}
"""Kind: makers of private keys in several lines."""
