"""Writers that are killed with SIGKILL at random, round after round: no acknowledged claim may be lost."""

from __future__ import annotations

import random
import time

from benchmarks.records import open_store
from benchmarks.report import git, parser, progress, publish, workplace
from benchmarks.writers import Crew, present
from memgit.protocol.envelope import answer


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--rounds", type=int, default=20, help="rounds (default 20)")
    options.add_argument("--processes", type=int, default=8, help="writers in each round (default 8)")
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    chance = random.Random(chosen.seed)
    kills = 0
    with workplace(chosen.directory) as place:
        git("init", "-q", str(place))
        open_store(place).close()
        crew = Crew(place)
        for number in range(chosen.rounds):
            writers = [crew.start(None) for _ in range(chosen.processes)]
            time.sleep(0.6 + chance.random())
            for writer in chance.sample(writers, len(writers)):
                time.sleep(chance.random() * 0.05)
                writer.kill()
                writer.join()
                kills += 1
            progress(f"round {number + 1}: {len(crew.acknowledged())} acknowledged so far")
        acknowledged = crew.acknowledged()
        found = present(place)
        report = answer({"op": "verify", "context": {"workspace_id": "w", "project_id": "p"}}, place).envelope
        fsck = git("fsck", "--no-dangling", "--no-progress", directory=place)
        publish(
            {
                "rounds": chosen.rounds,
                "kills": kills,
                "acknowledged": len(acknowledged),
                "present": len(found),
                "lost": len(acknowledged - found),
                "verify_ok": bool(report["ok"] and report["result"]["ok"]),
                "git_fsck": fsck or "clean",
            }
        )


if __name__ == "__main__":
    main()
