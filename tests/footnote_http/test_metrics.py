"""Metrics as CloudWatch reads them from the log: https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html"""

from __future__ import annotations

import json
import sys
import threading
from dataclasses import dataclass
from typing import Any

import pytest
from aws_lambda_powertools.metrics.provider import cold_start

from footnote.telemetry.metrics import metrics_of
from footnote.types import Answer, Span, Stage, Turn, Usage
from footnote_http.metrics import CloudWatchMeter, count_cold_start
from tests.turns import make_turn

NOW = 1_700_000_000.0


def written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def values(line: dict[str, Any]) -> dict[str, float]:
    (directive,) = line["_aws"]["CloudWatchMetrics"]
    assert directive["Namespace"] == "Footnote"
    return {metric["Name"]: line[metric["Name"]][0] for metric in directive["Metrics"]}


def turn_of(*spans: Span, **changes: Any) -> Turn:
    return make_turn("Where is the zebra-canary?", spans=spans, started_at=NOW - 1.5, **{"persisted": True} | changes)


def test_a_turn_has_latencies_tokens_and_how_it_ended(capsys: pytest.CaptureFixture[str]) -> None:
    stages = (Stage.GUARD, 1), (Stage.RETRIEVE, 14), (Stage.RANK, 6), (None, 500), (Stage.ANSWER, 700), (Stage.CHECK, 2)
    spans = [Span("some_step", ms, stage=stage) for stage, ms in stages]
    CloudWatchMeter("query").measure(
        metrics_of(turn_of(*spans, answer=Answer("Yes.", model="llama"), usage=Usage(11, 7), first_token_ms=230.0), NOW)
    )
    (line,) = written(capsys)
    assert values(line) == {
        "TurnLatency": 1500, "RetrievalLatency": 20, "GenerationLatency": 700, "FirstToken": 230, "PromptTokens": 11, "CompletionTokens": 7,
        "Errors": 0, "Closest": 0, "Refused": 0, "Blocked": 0, "Degraded": 0, "Unsaved": 0, "CacheHits": 0, "ModelFallbacks": 0,
    }  # fmt: skip
    assert line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service"]]
    assert (line["service"], line["trace_id"]) == ("query", "t1")
    assert line["_aws"]["CloudWatchMetrics"][0]["Metrics"][0] == {"Name": "TurnLatency", "Unit": "Milliseconds"}


@pytest.mark.parametrize(
    ("outcome", "refused", "hits"),
    [
        (None, 0, 0), ("cached", 0, 1), ("faq", 0, 0), ("closest", 0, 0),
        ("refused", 1, 0), ("no_hits", 1, 0), ("forbidden", 1, 0), ("blocked", 1, 0),
    ],
)  # fmt: skip
def test_a_cached_answer_and_the_closest_passages_are_no_refusals(
    capsys: pytest.CaptureFixture[str], outcome: Any, refused: int, hits: int
) -> None:
    CloudWatchMeter("query").measure(metrics_of(turn_of(answer=Answer("Yes."), outcome=outcome), NOW))
    written_values = values(written(capsys)[0])
    assert (written_values["Refused"], written_values["CacheHits"], written_values["Errors"]) == (refused, hits, 0)
    assert written_values["Closest"] == (outcome == "closest")


@pytest.mark.parametrize(
    ("picked", "answered", "count"), [("big", "big", 0), ("big", "small", 1), ("big", None, 0), (None, "big", 0), (None, None, 0)]
)
def test_answers_of_another_model_than_the_one_picked_are_counted(
    capsys: pytest.CaptureFixture[str], picked: str | None, answered: str | None, count: int
) -> None:
    CloudWatchMeter("query").measure(metrics_of(turn_of(model=picked, answer=Answer("Yes.", model=answered)), NOW))
    assert values(written(capsys)[0])["ModelFallbacks"] == count


