"""The golden files of the format: today's program reads them as they were meant, and writes the same bytes.

They are made by `fixtures/make_format.py` and explained in `docs/format.md`. A failure here means that a store which
somebody has on a disk would be read or written otherwise: it needs a decision record, not a new golden file.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
import yaml

from memgit.errors import FormatTooNew
from memgit.records import codec, merge, paths, yaml_text
from memgit.records.cases import contradiction_id, fork_id, tombstone_id
from memgit.records.fold import fold
from memgit.records.marker import canonical_marker, marker_number
from memgit.records.op import FORMAT, Scope
from memgit.records.value import canonical_value
from memgit.store.frames import encode_frame, generation_of, scan_file
from memgit.store.history import walk
from memgit.store.repository import discover
from memgit.store.store import Store
from memgit.store.write_ahead_log import WriteAheadLog

Table = Callable[[str], Any]


@pytest.fixture
def table(golden_dir: Path) -> Table:
    """A function that returns one of the golden JSON files."""
    return lambda name: json.loads((golden_dir / f"{name}.json").read_text("ascii"))


@pytest.fixture
def content(golden_dir: Path) -> dict[str, bytes]:
    """The tiny store's files by path."""
    return _files(golden_dir / "store")


def test_every_file_of_the_store_decodes_to_its_value(
    content: dict[str, bytes], table: Table, make_format: ModuleType
) -> None:
    """A stored file's path is well-formed, its name is its digest, and it means what it meant."""
    entries = table("store")
    assert [entry["path"] for entry in entries] == sorted(content)
    for entry in entries:
        data = content[entry["path"]]
        assert paths.is_wellformed(entry["path"]), entry["path"]
        assert codec.digest_of(data) == entry["digest"]
        assert entry["digest"] in entry["path"] or entry["path"] == paths.FORMAT_PATH
        assert make_format.describe(entry["path"], data) == {"value": entry["value"]}


def test_every_record_of_the_store_is_encoded_to_the_same_bytes(content: dict[str, bytes]) -> None:
    """What was decoded is encoded to exactly the bytes that were read, verb by verb."""
    verbs: set[str] = set()
    for path, data in content.items():
        name = paths.parse_op_path(path)
        if name is not None:
            op, encoded = codec.encode_op(codec.decode_op(data, name))
            assert encoded == data, path
            assert op.digest == name.digest
            verbs.add(f"{op.kind}.{op.verb}")
            continue
        kinds: dict[str, Any] = {"stores": codec.StoreRecord, "receipts": codec.Receipt}
        kind = kinds.get(path.partition("/")[0])
        if kind is not None:
            digest = path.rpartition("/")[2].removesuffix(".yaml")
            assert codec.encode_record(codec.decode_record(data, digest, kind)) == (digest, data)
    assert verbs == {
        *("claim.assert", "claim.revise", "claim.retract", "claim.undo", "claim.acknowledge"),
        *("artifact.put", "artifact.revise", "artifact.forget", "artifact.withdraw"),
        *("relation.put", "relation.undo"),
        *("source.register", "source.checkpoint", "projection.put", "projection.drop"),
    }
    assert content[paths.FORMAT_PATH] == paths.FORMAT_TEXT


def test_records_of_other_hands_and_versions(golden_dir: Path, table: Table, make_format: ModuleType) -> None:
    """Aliases, purge markers, unknown verbs and fields are read; mistakes are refused with the reason."""
    for entry in table("records"):
        data = (golden_dir / "records" / f"{entry['name']}.yaml").read_bytes()
        assert paths.is_wellformed(entry["path"]), entry["name"]
        expected = {key: entry[key] for key in ("value", "error", "message") if key in entry}
        assert make_format.describe(entry["path"], data) == expected, entry["name"]


