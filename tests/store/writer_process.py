"""A writer as a process of its own: `writer_process.py DIRECTORY NAME COUNT [STEP]`.

It prints `ready`, waits for a line, writes COUNT claims (0: until it is killed) and prints each claim's statement after
the write has returned. The step `init` begins the store instead, `bulk` writes through the bulk path, `pack` packs
every five writes, `tolerant` goes on after a refusal, which it prints. With a step `MODULE:QUALIFIED_NAME:before` or
`:after` (and `#N` for the Nth time) it ends there as `kill -9` would end it.
"""

from __future__ import annotations

import functools
import importlib
import itertools
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from memgit.errors import MemgitError
from tests.store.scenario import claims, open_store, request_key

BULK = "bulk"


def main() -> None:
    """Write as the arguments say."""
    directory, name, count, *steps = sys.argv[1:]
    bulk = BULK in steps
    store = open_store(Path(directory), **({"pack_every": 5} if "pack" in steps else {}))
    print("ready", flush=True)
    sys.stdin.readline()
    for step in steps:
        if ":" in step:
            die_at(step)
    if "init" in steps:
        print(store.initialize("wsp_test", "prj_test").store, flush=True)
        return
    numbers = itertools.count() if count == "0" else range(int(count))
    for number in numbers:
        statement = f"{name} {number}"
        act = store.write_bulk if bulk else store.write
        try:
            act(claims(statement), request_key(statement, statement))
        except MemgitError as error:
            if "tolerant" not in steps:
                raise
            print(f"refused: {error}", flush=True)
        else:
            print(statement, flush=True)


def die_at(step: str) -> None:
    """Make a function of the store end this process, as SIGKILL does: no handler runs, nothing is flushed."""
    step, _, turn = step.partition("#")
    module_name, path, moment = step.split(":")
    *owners, attribute = path.split(".")
    owner: Any = functools.reduce(getattr, owners, importlib.import_module(module_name))
    original: Callable[..., Any] = getattr(owner, attribute)
    calls = itertools.count(1)

    @functools.wraps(original)
    def dying(*arguments: Any, **keywords: Any) -> Any:
        last = next(calls) == int(turn or 1)
        if last and moment == "before":
            os._exit(137)
        answer = original(*arguments, **keywords)
        if last:
            os._exit(137)
        return answer

    setattr(owner, attribute, dying)


if __name__ == "__main__":
    main()
