"""A second source of harmless text: only what was found on this machine, chosen for what looks most like a key.

Certificates, lock files, images and fonts in base 64, drawings, git object ids, fixtures of tests, messages in other
languages, minified code, and lines of source code and documents. Apart from `innocents.py`, of which it takes the form
of the answer. A file that keeps real private keys, as a test suite of a TLS library does, is no harmless text.
"""

from __future__ import annotations

import base64
import os
import subprocess
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from tests.screening.innocents import Innocent

TEXT_BYTES = 2048
FILES_PER_KIND = 3000
REPOSITORY = Path(__file__).parents[2]

_ROOTS = ("/usr/share", "/usr/lib", "/etc/ssl/certs", "/usr/include", "/usr/local/lib")
_ENDINGS: dict[str, tuple[str, ...]] = {
    "certificate": (".crt", ".pem", ".cer"),
    "drawing": (".svg",),
    "picture": (".png", ".gif", ".ico", ".jpg", ".woff2", ".woff", ".ttf"),
    "translation": (".po", ".mo", ".ftl", ".properties", ".strings"),
    "minified": (".min.js", ".min.css", ".js.map", ".bundle.js"),
    "lock": ("package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "record", "go.sum", "cargo.lock"),
    "notebook": (".ipynb",),
    "document": (".md", ".rst", ".txt", ".html", ".adoc", ".1", ".tex"),
    "source": (".py", ".js", ".ts", ".c", ".h", ".rs", ".go", ".java", ".rb", ".pl", ".sh", ".php", ".cs"),
    "settings": (".json", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".xml", ".conf"),
}
_SECRETS_ON_PURPOSE = ("PRIVATE" + " KEY", "AGE-SECRET" + "-KEY")


def found(random: Random, count: int, roots: Sequence[Path] | None = None) -> list[Innocent]:
    """Return `count` harmless texts, the kinds in turn; the same for the same generator on one machine."""
    files = _files(random, roots or _default_roots())
    makers: dict[str, Callable[[Random], tuple[str, str]]] = {
        kind: _drawer(kind, paths) for kind, paths in files.items() if paths
    }
    ids = _object_ids()
    if ids:
        makers["object id"] = lambda random: ("git", "\n".join(random.sample(ids, min(len(ids), 6))))
    drawn: list[Innocent] = []
    seen: set[str] = set()
    for attempt in range(count * 5):
        kind = list(makers)[attempt % len(makers)]
        origin, text = makers[kind](random)
        if len(drawn) == count:
            break
        if len(text) > 20 and text not in seen and not any(mark in text for mark in _SECRETS_ON_PURPOSE):
            seen.add(text)
            drawn.append(Innocent(kind, origin, text))
    return drawn


def _default_roots() -> list[Path]:
    paths = sysconfig.get_paths()
    roots = {Path(root) for root in _ROOTS} | {Path(paths["purelib"]), Path(paths["stdlib"])}
    return sorted(root for root in roots if root.is_dir())


def _files(random: Random, roots: Sequence[Path]) -> dict[str, list[Path]]:
    by_kind: dict[str, set[Path]] = {kind: set() for kind in (*_ENDINGS, "fixture")}
    for root in roots:
        for directory, _, names in os.walk(root):
            in_tests = "/test" in directory or "/fixtures" in directory
            for name in names:
                kind = _kind_of(name.lower())
                if kind is not None:
                    by_kind["fixture" if in_tests and kind in ("source", "settings", "document") else kind].add(
                        Path(directory, name)
                    )
    return {kind: random.sample(sorted(paths), min(len(paths), FILES_PER_KIND)) for kind, paths in by_kind.items()}


def _kind_of(name: str) -> str | None:
    return next((kind for kind, endings in _ENDINGS.items() if name.endswith(endings)), None)


def _drawer(kind: str, paths: list[Path]) -> Callable[[Random], tuple[str, str]]:
    def draw(random: Random) -> tuple[str, str]:
        path = random.choice(paths)
        try:
            data = path.read_bytes()[:2_000_000]
        except OSError:
            return str(path), ""
        return str(path), _encoded(random, data) if kind == "picture" else _excerpt(random, data)

    return draw


def _encoded(random: Random, data: bytes) -> str:
    text = base64.b64encode(data[: random.randrange(30, 1400)]).decode()
    return random.choice(
        ['<img src="data:image/png;base64,{}">', "url(data:font/woff2;base64,{})", '"{}"', "{}"]
    ).format(text)


def _excerpt(random: Random, data: bytes) -> str:
    lines = data.decode("utf-8", "ignore").splitlines(keepends=True)
    if not lines:
        return ""
    first = random.randrange(len(lines))
    text = "".join(lines[first : first + random.choice((1, 2, 4, 10, 40))])
    cut = random.randrange(max(1, len(text) - TEXT_BYTES + 1))
    return text[cut : cut + TEXT_BYTES]


def _object_ids() -> list[str]:
    """Return lines of this repository's log and trees, which hold the ids of commits, trees and blobs."""
    lines: list[str] = []
    for command in (("log", "--raw", "--no-abbrev", "-300"), ("ls-tree", "-r", "-t", "HEAD")):
        done = subprocess.run(["git", "-C", str(REPOSITORY), *command], capture_output=True, text=True, check=False)
        lines += [line for line in done.stdout.splitlines() if len(line) > 20]
    return lines
