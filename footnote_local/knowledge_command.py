"""`footnote knowledge`: what a collection builds beside words and vectors: a graph, a summary tree, token vectors."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from footnote.types import KNOWLEDGE, KnowledgeKind, Maker
from footnote_local.terminal import Commands, Exit, leave, progress_bar, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote_query.knowledge import KindState, KnowledgeBody

app = typer.Typer(cls=Commands, no_args_is_help=True, help="Build a graph, a summary tree or token vectors of a collection's passages.")

NameArgument = Annotated[str, typer.Argument(help="Name or alias of a collection.", metavar="COLLECTION")]
KindsArgument = Annotated[
    list[str] | None, typer.Argument(help="graph, late_interaction or summary_tree; left out = all.", metavar="[KIND]...")
]
ModelOption = Annotated[bool, typer.Option("--model", help="A language model names entities and relations, and writes summaries.")]


@app.command()
def estimate(
    name: NameArgument, kinds: KindsArgument = None, model: ModelOption = False, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Say what building would take: passages, tokens, money, time. Nothing is built."""
    from footnote_query.knowledge import state

    wanted = _kinds(kinds)
    _show(run_with_core(data, lambda core: state(core, name, _maker(model)), reads=True), wanted, as_json=as_json)


@app.command()
def build(
    name: NameArgument, kinds: KindsArgument = None, model: ModelOption = False, data: DataOption = None, as_json: JsonOption = False
) -> None:
    """Build it now, and for documents that are added later. Stopped with Ctrl-C, it goes on when it is called again."""
    wanted = _kinds(kinds)
    _show(run_with_core(data, lambda core: _build(core, name, wanted, _maker(model))), wanted, as_json=as_json)


@app.command()
def drop(name: NameArgument, kinds: KindsArgument = None, data: DataOption = None, as_json: JsonOption = False) -> None:
    """Remove what was built, and build it no more."""
    from footnote.guard.identity import LOCAL
    from footnote_query.knowledge import switch_off

    wanted = _kinds(kinds)

    async def work(core: Core) -> KnowledgeBody:
        state = await switch_off(core, LOCAL, name, wanted)
        await core.knowledge_builder.tidy()
        return state

    _show(run_with_core(data, work), wanted, as_json=as_json)


async def _build(core: Core, name: str, kinds: list[KnowledgeKind], maker: Maker | None) -> KnowledgeBody:
    from footnote.guard.identity import LOCAL
    from footnote.ingest.knowledge import asks_model
    from footnote_query.knowledge import KnowledgeChange, state, switch_on

    before = await state(core, name, maker)
    for row in before.data:
        if row.kind in kinds and row.obstacle:
            say(f"{row.kind}: {row.obstacle}")
    if wanted := [row.kind for row in before.data if row.kind in kinds and not row.obstacle]:
        await switch_on(core, LOCAL, name, KnowledgeChange(kinds=wanted, made_by=maker))
    else:
        leave(Exit.USAGE)
    stored = await core.collections.resolve(name)
    with progress_bar() as bar:
        while True:
            made = await core.knowledge_builder.build_some(stored=stored)
            states = [each for each in await core.knowledge_builder.states(stored) if each.kind in wanted]
            for each in states:
                bar(each.kind, each.built, each.total)
            if all(each.built >= each.total for each in states):
                break
            if not made and not await core.ingestor.embed_some():
                by_model = any(asks_model(each.kind, each.made_by or "rules") for each in states if each.built < each.total)
                obstacle = await core.knowledge_builder.model.obstacle() if by_model else None
                say(f"Not all could be built now{f' ({obstacle})' if obstacle else ''}. It goes on in the background while Footnote runs.")
                break
            await asyncio.sleep(0)
    return await state(core, name, maker)


def _kinds(names: list[str] | None) -> list[KnowledgeKind]:
    """The kinds of these names; all if there are none. Exits for another name."""
    if wrong := sorted(set(names or ()) - set(KNOWLEDGE)):
        say(f"footnote: There is no {wrong[0]}. Choose from {', '.join(KNOWLEDGE)}.")
        leave(Exit.USAGE)
    return [kind for kind in KNOWLEDGE if not names or kind in names]


def _maker(model: bool) -> Maker | None:
    """None = what builds it now, or rules."""
    return "model" if model else None


def _show(body: KnowledgeBody, kinds: list[KnowledgeKind], *, as_json: bool) -> None:
    rows = [each for each in body.data if each.kind in kinds]
    if as_json:
        show_json({"knowledge": [row.model_dump() for row in rows]})
        return
    for row in rows:
        print(f"{row.kind:17} {_state(row)}{_estimate(row)}")


def _state(row: KindState) -> str:
    if row.made_by is None:
        return f"off; {row.total:,} passages. {row.obstacle}".rstrip()
    by = "a model" if row.made_by == "model" else "rules"
    return f"built by {by}: {row.built:,} of {row.total:,} passages. {row.obstacle}".rstrip()


def _estimate(row: KindState) -> str:
    left = row.estimate
    if row.obstacle or not left.passages:
        return ""
    tokens = left.prompt_tokens + left.completion_tokens
    parts = [f"{tokens:,} tokens" if tokens else "no model is asked"]
    if tokens:
        parts.append("cost unknown: set LLM__INPUT_PRICE and LLM__OUTPUT_PRICE" if left.cost is None else f"cost {left.cost:.2f}")
    parts.append("time unknown" if left.seconds is None else f"about {_duration(left.seconds)}")
    return f" To build: {left.passages:,} passages, {', '.join(parts)}."


def _duration(seconds: float) -> str:
    return f"{max(1, round(seconds))} s" if seconds < 90 else f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
