"""Metrics of a turn: ids, counts and times, without text of users or documents."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from footnote.ports import Clock, Meter
from footnote.types import Ended, Span, Stage, Turn, TurnMetrics
from footnote.types.copies import replace

log = logging.getLogger(__name__)

ANSWERED: tuple[Ended, ...] = ("answered", "cached", "faq")


async def meter_turn(turn: Turn, *, meter: Meter, clock: Clock) -> Turn:
    """Reports the turn's metrics; returns the turn unchanged."""
    meter.measure(metrics_of(turn, clock()))
    return turn


def metrics_of(turn: Turn, now: float) -> TurnMetrics:
    """The metrics of a turn that ends at `now`."""
    answer, request, trace = turn.answer, turn.request, turn.trace
    model = answer.model if answer else None
    return TurnMetrics(
        trace_id=turn.trace_id,
        user_id=turn.caller.user_id,
        collection=request.collection,
        mode=request.search_type,
        retriever=turn.plan.retriever,
        ended=end_of(turn),
        ms=(now - trace.started_at) * 1000,
        first_token_ms=trace.first_token_ms,
        model=model,
        fell_back=model is not None and turn.plan.model is not None and model != turn.plan.model,
        hits=len(turn.evidence.hits),
        citations=len(answer.citations) if answer else 0,
        usage=trace.usage,
        degraded=trace.degraded,
        persisted=trace.persisted,
        spans=tuple(replace(span, detail={}) for span in trace.spans),
    )


def end_of(turn: Turn) -> Ended:
    """How the turn ended."""
    if turn.outcome is not None:
        return turn.outcome
    if turn.answer is not None:
        return "answered"
    refused = any(span.stage is Stage.GUARD and span.status == "failed" for span in turn.trace.spans)
    return "rejected" if refused else "error"


def ms_of(spans: Sequence[Span], *stages: Stage) -> float | None:
    """Total duration of the steps of these stages, in ms; None = none of them ran."""
    times = [span.ms for span in spans if span.stage in stages]
    return round(sum(times), 2) if times else None


class LogMeter:
    """`ports.Meter` that writes one log line for each turn."""

    def measure(self, turn: TurnMetrics) -> None:
        log.info(
            "turn",
            extra={
                "trace_id": turn.trace_id,
                "user_id": turn.user_id,
                "collection": turn.collection,
                "retriever": turn.retriever,
                "outcome": turn.ended,
                "degraded": turn.degraded,
                "llm": turn.model,
                "hits": turn.hits,
                "citations": turn.citations,
                "prompt_tokens": turn.usage.prompt_tokens,
                "completion_tokens": turn.usage.completion_tokens,
                "ms": round(turn.ms),
                "first_token_ms": turn.first_token_ms and round(turn.first_token_ms),
                "steps": {span.name: round(span.ms, 2) for span in turn.spans},
            },
        )
