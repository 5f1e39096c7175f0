"""`footnote explain`: the plan of a question; with `--analyze` also its execution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from footnote.types import IntelligenceLevel
from footnote_local.terminal import clip, show_json
from footnote_local.with_core import CollectionOption, DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.steps.explain import Explanation

LevelOption = Annotated[IntelligenceLevel | None, typer.Option(help="Intelligence level. Default: the configured one.")]
AnalyzeOption = Annotated[bool, typer.Option("--analyze", help="Run the question and show times, tokens and outputs. Nothing is stored.")]
DETAIL = 60
"""Characters shown of a step's output."""


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

    explained = run_with_core(data, work)
    if as_json:
        show_json(explained.as_json())
    else:
        print("\n".join(sentences(explained)))


async def _explain(core: Core, question: str, level: IntelligenceLevel | None, collection: str | None, analyze: bool) -> Explanation:
    from footnote.guard.identity import LOCAL
    from footnote.types import Request
    from footnote_local.run_question import named_collection
    from query.dialects.trd.ask import HELD

    await core.refresh()
    name = await named_collection(core, collection)
    request = Request(question, name, retriever=core.settings.retriever, level=level, is_test=analyze)
    turn = core.new_turn(request, LOCAL, HELD)
    return core.explain_ended(await core.answer.finish(turn)) if analyze else await core.explain(turn)


def sentences(explained: Explanation) -> Iterator[str]:
    """The lines to print: a summary, a table of steps, and the number of model calls."""
    plan, analyzed = explained.plan, any(line.span for line in explained.lines)
    model = plan.model or "none (the documents are quoted)"
    strategy = f" · strategy {plan.strategy} ({plan.strategy_because})" if plan.strategy else ""
    level = f"level {plan.level} ({plan.level_because})"
    yield f"{level}{strategy} · retriever {explained.retriever} · {explained.limit} passages · model {model}"
    head = ["stage", "step", "runs", "because", *(["ms", "tokens", "out"] if analyzed else ["costs"])]
    rows = [[line.stage.value, line.step, line.runs, line.because] for line in explained.lines]
    for row, line in zip(rows, explained.lines, strict=True):
        if not analyzed:
            row.append("a model call" if line.paid and line.runs == "yes" else "depends" if line.paid else "")
            continue
        out = dict(line.span.detail) if line.span else {}
        tokens = out.pop("tokens", "")
        ids = {"prompt_msg_id", "completion_msg_ids"}
        shown = clip(", ".join(f"{name} {value}" for name, value in out.items() if name not in ids), DETAIL)
        status = f" ({line.span.status})" if line.span and line.span.status != "ok" else ""
        row += [f"{line.span.ms:.1f}{status}" if line.span else "", str(tokens), shown]
    yield from _table([head, *rows])
    if not analyzed and (calls := sum(line.paid for line in explained.lines)):
        yield f"At most {calls} language model call{'' if calls == 1 else 's'}."


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
