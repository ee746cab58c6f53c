"""`diff` of a few operations in a large store, and `log` and `blame` of one claim in a long history."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.records import assertion, assertions, open_store, statements
from benchmarks.report import git, parser, progress, publish, summary, workplace
from memgit.protocol.envelope import answer

_TIMES = 7


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--records", type=int, default=100_000, help="claims in the large store (default 100000)")
    options.add_argument("--commits", type=int, default=10_000, help="commits of the long history (default 10000)")
    chosen = options.parse_args()
    figures: dict[str, object] = {"records": chosen.records, "commits": chosen.commits}
    with workplace(chosen.directory) as place:
        figures["large"] = _large(place / "large", chosen.records)
        figures["long"] = _long(place / "long", chosen.commits)
    publish(figures)


def _large(directory: Path, records: int) -> dict[str, Any]:
    """Time the difference that a fetch of ten claims and a revision makes, and that of the last ten writes."""
    _begin(directory)
    store = open_store(directory)
    progress(f"{records} claims in bulk")
    store.write_bulk(assertions(records, seed=1))
    store.close()
    other = directory.with_name("other")
    shutil.copytree(directory, other)
    for number, statement in zip(range(10), statements(seed=3), strict=False):
        _ask(other, "claim.assert", claim_type="fact", statement=f"{number} {statement}")
    git("-C", str(directory), "fetch", "-q", str(other), "refs/memgit/store:refs/memgit/remotes/origin/store")
    progress("the state cache, once")
    begun = time.perf_counter()
    _ask(directory, "status")
    built = time.perf_counter() - begun
    found = _ask(directory, "diff")
    assert found["counts"]["claims.new"] == 10, found["counts"]
    for number in range(10):
        _ask(directory, "claim.assert", claim_type="fact", statement=f"Ours {number}")
    seq = _ask(directory, "log", limit=11)["items"][-1]["seq"]
    return {
        "state_cache_s": round(built, 2),
        "incoming_ten": _timed(lambda: _ask(directory, "diff")),
        "last_ten": _timed(lambda: _ask(directory, "diff", range=f"seq:{seq}..@")),
        "markdown": _timed(lambda: _ask(directory, "diff", format="markdown")),
    }


def _long(directory: Path, commits: int) -> dict[str, Any]:
    """Time the history of a claim that was written first, of one that was written last, and of everything."""
    _begin(directory)
    claim = _ask(directory, "claim.assert", claim_type="fact", statement="The first claim of all.")
    store = open_store(directory)
    progress(f"{commits} commits")
    for _, statement in zip(range(commits), statements(seed=2), strict=False):
        store.write(assertion(statement))
    store.close()
    revised = _ask(
        directory,
        "claim.revise",
        claim_id=claim["claim_id"],
        if_revision=claim["revision_id"],
        statement="The first claim of all, revised.",
    )
    late = _ask(directory, "claim.assert", claim_type="fact", statement="The last claim of all.")
    name = revised["claim_id"]
    return {
        "log_oldest": _timed(lambda: _ask(directory, "log", entity_id=name, patch=True)),
        "log_newest": _timed(lambda: _ask(directory, "log", entity_id=late["claim_id"])),
        "log_page": _timed(lambda: _ask(directory, "log")),
        "log_filtered_to_nothing": _timed(lambda: _ask(directory, "log", actor="nobody at all")),
        "blame": _timed(lambda: _ask(directory, "blame", entity_id=name)),
        "undo_by_digest": _timed(lambda: _undo(directory, name)),
    }


def _undo(directory: Path, name: str) -> None:
    digest = _ask(directory, "log", entity_id=name, limit=1)["items"][0]["said"][0]["digest"]
    _ask(directory, "undo", targets=[digest[:12]])


def _begin(directory: Path) -> None:
    git("init", "-q", str(directory))
    _ask(directory, "store.init", workspace_id="wsp-bench", project_id="prj-bench")


def _ask(directory: Path, op: str, **fields: Any) -> dict[str, Any]:
    envelope = answer({"op": op, "input": fields}, directory).envelope
    assert envelope["ok"], envelope["error"]
    result: dict[str, Any] = envelope["result"]
    return result


def _timed(act: Callable[[], object]) -> dict[str, float]:
    taken = []
    for _ in range(_TIMES):
        begun = time.perf_counter()
        act()
        taken.append(time.perf_counter() - begun)
    return summary(taken)


if __name__ == "__main__":
    main()
