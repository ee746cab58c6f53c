"""Anchors at random lines of random commits of a real repository, carried to its HEAD, judged by Git's own blame.

The same again after a scripted amend, a rebase of ten commits, a squash merge and a directory rename (`--rewrites`).
`right` is what blame, `git log -L` or a text that is there only once confirms; `disputed` is an answer that blame
contradicts and whose surroundings are the anchor's, while those of blame's are not; `lost` is what the answer itself
says that it cannot tell. An answer that is wrong and called certain must not exist.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.anchors_rewrites import Scenario, scenarios
from benchmarks.anchors_truth import Line, Truth
from benchmarks.report import git, parser, progress, publish, workplace
from memgit.anchors.capture import Wanted, capture
from memgit.anchors.located import Located, Place
from memgit.anchors.tracer import Tracer
from memgit.errors import MemgitError
from memgit.records.op import Anchor
from memgit.store.repository import discover

_EXISTS = 1 / 3  # the share of the anchored lines that must be somewhere for an anchor not to be gone
_LENGTHS = (1, 1, 2, 3, 5, 8, 13, 20)


@dataclass
class Sample:
    """An anchor and the text that it was made of."""

    anchor: Anchor
    text: list[str]


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("repository", type=Path, help="a clone with at least 2,000 commits; it is only read")
    options.add_argument("--anchors", type=int, default=300, help="how many (default 300)")
    options.add_argument("--seed", type=int, default=1, help="of the choice of commits and lines (default 1)")
    options.add_argument("--rewritten-anchors", type=int, default=75, help="for each scripted rewrite (default 75)")
    options.add_argument("--rewrites", action="store_true", help="the scripted rewrites as well")
    options.add_argument("--verbose", action="store_true", help="name each answer that is not right")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        clone = place / "clone"
        git("clone", "-q", "--no-hardlinks", str(chosen.repository), str(clone))
        figures: dict[str, Any] = {"commits": int(git("rev-list", "--count", "HEAD", directory=clone))}
        figures["history"] = _history(clone, chosen.anchors, chosen.seed, chosen.verbose)
        if chosen.rewrites:
            for scenario in scenarios(clone, random.Random(chosen.seed)):
                figures |= _rewritten(clone, place, scenario, chosen.rewritten_anchors, chosen.seed, chosen.verbose)
    publish({"anchors": chosen.anchors, "seed": chosen.seed, **figures})


def _rewritten(
    clone: Path, place: Path, scenario: Scenario, count: int, seed: int, verbose: bool
) -> dict[str, dict[str, Any]]:
    """Judge one rewrite: untold, told by `post-rewrite`, and in a clone that never had the old commits."""
    progress(scenario.name)
    samples = sampled(clone, scenario.commits, count, random.Random(seed), scenario.paths)
    truth = Truth(clone, scenario.joined, {path.split("/")[-1] for path in scenario.paths})
    figures = {scenario.name: judged(clone, samples, scenario.target, truth, {}, verbose)}
    if scenario.rewrites:
        name = f"{scenario.name}, told by post-rewrite"
        figures[name] = judged(clone, samples, scenario.target, truth, scenario.rewrites, verbose)
    if scenario.joined == scenario.target:
        return figures  # the old commits are in the history
    copy = place / scenario.branch
    git("clone", "-q", "--single-branch", "--branch", scenario.branch, f"file://{clone}", str(copy))
    figures[f"{scenario.name}, old commits collected"] = judged(copy, samples, scenario.target, truth, {}, verbose)
    return figures


def _history(clone: Path, count: int, seed: int, verbose: bool) -> dict[str, Any]:
    commits = git("rev-list", "HEAD", directory=clone).split()
    samples = sampled(clone, commits, count, random.Random(seed))
    progress(f"{len(samples)} anchors; blame looks at every file of HEAD")
    target = commits[0]
    return judged(clone, samples, target, Truth(clone, target), {}, verbose)


def sampled(
    clone: Path, commits: Sequence[str], count: int, chance: random.Random, paths: Sequence[str] = ()
) -> list[Sample]:
    """Return anchors at random lines of random text files of random commits; each has a line that says something."""
    repository = discover(clone)
    samples: list[Sample] = []
    while len(samples) < count:
        commit = chance.choice(commits)
        names = git("ls-tree", "-r", "--name-only", "-z", commit, directory=clone).split("\0")
        names = [name for name in names if name and (not paths or name in paths)]
        if not names:
            continue
        path = chance.choice(names)
        start = chance.randrange(1, 1500)
        try:
            whole = capture(repository, Wanted(path=path), at=commit).anchor
            lines = (git("cat-file", "blob", whole.blob or "", directory=clone) + "\n").split("\n")
            start = chance.randrange(1, max(2, len(lines)))
            end = start + chance.choice(_LENGTHS) - 1
            anchor = capture(repository, Wanted(path=path, start_line=start, end_line=end), at=commit).anchor
        except (MemgitError, UnicodeDecodeError):
            continue  # a binary file, a symbolic link, lines past the end
        text = (anchor.text or "").split("\n")
        if any(sum(map(str.isalnum, line)) >= 3 for line in text):
            samples.append(Sample(anchor, text))
    return samples


def judged(
    clone: Path, samples: Sequence[Sample], target: str, truth: Truth, rewrites: dict[str, str], verbose: bool
) -> dict[str, Any]:
    """Return how many answers are right, honestly lost, wrong, and wrong but called certain."""
    begun = time.perf_counter()
    with Tracer(discover(clone), rewrites=rewrites, is_cached=False) as tracer:
        answers = tracer.locate_all([sample.anchor for sample in samples], target)
    seconds = time.perf_counter() - begun
    counts: Counter[str] = Counter()
    for sample, answer in zip(samples, answers, strict=True):
        verdict, exists = judge(sample, answer, truth)
        counts[verdict] += 1
        counts[f"{answer.state}, {answer.certainty}"] += 1
        counts["exist"] += exists
        counts["exist and found"] += exists and verdict == "right"
        if verdict == "wrong":
            counts["wrong and certain"] += answer.certainty == "certain"
        if verbose and verdict != "right":
            anchor = sample.anchor
            where = f"{(anchor.commit or '')[:10]}:{anchor.path}:{anchor.start_line}-{anchor.end_line}"
            progress(f"{verdict} {'exists' if exists else ''}: {where} -> {answer}")
    total = len(samples)
    return {
        "right_or_honestly_lost_percent": round(100 * (total - counts["wrong"] - counts["disputed"]) / total, 1),
        "wrong_and_certain": counts.pop("wrong and certain", 0),
        "found_of_existing_percent": round(100 * counts["exist and found"] / max(1, counts["exist"]), 1),
        "seconds": round(seconds, 2),
        "counts": dict(sorted(counts.items())),
    }


def judge(sample: Sample, answer: Located, truth: Truth) -> tuple[str, bool]:
    """Return `right`, `lost`, `disputed` or `wrong`, and whether lines that say something exist in the target."""
    anchor, place = sample.anchor, answer.place
    assert anchor.commit and anchor.path and anchor.start_line and anchor.end_line
    survivors = truth.survivors(anchor.commit, anchor.path, anchor.start_line, anchor.end_line)
    telling = {
        line: places
        for line, places in survivors.items()
        if sum(map(str.isalnum, sample.text[line - anchor.start_line])) >= 3
    }
    if place is None:
        if len(telling) < _EXISTS * sum(sum(map(str.isalnum, line)) >= 3 for line in sample.text):
            return "right", False  # what is left of it (a decorator, an import) is not what was anchored
        return ("wrong" if answer.certainty == "certain" else "lost"), True
    assert place.start_line is not None and place.end_line is not None
    inside = {(place.path, line) for line in range(place.start_line, place.end_line + 1)}
    if telling:
        hits = sum(bool(places & inside) for places in telling.values())
        if 2 * hits >= len(telling):
            return "right", True
        return ("disputed" if _is_nearer(anchor, place, telling, truth) else "wrong"), True
    where = (anchor.commit, sample.text, place.path, place.start_line, place.end_line)
    return ("right" if truth.descends(*where) or truth.is_the_only_one(*where) else "wrong"), False


def _is_nearer(anchor: Anchor, place: Place, telling: dict[int, set[Line]], truth: Truth) -> bool:
    """Tell whether the answer stands in what stood around the anchor, and blame's places do not."""
    assert anchor.commit and anchor.path and place.start_line and place.end_line
    was = list(telling)
    ours = truth.surroundings(anchor.commit, anchor.path, was, place.path, [place.start_line, place.end_line])
    theirs = [
        truth.surroundings(anchor.commit, anchor.path, was, path, [line])
        for places in telling.values()
        for path, line in places
    ]
    return ours >= 0.5 and ours > max(theirs)


if __name__ == "__main__":
    main()
