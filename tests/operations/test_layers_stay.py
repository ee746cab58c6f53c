"""What is private stays: no command of Git's takes it along, wherever the repository is and whatever kills a writer."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from memgit.protocol.envelope import answer
from tests.conftest import Kind, MakeRepository
from tests.operations.conftest import SCOPE, Memory
from tests.operations.layering import LAYERS, layers_of, ops_in, target

WORD = "heronhost"


def private_memory(memory: Memory) -> Memory:
    """Write to the local layer and to a draft, and drop a draft."""
    memory.run("remember", text="Everybody may know this.")
    memory.run("remember", text=f"Local {WORD}", layer="local")
    memory.run("remember", text=f"Drafted {WORD}", draft="one")
    memory.run("remember", text=f"Dropped {WORD}", draft="two")
    memory.run("draft.drop", name="two", yes=True)
    return memory


def holds_word(repository: Path) -> bool:
    """Tell whether an object of a repository, or a ref's name, is of the private layers."""
    git = ["git", "-C", str(repository)]
    refs = subprocess.run([*git, "for-each-ref"], capture_output=True, text=True, check=True).stdout
    if "local" in refs or "drafts" in refs or "dropped" in refs:
        return True
    batch = [*git, "cat-file", "--batch-all-objects", "--batch"]
    return WORD.encode() in subprocess.run(batch, capture_output=True, check=True).stdout


@pytest.mark.parametrize(
    "command",
    [
        "push --mirror TARGET",
        "push TARGET refs/*:refs/*",
        "push --all TARGET",
        "bundle create TARGET/b.bundle --all",
        "fetch-into TARGET +refs/*:refs/*",
        "clone --mirror",
        "clone --local",
    ],
)
def test_no_command_of_gits_takes_private_layers_along(memory: Memory, tmp_path: Path, command: str) -> None:
    """Mirror pushes, wild refspecs, bundles and clones carry the shared memory at most."""
    private_memory(memory)
    memory.git("commit", "-q", "--allow-empty", "-m", "one")
    there = tmp_path / "there.git"
    words = command.split()
    if words[0] == "clone":
        memory.git("clone", "-q", *words[1:], str(memory.directory), str(there))
    else:
        subprocess.run(["git", "init", "-q", "--bare", str(there)], check=True)
        if words[0] == "fetch-into":
            subprocess.run(["git", "fetch", "-q", str(memory.directory), words[2]], cwd=there, check=True)
        else:
            memory.git(*(word.replace("TARGET", str(there)) for word in words))
    assert not holds_word(there)
    if words[0] == "bundle":
        subprocess.run(["git", "fetch", "-q", str(there / "b.bundle"), "+refs/*:refs/*"], cwd=there, check=True)
        assert not holds_word(there)
    assert holds_word(memory.directory / ".git" / "memgit" / "state" / "private.git"), "the scenario writes nothing"


def test_a_mirror_fetch_into_this_repository_leaves_private_layers_alone(memory: Memory, tmp_path: Path) -> None:
    """`git fetch --prune` with a wild refspec removes refs here, and none of the private repository."""
    private_memory(memory)
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "empty.git")], check=True)
    memory.git("fetch", "-q", "--prune", str(tmp_path / "empty.git"), "+refs/*:refs/*")
    memory.git("gc", "-q", "--prune=now")
    found = memory.run("memory.recall", query=WORD, draft="one")
    assert {item["layer"] for item in found["claims"]} == {"local", "draft:one"}


@pytest.mark.skipif(os.name == "nt", reason="modes of files are POSIX")
def test_the_private_repository_is_its_owners_alone(memory: Memory) -> None:
    """Nobody else can enter it, it borrows no objects and lends none, and it keeps no reflogs."""
    private_memory(memory)
    private = memory.directory / ".git" / "memgit" / "state" / "private.git"
    assert private.stat().st_mode & 0o077 == 0
    assert not (private / "objects" / "info" / "alternates").exists()
    assert not (memory.directory / ".git" / "objects" / "info" / "alternates").exists()
    assert not (private / "logs").exists()
    subprocess.run(["git", "-C", str(private), "fsck", "--strict"], check=True, capture_output=True)


