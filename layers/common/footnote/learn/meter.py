"""What did a turn cost, and how did it go? Told as ids, counts and times; nobody's words."""

from __future__ import annotations

import logging
from typing import Literal

from footnote.ports import Clock, Meter
from footnote.types import Outcome, Stage, Turn

log = logging.getLogger(__name__)

Ended = Literal["answered", "rejected", "error"] | Outcome
ANSWERED: tuple[Ended, ...] = ("answered", "cached", "faq")


async def meter_turn(turn: Turn, *, meter: Meter, clock: Clock) -> Turn:
    meter.turn(turn, clock())
    return turn


def end_of(turn: Turn) -> Ended:
    """How the turn ended. rejected: it could not be asked; error: something failed and there is no answer."""
    if turn.outcome is not None:
        return turn.outcome
    if turn.answer is not None:
        return "answered"
    refused = any(span.stage is Stage.GUARD and span.status == "failed" for span in turn.record.spans)
    return "rejected" if refused else "error"


def ms_of(turn: Turn, *stages: Stage) -> float | None:
    """How long the steps of these stages took together; None: none of them ran."""
    times = [span.ms for span in turn.record.spans if span.stage in stages]
    return round(sum(times), 2) if times else None


def fell_back(turn: Turn) -> bool:
    """Another model answered than the one that was to."""
    return (
        turn.answer is not None and turn.answer.model is not None and turn.plan.model is not None and turn.answer.model != turn.plan.model
    )


class LogMeter:
    """`ports.Meter`: one line of the log for each turn."""

    def turn(self, turn: Turn, now: float) -> None:
        answer = turn.answer
        log.info(
            "turn",
            extra={
                "trace_id": turn.trace_id,
                "user_id": turn.caller.user_id,
                "collection": turn.request.collection,
                "retriever": turn.request.retriever,
                "outcome": end_of(turn),
                "degraded": turn.record.degraded,
                "llm": answer.model if answer else None,
                "hits": len(turn.evidence.hits),
                "citations": len(answer.citations) if answer else 0,
                "prompt_tokens": turn.record.usage.prompt_tokens,
                "completion_tokens": turn.record.usage.completion_tokens,
                "ms": round((now - turn.record.started_at) * 1000),
                "first_token_ms": turn.record.first_token_ms and round(turn.record.first_token_ms),
                "steps": {span.name: round(span.ms, 2) for span in turn.record.spans},
            },
        )
