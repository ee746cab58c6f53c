"""`git memory cat`: exactly the bytes that a citation names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front
from memgit.cli.grammar import verb
from memgit.errors import CitationError, LimitExceeded, MemgitError

if TYPE_CHECKING:
    from memgit.operations.citation import CitedBytes


@verb("cat")
@click.argument("citation", metavar="CITATION")
@click.pass_obj
def command(front: Front, /, citation: str) -> CitedBytes | None:
    """Write the exact bytes behind a citation to standard output.

    CITATION is memoree://artifact/ID@REVISION#START-END or memoree://claim/ID@REVISION; an id, or a unique beginning of
    one, stands for the whole current revision. A terminal gets control characters escaped; a pipe gets every byte.
    With --json, a citation may name at most 8 KiB, as for `citation.get`.

    \b
    Examples:
      git memory cat memoree://artifact/ART@REV#120-207
      git memory cat art_01jb3h > document.md
    """
    from memgit.operations.citation import CitedBytes

    exact = citation.strip()
    if not exact.startswith("memoree://"):
        from memgit.operations.show import Shown

        exact = str(front.ask("show", {"id": exact}, Shown).item["citation"])
    fields = {"citation": exact}
    if front.as_json:
        return front.perform("citation.get", fields, CitedBytes, lambda result: None)
    try:
        front.perform("citation.get", fields, CitedBytes, lambda result: front.out.data(result.content.data.encode()))
    except (CitationError, LimitExceeded) as refusal:
        front.out.data(_beyond_the_ceiling(front, exact, refusal))
    return None


def _beyond_the_ceiling(front: Front, exact: str, refusal: MemgitError) -> bytes:
    """Return bytes that `citation.get` does not hand out, for their size or because they are no text.

    The ceiling protects a model's context; a person who types `cat` wants the file. Other refusals are raised again.
    """
    from memgit.cli.commands.artifact import content_bytes
    from memgit.operations.artifacts import ArtifactContent
    from memgit.retrieval.citations import ArtifactCitation, parse_citation

    citation = parse_citation(exact)
    is_whole = refusal.details.get("kind") in ("range_required", "not_text")
    if not isinstance(citation, ArtifactCitation) or not (is_whole or isinstance(refusal, LimitExceeded)):
        raise refusal
    if isinstance(refusal, CitationError) and citation.start is not None:
        raise refusal
    fields = {"artifact_id": citation.artifact, "revision_id": citation.revision}
    data = content_bytes(front.ask("artifact.get", fields, ArtifactContent))
    return data if citation.start is None else data[citation.start : citation.end]
