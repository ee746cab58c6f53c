"""`git memory show`: whatever an id names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memgit.cli.code_options import code_state_options
from memgit.cli.front import Front, given
from memgit.cli.grammar import verb
from memgit.cli.ids import whole_case
from memgit.cli.options import layer_options
from memgit.cli.views import show_artifact, show_case, show_claim, show_relation, show_relations

if TYPE_CHECKING:
    from memgit.operations.show import Shown


@verb("show")
@click.argument("id", metavar="ID")
@layer_options
@code_state_options
@click.pass_obj
def command(front: Front, /, id: str, **wanted: Any) -> Shown | None:
    """Show a claim, an artifact, a relation or a conflict case.

    ID is an id, a unique beginning of one, or a citation, which shows the revision that it names.

    \b
    Examples:
      git memory show clm_01jb3h
      git memory show memoree://claim/CLAIM@REVISION
    """
    from memgit.operations.show import Shown

    name = whole_case(front, id) if id.strip().lower().startswith("case_") else id
    return front.perform("show", {"id": name, **given(**wanted)}, Shown, lambda result: show(front, result))


def show(front: Front, result: Shown) -> None:
    """Print what was found."""
    import msgspec

    from memgit.operations.views import ArtifactView, CaseView, ClaimView, RelationView

    if result.kind == "claim":
        show_claim(front.out, msgspec.convert(result.item, ClaimView))
    elif result.kind == "artifact":
        show_artifact(front.out, msgspec.convert(result.item, ArtifactView))
    elif result.kind == "relation":
        show_relation(front.out, msgspec.convert(result.item, RelationView))
    else:
        # The sides are of two kinds, which msgspec cannot tell apart in plain data.
        show_case(front.out, front.ask("conflict.get", {"case_id": result.item["case_id"]}, CaseView))
    if result.relations:
        front.out.line()
        show_relations(front.out, result.relations)
