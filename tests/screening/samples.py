"""One made key for each rule of the table, and a near miss that must not be taken for one.

A near miss is half as long, or is words, or says that it is something else: a token that lacks a character or a valid
checksum is no near miss, but a token that somebody mistyped. All are drawn at run time: no file of this repository
holds anything that a scanner flags.
"""

from __future__ import annotations

import base64
import string
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.screening import keys
from tests.screening.keys import ALNUM, BASE32, BASE64, HEX, URLSAFE, draw

Make = Callable[[Random], str]


@dataclass(frozen=True, slots=True)
class Sample:
    """A text that holds one secret of a rule, and one that nearly does; `secret` cuts the secret out of the first."""

    make: Make
    near_miss: Make
    secret: Callable[[str], str] = lambda text: text


def fixed(prefix: str, alphabet: str, length: int, suffix: str = "") -> Sample:
    """Return a sample of `length` characters between prefix and suffix; the near miss has half of them."""
    return Sample(
        lambda random: prefix + draw(random, alphabet, length) + suffix,
        lambda random: prefix + draw(random, alphabet, length // 2) + suffix,
    )


def after(before: str, alphabet: str, length: int, suffix: str) -> Sample:
    """Return a sample whose secret stands after a literal that is no part of it."""
    whole = fixed(before, alphabet, length, suffix)
    return Sample(whole.make, whole.near_miss, lambda text: text[len(before) :])


def worded(prefix: str, make: Make) -> Sample:
    """Return a sample whose near miss has words where the token has a body."""
    return Sample(make, lambda random: prefix + "".join(random.sample(WORDS, 7)))


def variant(kind: str, place: int) -> Make:
    """Return the maker of one variant of a kind of `keys.py`."""
    return lambda random: keys.KINDS[kind][place](random).text


def _jwt_without_header(random: Random) -> str:
    header = base64.urlsafe_b64encode(b'{"typ":"JWT","cty":"none at all"}').rstrip(b"=").decode()
    return f"{header}.eyJ{draw(random, URLSAFE, 40)}.{draw(random, URLSAFE, 43)}"


def _discord_in_words(random: Random) -> str:
    return "Notification" + ".".join(["CenterListener", "module", "initializedAfterRestoringState"])


def _basic(random: Random) -> str:
    return "Authorization: Basic " + base64.b64encode(f"ci:{draw(random, ALNUM, 14)}".encode()).decode()


def _armour_without_key(random: Random) -> str:
    label = "RSA PRIVATE" + " KEY"
    return f"-----BEGIN {label}-----\n...\n-----END {label}-----"


def _putty(random: Random) -> str:
    return "PuTTY-User-Key-File" + "-3: ssh-ed25519\nEncryption: none\nComment: deploy\n"


WORDS = ["Reader", "nation", "Entered", "Station", "listing", "Renders", "content", "Position", "Areas", "Sentence"]
HOOK = "https://hooks.slack.com/services"
DISCORD_HOOK = "https://discord.com/api/webhooks/"

SAMPLES: dict[str, Sample] = {
    "private-key": Sample(variant("private-key", 0), _armour_without_key),
    "putty-private-key": Sample(
        _putty, lambda random: "PuTTY-User-Key-File is a format", lambda text: text.partition("\n")[0]
    ),
    "bearer-token": Sample(
        lambda random: f"Authorization: Bearer {draw(random, ALNUM, 32)}",
        lambda random: "Authorization: Bearer tokens-go-in-the-header",
        lambda text: text.rpartition(" ")[2],
    ),
    "basic-credential": Sample(
        _basic, lambda random: "Basic authentication is off", lambda text: text.rpartition(" ")[2]
    ),
    "netrc-password": Sample(
        lambda random: f"machine api.corp.net login ci password {draw(random, ALNUM, 14)}",
        lambda random: f"machine api.corp.net login ci account {draw(random, ALNUM, 14)}",
        lambda text: text.rpartition(" ")[2],
    ),
    "command-line-password": Sample(
        lambda random: f"curl -u admin:{draw(random, ALNUM, 14)} https://api.corp.net",
        lambda random: f"curl -u admin https://api.corp.net/{draw(random, ALNUM, 14)}",
        lambda text: text.split(":")[1].split(" ")[0],
    ),
    "command-option-password": Sample(
        lambda random: f"sshpass -p {draw(random, ALNUM, 14)} ssh deploy@host",
        lambda random: f"ssh -p 2222 deploy@{draw(random, ALNUM, 14)}",
        lambda text: text.split(" ")[2],
    ),
    "authentication-pair": Sample(
        lambda random: f"requests.get(url, auth=('ci', '{draw(random, ALNUM, 14)}'))",
        lambda random: "requests.get(url, auth=('ci', 'password'))",
        lambda text: text.split("'")[3],
    ),
    "database-user-password": Sample(
        lambda random: f"CREATE USER app IDENTIFIED BY '{draw(random, ALNUM, 14)}'",
        lambda random: "CREATE USER app IDENTIFIED BY '<password>'",
        lambda text: text.split("'")[1],
    ),
    "age-identity": Sample(
        variant("private-key", 5), lambda random: "AGE-SECRET" + "-KEY-1" + draw(random, BASE32, 30)
    ),
    "jwt": Sample(variant("jwt", 0), _jwt_without_header),
    "github-token": worded("gh" + "p_", variant("github", 0)),
    "github-fine-grained-token": Sample(variant("github", 3), lambda random: variant("github", 3)(random)[:36]),
    "gitlab-token": fixed("gl" + "pat-", ALNUM, 20),
    "bitbucket-token": fixed("ATBB", ALNUM, 32),
    "atlassian-token": fixed("ATATT3xFfG", ALNUM, 100),
    "docker-token": fixed("dckr_" + "pat_", ALNUM, 27),
    "npm-token": worded("np" + "m_", variant("registry", 0)),
    "npm-registry-password": Sample(
        lambda random: f"//npm.corp.net/:_authToken={draw(random, ALNUM, 36)}",
        lambda random: "//npm.corp.net/:_authToken=${NPM_CONFIGURATION}",
        lambda text: text.partition("=")[2],
    ),
    "pypi-token": worded("pypi" + "-Ag", variant("registry", 1)),
    "clojars-token": fixed("CLOJARS_", HEX, 60),
    "prefect-key": fixed("pnu_", ALNUM, 36),
    "readme-key": fixed("rdme_", string.ascii_lowercase + string.digits, 70),
    "encoded-private-key": Sample(
        lambda random: base64.b64encode(variant("private-key", 0)(random).encode()).decode(),
        lambda random: base64.b64encode(f"-----BEGIN CERTIFICATE-----\n{draw(random, BASE64, 99)}".encode()).decode(),
    ),
    "authorization-token": Sample(
        lambda random: f"Authorization: token {draw(random, HEX, 40)}",
        lambda random: "Authorization: token required-for-all-of-them",
        lambda text: text.rpartition(" ")[2],
    ),
    "url-token": Sample(
        lambda random: f"https://{draw(random, ALNUM, 32)}@git.corp.net/team/app.git",
        lambda random: "https://continuous-integration-user@git.corp.net/team/app.git",
        lambda text: text.removeprefix("https://").partition("@")[0],
    ),
    "pgpass-password": Sample(
        lambda random: f"db.corp.net:5432:shop:app:{draw(random, ALNUM, 24)}",
        lambda random: "db.corp.net:5432:shop:app:password",
        lambda text: text.rpartition(":")[2],
    ),
    "aws-secret-access-key": Sample(
        lambda random: f"AK{'IA'}{draw(random, BASE32, 16)},{draw(random, BASE64, 40)}",
        lambda random: f"AK{'IA'}{draw(random, BASE32, 16)},{draw(random, BASE64, 28)}",
        lambda text: text.partition(",")[2],
    ),
    "google-refresh-token": fixed("1/" + "/0", ALNUM, 60),
    "azure-resource-key": Sample(
        lambda random: f"{draw(random, ALNUM, 52)}JQQJ99{draw(random, ALNUM, 26)}",
        lambda random: f"{draw(random, ALNUM, 26)}JQQJ99{draw(random, ALNUM, 26)}",
    ),
    "cloudflare-origin-key": Sample(
        lambda random: f"v1.0-{draw(random, HEX, 24)}-{draw(random, HEX, 146)}",
        lambda random: f"v1.0-{draw(random, HEX, 24)}-{draw(random, HEX, 40)}",
    ),
    "render-key": fixed("rnd_", ALNUM, 32),
    "neon-key": fixed("napi_", string.ascii_lowercase + string.digits, 64),
    "vercel-token": fixed("vcp_", ALNUM, 40),
    "adafruit-key": fixed("aio_", ALNUM, 28),
    "launchdarkly-key": Sample(
        lambda random: "sdk-" + variant("hosting", 1)(random),
        lambda random: "sdk-" + variant("hosting", 1)(random)[:20],
    ),
    "twilio-key": fixed("SK", HEX, 32),
    "dropbox-token": fixed("sl.", ALNUM, 136),
    "resend-key": Sample(
        lambda random: f"re_{draw(random, ALNUM, 8)}_{draw(random, ALNUM, 24)}",
        lambda random: f"re_{draw(random, ALNUM, 8)}_{draw(random, ALNUM, 12)}",
    ),
    "payment-key": fixed("shippo_live_", HEX, 40),
    "plaid-token": Sample(
        lambda random: "access-production-" + variant("hosting", 1)(random),
        lambda random: "access-production-" + variant("hosting", 1)(random)[:13],
    ),
    "typeform-token": fixed("tfp_", ALNUM, 59),
    "frameio-token": fixed("fio-u-", ALNUM, 64),
    "mailgun-api-key": Sample(
        lambda random: f"{draw(random, HEX, 32)}-{draw(random, HEX, 8)}-{draw(random, HEX, 8)}",
        lambda random: f"{draw(random, HEX, 32)}-{draw(random, HEX, 8)}",
    ),
    "rubygems-token": fixed("rubygems_", HEX, 48),
    "crates-token": fixed("cio", ALNUM, 32),
    "nuget-key": fixed("oy2", string.ascii_lowercase + string.digits, 43),
    "artifactory-token": fixed("AKCp", ALNUM, 69),
    "buildkite-token": fixed("bkua_", HEX, 40),
    "sonar-token": fixed("squ_", HEX, 40),
    "sentry-token": fixed("sntryu_", HEX, 64),
    "postman-key": Sample(
        lambda random: f"PMAK-{draw(random, HEX, 24)}-{draw(random, HEX, 34)}",
        lambda random: f"PMAK-{draw(random, HEX, 24)}-{draw(random, HEX, 17)}",
    ),
    "circleci-token": Sample(
        lambda random: f"CCIPAT_{draw(random, ALNUM, 22)}_{draw(random, HEX, 40)}",
        lambda random: f"CCIPAT_{draw(random, ALNUM, 22)}_{draw(random, HEX, 20)}",
    ),
    "aws-access-key-id": fixed("AK" + "IA", BASE32, 16),
    "alibaba-access-key-id": fixed("LTAI", ALNUM, 12),
    "google-api-key": fixed("AI" + "za", ALNUM, 35),
    "google-oauth-secret": fixed("GOCSPX-", ALNUM, 28),
    "google-access-token": fixed("ya29.", ALNUM, 40),
    "azure-account-key": after("AccountKey=", BASE64, 86, "=="),
    "azure-shared-access-key": after("SharedAccessKey=", BASE64, 43, "="),
    "azure-signature": after("https://a.blob.core.windows.net/c?sv=2022&sig=", ALNUM, 43, "%3D"),
    "azure-client-secret": Sample(
        lambda random: f"{draw(random, ALNUM, 3)}8Q~{draw(random, ALNUM, 34)}",
        lambda random: f"{draw(random, ALNUM, 3)}8Q~{draw(random, ALNUM, 30)}",
    ),
    "digitalocean-token": fixed("dop_" + "v1_", HEX, 64),
    "heroku-key": fixed("HRKU-", ALNUM, 36),
    "terraform-token": Sample(
        lambda random: f"{draw(random, ALNUM, 14)}.atlasv1.{draw(random, ALNUM, 67)}",
        lambda random: f"{draw(random, ALNUM, 7)}.atlasv1.{draw(random, ALNUM, 67)}",
    ),
    "vault-token": fixed("hvs.", ALNUM, 24),
    "pulumi-token": fixed("pul-", HEX, 40),
    "databricks-token": fixed("dapi", HEX, 32),
    "planetscale-token": fixed("pscale_tkn_", ALNUM, 32),
    "supabase-key": fixed("sbp_", HEX, 40),
    "fly-token": Sample(
        lambda random: f"FlyV1 fm2_{draw(random, ALNUM, 120)}",
        lambda random: f"FlyV1 fm2_{draw(random, ALNUM, 59)}",
        lambda text: text.partition(" ")[2],
    ),
    "netlify-token": fixed("nfp_", ALNUM, 36),
    "tailscale-key": Sample(
        lambda random: f"tskey-auth-{draw(random, ALNUM, 17)}-{draw(random, ALNUM, 32)}",
        lambda random: f"tskey-auth-{draw(random, ALNUM, 17)}-{draw(random, ALNUM, 10)}",
    ),
    "doppler-token": fixed("dp.pt.", ALNUM, 40),
    "grafana-token": Sample(
        lambda random: f"glsa_{draw(random, ALNUM, 32)}_{draw(random, HEX, 8)}",
        lambda random: f"glsa_{draw(random, ALNUM, 16)}_{draw(random, HEX, 8)}",
    ),
    "new-relic-key": fixed("NRAK-", ALNUM, 19),
    "dynatrace-token": Sample(
        lambda random: f"dt0c01.{draw(random, BASE32, 24)}.{draw(random, BASE32, 64)}",
        lambda random: f"dt0c01.{draw(random, BASE32, 24)}.{draw(random, BASE32, 32)}",
    ),
    "slack-token": fixed("xo" + "xb-", ALNUM, 24),
    "slack-webhook": Sample(
        lambda random: f"{HOOK}/T{draw(random, BASE32, 10)}/B{draw(random, BASE32, 10)}/{draw(random, ALNUM, 24)}",
        lambda random: f"{HOOK}/T{draw(random, BASE32, 10)}/B{draw(random, BASE32, 10)}/{draw(random, ALNUM, 19)}",
        lambda text: text.removeprefix("https://"),
    ),
    "stripe-key": fixed("sk_" + "live_", ALNUM, 16),
    "stripe-webhook-secret": fixed("whsec_", ALNUM, 32),
    "sendgrid-key": Sample(
        lambda random: f"SG.{draw(random, ALNUM, 22)}.{draw(random, ALNUM, 43)}",
        lambda random: f"SG.{draw(random, ALNUM, 22)}.{draw(random, ALNUM, 21)}",
    ),
    "mailgun-key": fixed("key-", HEX, 32),
    "mailchimp-key": fixed("", HEX, 32, "-us14"),
    "brevo-key": Sample(
        lambda random: f"xkeysib-{draw(random, HEX, 64)}-{draw(random, ALNUM, 16)}",
        lambda random: f"xkeysib-{draw(random, HEX, 32)}-{draw(random, ALNUM, 16)}",
    ),
    "shopify-token": fixed("shp" + "at_", HEX, 32),
    "square-token": fixed("sq0csp-", ALNUM, 43),
    "telegram-bot-token": Sample(
        lambda random: f"{random.randrange(10**8, 10**10)}:AA{draw(random, ALNUM, 33)}",
        lambda random: f"{random.randrange(10**8, 10**10)}:AA{draw(random, ALNUM, 16)}",
    ),
    "discord-webhook": Sample(
        lambda random: f"{DISCORD_HOOK}{random.randrange(10**17, 10**18)}/{draw(random, ALNUM, 68)}",
        lambda random: f"{DISCORD_HOOK}{random.randrange(10**15, 10**16)}/{draw(random, ALNUM, 68)}",
        lambda text: text.removeprefix("https://discord.com"),
    ),
    "discord-token": Sample(variant("chat", 1), _discord_in_words),
    "openai-key": Sample(
        lambda random: f"sk-proj-{draw(random, ALNUM, 40)}T3BlbkFJ{draw(random, ALNUM, 40)}",
        lambda random: "sk-proj-" + "-".join(random.sample(WORDS, 5)).lower(),
    ),
    "anthropic-key": fixed("sk-" + "ant-api03-", ALNUM, 80),
    "provider-key": fixed("gsk_", ALNUM, 52),
    "huggingface-token": fixed("hf_", string.ascii_letters, 34),
    "langsmith-key": Sample(
        lambda random: f"lsv2_pt_{draw(random, HEX, 32)}_{draw(random, HEX, 10)}",
        lambda random: f"lsv2_pt_{draw(random, HEX, 16)}_{draw(random, HEX, 10)}",
    ),
    "linear-key": fixed("lin_api_", ALNUM, 40),
    "notion-token": Sample(
        lambda random: f"ntn_{draw(random, string.digits, 11)}{draw(random, ALNUM, 35)}",
        lambda random: f"ntn_{draw(random, string.digits, 11)}{draw(random, ALNUM, 17)}",
    ),
    "airtable-token": Sample(
        lambda random: f"pat{draw(random, ALNUM, 14)}.{draw(random, HEX, 64)}",
        lambda random: f"pat{draw(random, ALNUM, 14)}.{draw(random, HEX, 32)}",
    ),
    "figma-token": fixed("figd_", ALNUM, 38),
    "contentful-token": fixed("CFPAT-", ALNUM, 43),
    "mapbox-secret-token": Sample(
        lambda random: f"sk.eyJ{draw(random, ALNUM, 60)}.{draw(random, ALNUM, 22)}",
        lambda random: f"sk.eyJ{draw(random, ALNUM, 60)}.{draw(random, ALNUM, 21)}",
    ),
    "url-password": Sample(
        lambda random: f"postgres://app:{draw(random, ALNUM, 12)}@db.corp.net/prod",
        lambda random: f"postgres://app@db.corp.net:5432/{draw(random, ALNUM, 12)}",
        lambda text: text.split(":")[2].split("@")[0],
    ),
}
"""By the rule's name."""
