"""What is measured of a turn that is over."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from footnote.telemetry.metrics import end_of, meter_turn, metrics_of, ms_of
from footnote.tracing import JsonLines
from footnote.types import Answer, Citation, Span, Stage, Turn, Usage
from tests.conftest import HandClock
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.turns import make_turn

WORDS = "zebra-canary"


def answered(**changes: object) -> Turn:
    hit = make_hit(f"The {WORDS} is striped.")
    answer = Answer(f"It is {WORDS}. [1]", (Citation(1, hit, WORDS),), model="llama")
    fields = {"answer": answer, "hits": (hit, hit), "usage": Usage(11, 7), "started_at": 1_699_999_998.5, **changes}
    return make_turn(f"What is a {WORDS}?", spans=(Span("search", 1.234), Span("answer", 20.0)), **fields)


async def test_a_turn_is_logged_as_ids_counts_and_times_without_any_text(caplog: pytest.LogCaptureFixture, clock: HandClock) -> None:
    caplog.set_level(logging.INFO, "footnote")
    turn = answered(first_token_ms=412.4)
    assert await call_step(meter_turn, turn, FakeDeps(clock=clock)) is turn
    (record,) = caplog.records
    line = json.loads(JsonLines().format(record))
    assert {name: value for name, value in line.items() if name != "time"} == {
        "level": "INFO", "logger": "footnote.telemetry.metrics", "message": "turn", "trace_id": "t1", "user_id": "me",
        "collection": "default", "retriever": "cc", "outcome": "answered", "degraded": False, "llm": "llama", "hits": 2,
        "citations": 1, "prompt_tokens": 11, "completion_tokens": 7, "first_token_ms": 412, "ms": 1500,
        "steps": {"search": 1.23, "answer": 20.0},
    }  # fmt: skip
    assert WORDS not in repr(record.__dict__)


@pytest.mark.parametrize(
    ("turn", "ended"),
    [
        (make_turn(answer=Answer("Yes.")), "answered"),
        (make_turn(answer=Answer("Nothing found."), outcome="no_hits"), "no_hits"),
        (make_turn(outcome="blocked", spans=(Span("guard", 1, "failed", stage=Stage.GUARD),)), "blocked"),
        (make_turn(spans=(Span("guard", 1, "failed", stage=Stage.GUARD),)), "rejected"),
        (make_turn(spans=(Span("guard", 1, stage=Stage.GUARD), Span("search", 1, "failed", stage=Stage.RETRIEVE))), "error"),
        (make_turn(answer=Answer("Yes."), spans=(Span("save", 1, "skipped"),)), "answered"),
        (make_turn(), "error"),
    ],
)
def test_an_end_is_an_answer_a_refusal_or_an_error_of_ours(turn: Turn, ended: str) -> None:
    assert end_of(turn) == ended


def test_stages_that_did_not_run_have_no_time() -> None:
    turn = make_turn(spans=(Span("search", 1.25, stage=Stage.RETRIEVE), Span("read", 2.5, stage=Stage.RANK)))
    assert (ms_of(turn.trace.spans, Stage.RETRIEVE, Stage.RANK, Stage.GUARD), ms_of(turn.trace.spans, Stage.ANSWER)) == (3.75, None)


def test_the_metrics_of_a_turn_hold_no_text() -> None:
    turn = answered(notes={"rejected": WORDS}, partial=WORDS)
    turn = replace(turn, trace=replace(turn.trace, spans=(Span("search", 1.0, "ok", {"seen": WORDS}),)))
    assert WORDS not in repr(metrics_of(turn, 1_700_000_000.0))
