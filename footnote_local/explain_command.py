"""`footnote explain`: the plan of a question; with `--analyze` also its execution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import TYPE_CHECKING, Annotated

import typer

from footnote.types import IntelligenceLevel
from footnote_local.terminal import show_json
from footnote_local.with_core import CollectionOption, DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.steps.explain import Explanation, Line

LevelOption = Annotated[IntelligenceLevel | None, typer.Option(help="Intelligence level. Default: the configured one.")]
AnalyzeOption = Annotated[bool, typer.Option("--analyze", help="Run the question and show times, tokens and outputs. Nothing is stored.")]
WIDTH = 80
"""Characters of a line."""
IN_OTHER_COLUMNS = ("tokens", "used", "prompt_msg_id", "completion_msg_ids")
"""Parts of a step's output that are shown elsewhere, or are ids."""


def explain(
    question: str,
    level: LevelOption = None,
    analyze: AnalyzeOption = False,
    collection: CollectionOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show which steps would run for a question on the page, which would not, and why."""

    async def work(core: Core) -> Explanation:
        return await _explain(core, question, level, collection, analyze)

    explained = run_with_core(data, work, reads=True)
    if as_json:
        show_json(explained.as_json())
    else:
        print("\n".join(sentences(explained)))


async def _explain(core: Core, question: str, level: IntelligenceLevel | None, collection: str | None, analyze: bool) -> Explanation:
    from footnote.guard.identity import LOCAL
    from footnote.library.asking import named_collection
    from footnote.tracing import new_trace_id
    from footnote_query.dialects.trd.ask import LIVE, ask_turn
    from footnote_query.dialects.trd.wire import AskRequest

    await core.refresh()
    name = await named_collection(core, collection, LOCAL)
    request = AskRequest(
        query_text=question, index_name=name, permission_groups=[], retriever="cc", any_retriever=True, intelligence_level=level
    )
    turn = ask_turn(request, LOCAL, LIVE, core, new_trace_id())
    turn = replace(turn, request=replace(turn.request, is_test=analyze))
    return core.explain_ended(await core.answer.finish(turn)) if analyze else await core.explain(turn)


def sentences(explained: Explanation) -> Iterator[str]:
    """The lines to print, of WIDTH characters: a summary, a table of steps, and the model calls."""
    plan, spent = explained.plan, explained.spent
    facts = [f"level {plan.level} ({plan.level_because})"]
    if plan.strategy:
        facts.append(f"strategy {plan.strategy} ({plan.strategy_because})")
    searched = f" over {' and '.join(explained.lists)}" if explained.lists else ""
    facts += [
        f"retriever {explained.plan.retriever}{searched}",
        f"{explained.plan.limit} passages",
        f"model {plan.model or 'none (the documents are quoted)'}",
    ]
    yield from wrap(" · ".join(facts), WIDTH)
    if spent is None:
        yield from table(["stage", "step", "runs", "because"], [_planned(line) for line in explained.lines])
        if calls := sum(line.paid for line in explained.lines):
            yield f"At most {calls} language model call{'' if calls == 1 else 's'}."
        return
    yield from table(["stage", "step", "ms", "tokens", "cost", "what it did, or why not"], [_ran(line) for line in explained.lines])
    if not spent.calls:
        yield "No language model was called."
        return
    cost = "unknown: the model has no price (LLM__PRICES)" if spent.cost is None else money(spent.cost)
    yield from wrap(f"{spent.calls} language model call{'' if spent.calls == 1 else 's'}, {spent.tokens} tokens, cost {cost}.", WIDTH)


def _planned(line: Line) -> list[str]:
    calls = "; may call a model" if line.paid and line.runs == "depends" else "; calls a model" if line.paid else ""
    return [line.stage.value, line.step, line.runs, line.because + calls]


def _ran(line: Line) -> list[str]:
    if line.span is None:
        return [line.stage.value, line.step, f"– {line.because}"]
    status = [line.span.status] if line.span.status != "ok" else []
    out = [f"{name} {value}" for name, value in line.span.detail.items() if name not in IN_OTHER_COLUMNS]
    used = [str(line.spent.tokens), "?" if line.spent.cost is None else money(line.spent.cost)] if line.spent else ["", ""]
    return [line.stage.value, line.step, f"{line.span.ms:.1f}", *used, ", ".join(status + out)]


def money(cost: float) -> str:
    """In the currency of the prices; a call often costs less than a cent."""
    return f"{cost:.6f}".rstrip("0").rstrip(".") or "0"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The rows in columns. The last cell of a row, which may have fewer than the head, takes the rest of the line and is wrapped."""
    lines = [head, *rows]
    widths = [max(len(row[column]) for row in lines if column < len(row) - 1) for column in range(len(head) - 1)]
    for *cells, last in lines:
        begin = "".join(f"{cell:{width}}  " for cell, width in zip(cells, widths, strict=False))
        text = wrap(last, WIDTH - len(begin)) or [""]
        yield f"{begin}{text[0]}".rstrip()
        yield from (f"{'':{len(begin)}}{part}" for part in text[1:])
