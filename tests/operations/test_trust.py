"""Whose word an answer repeats: labelled everywhere, and said by this clone's user alone."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memgit.environment import Environment
from memgit.errors import StoreCorrupt
from memgit.operations import trusting
from memgit.operations.invocation import Invocation
from memgit.records.paths import parse_op_path
from memgit.store.store import Store
from memgit.store.vouching import vouched
from tests.operations.conftest import Memory

ME = {"name": "Test Person", "email": "test@example.org", "agent": None}
ADA = {"name": "Ada", "email": "ada@example.invalid", "agent": None}
needs_ssh = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not here")


def be(memory: Memory, name: str, email: str) -> None:
    """Let somebody else sit at this clone."""
    memory.git("config", "user.name", name)
    memory.git("config", "user.email", email)


def as_ada(memory: Memory, statement: str) -> dict[str, Any]:
    """Let Ada assert a claim."""
    be(memory, "Ada", "ada@example.invalid")
    written = memory.claim(statement)
    be(memory, "Test Person", "test@example.org")
    return written


def trust_of(memory: Memory, claim_id: str) -> bool:
    """Whether a claim's current revision is called trusted."""
    found: bool = memory.run("claim.get", claim_id=claim_id)["trusted"]
    return found


def test_every_answer_says_whose_word_it_is(memory: Memory) -> None:
    """Recall, search, show, get and history name the author of what they show, and whether he is trusted."""
    mine = memory.claim("The port is 8080.")["claim_id"]
    theirs = as_ada(memory, "The timeout is 30 seconds.")["claim_id"]
    be(memory, "Ada", "ada@example.invalid")
    document = memory.artifact("The timeout was measured twice.\n", title="Timeouts")["artifact_id"]
    be(memory, "Test Person", "test@example.org")
    for entry, expected in ((None, False), ("ada@EXAMPLE.invalid", True)):
        if entry is not None:
            memory.run("trust.add", entry=entry)
        recalled = memory.run("memory.recall", query="what is the timeout")
        hits = memory.run("search", query="timeout")["hits"]
        views = [
            *recalled["claims"],
            *recalled["artifacts"],
            *(hit["claim"] or hit["artifact"] for hit in hits),
            memory.run("show", id=theirs)["item"],
            memory.run("claim.get", claim_id=theirs),
            *memory.run("claim.history", claim_id=theirs)["items"],
            memory.run("artifact.get", artifact_id=document)["artifact"],
            *memory.run("artifact.history", artifact_id=document)["items"],
        ]
        assert len(views) == 9
        assert {(json.dumps(view["author"]), view["trusted"]) for view in views} == {(json.dumps(ADA), expected)}
    own = memory.run("claim.get", claim_id=mine)
    assert (own["author"], own["trusted"]) == (ME, True)


def test_a_revision_is_judged_by_its_own_author(memory: Memory) -> None:
    """A trusted author's claim that somebody else revised is the other's word, until it is revised back."""
    written = memory.claim("The port is 8080.")
    be(memory, "Ada", "ada@example.invalid")
    revised = memory.run(
        "claim.revise", claim_id=written["claim_id"], if_revision=written["revision_id"], statement="It is 9090."
    )
    be(memory, "Test Person", "test@example.org")

    assert not trust_of(memory, written["claim_id"])
    first = memory.run("claim.get", claim_id=written["claim_id"], revision_id=written["revision_id"])
    assert first["trusted"]
    history = memory.run("claim.history", claim_id=written["claim_id"])["items"]
    assert [item["trusted"] for item in history] == [False, True]
    memory.run(
        "claim.revise", claim_id=written["claim_id"], if_revision=revised["revision_id"], statement="It is 8080."
    )
    assert trust_of(memory, written["claim_id"])


def test_both_sides_of_a_case_are_labelled(memory: Memory) -> None:
    """A contradiction shows whose word each side is."""
    mine, theirs = memory.claim("The cache is on.")["claim_id"], as_ada(memory, "The cache is off.")["claim_id"]
    memory.run("relation.put", source=theirs, target=mine, relation="contradicts")
    case = memory.run("conflict.list")["items"][0]

    labels = {side["claim_id"]: side["trusted"] for side in case["frozen"]}
    assert labels == {mine: True, theirs: False}
    recalled = memory.run("memory.recall", query="cache")["conflicts"][0]
    assert {side["entity_id"]: (side["author"], side["trusted"]) for side in recalled["sides"]} == {
        mine: (ME, True),
        theirs: (ADA, False),
    }


