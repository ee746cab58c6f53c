"""Harmless text: from the source code and documents of this machine, and made by a seeded generator.

Real text is drawn by the kind of file, so that lock files, change logs and minified code count as much as Python. A
drawn text is a run of whole lines (or a slice, where lines are longer than a screen) of at most 2 KiB: what a person or
an agent would paste into a memory. Made text is what looks most like a key and is none: commit ids, UUIDs, ULIDs,
hashes, integrity fields, images in base 64, placeholders, memgit's own citations.
"""

from __future__ import annotations

import base64
import gzip
import os
import string
import sys
import sysconfig
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.screening.keys import BASE62, HEX, draw

TEXT_BYTES = 2048  # of one drawn text
FILE_BYTES = 2_000_000  # larger files are data, not something a person wrote
FILES_PER_KIND = 4000

KINDS_OF_FILE: dict[str, tuple[str, ...]] = {
    "python": (".py", ".pyi"),
    "web": (".js", ".mjs", ".cjs", ".ts", ".css", ".html"),
    "minified": (".min.js", ".min.css", ".map"),
    "native": (".c", ".h", ".hpp", ".cpp", ".rs", ".go", ".java", ".rb", ".pl", ".pm", ".sh", ".sql"),
    "prose": (".md", ".rst", ".txt", "readme", "authors", "news"),
    "legal": ("license", "copying", "copyright", "notice", "license.txt", "licence"),
    "changelog": ("changelog", "changelog.md", "changelog.gz", "changelog.debian.gz", "changes.rst", "history.md"),
    "configuration": (".toml", ".cfg", ".ini", ".yaml", ".yml", ".json", ".conf", ".properties"),
    "lock": ("record", "package-lock.json", ".package-lock.json", "yarn.lock", "pipfile.lock", "uv.lock", "go.sum"),
}


@dataclass(frozen=True, slots=True)
class Innocent:
    """One harmless text. `origin` is a file's path, or the name of the maker."""

    kind: str
    origin: str
    text: str


def innocents(random: Random, count: int, roots: Sequence[Path] | None = None) -> list[Innocent]:
    """Return `count` harmless texts, four fifths of them from files below `roots` (default: what this machine has).

    The same for the same generator on one machine.
    """
    files = _files(random, roots or _roots())
    kinds = [kind for kind in KINDS_OF_FILE if files[kind]]
    drawn: list[Innocent] = []
    seen: set[str] = set()
    attempts = 0
    while kinds and len(drawn) < count * 4 // 5 and attempts < count * 4:
        kind = kinds[attempts % len(kinds)]
        attempts += 1
        path = random.choice(files[kind])
        text = _draw_text(random, path)
        if len(text) > 20 and text not in seen:
            seen.add(text)
            drawn.append(Innocent(kind, str(path), text))
    names = list(MAKERS)
    made = [names[index % len(names)] for index in range(count - len(drawn))]
    return drawn + [Innocent("made", name, MAKERS[name](random)) for name in made]


def _roots() -> Iterable[Path]:
    paths = sysconfig.get_paths()
    own = {Path(paths["stdlib"]), Path(paths["purelib"]), Path(sys.base_prefix) / "lib"}
    shared = ("share/doc", "lib/python3", "lib/node_modules", "share/perl", "share/javascript", "include", "lib/go")
    return sorted(root for root in own | {Path("/usr") / name for name in shared} if root.is_dir())


def _files(random: Random, roots: Iterable[Path]) -> dict[str, list[Path]]:
    found: dict[str, set[Path]] = {kind: set() for kind in KINDS_OF_FILE}
    for root in roots:
        for path in _walk(root):
            if kind := _kind_of(path.name.lower()):
                found[kind].add(path)
    return {kind: random.sample(sorted(paths), min(len(paths), FILES_PER_KIND)) for kind, paths in found.items()}


def _walk(root: Path) -> Iterator[Path]:
    for directory, _, names in os.walk(root):
        for name in names:
            yield Path(directory, name)


def _kind_of(name: str) -> str | None:
    # Longest endings first: `.min.js` is not `.js`, and `license.txt` is not `.txt`.
    endings = [(ending, kind) for kind, group in KINDS_OF_FILE.items() for ending in group]
    for ending, kind in sorted(endings, key=lambda pair: -len(pair[0])):
        if name.endswith(ending) if ending.startswith(".") else name == ending:
            return kind
    return None


def _draw_text(random: Random, path: Path) -> str:
    try:
        if path.stat().st_size > FILE_BYTES:
            return ""
        data = path.read_bytes()
        text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    except (OSError, UnicodeDecodeError, EOFError):
        return ""
    lines = text.splitlines(keepends=True)
    if not lines:
        return ""
    start = random.randrange(len(lines))
    chosen = "".join(lines[start : start + int(2 ** random.uniform(0, 5.5))])
    cut = random.randrange(max(1, len(chosen) - TEXT_BYTES)) if len(chosen) > TEXT_BYTES else 0
    return chosen[cut : cut + TEXT_BYTES]


_ULID = "0123456789abcdefghjkmnpqrstvwxyz"


def _base64(random: Random, size: int) -> str:
    return base64.b64encode(random.randbytes(size)).decode()