def test_a_step_that_did_not_go_well_is_counted_by_its_name_and_status(capsys: pytest.CaptureFixture[str]) -> None:
    spans = (Span("guard", 1), Span("embed", 4, "skipped"), Span("search", 10, "failed"), Span("save", 1))
    CloudWatchMeter("query").measure(metrics_of(turn_of(*spans, degraded=True), NOW))
    whole, *steps = written(capsys)
    written_values = values(whole)
    assert (written_values["Errors"], written_values["Refused"], written_values["Degraded"], "GenerationLatency" in written_values) == (
        1,
        0,
        1,
        False,
    )
    assert [(step["step"], step["status"], step["service"], values(step)) for step in steps] == [
        ("embed", "skipped", "query", {"StepOutcome": 1}),
        ("search", "failed", "query", {"StepOutcome": 1}),
    ]
    assert {frozenset(step["_aws"]["CloudWatchMetrics"][0]["Dimensions"][0]) for step in steps} == {
        frozenset({"step", "status", "service"})
    }


@pytest.mark.parametrize(
    "turn",
    [
        turn_of(answer=Answer("Nothing."), outcome="no_hits"),
        turn_of(outcome="blocked"),
        turn_of(answer=Answer("No."), outcome="refused"),
        turn_of(Span("guard", 1, "failed", stage=Stage.GUARD)),
    ],
)
def test_a_refused_request_does_not_count_as_an_error(turn: Turn, capsys: pytest.CaptureFixture[str]) -> None:
    CloudWatchMeter("query").measure(metrics_of(turn, NOW))
    written_values = values(written(capsys)[0])
    assert (written_values["Refused"], written_values["Errors"]) == (1, 0)


@pytest.mark.parametrize(
    ("outcome", "persisted", "blocked", "unsaved"), [("blocked", True, 1, 0), (None, False, 0, 1), ("refused", True, 0, 0)]
)
def test_every_alarm_has_its_own_metric(
    outcome: Any, persisted: bool, blocked: int, unsaved: int, capsys: pytest.CaptureFixture[str]
) -> None:
    CloudWatchMeter("query").measure(metrics_of(turn_of(answer=Answer("Yes."), outcome=outcome, persisted=persisted), NOW))
    written_values = values(written(capsys)[0])
    assert (written_values["Blocked"], written_values["Unsaved"]) == (blocked, unsaved)


def test_turns_that_end_at_the_same_time_are_written_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe:
        def __init__(self) -> None:
            self.writes: list[str] = []
            self.flushed = 0

        def write(self, text: str) -> None:
            self.writes.append(text)

        def flush(self) -> None:
            self.flushed = len(self.writes)

    monkeypatch.setattr(sys, "stdout", pipe := Pipe())
    meter = CloudWatchMeter("query")
    turns = [turn_of(Span("embed", 1, "skipped"), trace_id=f"t{i}", usage=Usage(i, 0)) for i in range(40)]
    threads = [threading.Thread(target=meter.measure, args=(metrics_of(turn, NOW),)) for turn in turns]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(pipe.writes), pipe.flushed) == (40, 40)
    written_values = [[json.loads(line) for line in text.splitlines()] for text in pipe.writes]
    assert sorted((turn["trace_id"], values(turn)["PromptTokens"]) for turn, _ in written_values) == sorted((f"t{i}", i) for i in range(40))
    assert all(turn["trace_id"] == step["trace_id"] for turn, step in written_values)


def test_a_question_is_in_no_metric(capsys: pytest.CaptureFixture[str]) -> None:
    CloudWatchMeter("query").measure(metrics_of(turn_of(Span("search", 1, "failed", {"seen": "zebra-canary"})), NOW))
    assert "zebra-canary" not in capsys.readouterr().out


@dataclass
class Context:
    function_name: str = "footnote-ingest"


def test_a_process_has_one_cold_start(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cold_start, "is_cold_start", True)
    count_cold_start("ingest", Context())
    count_cold_start("ingest", Context())
    (line,) = written(capsys)
    assert (values(line), line["function_name"], line["service"]) == ({"ColdStart": 1}, "footnote-ingest", "ingest")