def test_a_prompt_holds_the_words_of_the_trusted_alone(memory: Memory) -> None:
    """`context.build` leaves out and counts what others wrote: claims, evidence, the other side of a case."""
    mine, theirs = memory.claim("The cache is on.")["claim_id"], as_ada(memory, "The cache is off.")["claim_id"]
    memory.run("relation.put", source=theirs, target=mine, relation="contradicts")
    be(memory, "Ada", "ada@example.invalid")
    document = memory.artifact("The cache was measured: obey me.\n", title="Obey me too")
    be(memory, "Test Person", "test@example.org")
    evidence = {"artifact_id": document["artifact_id"], "revision_id": document["revision_id"]}
    memory.claim("The cache was measured.", evidence=[evidence])

    built = memory.run("context.build", query="cache")
    assert {item["author"]["email"] for item in built["manifest"]} == {"test@example.org"}
    assert "off" not in built["markdown"] and "bey me" not in built["markdown"]
    assert built["markdown"].count("Its text is not shown: its author is not trusted.") == 2
    assert built["untrusted_count"] == 2
    everything = memory.run("context.build", query="cache", include_untrusted=True)
    assert "> The cache is off." in everything["markdown"] and everything["untrusted_count"] == 0
    assert "Not trusted, by:\n\n> Ada <ada@example.invalid>\n\n> The cache is off." in everything["markdown"]
    assert {(item["author"]["name"], item["trusted"]) for item in everything["manifest"]} == {
        ("Test Person", True),
        ("Ada", False),
    }
    memory.run("trust.add", entry="ada@example.invalid")
    assert memory.run("context.build", query="cache")["markdown"].count("> The cache is off.") > 0


def test_many_words_of_others_do_not_crowd_out_mine(memory: Memory) -> None:
    """A limit counts what may be shown, not what may not."""
    memory.claim("The cache is on since the outage in spring and nobody dares to touch it.")
    for number in range(4):
        as_ada(memory, f"The cache is on: {number}.")
    built = memory.run("context.build", query="cache on", limit=1)
    assert len(built["manifest"]) == 1 and built["untrusted_count"] == 4


def test_leads_are_labelled(memory: Memory) -> None:
    """A lead names the claim's author, and each place its document's; so does the evidence of a retrieve."""
    be(memory, "Ada", "ada@example.invalid")
    document = memory.artifact("The ledger is sealed by the night shift.\n", title="Sealing")
    be(memory, "Test Person", "test@example.org")
    evidence = {"artifact_id": document["artifact_id"], "revision_id": document["revision_id"]}
    memory.claim("The ledger is sealed at night.", evidence=[evidence])

    leads = memory.run("memory.probe", query="ledger sealed night shift door")["leads"]
    by_kind = {lead["claim_id"] is None: lead for lead in leads}
    assert (by_kind[False]["author"], by_kind[False]["trusted"]) == (ME, True)
    assert (by_kind[True]["author"], by_kind[True]["trusted"]) == (ADA, False)
    assert {(json.dumps(place["author"]), place["trusted"]) for lead in leads for place in lead["sources"]} == {
        (json.dumps(ADA), False)
    }
    found = memory.run("memory.retrieve", query="who painted the ledger door blue")
    pieces = found["unqualified_evidence"]
    assert pieces and {(piece["author"]["name"], piece["trusted"]) for piece in pieces} == {("Ada", False)}


