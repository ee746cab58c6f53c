"""Where a key is met: prose, env files, code, configuration, shell history, logs. Knows no rule.

Each template is a real habit of some language or tool. A template is chosen among those that suit the key's shape, and
a few harmless lines stand around it, so that a reading must find the key and nothing else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

from tests.screening.keys import Maker


@dataclass(frozen=True, slots=True)
class Planted:
    """A text that holds one key at `start` to `end` (in characters)."""

    kind: str
    text: str
    start: int
    end: int


CODE = (
    '{name} = "{key}"',
    "{name} = '{key}'",
    'const {camel} = "{key}";',
    "let {camel} = '{key}'",
    'var {camel} string = "{key}"',
    '{camel} := "{key}"',
    'private static final String {upper} = "{key}";',
    'pub const {upper}: &str = "{key}";',
    "define('{upper}', '{key}');",
    'os.environ["{upper}"] = "{key}"',
    'client = Client({lower}="{key}", timeout=30)',
    "  {camel}: '{key}',",
    'ENV["{upper}"] ||= "{key}"',
    'string {camel} = @"{key}";',
)
CONFIGURATION = (
    "{upper}={key}",
    'export {upper}="{key}"',
    "export {upper}={key}",
    "{lower}: {key}",
    '{lower}: "{key}"',
    "      {upper}: {key}",
    "      - {upper}={key}",
    "{lower} = {key}",
    '  "{lower}": "{key}",',
    '{{"{camel}":"{key}","region":"eu-west-1"}}',
    "ENV {upper}={key}",
    '<add key="{camel}" value="{key}" />',
    "set {upper}={key}",
)
SHELL = (
    "  412  export {upper}={key}",
    "$ {upper}={key} ./deploy.sh --env prod",
    "heroku config:set {upper}={key} -a atlas",
    'docker run -e {upper}="{key}" registry.corp.net/app:1.4',
    "helm upgrade app ./chart --set {lower}={key}",
)
PROSE_NAMED = (
    "The {words} for staging is {key} and it is rotated in March.",
    "Use `{key}` as the {words} until the vault is up.",
    "Decision: we keep {upper}={key} in the deploy job because the runner has no vault.",
    "{words}: {key}",
)
PROSE_PREFIXED = (
    *PROSE_NAMED,
    "It failed until I pasted {key} into the settings page.",
    "Fixed with {key}, see above.",
)
LOGS = (
    "2025-03-14T09:21:44Z DEBUG config loaded {lower}={key} retries=3",
    '[error] request failed: 401 {{"{lower}": "{key}"}}',
    "time=09:21:44 level=info msg=starting {lower}={key}",
)
URLS = (
    *CONFIGURATION[:6],
    *CODE[:4],
    "curl -fsSL {key}",
    "git clone {key}",
    "The job reads from {key} every night.",
    "INFO connecting to {key}",
)
BEARER = (
    "curl -H 'Authorization: Bearer {key}' https://api.corp.net/v1/jobs",
    'headers = {{"Authorization": "Bearer {key}"}}',
    "> Authorization: Bearer {key}",
    "  authorization: `Bearer {key}`,",
)
BASIC = (
    "curl -H 'Authorization: Basic {key}' https://api.corp.net/v1/jobs",
    'headers["Authorization"] = "Basic {key}"',
    "< authorization: Basic {key}",
)
NETRC = ("machine api.corp.net login deploy password {key}", "machine git.corp.net\n  login ci\n  password {key}")
BLOCK = ("{key}", "```\n{key}\n```", "cat > key <<EOF\n{key}\nEOF", "I committed this by mistake:\n\n{key}\n")
PASSWORD_PROSE = (
    "The staging {words} is {key}, ask me before you change it.",
    "{words}: {key}",
    "login as admin / password: {key}",
)

BARE_ASSIGNMENTS = (*CONFIGURATION[:6], *CODE[:3], "The {words} for staging is {key} until March.")
"""Notations in which a placeholder is often met."""

TEMPLATES: dict[str, tuple[str, ...]] = {
    "token": CODE + CONFIGURATION + SHELL + PROSE_PREFIXED + LOGS,
    "named": CODE + CONFIGURATION + SHELL + PROSE_NAMED + LOGS,
    "password": CODE + CONFIGURATION + SHELL + PASSWORD_PROSE,
    "url": URLS,
    "bearer": BEARER,
    "basic": BASIC,
    "netrc": NETRC,
    "block": BLOCK,
}

NEIGHBOURS = (
    "import os",
    "# see docs/deploy.md",
    "retries: 3",
    "LOG_LEVEL=info",
    "The retry budget is three attempts with jitter.",
    "Merged as 9fceb02d0ae598e95dc970b74767f19372d61af8.",
    "REGION=eu-west-1",
    "def main() -> None:",
    "request id 4f1c7a52-9b1e-4c5e-8f0a-3b1d2c9e7a60",
    "",
    "We moved the job to the second runner on Friday.",
    "  timeout: 30",
)


def plant(kind: str, makers: tuple[Maker, ...], random: Random) -> Planted:
    """Return one key of a kind in a place where such keys are found."""
    key = random.choice(makers)(random)
    line = random.choice(TEMPLATES[key.shape]).format(key="\0", **names(key.name))
    before = [random.choice(NEIGHBOURS) for _ in range(random.randrange(4))]
    after = [random.choice(NEIGHBOURS) for _ in range(random.randrange(4))]
    head, _, tail = "\n".join([*before, line, *after]).partition("\0")
    return Planted(kind, head + key.text + tail, len(head), len(head) + len(key.text))


def names(name: str) -> dict[str, str]:
    """Return a name as a template's fields: as it is, in snake, upper and camel case, and as words."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name) or ["value"]
    lower = [part.lower() for part in parts]
    return {
        "name": name or "value",
        "lower": "_".join(lower),
        "upper": "_".join(lower).upper(),
        "camel": lower[0] + "".join(part.capitalize() for part in lower[1:]),
        "words": " ".join(lower),
    }
