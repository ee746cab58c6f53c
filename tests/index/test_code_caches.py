"""The derived files behind answers about code: what they keep, and that losing them costs nothing but time."""

from __future__ import annotations

from pathlib import Path

from memgit.index.blame_cache import BlameCache, Kept, Run
from memgit.index.code_index import CodeIndex
from memgit.index.reach_cache import ReachCache
from memgit.records.op import Actor, Anchor, ArtifactPayload, ClaimPayload, CodeStamp, Evidence, Scope
from memgit.records.state import Entity, Lineage, Revision, Status

ONE, TWO, ART = (f"{kind}_01jd000000000000000000000{n}" for kind, n in (("clm", 1), ("clm", 2), ("art", 3)))


def entity(
    name: str,
    heads: list[str | None],
    *,
    status: Status = "active",
    cites: str | None = None,
    paths: tuple[str, ...] = (),
) -> Entity:
    """Return an entity with a revision for each stamp."""
    anchors = tuple(Anchor(path=path) for path in paths)
    evidence = (Evidence(cites, "arev_1"),) if cites else ()  # type: ignore[arg-type]
    claim = ClaimPayload(claim_type="fact", statement="x", anchors=anchors, evidence=evidence)
    document = ArtifactPayload(kind="note", title="x", media_type="text/plain", size=1, digest="d", anchors=anchors)
    revisions = tuple(
        Revision(
            id=f"rev_{number}",  # type: ignore[arg-type]
            number=number,
            seq=number,
            digest=f"{name}{number}",  # type: ignore[arg-type]
            at="2026-01-01T00:00:00Z",
            actor=Actor("A", "a@example.invalid"),
            payload=claim if name.startswith("clm") else document,
            code=CodeStamp(head=head) if head else None,
        )
        for number, head in enumerate(heads, 1)
    )
    lineage = Lineage(
        id=name,  # type: ignore[arg-type]
        kind="claim" if name.startswith("clm") else "artifact",
        scope=Scope("w", "p"),
        created_seq=1,
        created_at="2026-01-01T00:00:00Z",
        updated_seq=1,
        revisions=revisions,
        heads=(revisions[-1].id,),
    )
    return Entity(lineage=lineage, status=status)


def test_claims_by_commit_by_citation_and_by_directory(tmp_path: Path) -> None:
    """Each revision's stamp counts, the newest claim first and no more than asked for; what has ended does not."""
    index = CodeIndex(tmp_path)
    documents = entity(ART, ["a"], paths=("src/d.py",))
    index.replace(
        [entity(ONE, ["a", "b"], cites=ART, paths=("src/x.py", "top.py")), entity(TWO, ["a"]), documents], "1"
    )
    assert index.watermark == "1"
    assert index.written_at(["a", "b", "c"], 5) == {"a": [TWO, ONE], "b": [ONE]}
    assert index.written_at(["a"], 1) == {"a": [TWO]}
    assert index.citing([ART, "x"]) == {ART: [ONE]}
    assert (index.anchored_in("src"), index.anchored_in(""), index.anchored_in("s")) == ([ART, ONE], [ONE], [])
    index.follow({ONE: entity(ONE, ["c"], status="retracted"), TWO: entity(TWO, ["c"])}, "2")  # type: ignore[dict-item]
    assert index.written_at(["a", "b", "c"], 5) == {"c": [TWO]}
    assert (index.citing([ART]), index.anchored_in("src"), index.watermark) == ({}, [ART], "2")
    index.follow({ART: None, TWO: None}, "3")  # type: ignore[dict-item]
    assert (index.anchored_in("src"), index.written_at(["c"], 5)) == ([], {})
    index.close()


def test_verdicts_are_kept_as_long_as_they_hold(tmp_path: Path) -> None:
    """That a history has a commit holds for ever; that it has not, only with the same knowledge. Old targets go."""
    cache = ReachCache(tmp_path)
    cache.write("t", {"a": "in", "b": "out", "c": "carried", "d": "unknown"}, "k")
    assert cache.read("t", "abcd", "k") == {"a": "in", "b": "out", "c": "carried", "d": "unknown"}
    assert cache.read("t", "abcd", "other") == {"a": "in", "c": "carried"}
    assert cache.read("u", "abcd", "k") == {}
    for number in range(8):
        cache.write(f"t{number}", {"a": "in"}, "k")
    assert cache.targets() == [f"t{number}" for number in reversed(range(8))] and cache.read("t", "a", "k") == {}


def test_blame_is_kept_by_path_and_bytes(tmp_path: Path) -> None:
    """Also for a name that is not UTF-8."""
    cache, kept = BlameCache(tmp_path), Kept("head", (Run("c", 1, 3), Run(None, 4, 4)))
    cache.write(b"caf\xe9", "blob", kept)
    assert cache.read(b"caf\xe9", "blob") == kept
    assert cache.read(b"caf\xe9", "other") is None and cache.read(b"other", "blob") is None


def test_damaged_files_are_begun_anew(tmp_path: Path) -> None:
    """And a place where nothing can be written is no fault."""
    for name in ("code-1", "reach-1", "blame-1"):
        (tmp_path / f"{name}.sqlite").write_bytes(b"nonsense" * 1000)
    index = CodeIndex(tmp_path)
    index.replace([entity(ONE, ["a"])], "1")
    index.close()
    assert CodeIndex(tmp_path).watermark == "1"
    for _ in range(2):  # the first attempt may find the damage, the second one works
        ReachCache(tmp_path).write("t", {"a": "in"}, "k")
        BlameCache(tmp_path).write(b"p", "blob", Kept("head", ()))
    assert ReachCache(tmp_path).read("t", "a", "k") == {"a": "in"}
    assert BlameCache(tmp_path).read(b"p", "blob") == Kept("head", ())
    (tmp_path / "file").write_text("")
    nowhere = tmp_path / "file" / "below"
    index = CodeIndex(nowhere)
    index.replace([entity(ONE, ["a"])], "1")
    assert index.watermark == "1"
    ReachCache(nowhere).write("t", {"a": "in"}, "k")
    BlameCache(nowhere).write(b"p", "blob", Kept("head", ()))
    assert ReachCache(nowhere).read("t", "a", "k") == {} and BlameCache(nowhere).read(b"p", "blob") is None
