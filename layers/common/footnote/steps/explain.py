"""Explains row by row what a turn will do and why; after it has run, what each row did."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from footnote.steps.rows import EARLY, Parallel, Row, Step, Switch
from footnote.types import ModelCall, OptionName, Plan, Span, Stage, Turn, usage_of
from footnote.types.copies import replace

Runs = Literal["yes", "no", "depends"]
"""depends: the rows before it decide."""
ONLY_IF = "only if "

MISSING: Mapping[str, str] = {
    "checkpoint": "the request has no Idempotency-Key",
    "embedder": "no embedder: run `make setup`, or set EMBEDDING__BASE_URL",
    "experiments": "no experiment is running",
    "knowledge_base": "KDB__URL is not set",
    "reranker": "RERANK__BASE_URL is not set",
    "tools": "MCP__GATEWAY is not set",
}
"""`Step.needs` → why it is missing."""


Price = Callable[[Sequence[ModelCall]], float | None]
"""The cost of the calls, in the currency of the prices; None = the price of one is unknown."""


@dataclass(frozen=True, slots=True)
class Spent:
    """The usage of calls of language models. `cost`: as of Price."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None

    @property
    def tokens(self) -> int:
        """Read and written."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the turn's tables. `option`: its name in `RAG__SWITCHED_OFF` and `RAG__SWITCHED_ON`; `paid`: it may call a language
    model; `span`: its result, None = it did not run; `spent`: what it used of models, None = it called none."""

    stage: Stage
    step: str
    runs: Runs
    because: str
    option: OptionName | None = None
    paid: bool = False
    span: Span | None = None
    spent: Spent | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The plan of a turn and its rows."""

    plan: Plan
    lists: tuple[str, ...] = ()
    """The lists with weight in the search: words, vectors."""
    lines: tuple[Line, ...] = ()
    spent: Spent | None = None
    """By the whole turn; None = it has not run."""

    def as_json(self) -> dict[str, Any]:
        """The explanation as a JSON object, for APIs and the command line."""
        plan = self.plan
        return {
            "level": plan.level,
            "level_because": plan.level_because,
            "model": plan.model,
            "strategy": plan.strategy,
            "strategy_because": plan.strategy_because,
            "retriever": plan.retriever,
            "lists": list(self.lists),
            "limit": plan.limit,
            "model_calls_at_most": sum(line.paid for line in self.lines),
            **(asdict(self.spent) if self.spent else {}),
            "steps": [
                {
                    "stage": line.stage.value,
                    "step": line.step,
                    "option": line.option,
                    "runs": line.runs,
                    "because": line.because,
                    "paid": line.paid,
                }
                | ({"ms": round(line.span.ms, 2), "status": line.span.status, "out": dict(line.span.detail)} if line.span else {})
                | (asdict(line.spent) if line.spent else {})
                for line in self.lines
            ],
        }


def explain(rows: Sequence[Row], turn: Turn, deps: Any, *, lists: Sequence[str] = ()) -> Explanation:
    """Explains a turn before it runs. `deps`: the dependencies of the table; a part that is not configured is None. `lists`: as of
    `Explanation`."""
    return Explanation(turn.plan, tuple(lists), tuple(_lines(rows, turn, deps)))


def with_results(explanation: Explanation, turn: Turn, price: Price) -> Explanation:
    """Adds the result of each row and its model usage after the turn has run."""
    spans = {span.name: span for span in turn.trace.spans}
    calls: dict[str, list[ModelCall]] = {}
    for call in turn.trace.calls:
        calls.setdefault(call.step, []).append(call)
    spent = {step: _spent(own, price) for step, own in calls.items()}
    lines = (replace(_ran(line, spans.get(line.step), turn), spent=spent.get(line.step)) for line in explanation.lines)
    return replace(explanation, plan=turn.plan, lines=tuple(lines), spent=_spent(turn.trace.calls, price))


def _spent(calls: Sequence[ModelCall], price: Price) -> Spent:
    used = usage_of(calls)
    return Spent(len(calls), used.prompt_tokens, used.completion_tokens, price(calls))


def _lines(rows: Sequence[Row], turn: Turn, deps: Any) -> Iterator[Line]:
    for row in rows:
        match row:
            case Step():
                runs, because = _decide(row, turn, deps)
                yield Line(row.stage, row.name, runs, because, row.option, row.paid and runs != "no" and turn.plan.model is not None)
            case Parallel():
                yield from _lines(row.rows, turn, deps)
            case Switch():
                yield from _lines(row.tables[row.key(turn)], turn, deps)


def _decide(step: Step, turn: Turn, deps: Any) -> tuple[Runs, str]:
    because = "always"
    if step.option is not None:
        choice = turn.plan.choices[step.option]
        if not choice.is_on:
            return "no", choice.because
        because = choice.because
    if step.needs is not None and getattr(deps, step.needs) is None:
        return "no", MISSING.get(step.needs, f"no {step.needs} is configured")
    if step.when is None:
        return "yes", because
    condition = (step.when.__doc__ or step.when.__name__).rstrip(".")
    condition = condition[0].lower() + condition[1:]
    if step.when in EARLY and step.when(turn):
        return "yes", condition
    return ("no" if step.when in EARLY else "depends"), f"{ONLY_IF}{condition}"


def _ran(line: Line, span: Span | None, turn: Turn) -> Line:
    if span is not None:
        return replace(line, runs="yes", because=line.because.removeprefix(ONLY_IF), span=span)
    if line.runs == "no":
        return line
    return replace(line, runs="no", because=f"the turn was settled: {turn.outcome}" if turn.outcome else line.because)