@pytest.mark.parametrize("kind", ["plain", "bare", "worktree", "sha256", "partial", "shallow", "submodule"])
def test_layers_work_in_each_kind_of_repository(repository: MakeRepository, kind: Kind) -> None:
    """Writing, recalling, merging and promoting work wherever memory does; the object format is the repository's."""
    memory = Memory(repository(kind))
    memory.run("store.init", **SCOPE)
    claim = memory.run("remember", text="The local host is heron.", layer="local")
    memory.run("remember", text="The drafted host is egret.", draft="one")
    found = memory.run("memory.recall", query="host", draft="one")
    assert {item["layer"] for item in found["claims"]} == {"local", "draft:one"}
    memory.run("draft.merge", name="one")
    memory.run("promote", ids=[claim["claim_id"]], yes=True)
    found = memory.run("memory.recall", query="host")
    assert [item["layer"] for item in found["claims"]] == ["shared", "shared"]
    assert memory.run("verify")["ok"]


def test_layers_are_read_where_no_cache_can_be_written(memory: Memory) -> None:
    """Without a cache and without a place for one, private layers are still answered from, labelled."""
    private_memory(memory)
    cache = memory.directory / ".git" / "memgit" / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    cache.write_text("no directory can be made here")
    answered = memory.envelope("memory.recall", query=WORD, draft="one")
    assert {item["layer"] for item in answered["result"]["claims"]} == {"local", "draft:one"}
    assert any("cannot be written" in warning for warning in answered["warnings"])


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="needs a user whom modes of files bind")
def test_layers_of_a_read_only_repository_are_read_and_not_written(memory: Memory) -> None:
    """Reading works; a write to any layer says that the repository cannot be written."""
    private_memory(memory)
    subprocess.run(["chmod", "-R", "a-w", str(memory.directory / ".git")], check=True)
    try:
        found = memory.run("memory.recall", query=WORD, draft="one")
        assert {item["layer"] for item in found["claims"]} == {"local", "draft:one"}
        for fields in ({"layer": "local"}, {"draft": "one"}, {"draft": "new"}):
            assert memory.envelope("remember", text="x", **fields)["error"]["code"] == "STORE_BUSY"
    finally:
        subprocess.run(["chmod", "-R", "u+w", str(memory.directory / ".git")], check=True)


def run_python(directory: Path, program: str, *arguments: str) -> subprocess.Popen[str]:
    """Start a program that has `directory` and `answer`."""
    prelude = "import sys\nfrom pathlib import Path\nfrom memgit.protocol.envelope import answer\n"
    prelude += f"directory = Path({str(directory)!r})\n"
    return subprocess.Popen(
        [sys.executable, "-c", prelude + textwrap.dedent(program), *arguments], stdout=subprocess.PIPE, text=True
    )


WRITER = """
layer, name = sys.argv[1:]
fields = {"draft": layer.removeprefix("draft:")} if layer.startswith("draft:") else {"layer": layer}
for number in range(int(name.partition(" ")[2])):
    made = {"claim_type": "fact", "statement": f"{name} {number}", **fields}
    done = answer({"op": "claim.assert", "input": made}, directory).envelope
    assert done["ok"], done
    print(done["result"]["claim_id"], flush=True)
"""


def test_processes_that_write_to_several_layers_share_one_sequence(memory: Memory) -> None:
    """Four processes, four layers at once: everything acknowledged is in its layer, and no seq occurs twice."""
    writers = {layer: run_python(memory.directory, WRITER, layer, f"{layer} 12") for layer in LAYERS}
    acked = {layer: writer.communicate()[0].split() for layer, writer in writers.items()}
    check_layers(memory, acked)
    assert all(len(claims) == 12 for claims in acked.values())


@pytest.mark.slow
def test_writers_to_layers_killed_at_random_lose_nothing(memory: Memory) -> None:
    """SIGKILL at a moment of chance, five times over: what was acknowledged is there once, no seq occurs twice."""
    chance = random.Random(5)
    acked: dict[str, list[str]] = {layer: [] for layer in LAYERS}
    for round_ in range(5):
        writers = {layer: run_python(memory.directory, WRITER, layer, f"{round_}{layer} 500") for layer in LAYERS}
        for layer, writer in writers.items():
            assert writer.stdout is not None
            acked[layer].append(writer.stdout.readline().strip())
        time.sleep(chance.random() * 0.5)
        for writer in writers.values():
            writer.kill()
        for layer, writer in writers.items():
            acked[layer] += [line for line in writer.communicate()[0].split("\n") if len(line) == 30]
        for layer in LAYERS:
            acked[layer].append(memory.claim(f"after {round_}", **target(layer))["claim_id"])
        check_layers(memory, acked)
    assert sum(map(len, acked.values())) > 40