def test_a_record_of_format_2_is_refused_before_it_is_decoded(golden_dir: Path, table: Table) -> None:
    """The rest of the record is not even YAML; the reader does not come that far."""
    entry = next(entry for entry in table("records") if entry["name"] == "later-format")
    data = (golden_dir / "records" / "later-format.yaml").read_bytes()
    path = paths.parse_op_path(entry["path"])
    assert path is not None
    with pytest.raises(yaml_text.YamlRefused):
        yaml_text.load(data)
    with pytest.raises(FormatTooNew):
        codec.decode_op(data, path)
    assert FORMAT == 1


def test_a_merge_keeps_what_this_version_does_not_know(
    golden_dir: Path, content: dict[str, bytes], table: Table, make_format: ModuleType
) -> None:
    """A merge takes unknown verbs, unknown fields and sealed payloads along untouched, whichever side merges."""
    wanted = table("merge")
    extra = _files(golden_dir / "theirs")
    theirs = {path: data for path, data in content.items() if path not in wanted["theirs_without"]} | extra
    trees = make_format.Trees()
    left, right = trees.add(content), trees.add(theirs)
    assert (left, right) == (wanted["ours"], wanted["theirs"])
    for root in (merge.union(trees, left, right), merge.union(trees, right, left)):
        assert root == wanted["union"]
        united = trees.files(root)
        assert sorted(united) == wanted["files"]
        assert {path: united[path] for path in extra} == extra
        assert not united.keys() & set(wanted["dropped"])
        assert sorted(merge.purge_set(trees, root)) == wanted["purged"]
    unknown = [path for path in extra if "-annotate-" in path or b"mood: calm" in extra[path]]
    assert len(unknown) == 2
    markers = [path.rpartition("/")[2].removesuffix(".yaml") for path in extra if path.startswith("purges/")]
    assert merge.purge_epoch(markers) == wanted["purge_epoch"]


