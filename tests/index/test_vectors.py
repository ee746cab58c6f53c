"""The vector index: exact answers, incremental changes, and every way in which its files can be wrong."""

from __future__ import annotations

import errno
import mmap
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memgit.index.vector_build as building
from memgit.errors import IndexNotReady, StoreReadOnly
from memgit.index.embedders.windows import utf8
from memgit.index.lexical import IndexDamaged
from memgit.index.vectors import LOCK_NAME, Admission, Item, OtherEmbedder, VectorIndex
from tests.index.vector_texts import SmallEmbedder, item, mark


@pytest.fixture
def embedder() -> SmallEmbedder:
    """An embedder that counts."""
    return SmallEmbedder()


@pytest.fixture
def index(tmp_path: Path, embedder: SmallEmbedder) -> VectorIndex:
    """An index in an empty directory."""
    return VectorIndex(tmp_path / "vectors", embedder)


@pytest.fixture
def small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """Close segments early, so that a test has several of them."""
    monkeypatch.setattr(building, "SEGMENT_ROWS", 40)
    monkeypatch.setattr(building, "_SMALL", 4)
    monkeypatch.setattr(building, "_BATCH_DOCUMENTS", 8)


def brute_force(items: list[Item], query: str, limit: int, where: Admission) -> list[tuple[str, str, float]]:
    """Return what `search` must return, computed from the texts."""
    embedder = SmallEmbedder()
    wanted = embedder.embed_query(query).astype(np.float64)
    found = []
    for each in items:
        rows = embedder.embed([utf8(each.text)[a:b].decode() for a, b in embedder.windows(each.text)])
        admitted = where.groups is None or where.groups(each.group) or each.owner in where.besides
        admitted = admitted and (where.owners is None or each.owner in where.owners)
        if len(rows) and admitted and (where.accepts is None or where.accepts(each.owner, each.part, each.details)):
            found.append((each.owner, each.part, round(float((rows * wanted).sum(axis=1).max()), 7)))
    return sorted(found, key=lambda hit: (-hit[2], hit[:2]))[:limit]


def answers(index: VectorIndex, query: str, limit: int = 5, where: Admission | None = None) -> list[tuple[Any, ...]]:
    """Return a search's hits without their spans."""
    hits = index.search(SmallEmbedder().embed_query(query), limit, where or Admission())
    return [(hit.owner, hit.part, hit.score) for hit in hits]


def everything(index: VectorIndex) -> set[tuple[str, str]]:
    """Return the names of all documents that can be found."""
    return {(hit.owner, hit.part) for hit in index.search(SmallEmbedder().embed_query("x"), 10_000)}


WHERE: list[Admission] = [
    Admission(),
    Admission(groups=lambda group: group == "a"),
    Admission(groups=lambda group: group == "a", besides={"clm_0001", "clm_9999"}),
    Admission(owners={f"clm_{number:04d}" for number in range(0, 60, 7)}),
    Admission(groups=lambda group: False),
    Admission(accepts=lambda owner, part, details: owner.endswith(("0", "5"))),
]


@pytest.mark.parametrize("where", WHERE, ids=range(len(WHERE)))
def test_the_best_are_exact(index: VectorIndex, small_segments: None, where: Admission) -> None:
    """Over segments, with windows, ties, dead documents and every filter: what brute force over the texts finds."""
    chance = random.Random(1)
    items = [item(n, " ".join(chance.choices("abcdef", k=n % 40)), group="ab"[n % 2]) for n in range(150)]
    assert index.apply(items, (), mark(1), None)
    assert index.apply([item(5, "changed", group="a")], ["clm_0003", "clm_0004"], mark(2), mark(1))
    living = [each for each in items if each.owner not in ("clm_0003", "clm_0004", "clm_0005")]
    living.append(item(5, "changed", group="a"))
    assert index.size().segments > 2
    for query in ("a b c", "changed", "zzz"):
        for limit in (1, 3, 20, 1000):
            assert answers(index, query, limit, where) == brute_force(living, query, limit, where)