def _uuid(random: Random) -> str:
    return str(uuid.UUID(int=random.getrandbits(128), version=4))


def _citation(random: Random) -> str:
    artifact, revision = (draw(random, _ULID, 26) for _ in range(2))
    return f"See memoree://artifact/art_{artifact}@arev_{revision}#120-480 for the token bucket; key point: no lock."


def _lock_entry(random: Random) -> str:
    name = random.choice(["tokenize", "secretary", "password-prompt", "jsonwebtoken", "keyv"])
    url = f"https://registry.npmjs.org/{name}/-/{name}-4.1.{random.randrange(9)}.tgz"
    return (
        f'"node_modules/{name}": {{\n  "version": "4.1.2",\n  "resolved": "{url}",\n'
        f'  "integrity": "sha512-{_base64(random, 64)}"\n}}'
    )


def _cargo_entry(random: Random) -> str:
    return f'[[package]]\nname = "secrecy"\nversion = "0.8.0"\nchecksum = "{draw(random, HEX, 64)}"\n'


def _requirement(random: Random) -> str:
    return (
        f"keyring==24.3.0 \\\n    --hash=sha256:{draw(random, HEX, 64)} \\\n    --hash=sha256:{draw(random, HEX, 64)}"
    )


def _placeholder(random: Random) -> str:
    name = random.choice(["API_KEY", "DB_PASSWORD", "SECRET_KEY", "GITHUB_TOKEN", "AUTH_TOKEN", "CLIENT_SECRET"])
    value = random.choice(
        [
            "xxxxxxxxxxxxxxxx",
            "${" + name + "}",
            "<your-token-here>",
            "changeme",
            "your_api_key_here",
            "example",
            "process.env." + name,
            f'os.environ["{name}"]',
            "{{ secrets." + name + " }}",
            "********",
            "REPLACE_ME",
            f"$(pass show {name.lower()})",
            "$" + name,
            "%" + name + "%",
            "null",
            "",
            "TODO",
            "sk_test_...",
            "<redacted>",
            f'getenv("{name}")',
            f"config.{name.lower()}",
            "vault:secret/data/app#key",
            "!secret " + name.lower(),
        ]
    )
    return random.choice(["{name}={value}", '{name} = "{value}"', "{name}: {value}"]).format(name=name, value=value)


def _prose(random: Random) -> str:
    return random.choice(
        [
            "The token bucket refills every second; the key is the client id and the secret sauce is jitter.",
            "Passwords are hashed with argon2id, never stored; the secret key comes from the vault at start-up.",
            "Decision: session tokens expire after 30 minutes. Refresh tokens rotate on use.",
            "Primary key order matters: token, password_hash, created_at.",
            "Authorization: Bearer tokens go in the header, never in the URL.",
            "password: at least twelve characters, one digit; the policy is in docs/security-policy-2024.md",
            "Use https://user:" + "password@host/ only in examples.",
            "Secret santa list: api, key, token, credential. All of these are words, none is a key.",
        ]
    )


MAKERS: dict[str, Callable[[Random], str]] = {
    "commit": lambda random: f"Fixed in {draw(random, HEX, 40)}, which also moves the token parser.",
    "log": lambda random: f"commit {draw(random, HEX, 40)}\nAuthor: A <a@corp.net>\n\n    auth: rotate key material",
    "short": lambda random: f"* {draw(random, HEX, 7)} fix(auth): token refresh\n* {draw(random, HEX, 7)} secret scan",
    "uuid": lambda random: f"The key request {_uuid(random)} failed with token_expired.",
    "ulid": lambda random: f"clm_{draw(random, _ULID, 26)} says that the token is derived from the session key.",
    "citation": _citation,
    "sha256": lambda random: f"{draw(random, HEX, 64)}  secrets-{random.randrange(99)}.tar.gz",
    "blake3": lambda random: f"digest: {draw(random, HEX, 64)}\nkey: artifact",
    "image": lambda random: f'<img alt="key" src="data:image/png;base64,{_base64(random, 400)}">',
    "font": lambda random: "src: url(data:font/woff2;base64," + _base64(random, 600) + ") format('woff2');",
    "npm lock": _lock_entry,
    "cargo lock": _cargo_entry,
    "requirement": _requirement,
    "go sum": lambda random: f"golang.org/x/crypto v0.{random.randrange(40)}.0 h1:{_base64(random, 32)}",
    "map": lambda random: (
        '{"version":3,"names":["token","key"],"mappings":"'
        + ";".join(draw(random, string.ascii_uppercase + string.ascii_lowercase, 4) for _ in range(60))
        + '"}'
    ),
    "script hash": lambda random: f"script-src 'sha256-{_base64(random, 32)}' 'nonce-{draw(random, BASE62, 22)}'",
    "public key": lambda random: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{_base64(random, 31)} deploy@host",
    "fingerprint": lambda random: f"256 SHA256:{_base64(random, 32).rstrip('=')} deploy key (ED25519)",
    "image digest": lambda random: f"image: registry.corp.net/auth@sha256:{draw(random, HEX, 64)}",
    "placeholder": _placeholder,
    "prose": _prose,
    "wsl": lambda random: f"git push origin feature/{draw(random, HEX, 8)}-token-secret-{draw(random, HEX, 6)}",
}
