"""`verify` finds what is wrong and names it; a damaged file is never served as truth."""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

import pytest

from memgit.records.codec import digest_of
from tests.operations.conftest import SCOPE, Memory


def filled(memory: Memory) -> dict[str, str]:
    """Write a little of everything."""
    remembered = memory.run("remember", text="One thing.", claim_type="decision")
    other = memory.claim("Another thing.", key="k")
    memory.run("relation.put", source=remembered["claim_id"], relation="contradicts", target=other["claim_id"])
    return {"claim": other["claim_id"], "artifact": remembered["artifact_id"]}


def loose_file(memory: Memory, path_part: str) -> Path:
    """Return the loose object behind the first path of the store that contains `path_part`."""
    for line in memory.git("ls-tree", "-r", "refs/memgit/store").splitlines():
        meta, _, path = line.partition("\t")
        if path_part in path:
            oid = meta.split()[2]
            return memory.directory / ".git" / "objects" / oid[:2] / oid[2:]
    raise AssertionError(path_part)


def test_a_sound_store_is_clean(memory: Memory) -> None:
    """Everything is counted, nothing is found."""
    filled(memory)
    report = memory.run("verify")
    assert (report["ok"], report["findings"]) == (True, [])
    assert {"claims", "artifacts", "relations", "blobs", "receipts", "stores", "format"} <= set(report["checked"])


def test_an_empty_store_is_clean(memory: Memory) -> None:
    """A store without records verifies."""
    assert memory.run("verify")["ok"] is True


@pytest.mark.parametrize("part", ["claims/", "artifacts/", "blobs/", "receipts/"])
def test_changed_bytes_are_found_and_named(memory: Memory, part: str) -> None:
    """Valid Git objects with other bytes than the name's digest names: found, and named by path."""
    filled(memory)
    rewrite_file(memory, part)
    report = memory.run("verify")
    assert report["ok"] is False
    assert any(finding["where"].startswith(part) for finding in report["findings"])


def rewrite_file(memory: Memory, part: str) -> None:
    """Make a commit in which one file of the store has a flipped bit, as a hostile or broken program might."""
    env_index = memory.directory / ".git" / "other-index"
    listing = memory.git("ls-tree", "-r", "refs/memgit/store")
    line = next(line for line in listing.splitlines() if part in line)
    oid, path = line.split()[2], line.partition("\t")[2]
    source = memory.directory / "flipped"
    data = memory.git("cat-file", "blob", oid).encode()
    source.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    blob = memory.git("hash-object", "-w", str(source))
    parts = path.split("/")
    entry = f"100644 blob {blob}\t{parts[-1]}"
    for depth in range(len(parts) - 1, -1, -1):
        directory = "/".join(parts[:depth])
        name = f"refs/memgit/store:{directory}"
        rows = [row for row in memory.git("ls-tree", name).splitlines() if row.partition("\t")[2] != parts[depth]]
        tree = make_tree(memory, [*rows, entry])
        entry = f"040000 tree {tree}\t{parts[depth - 1]}"
    message = memory.git("log", "-1", "--format=%B", "refs/memgit/store")
    commit = memory.git("commit-tree", tree, "-p", "refs/memgit/store", "-m", message)
    memory.git("update-ref", "refs/memgit/store", commit)
    env_index.unlink(missing_ok=True)


