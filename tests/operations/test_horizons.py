"""Location and breadth are separate: ambient by default, further only for one request and with a reason."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.operations.conftest import Memory

HOME_SCOPE = {"workspace_id": "wsp-one", "project_id": "prj-home"}


def repository(tmp_path: Path, name: str, workspace: str, project: str) -> Memory:
    """Return a new repository with a memory that says where it is."""
    directory = tmp_path / name
    subprocess.run(["git", "init", "-q", str(directory)], check=True)
    memory = Memory(directory)
    memory.run("store.init", workspace_id=workspace, project_id=project)
    memory.run("remember", text=f"The walrus of {name} sings at dawn.", claim_type="fact")
    return memory


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, Memory]:
    """Three repositories of one user: two in one workspace, one in another."""
    return {
        "home": repository(tmp_path, "home", "wsp-one", "prj-home"),
        "sibling": repository(tmp_path, "sibling", "wsp-one", "prj-sibling"),
        "other": repository(tmp_path, "other", "wsp-two", "prj-other"),
    }


def statements(memory: Memory, **fields: object) -> set[str]:
    """Return what a recall of the walrus finds."""
    return {
        item["statement"].split()[3] for item in memory.run("memory.recall", query="walrus sings", **fields)["claims"]
    }


def test_each_horizon_reaches_as_far_as_it_says(machine: dict[str, Memory]) -> None:
    """Ambient: this project. Workspace: its repositories. Personal: all of this machine."""
    home = machine["home"]
    assert statements(home) == {"home"}
    assert statements(home, horizon="workspace", reason="comparing") == {"home", "sibling"}
    assert statements(home, horizon="personal", reason="comparing") == {"home", "sibling", "other"}


def test_what_comes_from_elsewhere_says_so(machine: dict[str, Memory]) -> None:
    """The answer names the repository of each foreign item, and that it was broadened."""
    home = machine["home"]
    envelope = home.envelope("memory.recall", query="walrus sings", horizon="workspace", reason="comparing")
    assert envelope["context"]["broadened"] is True
    assert envelope["result"]["searched_horizons"] == ["workspace"]
    foreign = {item["claim_id"] for item in envelope["result"]["claims"] if "sibling" in item["statement"]}
    origins = envelope["result"]["origins"]
    assert foreign <= set(origins)
    assert all(Path(place).parent.name == "sibling" for place in origins.values())


@pytest.mark.parametrize("op", ["memory.recall", "search", "relation.list", "conflict.list"])
@pytest.mark.parametrize(
    "fields", [{"horizon": "workspace"}, {"horizon": "personal", "reason": " "}, {"horizon": "all"}]
)
def test_breadth_needs_a_reason(machine: dict[str, Memory], op: str, fields: dict[str, str]) -> None:
    """Every read that can broaden refuses to do so in silence."""
    needed = {"memory.recall": {"query": "x"}, "search": {"query": "x"}, "relation.list": {"anchor": "clm_" + "0" * 26}}
    assert machine["home"].refused(op, **needed.get(op, {}), **fields)["code"] == "INVALID_REQUEST"


def test_nothing_makes_a_broad_horizon_the_default(machine: dict[str, Memory]) -> None:
    """Not the marker, not the configuration."""
    home = machine["home"]
    marker = home.directory / ".memoree.toml"
    text = marker.read_text()
    marker.write_text(text + '\nhorizon = "workspace"\n')
    assert home.refused("status")["code"] == "INVALID_REQUEST"
    marker.write_text(text)
    assert home.refused("config.set", name="horizon", value="workspace")["code"] == "INVALID_REQUEST"


def test_an_empty_ambient_recall_does_not_broaden(machine: dict[str, Memory]) -> None:
    """It may hint; it never looks elsewhere by itself."""
    machine["sibling"].run("remember", text="ORBIT7421 is the call sign.")
    envelope = machine["home"].envelope("memory.recall", query="ORBIT7421")
    assert (envelope["result"]["presence"], envelope["context"]["broadened"]) == ("none", False)


def test_tasks_see_their_project_and_themselves(machine: dict[str, Memory]) -> None:
    """What a task noted is in sight of that task; what belongs to no task is in sight of all."""
    home = machine["home"]
    task = {**HOME_SCOPE, "task_id": "task-a"}
    home.run("remember", context=task, text="The walrus of task-a sings softly.")
    assert statements(home, context=task) == {"home", "task-a"}
    assert statements(home) == {"home"}
    assert statements(home, context={**HOME_SCOPE, "task_id": "task-b"}) == {"home"}


def test_a_repository_that_vanished_is_left_out_and_named(machine: dict[str, Memory]) -> None:
    """The rest still answers."""
    import shutil

    shutil.rmtree(machine["sibling"].directory)
    assert statements(machine["home"], horizon="personal", reason="comparing") == {"home", "other"}


def test_a_pinned_artifact_is_in_sight(machine: dict[str, Memory]) -> None:
    """A pin gives read visibility in an ambient recall, and no write authority."""
    home = machine["home"]
    elsewhere = {"workspace_id": "wsp-one", "project_id": "prj-else"}
    artifact = home.artifact("The heron dives at noon.", title="Heron", context=elsewhere)["artifact_id"]
    assert home.run("memory.recall", query="heron dives")["presence"] == "none"
    pinned = {**HOME_SCOPE, "pins": [artifact]}
    assert home.run("memory.recall", context=pinned, query="heron dives")["presence"] == "artifacts_only"
    error = home.refused("artifact.forget", context=pinned, artifact_id=artifact, reason="x")
    assert error["code"] == "SCOPE_VIOLATION"


def test_a_repository_that_was_moved_is_found_again(machine: dict[str, Memory], tmp_path: Path) -> None:
    """Using it where it is now is enough."""
    moved = tmp_path / "elsewhere"
    machine["sibling"].directory.rename(moved)
    assert statements(machine["home"], horizon="workspace", reason="comparing") == {"home"}
    Memory(moved).run("status")
    assert statements(machine["home"], horizon="workspace", reason="comparing") == {"home", "sibling"}


def test_conflicts_of_other_stores_are_listed_with_their_origin(machine: dict[str, Memory]) -> None:
    """A broad view of what disagrees reaches as far as a broad recall, and not by default."""
    sibling = machine["sibling"]
    one, two = sibling.claim("On")["claim_id"], sibling.claim("Off")["claim_id"]
    sibling.run("relation.put", source=one, relation="contradicts", target=two)
    home = machine["home"]
    assert home.run("conflict.list")["items"] == []
    broad = home.run("conflict.list", horizon="workspace", reason="comparing")
    assert [side["statement"] for side in broad["items"][0]["frozen"]] == ["On", "Off"]
    assert Path(broad["origins"][broad["items"][0]["case_id"]]).parent.name == "sibling"


_TASK = {**HOME_SCOPE, "task_id": "tsk_01jb3h0000000000000000000a"}
_ASIDE = [{**HOME_SCOPE, "project_id": "prj-aside"}, {**HOME_SCOPE, "workspace_id": "wsp-aside"}, _TASK]


@pytest.mark.parametrize("aside", _ASIDE)
@pytest.mark.parametrize("lexical", ["whoosh", "tantivy"])
def test_what_others_wrote_changes_no_presence(machine: dict[str, Memory], aside: dict[str, str], lexical: str) -> None:
    """A slip is read as what this project holds, also where another project or task made the same one, or many more."""
    home = machine["home"]
    home.git("config", "memgit.lexicalIndex", lexical)
    home.claim("The database migration of the configuration runs nightly.")
    queries = ("databse migration nightly", "conf migration nightly", "migration of the schemma")
    asked = [home.run("memory.recall", query=query) for query in queries]
    assert [each["presence"] for each in asked] == ["claims", "claims", "none"]
    many = " ".join(f"conf{a}{b}{c}" for a in "abdefg" for b in "aeiou" for c in ("ral", "tal"))
    home.claim(f"databse is a slip that somebody made, beside the schema. {many}", context=aside)
    again = [home.run("memory.recall", query=query) for query in queries]
    assert [[claim["claim_id"] for claim in each["claims"]] for each in again] == [
        [claim["claim_id"] for claim in each["claims"]] for each in asked
    ]
    assert home.run("memory.recall", query="slip that somebody made", context=aside)["presence"] == "claims"
