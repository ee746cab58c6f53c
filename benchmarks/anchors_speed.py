"""How long anchors take in a warm process: the state of 20 recalled ones, and 5,000 on one file.

A repository of 20,000 files, of which some changed since; a file of 2,000 lines. `recall` is what the states add to an
answer; `at` is what lies under `git memory why PATH`; `new HEAD` is the first answer after a commit.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from benchmarks.report import git, parser, progress, publish, summary, workplace
from memgit.anchors.capture import Wanted, capture
from memgit.anchors.place_index import PlaceIndex
from memgit.anchors.text import Text
from memgit.anchors.tracer import Tracer
from memgit.records.codec import digest_of
from memgit.records.op import Anchor
from memgit.store.repository import Repository, discover

_ROUNDS = 15
_LINES = 2000


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--files", type=int, default=20_000, help="in the repository (default 20,000)")
    options.add_argument("--anchors", type=int, default=5_000, help="on one file (default 5,000)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        code = place / "code"
        _make(code, chosen.files)
        repository = discover(code)
        figures = _recalled(repository, random.Random(1)) | _one_file(repository, chosen.anchors, random.Random(2))
    publish({"files": chosen.files, "anchors_on_one_file": chosen.anchors, **figures})


def _recalled(repository: Repository, chance: random.Random) -> dict[str, Any]:
    names = git("ls-files", directory=repository.root).split("\n")
    anchors = [_anchor(repository, chance.choice(names), 10) for _ in range(20)]
    progress("20 anchors are made")
    with Tracer(repository) as tracer:
        cold = _timed(lambda: tracer.locate_all(anchors), 1)
        warm = _timed(lambda: tracer.locate_all(anchors))
        for anchor in anchors[:5]:
            file = repository.root / (anchor.path or "")
            file.write_text("# uncommitted\n" + file.read_text())
        edited = _timed(lambda: tracer.locate_all(anchors))
    opened = _timed(lambda: _opened(repository, anchors))
    git("commit", "-qam", "five files", directory=repository.root)
    with Tracer(repository) as tracer:
        moved = _timed(lambda: tracer.locate_all(anchors), 1)
    return {
        "recall, 20 anchors, first answer": cold,
        "recall, 20 anchors, warm": warm,
        "recall, 20 anchors, 5 files edited": edited,
        "recall, 20 anchors, opened anew": opened,
        "recall, 20 anchors, new HEAD": moved,
    }


def _opened(repository: Repository, anchors: list[Anchor]) -> None:
    with Tracer(repository) as tracer:
        tracer.locate_all(anchors)


def _one_file(repository: Repository, count: int, chance: random.Random) -> dict[str, Any]:
    file = repository.root / "large.py"
    file.write_text("".join(f"value_{n} = compute({n})  # what number {n} is for\n" for n in range(_LINES)))
    git("add", ".", directory=repository.root)
    git("commit", "-qm", "a large file", directory=repository.root)
    model = _anchor(repository, "large.py", 1)
    text = Text(file.read_bytes())
    ties: dict[str, list[Anchor]] = {}
    for number in range(count):
        start = chance.randrange(_LINES - 12)
        end = start + chance.randrange(1, 12)
        part = text.part(start, end)
        copy = replace(model, start_line=start + 1, end_line=end, text=part.decode(), text_digest=digest_of(part))
        ties[f"clm_{number:026}"] = [copy]
    figures: dict[str, Any] = {}
    with Tracer(repository) as tracer:
        index = PlaceIndex(tracer)
        figures["index, told of all"] = _timed(lambda: index.replace(ties, "all"), 1)
        figures["at PATH, first answer"] = _timed(lambda: index.at("large.py"), 1)
        figures["at PATH, warm"] = _timed(lambda: index.at("large.py"))
        figures["at PATH:LINE, warm"] = _timed(lambda: index.at("large.py", 700))
        file.write_text("# uncommitted\n" + file.read_text().replace("compute(77)", "compute(78)"))
        figures["at PATH, the file edited"] = _timed(lambda: index.at("large.py"))
        figures["at PATH:LINE, the file edited"] = _timed(lambda: index.at("large.py", 700))
        git("commit", "-qam", "edited", directory=repository.root)
        figures["at PATH, new HEAD"] = _timed(lambda: index.at("large.py"), 1)
        (repository.root / "f0" / "0.py").write_text(f"# another, {time.time()}\n")
        git("commit", "-qam", "another file", directory=repository.root)
        figures["at PATH, new HEAD that left the file alone"] = _timed(lambda: index.at("large.py"), 1)
    return figures


def _timed(action: Callable[[], object], rounds: int = _ROUNDS) -> dict[str, float]:
    taken = []
    for _ in range(rounds):
        begun = time.perf_counter()
        action()
        taken.append(time.perf_counter() - begun)
    return summary(taken)


def _anchor(repository: Repository, path: str, line: int) -> Anchor:
    return capture(repository, Wanted(path=path, start_line=line, end_line=line + 3), at="HEAD").anchor


def _make(code: Path, files: int) -> None:
    progress(f"{files} files")
    for number in range(files):
        file = code / f"f{number % 200}" / f"{number}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"line {line} of the file {number}\n" for line in range(40)))
    git("init", "-q", str(code))
    git("config", "user.name", "Benchmark", directory=code)
    git("config", "user.email", "benchmark@example.invalid", directory=code)
    git("add", ".", directory=code)
    git("commit", "-qm", "all", directory=code)


if __name__ == "__main__":
    main()
