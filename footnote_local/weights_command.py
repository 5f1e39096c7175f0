"""`footnote weights`: what feedback has taught about documents and fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnote_local.terminal import Commands, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote_feedback.weights import WeightBody, WeightsBody

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Show and reset what feedback has taught about documents and fields.")


@app.command()
def show(
    collection: Annotated[str | None, typer.Option("--collection", help="Only this collection.")] = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show the weights of documents and fields, the strongest first."""
    weights = run_with_core(data, lambda core: _read(core, collection), reads=True)
    if as_json:
        show_json(weights.model_dump())
        return
    for line in sentences(weights):
        print(line)
    if not weights.data:
        say("Nothing has been learned from feedback yet.")


@app.command()
def reset(
    collection: Annotated[str, typer.Argument(help="Name of the collection.", metavar="COLLECTION")],
    data: DataOption = None,
) -> None:
    """Drop the weights of a collection. Feedback that was given until now does not count any more."""
    from footnote_feedback.weights import reset as reset_weights

    run_with_core(data, lambda core: reset_weights(core, _local(), collection))
    say("The weights are reset.")


async def _read(core: Core, collection: str | None) -> WeightsBody:
    from footnote_feedback.weights import read_weights

    await core.refresh(prompts=False)
    return await read_weights(core, _local(), collection)


def sentences(weights: WeightsBody) -> Iterator[str]:
    """The lines to print."""
    for collection in weights.data:
        yield f"{collection.collection}: documents {len(collection.documents)}, fields {len(collection.fields)}"
        for field in collection.fields:
            yield f"  {field.field:40} {_figures(field)}"
        for document in collection.documents:
            stale = "" if document.is_current else "  (not used: the document or its readers have changed)"
            yield f"  {document.doc_id:12} {document.title[:27]:27} {_figures(document)}{stale}"
    if weights.data and not weights.is_on:
        yield "They are not used: RAG__SWITCHED_ON does not name feedback_weights."


def _figures(weight: WeightBody) -> str:
    return f"{weight.weight:.3f}  {weight.positive_rate:.0%} positive, {weight.users} users"


def _local() -> Any:
    from footnote.guard.identity import LOCAL

    return LOCAL
