"""Screening for secrets: how many of 200 made keys of 20 kinds are caught, how many innocent texts refused, how fast.

The keys come from `tests/screening/keys.py`, which knows no rule; the innocent texts from files of this machine and
from makers of ids, hashes and the like. `unnamed` are five kinds that no rule names. `issued` are keys of a second
source (`tests/screening/issued_places.py`): of more kinds, without valid checksums, mostly without a telling word;
`found` are innocent texts of a second source (`tests/screening/found.py`). A key counts as caught where a finding
overlaps it (for the other engines: where there is any finding). Times are processor time of one core.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from random import Random, SystemRandom
from typing import Any

from benchmarks.report import parser, progress, publish
from tests.screening.found import found
from tests.screening.innocents import Innocent, innocents
from tests.screening.issued_places import issued
from tests.screening.keys import KINDS, UNNAMED, Maker
from tests.screening.surroundings import Planted, plant

Hits = list[tuple[str, int, int]]
"""Rule, start and end in characters; start -1 where an engine does not say."""
Engine = Callable[[str], Hits]

KIB = 1024
LARGE = 8 * KIB * KIB  # an artifact of the largest size


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--seed", type=int, default=20261130, help="of keys, places and texts (default 20261130)")
    options.add_argument("--keys", type=int, default=200, help="keys, spread over the 20 kinds (default 200)")
    options.add_argument("--innocents", type=int, default=6000, help="innocent texts (default 6000)")
    options.add_argument(
        "--rounds", type=int, default=10, help="keys of the second source: rounds of each kind in 8 places (default 10)"
    )
    options.add_argument("--found", type=int, default=5000, help="innocent texts of the second source (default 5000)")
    options.add_argument(
        "--fresh", action="store_true", help="draw the second source's keys from the system, not the seed"
    )
    options.add_argument(
        "--root", type=Path, action="append", help="draw innocent texts from here instead (repeatable)"
    )
    options.add_argument("--engine", choices=sorted(ENGINES), default="memgit", help="(default memgit)")
    options.add_argument("--show", action="store_true", help="list what was missed or refused: place and rule, no text")
    publish(measure(options.parse_args()))


def measure(chosen: Namespace) -> dict[str, Any]:
    """Return all figures of one engine."""
    module, make = ENGINES[chosen.engine]
    import_ms = _import_ms(module)
    engine = make()
    random = Random(chosen.seed)
    progress(f"{chosen.keys} keys")
    named = _plant(KINDS, random, chosen.keys)
    unnamed = _plant(UNNAMED, random, chosen.keys // 4)
    progress(f"{chosen.innocents} innocent texts")
    texts = innocents(random, chosen.innocents, chosen.root)
    figures = {"engine": chosen.engine, "seed": chosen.seed, **_recall(engine, named, chosen.show)}
    figures["unnamed"] = _recall(engine, unnamed, chosen.show)
    figures |= _false_alarms(engine, texts, chosen.show)
    figures |= _second_source(engine, chosen)
    return figures | {"import_ms": import_ms, **_speed(engine, texts, large=chosen.engine == "memgit")}


def _second_source(engine: Engine, chosen: Namespace) -> dict[str, Any]:
    progress(f"the second source: {chosen.rounds} rounds of keys, {chosen.found} texts")
    keys = list(issued(SystemRandom() if chosen.fresh else Random(chosen.seed), chosen.rounds))
    harmless = found(Random(chosen.seed), chosen.found, chosen.root)
    return {"issued": _recall(engine, keys, chosen.show), "found": _false_alarms(engine, harmless, chosen.show)}


def _plant(kinds: Mapping[str, Sequence[Maker]], random: Random, count: int) -> list[Planted]:
    names = list(kinds)
    return [plant(name, tuple(kinds[name]), random) for name in (names[at % len(names)] for at in range(count))]


def _recall(engine: Engine, keys: Sequence[Planted], show: bool) -> dict[str, Any]:
    of, caught = Counter(key.kind for key in keys), Counter[str]()
    for key in keys:
        if any(start < 0 or (start < key.end and key.start < end) for _, start, end in engine(key.text)):
            caught[key.kind] += 1
        elif show:
            progress(f"missed: {key.kind}, {key.end - key.start} characters")
    return {
        "caught": caught.total(),
        "of": len(keys),
        "rate": round(caught.total() / max(1, len(keys)), 4),
        "by_kind": {kind: f"{caught[kind]}/{of[kind]}" for kind in of},
    }


def _false_alarms(engine: Engine, texts: Sequence[Innocent], show: bool) -> dict[str, Any]:
    by_kind: Counter[str] = Counter()
    for text in texts:
        hits = engine(text.text)
        if hits:
            by_kind[text.kind] += 1
            if show:
                progress(f"false: {sorted({rule for rule, _, _ in hits})} in {text.origin}")
    return {
        "false_positives": by_kind.total(),
        "innocent": len(texts),
        "false_rate": round(by_kind.total() / max(1, len(texts)), 5),
        "false_by_kind": dict(by_kind),
    }


def _speed(engine: Engine, texts: Sequence[Innocent], large: bool) -> dict[str, Any]:
    """Return microseconds a KiB on the innocent texts joined to statements of 1 KiB, and seconds for 8 MiB."""
    whole = "\n".join(text.text for text in texts)
    statements = [whole[at : at + KIB] for at in range(0, min(len(whole), 400 * KIB), KIB)]
    engine(statements[0])  # patterns are compiled when they are first needed
    times = [_processor_seconds(engine, statement) for statement in statements]
    figures: dict[str, Any] = {
        "per_kib_us": round(statistics.fmean(times) * 1e6, 1),
        "per_kib_p99_us": round(sorted(times)[int(len(times) * 0.99)] * 1e6, 1),
    }
    if large:
        text = (whole * (LARGE // len(whole) + 1))[:LARGE]
        figures["large_s"] = round(_processor_seconds(engine, text), 2)
    return figures


def _processor_seconds(engine: Engine, text: str) -> float:
    begun = time.process_time()
    engine(text)
    return time.process_time() - begun


def _import_ms(module: str) -> float:
    """Return the median of what importing a module adds to a new process, in milliseconds of processor time."""
    program = f"import time; t = time.process_time(); import {module}; print(time.process_time() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(7)
    ]
    return round(statistics.median(float(run.stdout) for run in runs) * 1000, 1)


def _memgit() -> Engine:
    from memgit.screening import screen_text

    return lambda text: [(found.rule, found.start, found.end) for found in screen_text(text, "text")]


def _detect_secrets() -> Engine:
    scan, settings = import_module("detect_secrets.core.scan"), import_module("detect_secrets.settings")

    def look(text: str) -> Hits:
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", suffix=".txt") as file, settings.default_settings():
            file.write(text)
            file.flush()
            return [(found.type, -1, -1) for found in scan.scan_file(file.name)]

    return look


def _detect_secrets_lines() -> Engine:
    scan, settings = import_module("detect_secrets.core.scan"), import_module("detect_secrets.settings")

    def look(text: str) -> Hits:
        with settings.default_settings():
            return [(found.type, -1, -1) for line in text.splitlines() for found in scan.scan_line(line)]

    return look


def _betterleaks() -> Engine:
    scan = import_module("betterleaks").scan_string
    return lambda text: [(found.rule_id, -1, -1) for found in scan(text)]


def _kingfisher() -> Engine:
    scanner = import_module("kingfisher_sdk").Scanner()
    return lambda text: [(found.to_dict()["rule_id"], -1, -1) for found in scanner.scan(text) if found.visible]


ENGINES: dict[str, tuple[str, Callable[[], Engine]]] = {
    "memgit": ("memgit.screening", _memgit),
    "detect-secrets": ("detect_secrets.core.scan", _detect_secrets),
    "detect-secrets-lines": ("detect_secrets.core.scan", _detect_secrets_lines),
    "betterleaks": ("betterleaks", _betterleaks),
    "kingfisher": ("kingfisher_sdk", _kingfisher),
}
"""What can be measured: the module to import, and how to make it. All but the first need a package of their own."""


if __name__ == "__main__":
    main()