def check_layers(memory: Memory, acked: dict[str, list[str]]) -> None:
    """Fail unless each acknowledged claim is in its layer alone, and all seqs differ."""
    invocation, layers = layers_of(memory.directory)
    held = {layer: ops_in(layers, layer) for layer in LAYERS}
    for layer, claims in acked.items():
        entities = [op.entity for op in held[layer]]
        assert set(claims) <= set(entities)
        assert len(set(entities)) == len(entities)
    seqs = [op.seq for ops in held.values() for op in ops]
    assert len(set(seqs)) == len(seqs)
    invocation.close()


KILLED = """
import os, signal
from memgit.operations import invocation as target
from memgit.store import layers
from memgit.store.publication import Publisher
layers.Publisher = Publisher
calls = 0
def die_at(owner, name, number):
    real = getattr(owner, name)
    def wrapped(*given, **more):
        global calls
        calls += 1
        if calls == number:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*given, **more)
    setattr(owner, name, wrapped)
"""


@pytest.mark.parametrize(
    "place",
    ["target.Invocation, 'publish', 2", "layers.Publisher, 'move', 1", "layers.Publisher, 'move', 2"],
)
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
def test_a_promotion_killed_on_the_way_is_finished_by_the_next(memory: Memory, place: str) -> None:
    """Killed between the layers, and before either ref moves: repeating gives one shared claim and one answer."""
    claim = memory.run("remember", text="The host is heron.", layer="local")
    program = KILLED + f"die_at({place})\n"
    program += f'answer({{"op": "promote", "input": {{"ids": ["{claim["claim_id"]}"], "yes": True}}}}, directory)\n'
    killed = run_python(memory.directory, program)
    assert killed.wait() == -signal.SIGKILL
    memory.run("promote", ids=[claim["claim_id"]], yes=True)
    found = memory.run("memory.recall", query="host heron")
    assert [item["layer"] for item in found["claims"]] == ["shared"]
    invocation, layers = layers_of(memory.directory)
    assert len([op for op in ops_in(layers, "shared") if op.kind == "claim"]) == 1
    seqs = [op.seq for layer in ("shared", "local") for op in ops_in(layers, layer)]
    assert len(set(seqs)) == len(seqs)
    invocation.close()


@pytest.mark.parametrize(
    "place",
    [
        "layers.Publisher, 'move', 1",
        "layers.PrivateStore, 'retire', 1",
        "layers, 'move_ref', 1",
        "layers.WriteAheadLog, 'remove', 1",
        "layers.Backends, 'delete_ref', 1",
    ],
)
@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is POSIX")
def test_a_merge_killed_on_the_way_is_finished_by_the_next(memory: Memory, place: str) -> None:
    """Killed at each step, from before the union to the draft's end: merging again brings all, once."""
    claim = memory.claim("The host is heron.", draft="one")
    program = KILLED + "from memgit.store.pygit2_backend import Pygit2Backend\nlayers.Backends = Pygit2Backend\n"
    program += "from memgit.store.write_ahead_log import WriteAheadLog\nlayers.WriteAheadLog = WriteAheadLog\n"
    program += f"die_at({place})\n"
    program += 'answer({"op": "draft.merge", "input": {"name": "one"}}, directory)\n'
    assert run_python(memory.directory, program).wait() == -signal.SIGKILL
    again = answer({"op": "draft.merge", "input": {"name": "one"}}, memory.directory).envelope
    assert again["ok"] or again["error"]["code"] == "NOT_FOUND"
    shown = memory.run("claim.get", claim_id=claim["claim_id"])
    assert (shown["layer"], shown["heads"]) == ("shared", [claim["revision_id"]])
    assert memory.run("draft.list")["items"] == []
    assert memory.run("verify")["ok"]