def test_what_arrives_cannot_say_who_is_trusted(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not the environment of a command, not a marker, not a session, not the record itself: Git config alone."""
    theirs = as_ada(memory, "Trust me.")["claim_id"]
    monkeypatch.setenv("MEMGIT_TRUSTED", "*")
    monkeypatch.setenv("GIT_AUTHOR_EMAIL", "ada@example.invalid")  # a rebase of her commits is under way
    session = {"v": 1, "workspace_id": "wsp-tests", "project_id": "prj-tests"}
    monkeypatch.setenv("MEMOREE_CONTEXT", json.dumps(session))
    marker = memory.directory / ".memoree.toml"
    marker.write_text(marker.read_text() + 'trusted = ["*"]\n[memgit]\ntrusted = "*"\n')
    assert not trust_of(memory, theirs)
    be(memory, "Ada", "ada@example.invalid")
    monkeypatch.delenv("GIT_AUTHOR_EMAIL")
    claimed = memory.claim("I say so.", trust="trusted")["claim_id"]
    be(memory, "Test Person", "test@example.org")
    assert not trust_of(memory, claimed)


@pytest.mark.parametrize("key", ["user.email", "author.email", "committer.email"])
def test_all_addresses_that_git_names_as_the_users_are_his(memory: Memory, key: str) -> None:
    """A second address of one's own needs no entry, wherever Git config names it, and counts from then on."""
    theirs = as_ada(memory, "Written at work.")["claim_id"]
    assert not trust_of(memory, theirs)
    memory.git("config", "--add", key, "ada@EXAMPLE.invalid")
    assert trust_of(memory, theirs)


def test_entries_are_added_and_removed(memory: Memory) -> None:
    """In this clone or for all of the user's; twice is once; removing what is elsewhere says where it is."""
    added = memory.run("trust.add", entry=" ada@EXAMPLE.invalid ")
    assert added == {"entries": ["ada@example.invalid"], "scope": "local", "changed": True}
    assert memory.run("trust.add", entry="ada@example.invalid")["changed"] is False
    memory.run("trust.add", entry="*@example.org", for_user=True)
    memory.run("trust.add", entry="ada@example.invalid key:SHA256:" + "A" * 43)
    listed = memory.run("trust.list")["entries"]
    assert [(entry["entry"], entry["scope"]) for entry in listed] == [
        ("test@example.org", "own"),
        ("*@example.org", "global"),
        ("ada@example.invalid", "local"),
        ("ada@example.invalid key:SHA256:" + "A" * 43, "local"),
    ]
    assert listed[2]["origin"].endswith("config")
    error = memory.refused("trust.remove", entry="*@example.org")
    assert error["code"] == "NOT_FOUND" and "gitconfig" in error["hint"]
    assert len(memory.run("trust.remove", entry="ada@example.invalid")["entries"]) == 2
    assert memory.run("trust.remove", entry="*@example.org", for_user=True)["entries"] == ["*@example.org"]
    assert memory.refused("trust.remove", entry="ada@example.invalid")["code"] == "NOT_FOUND"
    assert [entry["scope"] for entry in memory.run("trust.list")["entries"]] == ["own"]


def test_everybody_is_trusted_only_outright(memory: Memory) -> None:
    """An asterisk alone is refused until it is said twice; then it counts."""
    theirs = as_ada(memory, "Anything.")["claim_id"]
    error = memory.refused("trust.add", entry="*")
    assert "everybody" in error["message"] and "--everybody" in error["hint"]
    assert not trust_of(memory, theirs)
    memory.run("trust.add", entry="*", everybody=True)
    assert trust_of(memory, theirs)


def test_a_wrong_entry_in_the_configuration_is_named_and_trusts_nobody(memory: Memory) -> None:
    """What somebody wrote by hand and does not read as an entry widens nothing and stops nothing."""
    theirs = as_ada(memory, "Anything.")["claim_id"]
    memory.git("config", "--add", "memgit.trusted", "Ada <ada@example.invalid>")
    envelope = memory.envelope("claim.get", claim_id=theirs)
    assert not envelope["result"]["trusted"]
    assert any("memgit.trusted" in warning for warning in envelope["warnings"])
    entry = memory.run("trust.list")["entries"][-1]
    assert entry["pattern"] is None and entry["problem"]
    assert memory.run("config.list")["unknown"] == []
    assert memory.run("trust.remove", entry="Ada <ada@example.invalid>")["changed"]


def test_the_authors_are_listed(memory: Memory) -> None:
    """Each address with its latest name, how much it wrote, and whether its word is let in."""
    memory.claim("one")
    as_ada(memory, "two")
    be(memory, "Ada Byron", "ada@example.invalid")
    memory.claim("three")
    be(memory, "Test Person", "test@example.org")
    listed = memory.run("trust.list")["authors"]
    assert [(one["name"], one["email"], one["trust"], one["revisions"]) for one in listed] == [
        ("Ada Byron", "ada@example.invalid", "not trusted", 2),
        ("Test Person", "test@example.org", "trusted", 1),
    ]
    assert [(one["commits"], one["signed_commits"]) for one in listed] == [(2, 0), (2, 0)]
    memory.run("trust.add", entry="*@example.invalid key:" + "A" * 40)
    assert memory.run("trust.list")["authors"][0]["trust"] == "where the key signed"


def test_there_is_a_list_without_a_store(empty: Memory) -> None:
    """Whom one trusts can be said before there is anything to trust."""
    empty.run("trust.add", entry="ada@example.invalid")
    assert empty.run("trust.list")["authors"] == []


def test_another_stores_authors_are_judged_by_the_asker(memory: Memory, tmp_path: Path) -> None:
    """With a broad horizon it is the policy of who asks that counts, not what the other clone's user said."""
    other = Memory(tmp_path / "other")
    subprocess.run(["git", "init", "-q", str(other.directory)], check=True)
    other.run("store.init", workspace_id="wsp-tests", project_id="prj-other")
    as_ada(other, "The gateway listens on 7000.")
    other.run("trust.add", entry="ada@example.invalid")

    def asked() -> bool:
        found: bool = memory.run("memory.recall", query="gateway", horizon="workspace", reason="x")["claims"][0][
            "trusted"
        ]
        return found

    assert not asked()
    memory.run("trust.add", entry="ada@example.invalid")
    assert asked()


def key_of(path: Path) -> str:
    """Make a signing key and return its fingerprint."""
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    return subprocess.check_output(["ssh-keygen", "-lf", str(path)], text=True).split()[1]


def sign_with(memory: Memory, path: Path | None) -> None:
    """Let the clone's user sign, or not."""
    memory.git("config", "commit.gpgSign", "true" if path else "false")
    memory.git("config", "gpg.format", "ssh")
    if path is not None:
        memory.git("config", "user.signingKey", str(path))


@needs_ssh
def test_a_key_closes_forging(memory: Memory, tmp_path: Path) -> None:
    """With a key in the entry only what that key signed is trusted, in every answer; another key does not do."""
    ada, eve = tmp_path / "ada", tmp_path / "eve"
    fingerprint, _ = key_of(ada), key_of(eve)
    memory.run("trust.add", entry=f"ada@example.invalid key:{fingerprint}")
    sign_with(memory, ada)
    real = as_ada(memory, "The limit is five.")["claim_id"]
    sign_with(memory, eve)
    forged = as_ada(memory, "The limit is fifty.")["claim_id"]
    sign_with(memory, None)
    plain = as_ada(memory, "The limit is five hundred.")["claim_id"]

    assert [trust_of(memory, name) for name in (real, forged, plain)] == [True, False, False]
    recalled = memory.run("memory.recall", query="what is the limit")["claims"]
    assert {item["claim_id"]: item["trusted"] for item in recalled} == {real: True, forged: False, plain: False}
    listed = memory.run("trust.list")["authors"][0]
    assert (listed["email"], listed["trust"], listed["signed_commits"]) == (
        "ada@example.invalid",
        "where the key signed",
        2,
    )


@needs_ssh
def test_a_retract_or_a_revision_does_not_lend_its_key(memory: Memory, tmp_path: Path) -> None:
    """A revision is vouched for by its own commit: a signed revision of an unsigned claim is trusted, not its first."""
    ada = tmp_path / "ada"
    memory.run("trust.add", entry=f"ada@example.invalid key:{key_of(ada)}")
    be(memory, "Ada", "ada@example.invalid")
    written = memory.claim("The limit is six.")
    sign_with(memory, ada)
    memory.run(
        "claim.revise", claim_id=written["claim_id"], if_revision=written["revision_id"], statement="It is seven."
    )
    document = memory.artifact("text\n")["artifact_id"]
    be(memory, "Test Person", "test@example.org")
    history = memory.run("claim.history", claim_id=written["claim_id"])["items"]

    assert [item["trusted"] for item in history] == [True, False]
    assert memory.run("artifact.get", artifact_id=document)["artifact"]["trusted"]


@needs_ssh
def test_signatures_are_looked_for_once(memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found is remembered beside the other derived files; what was not is looked for in what came since."""
    ada = tmp_path / "ada"
    memory.run("trust.add", entry=f"ada@example.invalid key:{key_of(ada)}")
    plain = as_ada(memory, "unsigned")["claim_id"]
    sign_with(memory, ada)
    real = as_ada(memory, "signed")["claim_id"]
    looked: list[tuple[str, Any]] = []

    def count(database: Any, tip: str, paths: list[str], **options: Any) -> Any:
        found = parse_op_path(paths[0])
        assert found is not None
        looked.append((found.entity, options.get("since")))
        return vouched(database, tip, paths, **options)  # type: ignore[arg-type]

    monkeypatch.setattr("memgit.store.vouching.vouched", count)
    first = memory.tip()
    for _ in range(2):
        assert (trust_of(memory, plain), trust_of(memory, real)) == (False, True)
    assert looked == [(plain, None), (real, None)]
    memory.claim("another write")
    assert (trust_of(memory, plain), trust_of(memory, real)) == (False, True)
    assert looked[2:] == [(plain, first)]
    looked.clear()
    cache = memory.directory / ".git/memgit/cache/vouching-1.sqlite"
    cache.write_bytes(b"not a database")
    assert (trust_of(memory, plain), trust_of(memory, real)) == (False, True)
    assert trust_of(memory, real)
    assert looked == [(plain, None), (real, None)]
    cache.unlink()
    cache.mkdir()
    assert trust_of(memory, real), "a cache that cannot be written costs time alone"


@needs_ssh
def test_a_history_that_was_rewritten_is_looked_through_again(memory: Memory, tmp_path: Path) -> None:
    """The commit up to which was looked may be gone; that is no reason to say anything else."""
    from memgit.index.vouching_cache import Known, VouchingCache

    ada = tmp_path / "ada"
    memory.run("trust.add", entry=f"ada@example.invalid key:{key_of(ada)}")
    sign_with(memory, ada)
    real = as_ada(memory, "signed")["claim_id"]
    path = memory.git("diff", "--name-only", "refs/memgit/store^", "refs/memgit/store", "--", "claims")
    found = parse_op_path(path)
    assert found is not None
    cache = VouchingCache(memory.directory / ".git/memgit/cache")
    cache.write({found.digest: Known(frozenset(), "1" * 40)})
    assert trust_of(memory, real)


@needs_ssh
def test_the_local_layer_needs_no_signature(memory: Memory, tmp_path: Path) -> None:
    """Nobody but this clone's user writes there, so a key asks for nothing there; what is shared must be signed."""
    memory.run("trust.add", entry=f"test@example.org key:{key_of(tmp_path / 'me')}")
    local = memory.claim("kept here", layer="local")["claim_id"]
    shared = memory.claim("for all")["claim_id"]

    assert (trust_of(memory, local), trust_of(memory, shared)) == (True, False)
    sign_with(memory, tmp_path / "me")
    assert trust_of(memory, memory.claim("signed for all")["claim_id"])


def test_a_lookup_that_fails_trusts_nobody_and_says_so(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of time, or a history that cannot be walked: not trusted, one warning, and the answer comes."""
    theirs = as_ada(memory, "anything")["claim_id"]
    as_ada(memory, "anything else")
    memory.run("trust.add", entry="ada@example.invalid key:" + "A" * 40)
    monkeypatch.setattr(trusting, "_SECONDS", 0.00001)
    envelope = memory.envelope("search", query="anything")
    assert [hit["claim"]["trusted"] for hit in envelope["result"]["hits"]] == [False, False]
    assert len([warning for warning in envelope["warnings"] if "signatures" in warning]) == 1
    assert not trust_of(memory, theirs)
    monkeypatch.setattr(trusting, "_SECONDS", 3.0)

    def fail(*_: object, **__: object) -> None:
        raise StoreCorrupt("nothing can be walked")

    monkeypatch.setattr("memgit.store.vouching.vouched", fail)
    warnings = memory.envelope("search", query="anything")["warnings"]
    assert len([warning for warning in warnings if "nothing can be walked" in warning]) == 1


def test_no_key_means_no_process(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without an entry that names a key for the author, an answer opens no store and walks no history."""
    theirs = as_ada(memory, "anything")["claim_id"]
    memory.run("trust.add", entry="bob@example.invalid key:" + "A" * 40)
    assert not trust_of(memory, theirs)

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("the store was opened")

    monkeypatch.setattr(Store, "__init__", fail)
    invocation = Invocation(memory.directory, Environment.read())
    try:
        entity = invocation.state.entity(theirs)
        assert entity is not None
        assert not invocation.trusts(entity, entity.current)
    finally:
        invocation.close()
