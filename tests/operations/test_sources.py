"""Sources: what an adapter brings is kept once, changes only with its source's revision, and is hidden, not erased."""

from __future__ import annotations

from typing import Any

import pytest

from tests.operations.conftest import Memory
from tests.operations.divided import copied, united


@pytest.fixture
def wiki(memory: Memory) -> str:
    """A registered source."""
    source: str = memory.run("source.register", kind="wiki", name="team pages")["source_id"]
    return source


def bring(memory: Memory, source: str, text: str, revision: str = "1", item: str = "page/7", **fields: Any) -> Any:
    """Bring one item."""
    content = {"type": "text", "data": text}
    return memory.run(
        "source.ingest", source_id=source, external_id=item, external_revision=revision, title="Page", content=content,
        **fields,
    )  # fmt: skip


def test_the_same_source_is_registered_once(memory: Memory, wiki: str) -> None:
    """Kind and name in a project are its identity; another name or project is another source."""
    again = memory.run("source.register", kind="wiki", name="team pages")
    assert again == {"source_id": wiki, "existed": True}
    assert memory.run("source.register", kind="wiki", name="other pages")["source_id"] != wiki
    elsewhere = {"workspace_id": "wsp-tests", "project_id": "prj-other"}
    assert memory.run("source.register", context=elsewhere, kind="wiki", name="team pages")["source_id"] != wiki


def test_replay_is_a_no_op(memory: Memory, wiki: str) -> None:
    """The same item at the same revision with the same bytes writes nothing and gives the first ids."""
    first = bring(memory, wiki, "Deploy on Tuesdays.")
    tip = memory.tip()
    again = bring(memory, wiki, "Deploy on Tuesdays.")
    assert again == {**first, "replayed": True} and first["replayed"] is False
    assert memory.tip() == tip


def test_a_revision_of_the_source_names_the_same_bytes_for_ever(memory: Memory, wiki: str) -> None:
    """Other bytes under a known external revision are refused, also after later revisions came."""
    bring(memory, wiki, "one", "1")
    bring(memory, wiki, "two", "2")
    error = memory.refused(
        "source.ingest", source_id=wiki, external_id="page/7", external_revision="1", title="Page",
        content={"type": "text", "data": "other"},
    )  # fmt: skip
    assert error["code"] == "REVISION_CONFLICT"


def test_a_new_revision_of_an_item_is_a_revision_of_its_artifact(memory: Memory, wiki: str) -> None:
    """An item keeps its identity; its bytes become those of the new revision."""
    first, second = bring(memory, wiki, "one", "1"), bring(memory, wiki, "two", "2")
    assert second["artifact_id"] == first["artifact_id"] and second["revision_id"] != first["revision_id"]
    assert memory.run("artifact.get", artifact_id=first["artifact_id"])["content"]["data"] == "two"


def test_a_persons_revision_does_not_unhook_the_item(memory: Memory, wiki: str) -> None:
    """After somebody revised the artifact by hand, the item's next revision still belongs to it."""
    first = bring(memory, wiki, "one", "1")
    memory.run(
        "artifact.revise", artifact_id=first["artifact_id"], if_revision=first["revision_id"],
        content={"type": "text", "data": "by hand"},
    )  # fmt: skip
    assert bring(memory, wiki, "two", "2")["artifact_id"] == first["artifact_id"]


def test_withdrawing_hides_and_erases_nothing(memory: Memory, wiki: str) -> None:
    """A withdrawn item leaves recall and search; its bytes and citations stay; coming again brings it back."""
    item = bring(memory, wiki, "Deploy on Tuesdays only.")
    assert memory.run("memory.recall", query="deploy tuesdays")["presence"] == "artifacts_only"
    gone = memory.run("source.withdraw", source_id=wiki, external_id="page/7", reason="deleted")
    name = item["artifact_id"]
    assert gone == {"artifact_id": name, "changed": True, "physically_erased": False, "artifact_ids": [name]}
    assert memory.run("memory.recall", query="deploy tuesdays")["presence"] == "none"
    assert memory.run("search", query="deploy tuesdays")["hits"] == []
    kept = memory.run("artifact.get", artifact_id=item["artifact_id"])
    assert (kept["content"]["data"], kept["artifact"]["status"]) == ("Deploy on Tuesdays only.", "withdrawn")
    assert memory.run("source.withdraw", source_id=wiki, external_id="page/7")["changed"] is False
    assert memory.run("source.get", source_id=wiki)["items"] == {"withdrawn": 1}
    back = bring(memory, wiki, "Deploy on Tuesdays only.")
    assert back["artifact_id"] == item["artifact_id"] and back["replayed"] is False
    assert memory.run("memory.recall", query="deploy tuesdays")["presence"] == "artifacts_only"


