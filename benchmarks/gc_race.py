"""Writers beside Git's own housekeeping at its most aggressive, then the tip's objects truncated: nothing is lost."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

from benchmarks.records import open_store
from benchmarks.report import git, parser, progress, publish, workplace
from benchmarks.writers import Crew, present
from memgit.protocol.envelope import answer

_COMMANDS = (["gc", "--prune=now", "--quiet"], ["repack", "-a", "-d", "-q"], ["pack-refs", "--all"])


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--seconds", type=float, default=60, help="how long (default 60)")
    options.add_argument("--processes", type=int, default=4, help="writers (default 4)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        git("init", "-q", str(place))
        open_store(place).close()
        crew = Crew(place)
        writers = [crew.start(None) for _ in range(chosen.processes)]
        housekeeping = _Housekeeping(place)
        housekeeping.start()
        time.sleep(chosen.seconds)
        housekeeping.stop()
        for writer in writers:
            writer.kill()
            writer.join()
        progress("truncating the tip's loose objects")
        truncated = _truncate_tip(place)
        acknowledged = crew.acknowledged()
        found = present(place)
        report = answer({"op": "verify", "context": {"workspace_id": "w", "project_id": "p"}}, place).envelope
        publish(
            {
                "seconds": chosen.seconds,
                "housekeeping_runs": housekeeping.runs,
                "housekeeping_failed": housekeeping.failed,
                "acknowledged": len(acknowledged),
                "present": len(found),
                "lost": len(acknowledged - found),
                "truncated_objects": truncated,
                "verify_ok": bool(report["ok"] and report["result"]["ok"]),
                "git_fsck": git("fsck", "--no-dangling", "--no-progress", directory=place) or "clean",
            }
        )


class _Housekeeping:
    """A thread that runs Git's commands one after another until it is stopped."""

    def __init__(self, directory: Path) -> None:
        self.runs = 0
        self.failed = 0
        self._directory = directory
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End after the command under way."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.is_set():
            for command in _COMMANDS:
                done = subprocess.run(["git", *command], cwd=self._directory, capture_output=True)
                self.runs += 1
                self.failed += done.returncode != 0


def _truncate_tip(directory: Path) -> int:
    """Cut the loose objects of the newest commits (commit, trees, files) to nothing or to half; return how many.

    Which these are the log says: a prune that ran to its end after the writers were killed may have left `git rev-list`
    nothing to walk, until the next read or write of memgit heals it.
    """
    store = open_store(directory)
    newest = list(store.database.log.entries())[-5:]
    cut = 0
    for oid in {oid for entry in newest for oid, *_ in entry.objects}:
        file = directory / ".git" / "objects" / oid[:2] / oid[2:]
        if file.exists():
            data = file.read_bytes()
            file.chmod(0o644)
            file.write_bytes(data[: len(data) // 2 if cut % 2 else 0])
            cut += 1
    store.close()
    return cut


if __name__ == "__main__":
    main()