def make_tree(memory: Memory, rows: list[str]) -> str:
    """Return a tree made of `ls-tree` rows."""
    import subprocess

    done = subprocess.run(
        ["git", "mktree"],
        cwd=memory.directory,
        input="\n".join(rows) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_a_tampered_claim_is_ignored_not_served(memory: Memory) -> None:
    """The fold ignores it: the claim is not found rather than wrong."""
    names = filled(memory)
    rewrite_file(memory, names["claim"])
    assert memory.refused("claim.get", claim_id=names["claim"])["code"] == "NOT_FOUND"
    assert memory.run("status")["ignored_operations"] >= 1


def test_tampered_artifact_bytes_are_not_served(memory: Memory) -> None:
    """STORE_CORRUPT instead of other bytes."""
    names = filled(memory)
    rewrite_file(memory, "blobs/")
    assert memory.refused("artifact.get", artifact_id=names["artifact"])["code"] == "STORE_CORRUPT"


def test_truncated_objects_heal_without_a_command(memory: Memory) -> None:
    """Objects cut to nothing or to half are restored from the write-ahead log by whatever reads them next."""
    names = filled(memory)
    for part, keep in (("claims/", 0), ("artifacts/", 0.5), ("blobs/", 0)):
        file = loose_file(memory, part)
        data = file.read_bytes()
        file.chmod(0o644)
        file.write_bytes(data[: int(len(data) * keep)])
    shutil.rmtree(memory.directory / ".git" / "memgit" / "cache", ignore_errors=True)
    assert memory.run("claim.get", claim_id=names["claim"])["statement"] == "Another thing."
    assert memory.run("artifact.get", artifact_id=names["artifact"])["content"]["data"] == "One thing."
    assert memory.run("verify")["ok"] is True
    assert memory.git("fsck", "--no-dangling") == ""


def test_a_damaged_object_without_a_log_is_one_clear_error(memory: Memory) -> None:
    """STORE_CORRUPT names the object and what to do."""
    filled(memory)
    file = loose_file(memory, "claims/")
    file.chmod(0o644)
    file.write_bytes(zlib.compress(b"blob 3\0abc"))
    for found in (memory.directory / ".git" / "memgit" / "state").glob("log*"):
        shutil.rmtree(found) if found.is_dir() else found.unlink()
    shutil.rmtree(memory.directory / ".git" / "memgit" / "cache", ignore_errors=True)
    report = memory.envelope("verify")
    assert (report["ok"] and not report["result"]["ok"]) or report["error"]["code"] == "STORE_CORRUPT"


def test_what_is_lost_is_left_out_named_and_not_kept(memory: Memory) -> None:
    """Reads go on without a lost operation, say so, and do not take the gap for the state; writes on it are refused."""
    names = filled(memory)
    file = loose_file(memory, names["claim"])
    whole = file.read_bytes()
    file.unlink()
    logs = list((memory.directory / ".git" / "memgit" / "state").glob("log*"))
    for found in logs:
        shutil.rmtree(found) if found.is_dir() else found.unlink()
    shutil.rmtree(memory.directory / ".git" / "memgit" / "cache", ignore_errors=True)
    assert memory.refused("claim.get", claim_id=names["claim"])["code"] == "STORE_CORRUPT"
    envelope = memory.envelope("status")
    assert any("lost" in warning for warning in envelope["warnings"])
    report = memory.run("verify")
    assert report["ok"] is False
    assert any(names["claim"] in finding["where"] for finding in report["findings"])
    error = memory.refused("claim.retract", claim_id=names["claim"], if_revision="crev_" + "0" * 26, reason="x")
    assert error["code"] == "STORE_CORRUPT"
    file.write_bytes(whole)
    assert memory.run("claim.get", claim_id=names["claim"])["statement"] == "Another thing."
    assert memory.run("verify")["ok"] is True


def put_file(memory: Memory, path: str, data: bytes) -> None:
    """Commit one more file to the store, as another program might."""
    source = memory.directory / "extra"
    source.write_bytes(data)
    entry = f"100644 blob {memory.git('hash-object', '-w', str(source))}\t{path.rpartition('/')[2]}"
    parts = path.split("/")
    for depth in range(len(parts) - 1, -1, -1):
        exists = depth == 0 or memory.git("ls-tree", "-d", "refs/memgit/store", "/".join(parts[:depth]))
        listed = memory.git("ls-tree", f"refs/memgit/store:{'/'.join(parts[:depth])}").splitlines() if exists else []
        rows = [row for row in listed if row.partition("\t")[2] != parts[depth]]
        tree = make_tree(memory, [*rows, entry])
        entry = f"040000 tree {tree}\t{parts[depth - 1]}"
    message = "x\n\nMemgit-Seq: 90"
    commit = memory.git("commit-tree", tree, "-p", "refs/memgit/store", "-m", message)
    memory.git("update-ref", "refs/memgit/store", commit)


def test_nobody_writes_past_a_later_version(memory: Memory) -> None:
    """An operation of a later format is no problem of this store: reads warn, writes refuse, verify says upgrade."""
    from memgit.records.codec import digest_of
    from memgit.records.paths import OpPath

    claim = memory.claim("As this version knows it")
    data = f"format: 2\nverb: retract\nentity: {claim['claim_id']}\nseq: 40\n".encode()
    put_file(memory, OpPath(claim["claim_id"], 40, "retract", digest_of(data)).path, data)
    envelope = memory.envelope("claim.get", claim_id=claim["claim_id"])
    assert any("later version" in warning for warning in envelope["warnings"])
    identity = {"claim_id": claim["claim_id"], "if_revision": claim["revision_id"]}
    assert memory.refused("claim.revise", **identity, statement="Over it")["code"] == "FORMAT_TOO_NEW"
    report = memory.run("verify")
    assert (report["ok"], report["findings"][0]["do"]) == (True, "Upgrade git-memgit to read it.")


def test_a_request_is_not_done_twice_for_an_unreadable_receipt(memory: Memory, tmp_path: Path) -> None:
    """A receipt that cannot be read still says that its request was done; other requests go on."""
    memory.claim("Once", key="k")
    listing = memory.git("ls-tree", "-r", "--name-only", "refs/memgit/store").splitlines()
    path = next(line for line in listing if line.startswith("receipts/"))
    twin = Memory(tmp_path / "twin")
    twin.directory.mkdir()
    twin.git("init", "-q")
    twin.run("store.init", **SCOPE)
    data = b"format: 1\nnothing: that a receipt says\n"
    put_file(twin, f"{path.rpartition('/')[0]}/{digest_of(data)}.yaml", data)
    assert twin.refused("claim.assert", key="k", claim_type="fact", statement="Once")["code"] == "STORE_CORRUPT"
    twin.claim("Another", key="k2")


def test_odd_entries_among_the_markers_stop_writes_not_reads(memory: Memory) -> None:
    """What no memgit writes, put there by another program, is named; nobody writes on top of it; the way back works."""
    claim = memory.claim("Still here")["claim_id"]
    tip = memory.tip()
    put_file(memory, "purges/x/y", b"q")
    assert memory.run("claim.get", claim_id=claim)["statement"] == "Still here"
    error = memory.refused("claim.assert", claim_type="fact", statement="And another")
    assert error["code"] == "STORE_CORRUPT" and f"git update-ref refs/memgit/store {tip}" in error["hint"]
    assert any(finding["where"].startswith("purges/") for finding in memory.run("verify")["findings"])
    memory.git("update-ref", "refs/memgit/store", tip)
    memory.claim("And another")


def test_records_beyond_the_formats_laws_are_ignored(memory: Memory) -> None:
    """What no writer may write is not read either: too much of something, or a validity that is no time."""
    import msgspec

    from memgit.records import codec
    from memgit.records.op import Actor, Anchor, ClaimPayload, Evidence, Scope, draft
    from memgit.records.paths import OpPath

    for number, payload in enumerate(
        (
            ClaimPayload(claim_type="fact", statement="x" * 200_000),
            ClaimPayload(claim_type="fact", statement="x", valid_from="garbage"),
            ClaimPayload(claim_type="fact", statement="x", markers=tuple(f"tag:{n:03}" for n in range(65))),
            ClaimPayload(claim_type="fact", statement="x", anchors=(Anchor(path="a"),) * 17),
            ClaimPayload(claim_type="fact", statement="x", anchors=(Anchor(path="a", text="x" * 4097),)),
            ClaimPayload(
                claim_type="fact",
                statement="x",
                evidence=(Evidence("art_" + "0" * 26, "arev_" + "0" * 26),) * 17,  # type: ignore[arg-type]
            ),
        )
    ):
        planted = draft(
            "assert",
            "clm_" + f"{number}" * 26,
            Scope("wsp-tests", "prj-tests"),
            payload,
            not_before="2026-01-01T00:00:00.000000Z",
            revision="crev_" + f"{number}" * 26,  # type: ignore[arg-type]
        )
        op, data = codec.encode_op(msgspec.structs.replace(planted, seq=40 + number, actor=Actor("a", "b")))
        put_file(memory, OpPath(op.entity, op.seq, op.verb, op.digest).path, data)
    assert memory.run("status")["claims"] == {}
    assert len(memory.run("verify")["findings"]) == 6