@pytest.mark.parametrize("revision", ["1", "2"])
def test_what_a_person_forgot_stays_forgotten(memory: Memory, wiki: str, revision: str) -> None:
    """Bringing it again, at a known revision or a new one, writes nothing and says so; asked for, it comes back."""
    item = bring(memory, wiki, "Deploy on Tuesdays only.")
    memory.run("artifact.forget", artifact_id=item["artifact_id"], reason="private")
    tip = memory.tip()
    again = bring(memory, wiki, "Deploy on Tuesdays only.", revision)
    assert again == {**item, "replayed": True, "forgotten": True} and memory.tip() == tip
    assert memory.run("memory.recall", query="deploy tuesdays")["presence"] == "none"
    gone = memory.run("source.withdraw", source_id=wiki, external_id="page/7")
    assert (gone["artifact_id"], gone["changed"]) == (item["artifact_id"], False) and memory.tip() == tip

    back = bring(memory, wiki, "Deploy on Tuesdays only.", revision, readmit=True)
    assert back["artifact_id"] != item["artifact_id"] and not back["replayed"] and not back["forgotten"]
    assert memory.run("memory.recall", query="deploy tuesdays")["presence"] == "artifacts_only"
    assert bring(memory, wiki, "Deploy on Tuesdays only.", revision) == {**back, "replayed": True}


def test_a_forget_that_was_undone_lets_the_item_in(memory: Memory, wiki: str) -> None:
    """Then nobody wants it gone: it is known as before, and its next revision is taken."""
    item = bring(memory, wiki, "one", "1")
    memory.run("artifact.forget", artifact_id=item["artifact_id"], reason="private")
    memory.run("undo", targets=["@last"])
    assert bring(memory, wiki, "one", "1")["forgotten"] is False
    assert bring(memory, wiki, "two", "2")["artifact_id"] == item["artifact_id"]


@pytest.fixture
def twins(memory: Memory, wiki: str) -> tuple[Memory, list[str]]:
    """A clone of before, and the artifacts of an item that it and another took in; the memory has both."""
    other = copied(memory)
    names = [bring(one, wiki, "The deploy is on Tuesdays.")["artifact_id"] for one in (memory, other)]
    before = copied(other, "before")
    united(memory, other)
    return before, names


def test_a_withdrawal_hides_every_artifact_of_the_item(
    memory: Memory, wiki: str, twins: tuple[Memory, list[str]]
) -> None:
    """Whichever clones took it in; coming again, the item is one artifact."""
    _, names = twins
    gone = memory.run("source.withdraw", source_id=wiki, external_id="page/7")
    assert sorted(gone["artifact_ids"]) == sorted(names) and gone["changed"]
    assert memory.run("memory.recall", query="deploy tuesdays")["presence"] == "none"
    assert memory.run("search", query="deploy tuesdays")["hits"] == []
    assert memory.run("source.withdraw", source_id=wiki, external_id="page/7")["changed"] is False
    assert bring(memory, wiki, "The deploy is on Tuesdays.")["artifact_id"] in names
    assert memory.run("source.get", source_id=wiki)["items"] == {"active": 1, "withdrawn": 1}


def test_a_new_revision_reaches_every_artifact_of_the_item(
    memory: Memory, wiki: str, twins: tuple[Memory, list[str]]
) -> None:
    """None keeps the text of before as the present one; what is past in one of them is brought to none."""
    _, names = twins
    bring(memory, wiki, "The deploy is on Fridays.", "2")
    assert memory.run("memory.recall", query="deploy tuesdays")["presence"] == "none"
    texts = [memory.run("artifact.get", artifact_id=name)["content"]["data"] for name in names]
    assert texts == ["The deploy is on Fridays."] * 2
    assert bring(memory, wiki, "The deploy is on Fridays.", "2")["replayed"]
    assert bring(memory, wiki, "The deploy is on Tuesdays.", "1")["replayed"]


