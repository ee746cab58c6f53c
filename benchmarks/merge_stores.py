"""Stores that began together and went apart, merged in every order: the trees must be equal. Prints the times."""

from __future__ import annotations

import itertools
import time
from pathlib import Path

from benchmarks.records import assertion, open_store, statements
from benchmarks.report import git, parser, progress, publish, workplace
from memgit.store.join import join
from memgit.store.objects import ObjectId


def main() -> None:
    options = parser(__doc__ or "")
    options.add_argument("--operations", type=int, default=1000, help="writes in each store (default 1000)")
    options.add_argument("--stores", type=int, default=3, help="stores (default 3)")
    chosen = options.parse_args()
    with workplace(chosen.directory) as place:
        names = _diverge(place, chosen.stores, chosen.operations)
        first = place / names[0]
        for name in names[1:]:
            git("fetch", "-q", str(place / name), f"refs/memgit/store:refs/heads/{name}", directory=first)
        tips = [git("rev-parse", "refs/memgit/store", directory=first)]
        tips += [git("rev-parse", f"refs/heads/{name}", directory=first) for name in names[1:]]
        trees: dict[str, str] = {}
        seconds: list[float] = []
        for order in [*itertools.permutations(range(len(tips)), 2), *itertools.permutations(range(len(tips)))]:
            begun = time.perf_counter()
            trees["".join(map(str, order))] = _merged(first, [ObjectId(tips[index]) for index in order])
            seconds.append(time.perf_counter() - begun)
        publish(
            {
                "operations_each": chosen.operations,
                "stores": chosen.stores,
                "pairs_equal": _agree(trees, 2),
                "all_orders_equal": _agree(trees, len(tips)),
                "slowest_merge_s": round(max(seconds), 3),
            }
        )


def _diverge(place: Path, stores: int, operations: int) -> list[str]:
    names = [f"clone{number}" for number in range(stores)]
    git("init", "-q", str(place / names[0]))
    open_store(place / names[0]).close()
    for name in names[1:]:
        git("init", "-q", str(place / name))
        git("fetch", "-q", str(place / names[0]), "refs/memgit/store:refs/memgit/store", directory=place / name)
    for number, name in enumerate(names):
        progress(f"{name}: {operations} writes")
        store = open_store(place / name)
        for statement, _ in zip(statements(seed=number), range(operations), strict=False):
            store.write(assertion(statement))
        store.close()
    return names


def _merged(directory: Path, tips: list[ObjectId]) -> str:
    """Return the tree of merging the tips one after another."""
    store = open_store(directory)
    author = store.author().signature
    tip = tips[0]
    for other in tips[1:]:
        objects = join(store.database, tip, other, author)
        store.database.write(objects)
        tip = objects[-1].oid
    tree = store.database.commit(tip).tree
    store.close()
    return tree


def _agree(trees: dict[str, str], length: int) -> bool:
    """Tell whether merges of the same stores have one tree, whatever the order."""
    groups: dict[str, set[str]] = {}
    for order, tree in trees.items():
        if len(order) == length:
            groups.setdefault("".join(sorted(order)), set()).add(tree)
    return all(len(found) == 1 for found in groups.values())


if __name__ == "__main__":
    main()