@settings(max_examples=60)
@given(data=st.data())
def test_any_history_equals_a_fresh_build(data: st.DataObject, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Whatever is added, changed and removed in whatever steps, the answers are those of the texts that remain."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "SEGMENT_ROWS", 6)
        patch.setattr(building, "_SMALL", 2)
        patch.setattr(building, "_BATCH_DOCUMENTS", 3)
        index = VectorIndex(tmp_path_factory.mktemp("history"), SmallEmbedder())
        texts = st.sampled_from(["", "a", "b", "a longer text in two windows", "c"])
        state: dict[str, list[Item]] = {}
        base = None
        for step in range(1, data.draw(st.integers(1, 6)) + 1):
            owners = data.draw(st.sets(st.integers(0, 12), max_size=8))
            removed = data.draw(st.sets(st.sampled_from(sorted(state) or ["clm_none"]), max_size=3))
            changed = {}
            for number in sorted(owners):
                parts = data.draw(st.sets(st.sampled_from("xyz"), min_size=1))
                made = [
                    item(number, data.draw(texts), part, data.draw(st.sampled_from("ab"))) for part in sorted(parts)
                ]
                changed[made[0].owner] = made
            removed -= changed.keys()
            assert index.apply([each for made in changed.values() for each in made], removed, mark(step), base)
            base = mark(step)
            state = {owner: made for owner, made in (state | changed).items() if owner not in removed}
        items = [each for made in state.values() for each in made]
        for where in (Admission(), Admission(groups=lambda group: group == "a")):
            assert answers(index, "a", 7, where) == brute_force(items, "a", 7, where)
        assert index.size().documents == len(items)


def test_a_hit_names_the_best_window(index: VectorIndex) -> None:
    """A long document appears once, with the span of the piece that is nearest to the question."""
    text = "one two three.. " + "four five six.. " + "seven eight...."
    index.apply([Item("art_1", "r#0-48", text)], (), mark(1), None)
    (hit,) = index.search(SmallEmbedder().embed_query("four five six.. "), 5)
    assert (hit.part, hit.score, text[hit.start : hit.end]) == ("r#0-48", 1.0, "four five six.. ")


def test_equal_texts_tie_by_name(index: VectorIndex, small_segments: None) -> None:
    """300 documents with the same text have the same score to the last digit, and come in the order of their names."""
    numbers = list(range(300))
    random.Random(2).shuffle(numbers)
    index.apply([item(number, "the same") for number in numbers], (), mark(1), None)
    hits = index.search(SmallEmbedder().embed_query("something else"), 300)
    assert len({hit.score for hit in hits}) == 1
    assert [hit.owner for hit in hits] == sorted(hit.owner for hit in hits)


def test_only_what_is_new_is_embedded(index: VectorIndex, embedder: SmallEmbedder) -> None:
    """A text that did not change keeps its vector, also where its group changed."""
    index.apply([item(1), item(2), item(3)], (), mark(1), None)
    assert sorted(embedder.seen) == ["text 1", "text 2", "text 3"]
    embedder.seen.clear()
    assert index.apply([item(1, group="other"), item(2), item(3, "new")], (), mark(2), mark(1))
    assert embedder.seen == ["new"]
    assert everything(index) == {("clm_0001", ""), ("clm_0002", ""), ("clm_0003", "")}
    assert [hit.owner for hit in index.search(embedder.embed_query("x"), 5, Admission(lambda g: g == "other"))] == [
        "clm_0001"
    ]


def test_details_come_with_a_hit_and_need_no_vector(index: VectorIndex, embedder: SmallEmbedder) -> None:
    """What comes with a text is given back and judged by a filter; when it alone changes, nothing is embedded."""
    index.apply([Item("clm_1", "", "text", details=b"old"), Item("clm_2", "", "other")], (), mark(1), None)
    embedder.seen.clear()
    assert index.apply([Item("clm_1", "", "text", details=b"new")], (), mark(2), mark(1))
    assert embedder.seen == []
    query = embedder.embed_query("text")
    assert {hit.owner: hit.details for hit in index.search(query, 5)} == {"clm_1": b"new", "clm_2": b""}
    where = Admission(accepts=lambda owner, part, details: details == b"new")
    assert [hit.owner for hit in index.search(query, 5, where)] == ["clm_1"]


def test_an_owner_is_replaced_whole(index: VectorIndex) -> None:
    """Parts that an owner does not have any more go with its next change; the last of two of one name counts."""
    index.apply([item(1, "a", "x"), item(1, "b", "y"), item(2)], (), mark(1), None)
    index.apply([item(1, "c", "z"), item(1, "d", "z")], (), mark(2), mark(1))
    assert everything(index) == {("clm_0001", "z"), ("clm_0002", "")}
    assert answers(index, "d", 1)[0][2] == 1.0


def test_items_of_an_owner_come_together(index: VectorIndex) -> None:
    """A caller that scatters them is told, and nothing changes."""
    with pytest.raises(ValueError, match="together"):
        index.apply([item(1), item(2), item(1, part="x")], (), mark(1), None)
    assert index.watermark() is None


def test_another_base_changes_nothing(index: VectorIndex, tmp_path: Path) -> None:
    """Of two processes that start from one state, the first counts and the second is told to look again."""
    index.apply([item(1)], (), mark(1), None)
    other = VectorIndex(tmp_path / "vectors", SmallEmbedder())

    def meanwhile() -> Iterator[Item]:
        yield item(2)
        assert other.apply([item(3)], (), mark(2), mark(1))

    assert not index.apply(meanwhile(), (), mark(2), mark(1))
    assert not index.apply([item(4)], (), mark(9), None)
    assert (index.watermark(), everything(index)) == (mark(2), {("clm_0001", ""), ("clm_0003", "")})
    assert len(list((tmp_path / "vectors").glob("*.vectors"))) == index.size().segments


def test_without_a_base_the_items_are_everything(index: VectorIndex, small_segments: None) -> None:
    """A build that starts over keeps the vectors of an interrupted one and drops what is not among its items."""

    def interrupted() -> Iterator[Item]:
        yield from (item(number) for number in range(90))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        index.apply(interrupted(), (), mark(1), None)
    assert index.watermark() is None
    again = SmallEmbedder()
    rebuilt = VectorIndex(index._directory, again)
    assert rebuilt.apply([item(number) for number in range(30, 100)], (), mark(2), None)
    assert rebuilt.watermark() == mark(2)
    assert {owner for owner, _ in everything(rebuilt)} == {f"clm_{number:04d}" for number in range(30, 100)}
    assert len(again.seen) < 30


def test_a_reader_keeps_what_it_has_mapped(index: VectorIndex, embedder: SmallEmbedder) -> None:
    """Segments that are merged and deleted under a reader stay readable; its next question sees the new state."""
    index.apply([item(number) for number in range(20)], (), mark(1), None)
    reader = VectorIndex(index._directory, embedder)
    before = reader._current()
    for step in range(1, 12):
        index.apply([item(number, f"{step}") for number in range(20)], (), mark(step + 1), mark(step))
    assert not (index._directory / before.live[0].segment.entry.name).exists()
    assert before.live[0].segment.vectors.sum() != 0
    assert answers(reader, "11", 1)[0][2] == 1.0


def test_segments_stay_few_and_the_dead_go(index: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """300 changes one by one leave a few segments, and no more dead rows than living ones."""
    monkeypatch.setattr(building, "SEGMENT_ROWS", 64)
    monkeypatch.setattr(building, "_SMALL", 4)
    index.apply([item(number) for number in range(100)], (), mark(1), None)
    for step in range(1, 300):
        index.apply([item(step % 100, f"new {step}")], (), mark(step + 1), mark(step))
    size = index.size()
    assert (size.documents, len(list(index._directory.glob("*.vectors")))) == (100, size.segments)
    assert size.segments <= 8
    assert size.rows < 200


@pytest.mark.parametrize("query", [np.zeros(8, np.float32), np.full(8, np.nan, np.float32)])
def test_a_question_without_a_vector_finds_nothing(index: VectorIndex, query: Any) -> None:
    """Zeros and NaN rank nothing."""
    index.apply([item(1)], (), mark(1), None)
    assert index.search(query, 5) == ()
    assert index.search(SmallEmbedder().embed_query("a"), 0) == index.search(SmallEmbedder().embed_query("a"), -5) == ()
    with pytest.raises(ValueError, match="8 dimensions"):
        index.search(np.ones(7, np.float32), 5)


def test_blank_documents_are_known_and_never_found(index: VectorIndex, embedder: SmallEmbedder) -> None:
    """A document without anything to embed has no vector, and is not looked at again."""
    index.apply([item(1, "  "), item(2)], (), mark(1), None)
    assert everything(index) == {("clm_0002", "")}
    assert index.size().documents == 2
    embedder.seen.clear()
    assert index.apply([item(1, "  ")], (), mark(2), mark(1))
    assert embedder.seen == []
    index.apply((), ["clm_0002"], mark(3), mark(2))
    assert everything(index) == set()


def test_the_empty_index_answers(index: VectorIndex) -> None:
    """An index of nothing, and one that was never written, find nothing."""
    assert (index.watermark(), everything(index)) == (None, set())
    assert index.apply((), (), mark(1), None)
    assert (index.watermark(), everything(index)) == (mark(1), set())
    index.reset()
    assert index.watermark() is None


def test_vectors_of_another_model_are_refused(index: VectorIndex, tmp_path: Path) -> None:
    """Another embedder sees whose vectors these are, mixes nothing, and builds its own after a reset."""
    index.apply([item(1)], (), mark(1), None)
    other = VectorIndex(tmp_path / "vectors", SmallEmbedder("other"))
    for ask in (other.watermark, lambda: other.apply([item(1)], (), mark(1), None), other.size):
        with pytest.raises(OtherEmbedder, match="small 1, not of other"):
            ask()
    other.reset()
    assert other.apply([item(2)], (), mark(1), None)
    assert everything(other) == {("clm_0002", "")}
    with pytest.raises(OtherEmbedder):
        index.watermark()


def test_a_segment_of_another_model_is_refused(index: VectorIndex, tmp_path: Path) -> None:
    """A file that was moved here from an index of another model is recognised by its own header."""
    index.apply([item(1)], (), mark(1), None)
    theirs = VectorIndex(tmp_path / "theirs", SmallEmbedder("other"))
    theirs.apply([item(1)], (), mark(1), None)
    foreign = theirs._current().live[0].segment.entry
    own = index._current()
    (index._directory / foreign.name).write_bytes((tmp_path / "theirs" / foreign.name).read_bytes())
    from memgit.index.vector_manifest import write_manifest

    write_manifest(index._directory, own.manifest.following(mark(1), (foreign,)))
    with pytest.raises(OtherEmbedder):
        VectorIndex(index._directory, SmallEmbedder()).watermark()


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[random.Random(3).randrange(len(data))] ^= 4
    path.write_bytes(data)


HARM: dict[str, Callable[[Path], object]] = {
    "flipped": _flip,
    "short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "empty": lambda path: path.write_bytes(b""),
    "longer": lambda path: path.write_bytes(path.read_bytes() + b"\0"),
    "other": lambda path: path.write_bytes(b"something else entirely"),
    "missing": Path.unlink,
}


@pytest.mark.parametrize("which", ["manifest", "segment"])
@pytest.mark.parametrize("harm", HARM)
@pytest.mark.parametrize("mapped", [False, True], ids=["fresh", "mapped"])
def test_damage_is_recognised_before_use(index: VectorIndex, which: str, harm: str, mapped: bool) -> None:
    """A file that was changed, cut short, replaced or deleted never answers: damage is raised, and a rebuild heals it.

    A process that has the file mapped answers from it, or notices; it is never killed by it.
    """
    index.apply([item(1), item(2)], (), mark(1), None)
    path = next(index._directory.glob("*.vectors")) if which == "segment" else index._directory / "manifest"
    if not mapped:
        index.close()
    if mapped and which == "segment" and harm in ("flipped", "other"):
        path.rename(path.with_suffix(".kept"))  # a file replaced in place is another one than what is mapped
        path.write_bytes(path.with_suffix(".kept").read_bytes())
    HARM[harm](path)
    if harm == "missing" and which == "manifest":
        assert index.watermark() is None
    else:
        try:
            found = everything(index)
        except IndexDamaged:
            pass
        else:
            assert mapped and found == {("clm_0001", ""), ("clm_0002", "")}
    index.reset()
    assert index.apply([item(3)], (), mark(2), None)
    assert everything(index) == {("clm_0003", "")}


def test_a_manifest_of_another_version_is_refused(index: VectorIndex) -> None:
    """Another layout is damage to this version, not garbage to interpret."""
    index.apply([item(1)], (), mark(1), None)
    manifest = index._directory / "manifest"
    data = bytearray(manifest.read_bytes())
    data[7] += 1
    manifest.write_bytes(data)
    with pytest.raises(IndexDamaged, match="another version"):
        index.watermark()


def test_no_byte_of_the_manifest_can_change(index: VectorIndex) -> None:
    """Whichever byte of the manifest is another one, the watermark and the dead are not believed."""
    index.apply([item(1), item(2)], (), mark(1), None)
    index.apply((), ["clm_0001"], mark(2), mark(1))
    manifest = index._directory / "manifest"
    data = manifest.read_bytes()
    for place in range(len(data)):
        manifest.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
        with pytest.raises(IndexDamaged):
            VectorIndex(index._directory, SmallEmbedder()).watermark()


class Died(BaseException):
    """The process died here, as far as the code can tell."""


@pytest.mark.parametrize("base", [None, 1], ids=["build", "change"])
def test_any_point_of_death_leaves_a_usable_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, small_segments: None, base: int | None
) -> None:
    """Whichever step on the disk is the last, a fresh process finds the old state or the new one, and can go on."""
    old = {("clm_0000", ""), ("clm_0001", "")} if base else set()
    new = {(f"clm_{number:04d}", "") for number in range(1, 120)}
    finished = 0
    for last in range(200):
        directory = tmp_path / f"at-{last}"
        if base:
            VectorIndex(directory, SmallEmbedder()).apply([item(0), item(1)], (), mark(1), None)
        begin = mark(base) if base else None
        items = [item(number) for number in range(1, 120)]
        with monkeypatch.context() as patch:
            _die_after(patch, last)
            try:
                VectorIndex(directory, SmallEmbedder()).apply(items, ["clm_0000"], mark(2), begin)
                finished += 1
            except Died:
                pass
        fresh = VectorIndex(directory, SmallEmbedder())
        seen = fresh.watermark()
        assert seen in (begin, mark(2))
        if seen is not None:
            assert everything(fresh) == (new if seen == mark(2) else old)
        if seen != mark(2):
            assert fresh.apply(items, ["clm_0000"], mark(2), begin)
        assert everything(fresh) == new
        if finished == 2:
            return
    raise AssertionError("it never came to its end")


def _die_after(patch: pytest.MonkeyPatch, steps: int) -> None:
    """Let every touch of the disk count, and the one after `steps` be the last: all later ones fail too."""
    left = [steps]

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **named: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Died
            return real(*arguments, **named)

        return step

    for name in ("open", "write_bytes", "replace", "unlink", "iterdir", "mkdir"):
        patch.setattr(Path, name, counted(getattr(Path, name)))
    patch.setattr(mmap, "mmap", counted(mmap.mmap))


def test_what_cannot_be_written_is_said(index: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full or read-only disk is StoreReadOnly, and what was there stays."""
    index.apply([item(1)], (), mark(1), None)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(StoreReadOnly, match="No space left"):
            index.apply([item(2)], (), mark(2), mark(1))
    assert (index.watermark(), everything(index)) == (mark(1), {("clm_0001", "")})
    assert len(list(index._directory.glob("*.vectors"))) == 1
    assert not list(index._directory.glob("manifest.*"))


def test_a_lock_that_is_kept_is_said(index: VectorIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process that keeps the lock makes a refresh say so, in bounded time; reading goes on."""
    from filelock import FileLock

    import memgit.index.vectors as module

    index.apply([item(1)], (), mark(1), None)
    monkeypatch.setattr(module, "DEFAULT", _Wait())
    with FileLock(index._directory / LOCK_NAME), pytest.raises(IndexNotReady, match="another process"):
        index.apply([item(2)], (), mark(2), mark(1))
    assert everything(index) == {("clm_0001", "")}


class _Wait:
    lock_wait_ms = 50