def test_the_bundle_is_the_store(
    golden_dir: Path, content: dict[str, bytes], table: Table, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Fetched into a fresh repository, the bundle gives the same commits, messages and files."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    repository = tmp_path / "repository"
    repository.mkdir()
    for command in (
        ["git", "init", "--quiet", "--object-format=sha1"],
        ["git", "fetch", "--quiet", str(golden_dir / "store.bundle"), "refs/memgit/store:refs/memgit/store"],
    ):
        subprocess.run(command, cwd=repository, check=True, capture_output=True)
    store = Store(discover(repository))
    try:
        snapshot = store.snapshot()
        assert {path: snapshot.read_file(oid) for path, oid in snapshot.files()} == content
        commits = [
            {
                "commit": seen.commit_id,
                "parents": list(seen.commit.parents),
                "tree": seen.commit.tree,
                "author": seen.commit.author,
                "seconds": seen.commit.seconds,
                "message": seen.commit.message,
            }
            for seen in walk(store.database, snapshot.commit_id)
        ]
        assert commits == table("commits")
        assert snapshot.seq == 37
        assert snapshot.commit.tree == table("merge")["ours"]
    finally:
        store.close()


def test_the_store_folds_to_the_golden_state(content: dict[str, bytes], table: Table, make_format: ModuleType) -> None:
    """Statuses, heads, numbers, cases and their events are those that any reader of the format must find."""
    state = fold(make_format.decoded_ops(content))
    assert json.loads(json.dumps(make_format.described_state(state))) == table("state")


def test_yaml_is_written_as_before_and_read_as_text(table: Table) -> None:
    """Each text has its one form, and every YAML reader takes that form for the same text."""
    for case in table("yaml")["written"]:
        assert yaml_text.dump({"text": case["text"]}) == case["yaml"].encode()
        assert yaml_text.load(case["yaml"].encode()) == {"text": case["text"]}
        assert yaml.load(case["yaml"], Loader=yaml.SafeLoader) == {"text": case["text"]}


def test_yaml_of_other_writers(table: Table) -> None:
    """The reader understands what this program would not write, and refuses what no record is."""
    cases = table("yaml")
    for case in cases["read"]:
        assert yaml_text.load(case["yaml"].encode()) == case["fields"]
    refused = [(bytes.fromhex(case["hex"]), case["reason"]) for case in cases["refused"]]
    for case in cases["refused_repeated"]:
        refused.append(((case["head"] + case["part"] * case["times"] + case["tail"]).encode(), case["reason"]))
    for data, reason in refused:
        with pytest.raises(yaml_text.YamlRefused) as caught:
            yaml_text.load(data)
        assert str(caught.value).startswith(reason)


def test_the_grammar_of_paths(table: Table) -> None:
    """Paths that a store may hold, and look-alikes that refuse a whole tip."""
    names = table("names")
    assert {path: paths.is_wellformed(path) for path in names["paths"]} == names["paths"]
    for entity, shard in names["shard"].items():
        assert paths.shard_of(entity) == shard


def test_markers_and_values_have_one_canonical_text(table: Table) -> None:
    """A marker's text is its identity, and its number is fixed; a typed value has one text."""
    names = table("names")
    for row in names["markers"]:
        canonical = canonical_marker(row["text"])
        assert canonical == row["canonical"]
        if canonical is not None:
            assert str(marker_number(canonical)) == row["number"]
            assert canonical_marker(canonical) == canonical
    for kind, data, text in names["values"]:
        assert canonical_value(kind, data) == text


def test_digests_of_text(table: Table) -> None:
    """Digests of nothing and of the format's constant, of cases, and of purge epochs."""
    names = table("names")
    assert {text: codec.digest_of(text.encode()) for text in names["blake3"]} == names["blake3"]
    cases = names["cases"]
    heads, name = cases["fork"]
    assert fork_id(heads) == fork_id(heads[::-1]) == name
    relation, source, target, name = cases["contradicts"]
    assert contradiction_id(relation, source, target) == name != contradiction_id(relation, target, source)
    tombstone, heads, name = cases["tombstone"]
    assert tombstone_id(tombstone, heads) == tombstone_id(tombstone, heads[::-1]) == name
    for markers, epoch in names["purge_epochs"]:
        assert merge.purge_epoch(markers) == merge.purge_epoch(markers[::-1] * 2) == epoch


def test_digests_of_requests(table: Table, make_format: ModuleType) -> None:
    """A receipt of today is found again by a program of tomorrow."""
    for row in table("names")["requests"]:
        request = msgspec.convert(row["input"], make_format.ExampleRequest)
        found = make_format.request_key(row["key"], msgspec.convert(row["scope"], Scope), row["operation"], request)
        assert (found.key_digest, found.request_digest) == (row["key_digest"], row["request_digest"])


def test_the_write_ahead_log(golden_dir: Path, tmp_path: Path, format_records: ModuleType) -> None:
    """The log's frames are read, written to the same bytes, and lose only what is torn."""
    data = (golden_dir / "write-ahead-log").read_bytes()
    generation, frames = scan_file(data)
    header = data[: len(data) - sum(len(encode_frame(generation, frame.body)) for frame in frames)]
    assert generation_of(data) == generation
    assert data == header + b"".join(encode_frame(generation, frame.body) for frame in frames)
    expected = format_records.log_entries()
    assert [msgspec.msgpack.encode(entry) for entry in expected] == [frame.body for frame in frames]
    log = WriteAheadLog(tmp_path / "log")
    log.path.write_bytes(data)
    assert tuple(log.entries()) == expected
    log.path.write_bytes(data[:-1])
    assert tuple(log.entries()) == expected[:1]


def test_the_script_makes_the_same_files(golden_dir: Path, make_format: ModuleType) -> None:
    """A real store, written now with the same clock, ids and identity, has exactly these bytes."""
    assert make_format.differences(make_format.make(), golden_dir) == []


def _files(directory: Path) -> dict[str, bytes]:
    found = (path for path in directory.rglob("*") if path.is_file())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in found}
