"""Processes that write to one repository at once: how long, and whether every acknowledged claim is there."""

from __future__ import annotations

import time

from benchmarks.records import open_store
from benchmarks.report import git, parser, progress, publish, workplace
from benchmarks.writers import Crew, present


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--processes", type=int, default=8, help="writers (default 8)")
    options.add_argument("--writes", type=int, default=50, help="claims of each (default 50)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        git("init", "-q", str(place))
        open_store(place).close()
        crew = Crew(place)
        progress(f"{chosen.processes} processes x {chosen.writes}")
        begun = time.perf_counter()
        for process in [crew.start(chosen.writes) for _ in range(chosen.processes)]:
            process.join()
        seconds = time.perf_counter() - begun
        acknowledged = crew.acknowledged()
        publish(
            {
                "processes": chosen.processes,
                "writes_each": chosen.writes,
                "seconds_with_process_start": round(seconds, 2),
                "acknowledged": len(acknowledged),
                "present": len(present(place)),
                "lost": len(acknowledged - present(place)),
            }
        )


if __name__ == "__main__":
    main()
