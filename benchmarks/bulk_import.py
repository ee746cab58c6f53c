"""Many claims in one bulk transaction: seconds, and bytes a record in the pack that it leaves (no repacking)."""

from __future__ import annotations

import time

from benchmarks.records import assertions, open_store
from benchmarks.report import git, parser, progress, publish, workplace


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--records", type=int, default=100_000, help="claims (default 100000)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        git("init", "-q", str(place))
        store = open_store(place)
        progress(f"{chosen.records} claims")
        begun = time.perf_counter()
        store.write_bulk(assertions(chosen.records, seed=1))
        seconds = time.perf_counter() - begun
        packs = list((place / ".git" / "objects" / "pack").iterdir())
        size = sum(file.stat().st_size for file in packs)
        publish(
            {
                "records": chosen.records,
                "seconds": round(seconds, 2),
                "packs": sum(file.suffix == ".pack" for file in packs),
                "bytes_per_record": round(size / chosen.records, 1),
                "commits": int(git("rev-list", "--count", "refs/memgit/store", directory=place)),
            }
        )


if __name__ == "__main__":
    main()
