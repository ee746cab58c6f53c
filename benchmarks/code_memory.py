"""What memory that knows the code costs, by operations in one warm process.

why: a file of 2,000 lines that 60 commits changed, 5,000 claims anchored in it: one line, 20 lines, the whole file.
recall: 20 claims recalled in a repository of 20,000 files, with and without anchors; `added` is the difference.
check: a change of three lines in 500 files there, 2,000 claims anchored in these and in 1,500 others. `first` is
the first request after it, which has the memory's state but nothing of where code is; `warm` are the ones after it.
for: a file of that repository that is opened, with 21 claims anchored in its directory, and one without any.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks.corpus import isolate
from benchmarks.latency import Times
from benchmarks.records import SCOPE, new_claim, open_store
from benchmarks.report import git, parser, progress, publish, workplace
from memgit.anchors.text import Text
from memgit.protocol.envelope import answer
from memgit.records.codec import digest_of
from memgit.records.op import Anchor, Op
from memgit.store.objects import ObjectId, hash_object
from memgit.store.transaction import Transaction
from memgit.store.writer import Result

_CONTEXT = {"workspace_id": SCOPE.workspace, "project_id": SCOPE.project}
_FILE_LINES = 2_000
_COMMITS = 60
_RECALLED = 20
_CHANGED = 500
_OPENED = "area03/part07/file001.py"


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--claims", type=int, default=5_000, help="anchored in the one file (default 5000)")
    options.add_argument("--files", type=int, default=20_000, help="of the large repository (default 20000)")
    options.add_argument("--times", type=int, default=30, help="requests of each kind (default 30)")
    options.add_argument("--seed", type=int, default=1, help="of the random numbers (default 1)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        isolate(place)
        chance = random.Random(chosen.seed)
        figures: dict[str, Any] = {"why": why(place / "one", chosen.claims, chosen.times, chance)}
        figures |= large(place / "large", chosen.files, chosen.times, chance)
        publish({"claims": chosen.claims, "files": chosen.files, "times": chosen.times, **figures})


def why(directory: Path, claims: int, times: int, chance: random.Random) -> dict[str, Any]:
    """Measure `why` on one large file."""
    begin(directory)
    progress(f"a file of {_FILE_LINES} lines in {_COMMITS} commits, {claims} claims")
    lines = [f"value_{number} = {number} * 7" for number in range(_FILE_LINES)]
    for number in range(_COMMITS):
        for at in chance.sample(range(_FILE_LINES), 40):
            lines[at] = f"value_{at} = {number} + {at}"
        write(directory, "module.py", lines)
        commit(directory, f"change {number}")
    fill(directory, [anchored(directory, "module.py", chance, f"Module fact {number}") for number in range(claims)])
    asked = {
        "line": lambda: {"path": "module.py", "lines": str(chance.randrange(1, _FILE_LINES))},
        "20_lines": lambda: {"path": "module.py", "lines": f"{(first := chance.randrange(1, 1980))}-{first + 19}"},
        "whole_file": lambda: {"path": "module.py"},
    }
    ask = asker(directory)
    figures: dict[str, Any] = {"first_s": seconds(lambda: ask("why", asked["line"]()))}
    for name, fields in asked.items():
        figures[name] = measured(times, lambda fields=fields: ask("why", fields()))  # type: ignore[misc]
    lines[5] = "value_5 = 'not committed'"
    write(directory, "module.py", lines)
    ask("why", asked["line"]())
    figures["line_of_a_changed_file"] = measured(times, lambda: ask("why", asked["line"]()))
    commit(directory, "one more")
    figures["after_a_commit_s"] = seconds(lambda: ask("why", asked["line"]()))
    progress(str(figures))
    return figures


def large(directory: Path, files: int, times: int, chance: random.Random) -> dict[str, Any]:
    """Measure what a recall's states cost, `check` and `for` in a repository of many files."""
    begin(directory)
    progress(f"{files} files")
    names = [f"area{number % 10:02}/part{number // 10 % 40:02}/file{number // 400:03}.py" for number in range(files)]
    for number, name in enumerate(names):
        write(directory, name, [f"def step_{number}_{line}(): return {line}" for line in range(12)])
    commit(directory, "all")
    changed = [name for name in names if name != _OPENED][:_CHANGED]
    tied = [*changed, *chance.sample(names[_CHANGED:], min(1_500, len(names) - _CHANGED)), *([_OPENED] * 21)]
    fill(directory, [anchored(directory, name, chance, f"Note {number} of code") for number, name in enumerate(tied)])
    figures: dict[str, Any] = {"recall": recall(directory, names, times, chance)}
    figures["for"] = for_path(directory, names, times)
    progress(f"a change of {len(changed)} files")
    git("checkout", "-q", "-b", "change", directory=directory)
    for name in changed:
        lines = (directory / name).read_text("utf-8").splitlines()
        at = chance.randrange(9)
        lines[at : at + 3] = [f"def changed_{line}(first, second): yield second" for line in range(3)]
        write(directory, name, lines)
    commit(directory, "change")
    ask = asker(directory)
    for name in ("anchors", "code", "reach", "blame"):
        for path in (directory / ".git" / "memgit" / "cache").glob(f"{name}-*.sqlite*"):
            path.unlink()
    figures["check"] = {
        "first_s": seconds(lambda: ask("check", {"since": "main"}, ok=False)),
        "warm": measured(times, lambda: ask("check", {"since": "main"}, ok=False)),
        "findings": len(ask("check", {"since": "main"}, ok=False)["findings"]),
    }
    return figures


