"""`footnote replay`: asks the question of a stored turn again, and shows what has changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from footnote_local.explain_command import LevelOption, money, table
from footnote_local.terminal import Exit, leave, say, show_json
from footnote_local.with_core import DataOption, JsonOption, run_with_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote_query.replay import ReplayedStep, ReplayedTurn, TurnReplay, TurnReplayRequest, WordRun

SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="Ask with this: retriever, num_result_doc, model or spelling, as in /ask; may be repeated."
    ),
]
SIGNS = {"both": "{}", "old": "[-{}-]", "new": "{{+{}+}}"}
"""As `git diff --word-diff` shows words."""
NONE = "–"


def replay(
    trace: Annotated[str, typer.Argument(help="Trace id of the turn, which the receipt on the page shows.", metavar="TRACE")],
    level: LevelOption = None,
    changes: SetOption = None,
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask the question of a stored turn again, and compare the answers. Nothing is stored or counted."""
    new_options = read_changes(level, changes or [])

    async def work(core: Core) -> TurnReplay:
        from footnote.guard.identity import LOCAL
        from footnote.tracing import new_trace_id
        from footnote_query.replay import replay as replay_turn

        await core.refresh()
        return await replay_turn(core, LOCAL, trace, new_options, new_trace_id())

    comparison = run_with_core(data, work, reads=True)
    if as_json:
        show_json(comparison.model_dump())
    else:
        print("\n".join(sentences(comparison)))


def read_changes(level: str | None, changes: list[str]) -> TurnReplayRequest:
    """The requested changes. Exits with the faults."""
    from pydantic import ValidationError

    from footnote_query.replay import TurnReplayRequest

    pairs = [change.partition("=") for change in changes]
    try:
        return TurnReplayRequest.model_validate({"level": level} | {name: value for name, _, value in pairs})
    except ValidationError as exc:
        faults = [f"{'.'.join(map(str, error['loc'][:1]))}: {error['msg']}" for error in exc.errors()]
        say(f"footnote: --set is wrong. {'; '.join(faults)}.")
        leave(Exit.USAGE)


def sentences(comparison: TurnReplay) -> Iterator[str]:
    """The lines to print: the question, the answers with their differences, both turns side by side, passages, options and steps."""
    yield f"Question: {comparison.question}"
    yield ""
    yield "".join(_marked(run) for run in comparison.words).strip()
    yield ""
    facts = zip(_facts(comparison.old), _facts(comparison.new), strict=True)
    yield from table(["", "then", "now"], [[name, old, new] for (name, old), (_, new) in facts])
    for name, turn in (("then", comparison.old), ("now", comparison.new)):
        yield f"cited {name}: {', '.join(f'{citation.title} ({citation.chunk_id})' for citation in turn.citations) or NONE}"
    for option in comparison.options:
        yield f"{option.name} is {'on' if option.is_on else 'off'} now ({option.because})"
    if comparison.hits:
        yield ""
        rows = [[str(hit.old or NONE), str(hit.new or NONE), f"{hit.title} ({hit.chunk_id})"] for hit in comparison.hits]
        yield from table(["then", "now", "passage"], rows)
    yield ""
    yield from table(["stage", "step", "ms", "tokens", "cost"], [_step(step) for step in comparison.steps])


def _marked(run: WordRun) -> str:
    """The words with their signs, which follow the space before them."""
    words = run.text.lstrip()
    return run.text[: len(run.text) - len(words)] + SIGNS[run.side].format(words)


def _facts(turn: ReplayedTurn) -> list[tuple[str, str]]:
    plan, used = turn.plan, turn.usage.total_tokens
    return [
        ("tier", f"{turn.tier} ({turn.outcome})"),
        ("score", NONE if turn.verdict is None else f"{turn.verdict.score:.2f}"),
        ("confidence", NONE if turn.confidence is None else f"{turn.confidence:.2f}"),
        ("model", turn.model or NONE),
        ("level", plan.level if plan else NONE),
        ("strategy", (plan.strategy or NONE) if plan else NONE),
        ("retriever", plan.retriever if plan else NONE),
        ("passages", str(plan.limit) if plan else NONE),
        ("ms", f"{turn.latency_ms:.1f}"),
        ("tokens", str(used)),
        ("cost", _cost(used, turn.cost)),
    ]


def _step(step: ReplayedStep) -> list[str]:
    """Its cells: then → now."""
    called = any(run is not None and run.tokens for run in (step.old, step.new))
    ms = [NONE if run is None else f"{run.ms:.1f}{'' if run.status == 'ok' else f' {run.status}'}" for run in (step.old, step.new)]
    tokens = [NONE if run is None else str(run.tokens) for run in (step.old, step.new)]
    costs = [NONE if run is None else _cost(run.tokens, run.cost) for run in (step.old, step.new)]
    cells = [ms, tokens, costs] if called else [ms]
    return [step.stage.value, step.name, *(" → ".join(pair) for pair in cells)]


def _cost(tokens: int, cost: float | None) -> str:
    return NONE if not tokens else "?" if cost is None else money(cost)
