"""What lies in the cache may be damaged in any way: answers stay true, say what was the matter, and it is mended."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from tests.operations.conftest import Memory

STATEMENT = "Vault retention is 33 days in the region"
QUERY = "vault retention days region"


@pytest.fixture(params=["whoosh", "tantivy"])
def filled(memory: Memory, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A memory with one claim, whose caches are there."""
    monkeypatch.setenv("MEMGIT_LEXICAL_INDEX", request.param)
    monkeypatch.setenv("MEMGIT_EMBEDDER", "hash")
    memory.claim(STATEMENT)
    memory.artifact("Vault keeps what was deleted for a while.\n", "Vault")
    memory.run("search", query=QUERY)
    return memory


def cache(memory: Memory) -> Path:
    """Return where derived files live."""
    return memory.directory / ".git" / "memgit" / "cache"


def lexical(memory: Memory) -> Path:
    """Return where the files of the lexical index live."""
    plain = cache(memory) / "lexical"
    return plain / "tantivy" if (plain / "tantivy").is_dir() else plain


def statements(memory: Memory) -> tuple[list[str], str]:
    """Return what recall states, with its warnings as one text."""
    envelope = memory.envelope("memory.recall", query=QUERY)
    assert envelope["ok"], envelope["error"]
    return [claim["statement"] for claim in envelope["result"]["claims"]], " ".join(envelope["warnings"])


def change(path: Path, old: bytes, new: bytes) -> None:
    """Replace bytes of a file in place."""
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new))


def state_file(memory: Memory) -> Path:
    """Return the state cache's file, with all of its content in it."""
    (path,) = cache(memory).glob("state-*.sqlite")
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return path


def test_a_changed_byte_of_the_state_is_never_stated(filled: Memory) -> None:
    """Recall, search and a bundle say what was written, the first of them also that the cache was damaged."""
    change(state_file(filled), b"retention is 33", b"retention is 93")
    said, warned = statements(filled)
    assert said == [STATEMENT]
    assert "damaged" in warned
    assert statements(filled) == ([STATEMENT], "")
    for op in ("search", "context.build"):
        change(state_file(filled), b"retention is 33", b"retention is 93")
        answer = json.dumps(filled.envelope(op, query=QUERY))
        assert "is 33" in answer and "is 93" not in answer


def test_status_lists_no_changed_title(filled: Memory) -> None:
    """Lists are of the same rows under the same checksums."""
    change(state_file(filled), b"retention is 33", b"retention is 93")
    assert [title for _, title in filled.run("status")["latest"]] == [STATEMENT]


def test_a_flipped_bit_of_the_index_gives_no_false_none(filled: Memory) -> None:
    """Each file in turn: what is known is found, and the answer says that the index was rebuilt."""
    names = [path.name for path in lexical(filled).iterdir() if path.is_file() and path.stat().st_size > 8]
    names = [name for name in names if "lock" not in name.lower() and not name.startswith(".")]
    assert len(names) >= 3
    for name in names:
        path = lexical(filled) / name
        if not path.exists():
            continue  # of the index before it was rebuilt
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        said, warned = statements(filled)
        assert said == [STATEMENT], name
        assert "rebuilt" in warned or name == "recent.msgpack"


def test_verify_reads_the_indexes_and_the_vectors_wholly(filled: Memory) -> None:
    """A bit that flipped on the disk, which no change of a stamp betrays, is named with what to do."""
    assert filled.run("verify")["ok"]
    for directory in (lexical(filled), cache(filled) / "vectors"):
        path = max((path for path in directory.iterdir() if path.is_file()), key=lambda path: path.stat().st_size)
        data = path.read_bytes()
        path.write_bytes(data[:-9] + bytes([data[-9] ^ 1]) + data[-8:])
        report = filled.run("verify")
        assert report["ok"] is False
        (finding,) = report["findings"]
        assert finding["where"].endswith(path.name) and "cache" in finding["do"]
        path.write_bytes(data)
    assert filled.run("verify")["ok"]


def test_verify_finds_an_entry_that_is_filed_under_what_is_not_its_own(filled: Memory) -> None:
    """The columns by which the state is looked up are compared with what the entry says."""
    connection = sqlite3.connect(state_file(filled))
    connection.execute("UPDATE entities SET status = 'retracted' WHERE kind = 'claim'")
    connection.commit()
    connection.close()
    (finding,) = filled.run("verify")["findings"]
    assert finding["where"] == "cache/state"


@pytest.mark.parametrize("part", ["lexical", "lexical/file", "vectors", "vectors/manifest", "state"])
def test_a_folder_or_a_file_in_the_others_place_stops_no_read(filled: Memory, part: str) -> None:
    """Whatever stands where a file should, and the other way round: the answer is right, and nothing is INTERNAL."""
    place = {"lexical/file": lexical(filled), "state": state_file(filled)}.get(part, cache(filled) / part)
    victims = [path for path in place.iterdir() if path.is_file()] if part == "lexical/file" else [place]
    for victim in victims:
        shutil.rmtree(victim) if victim.is_dir() else victim.unlink(missing_ok=True)
        if part in ("lexical", "vectors"):
            victim.write_text("a file")
        else:
            victim.mkdir(parents=True)
            (victim / "inside").touch()
        said, _ = statements(filled)
        assert said == [STATEMENT], victim
        hits = filled.run("search", query=QUERY)["hits"]
        assert hits, victim
        assert "another process" not in " ".join(filled.envelope("search", query=QUERY)["warnings"])
    if part in ("lexical/file", "vectors/manifest"):
        assert filled.envelope("search", query=QUERY)["warnings"] == []  # all of it is mended