def test_an_artifact_that_is_behind_its_twin_is_brought_up(
    memory: Memory, wiki: str, twins: tuple[Memory, list[str]]
) -> None:
    """One clone had the next revision before the two met; bringing it again writes it to the other artifact alone."""
    before, names = twins
    bring(before, wiki, "The deploy is on Fridays.", "2")
    united(memory, before)
    assert memory.run("memory.recall", query="deploy tuesdays")["presence"] == "artifacts_only"
    again = bring(memory, wiki, "The deploy is on Fridays.", "2")
    assert (again["artifact_id"], again["replayed"]) == (names[0], False)
    assert memory.run("memory.recall", query="deploy tuesdays")["presence"] == "none"


def test_clones_that_brought_other_bytes_are_both_known(memory: Memory, wiki: str) -> None:
    """Bringing what either of them brought writes nothing; a third text under the same names is refused."""
    other = copied(memory)
    bring(memory, wiki, "ours"), bring(other, wiki, "theirs")
    united(memory, other)
    assert bring(memory, wiki, "ours")["replayed"] and bring(memory, wiki, "theirs")["replayed"]
    error = memory.refused(
        "source.ingest", source_id=wiki, external_id="page/7", external_revision="1", title="Page",
        content={"type": "text", "data": "a third"},
    )  # fmt: skip
    assert error["code"] == "REVISION_CONFLICT"


def test_a_checkpoint_says_how_far_and_how_well(memory: Memory, wiki: str) -> None:
    """The last one counts; the same again writes nothing."""
    assert memory.run("source.get", source_id=wiki)["health"] is None
    assert memory.run("source.checkpoint", source_id=wiki, cursor="12", health="degraded", message="slow")["changed"]
    tip = memory.tip()
    same = memory.run("source.checkpoint", source_id=wiki, cursor="12", health="degraded", message="slow")
    assert same["changed"] is False and memory.tip() == tip
    seen = memory.run("source.get", source_id=wiki)
    assert (seen["cursor"], seen["health"], seen["message"]) == ("12", "degraded", "slow")


def test_sources_are_listed_by_what_the_context_shows(memory: Memory, wiki: str) -> None:
    """Those of another project are not listed, and cannot be written to from here."""
    elsewhere = {"workspace_id": "wsp-tests", "project_id": "prj-other"}
    other = memory.run("source.register", context=elsewhere, kind="tracker", name="issues")["source_id"]
    assert [item["source_id"] for item in memory.run("source.list")["items"]] == [wiki]
    assert memory.refused("source.checkpoint", source_id=other, cursor="1")["code"] == "SCOPE_VIOLATION"


@pytest.mark.parametrize(
    ("operation", "fields", "code"),
    [
        ("source.register", {"kind": " ", "name": "x"}, "INVALID_REQUEST"),
        ("source.register", {"kind": "wiki", "name": "x" * 3000}, "LIMIT_EXCEEDED"),
        ("source.get", {"source_id": "src_00000000000000000000000000"}, "NOT_FOUND"),
        ("source.get", {"source_id": "../etc"}, "INVALID_REQUEST"),
        ("source.withdraw", {"source_id": "WIKI", "external_id": "never"}, "NOT_FOUND"),
        ("source.checkpoint", {"source_id": "WIKI", "health": "fine"}, "INVALID_REQUEST"),
    ],
)
def test_bad_requests_write_nothing(
    memory: Memory, wiki: str, operation: str, fields: dict[str, str], code: str
) -> None:
    """Each is one clear error."""
    filled = {name: wiki if value == "WIKI" else value for name, value in fields.items()}
    assert memory.refused(operation, **filled)["code"] == code


def test_a_million_items_make_no_large_record(memory: Memory, wiki: str) -> None:
    """No record of a source grows with its items: each of them is a record of its own."""
    for number in range(20):
        bring(memory, wiki, f"text {number}", item=f"page/{number}")
    listing = memory.git("ls-tree", "-r", "--name-only", "refs/memgit/store").splitlines()
    assert len([path for path in listing if path.startswith("sources/")]) == 1