def recall(directory: Path, names: Sequence[str], times: int, chance: random.Random) -> dict[str, Any]:
    """Measure a recall of claims that have anchors beside one of claims that have none."""
    sample = chance.sample(list(names), _RECALLED)
    with_anchors = [anchored(directory, name, chance, f"Herons nest near {n}") for n, name in enumerate(sample)]
    without = [new_claim(f"Badgers nest near {number}") for number in range(_RECALLED)]
    fill(directory, [*with_anchors, *without])
    ask = asker(directory)

    def plain() -> dict[str, Any]:
        return ask("memory.recall", {"query": "badgers nest", "max_claims": _RECALLED})

    def tied() -> dict[str, Any]:
        return ask("memory.recall", {"query": "herons nest", "max_claims": _RECALLED})

    plain()
    figures: dict[str, Any] = {"first_s": seconds(tied)}
    states = [claim["code_state"] for claim in tied()["claims"]]
    assert len(states) == _RECALLED and all(state["state"] == "fresh" for state in states), states
    for _ in range(5):
        plain(), tied()
    one, other = Times(), Times()
    for _ in range(times):
        one.of(plain)
        other.of(tied)
    figures["without_anchors"], figures["with_anchors"] = one.summary(), other.summary()
    added = Times(
        [after - before for before, after in zip(one.wall, other.wall, strict=True)],
        [after - before for before, after in zip(one.cpu, other.cpu, strict=True)],
    )
    figures["added"] = added.summary()
    return figures


def for_path(directory: Path, names: Sequence[str], times: int) -> dict[str, Any]:
    """Measure `for` of a file that much is known about, and of one whose directory nothing is known about."""
    ask = asker(directory)
    lonely = "unknown/file.py"
    write(directory, lonely, ["pass"])
    figures: dict[str, Any] = {"first_s": seconds(lambda: ask("for", {"paths": [_OPENED]}))}
    figures["known"] = measured(times, lambda: ask("for", {"paths": [_OPENED]}))
    figures["unknown"] = measured(times, lambda: ask("for", {"paths": [lonely]}))
    (directory / lonely).unlink()
    return figures


def begin(directory: Path) -> None:
    """Make a repository without a commit."""
    git("init", "-q", "-b", "main", str(directory))
    git("config", "user.name", "Benchmark", directory=directory)
    git("config", "user.email", "benchmark@example.invalid", directory=directory)
    git("config", "memgit.embedder", "none", directory=directory)


def write(directory: Path, name: str, lines: Sequence[str]) -> None:
    """Write a file of the working tree."""
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")


def commit(directory: Path, message: str) -> None:
    """Commit everything."""
    git("add", ".", directory=directory)
    git("commit", "-q", "-m", message, directory=directory)


_heads: dict[Path, list[str]] = {}
_known: dict[tuple[Path, str], tuple[Text, str, str, ObjectId]] = {}


def anchored(directory: Path, name: str, chance: random.Random, text: str) -> Op:
    """Return a claim that is anchored to one to six lines of a committed file."""
    if (directory, name) not in _known:
        if directory not in _heads:
            _heads[directory] = git("rev-parse", "HEAD", "HEAD^{tree}", directory=directory).split()
        head, tree = _heads[directory]
        data = (directory / name).read_bytes()
        blob = hash_object("blob", data, "sha1").oid
        _known[directory, name] = (Text(data), head, tree, blob)
    whole, head, tree, blob = _known[directory, name]
    start = chance.randrange(len(whole.lines))
    end = min(len(whole.lines), start + chance.randrange(1, 7))
    part = whole.part(start, end)
    anchor = Anchor(
        path=name,
        start_line=start + 1,
        end_line=end,
        commit=head,
        tree=tree,
        blob=blob,
        text=part.decode(),
        text_digest=digest_of(part),
        before_digest=whole.before(start),
        after_digest=whole.after(end),
    )
    op = new_claim(text)
    assert op.payload is not None
    return replace(op, payload=replace(op.payload, anchors=(anchor,)))


def fill(directory: Path, claims: Sequence[Op]) -> None:
    """Write claims in one bulk commit."""
    store = open_store(directory)

    def build(transaction: Transaction) -> Result:
        for claim in claims:
            transaction.stage(claim, "claim")
        return {}

    store.write_bulk(build)
    store.close()


def asker(directory: Path) -> Callable[..., dict[str, Any]]:
    """Return what runs an operation here and returns its result."""

    def ask(name: str, fields: dict[str, Any], *, ok: bool = True) -> dict[str, Any]:
        envelope = answer({"op": name, "input": fields, "context": _CONTEXT}, directory).envelope
        assert envelope["ok"], envelope
        result: dict[str, Any] = envelope["result"]
        assert result.get("ok", True) or not ok
        return result

    return ask


def timed(action: Callable[[], object]) -> float:
    """Return how long something takes, in seconds."""
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def seconds(action: Callable[[], object]) -> float:
    """Return how long something takes that is done once."""
    return round(timed(action), 3)


def measured(times: int, action: Callable[[], object]) -> dict[str, float]:
    """Return how long something takes that is done many times, beside its processor time."""
    action()
    found = Times()
    for _ in range(times):
        found.of(action)
    return found.summary()


if __name__ == "__main__":
    main()
