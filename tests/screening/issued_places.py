"""Where the keys of the second source stand: eight kinds of surroundings, most without a word that tells of a secret.

Nothing here is shared with `surroundings.py` but the form of the answer.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from random import Random

from tests.screening.issued_settings import BLOCKS, LINES, NAMED
from tests.screening.issued_tokens import TOKENS, draw
from tests.screening.surroundings import Planted

BARE_PLACES: dict[str, tuple[str, ...]] = {
    "bare": ("{}", "{}\n", "  {}", "\n{}\n\n"),
    "prose": (
        "use {} for CI", "{} publishes", "It works with {}.", "Anna said: {}, valid until May", "see ({}) for staging",
        "We had to put {}; then it ran.", "Der Bau nimmt {} bis Mai.",
    ),
    "code": (
        'connect("{}", timeout=3)', "x = '{}'", "let v = `{}`;", 'v := "{}" // staging', 'const V: &str = "{}";',
        'print("{}\\n")', "call(b'{}')", '["prod", "{}"]',
    ),
    "yaml": ("- {}", "value: {}", "with:\n  v: '{}'", 'run: publish --with "{}"', "a: [{}, b]", "a: {}  # staging"),
    "json": ('["{}"]', '{{"v":"{}"}}', '{{\\"v\\":\\"{}\\"}}', '{{\n  "v": "{}",\n  "w": 1\n}}', '"{}\\n"'),
    "url": (
        "https://api.example.invalid/v1/{}/status", "https://api.example.invalid/v1?v={}&page=2",
        "https://{}@git.example.invalid/team/app.git", "https://ci:{}@git.example.invalid/team/app.git",
        "<https://api.example.invalid/#{}>", "GET /hook/{} HTTP/1.1",
    ),
    "shell": (
        "deploy --to prod {}\n", "echo {} | docker login -u ci --password-stdin", "V={} make",
        "tool login '{}' && make",
        "export V={}\r\nmake\r\n", "curl -d v={} https://api.example.invalid",
    ),
    "markup": (
        "| ci | {} |", "**{}**", "> {}", "`{}`", "<td>{}</td>", "[x]({})", "* {} - staging", "_{}_", "key={}",
        "Token {}",
    ),
}  # fmt: skip
"""For what is known by its form, or is a whole line."""

NAMED_PLACES: dict[str, tuple[str, ...]] = {
    "env": ("{name}={}", "export {name}='{}'", '{name}="{}" make'),
    "prose": ("The {words} is {}", "{words}: {}", "Set {name} to {} on the runner.", "use `{}` as {words}"),
    "code": ('{name} = "{}"', 'setup({name}="{}")', "const {name} = '{}';", 'os.environ["{name}"] = "{}"'),
    "yaml": ("{name}: {}", "  {name}: '{}'", "- name: {name}\n  value: {}", "- {name}={}"),
    "json": ('{{"{name}": "{}"}}', '{{"{name}":"{}","v":1}}', '{{"name": "{name}", "value": "{}"}}'),
    "shell": ("tool config set {name} {}", "tool --{dashed} {}", "tool --{dashed}={} run", "-e {name}={} image"),
    "markup": ("| {name} | {} |", "<{name}>{}</{name}>", "* **{name}**: `{}`", '<add key="{name}" value="{}"/>'),
    "properties": ("app.{name}={}", "{name} = {}", "{name} : {}", "{name}\t{}"),
}
"""For what only its name makes known."""

_WRAPPINGS: dict[str, Callable[[str], str]] = {
    "bare": lambda block: block,
    "fenced": lambda block: f"Notes\n\n```\n{block}\n```\nmore\n",
    "yaml": lambda block: "tls:\n  file: |\n" + textwrap.indent(block, "    ") + "\nmore: 1\n",
    "json": lambda block: json.dumps({"type": "service_account", "v": block + "\n"}),
    "code": lambda block: f'V = """\n{block}\n"""\n',
    "env": lambda block: 'V="' + block.replace("\n", "\\n") + '"\n',
    "quoted": lambda block: textwrap.indent(block, "> ", lambda _: True),
    "heredoc": lambda block: f"cat > f <<EOF\n{block}\nEOF\n",
}


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds."""
    return (*TOKENS, *NAMED, *LINES, *BLOCKS)


def issued(random: Random, rounds: int = 10) -> Iterator[Planted]:
    """Yield each kind `rounds` times in each of eight surroundings; the same for the same generator."""
    for kind in kinds():
        for _ in range(rounds):
            yield from _in_each_place(kind, random)


def _in_each_place(kind: str, random: Random) -> Iterator[Planted]:
    if kind in BLOCKS:
        for wrap in _WRAPPINGS.values():
            text = wrap(random.choice(BLOCKS[kind])(random))
            yield Planted(kind, text, text.index("-----BEGIN"), len(text))
    elif kind in NAMED:
        for places in NAMED_PLACES.values():
            names, forms = NAMED[kind]
            line = _with_name(random.choice(places), random.choice(names))
            yield _plant(kind, line, "[" + random.choice(forms) + "]", random)
    else:
        for place, places in BARE_PLACES.items():
            line = random.choice(TOKENS.get(kind, LINES.get(kind, ())))
            # A line of a notation that is full of quotes or is an address stands among lines, not inside another.
            among = ("{}\n", "first\n{}\nlast\n") if kind in LINES or (place == "url" and "://" in line) else places
            yield _plant(kind, random.choice(among), line if kind in LINES else f"[{line}]", random)


def _with_name(place: str, name: str) -> str:
    words = "".join(" " + letter.lower() if letter.isupper() and not name.isupper() else letter for letter in name)
    words = words.replace("_", " ").lower()
    return place.replace("{name}", name).replace("{words}", words).replace("{dashed}", words.replace(" ", "-"))


def _plant(kind: str, place: str, form: str, random: Random) -> Planted:
    """Return a place with a form drawn into it, and where the part of the form in brackets came to stand."""
    line = draw(form, random).replace("[[", "\1").replace("]]", "\2")
    head, _, rest = place.replace("{{", "{").replace("}}", "}").partition("{}")
    before, _, inside = line.partition("[")
    secret, _, after = inside.partition("]")
    head, tail = (part.replace("\1", "[").replace("\2", "]") for part in (head + before, after + rest))
    return Planted(kind, head + secret + tail, len(head), len(head) + len(secret))
