"""Metrics for CloudWatch: its embedded metric format on standard output, written once for each turn.

The query function has no Lambda handler at whose end metrics could be flushed, and answers several turns at once where
its concurrency allows. So each turn has metrics of its own and is written at once. Only imported in Lambda.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from aws_lambda_powertools.metrics.provider import cold_start
from aws_lambda_powertools.metrics.provider.cloudwatch_emf.cloudwatch import AmazonCloudWatchEMFProvider

from footnote.telemetry.metrics import ANSWERED, LogMeter, ms_of
from footnote.types import Stage, TurnMetrics

NAMESPACE = "Footnote"


class CloudWatchMeter(LogMeter):
    """`ports.Meter`: the line of the log, and metrics under the dimension `service`. A step that failed in some way has its own."""

    def __init__(self, service: str) -> None:
        self._service = service

    def measure(self, turn: TurnMetrics) -> None:
        super().measure(turn)
        ended = turn.ended
        metrics = self._metrics(turn)
        latencies = {
            "TurnLatency": turn.ms,
            "RetrievalLatency": ms_of(turn.spans, Stage.RETRIEVE, Stage.RANK),
            "GenerationLatency": ms_of(turn.spans, Stage.ANSWER) if ended == "answered" and turn.model else None,
            "FirstToken": turn.first_token_ms,
        }
        for name, ms in latencies.items():
            if ms is not None:
                metrics.add_metric(name, "Milliseconds", ms)
        counts = {
            "PromptTokens": turn.usage.prompt_tokens,
            "CompletionTokens": turn.usage.completion_tokens,
            "Errors": ended == "error",
            "Closest": ended == "closest",
            "Refused": ended not in (*ANSWERED, "closest", "error"),
            "Blocked": ended == "blocked",
            "Degraded": turn.degraded,
            "Unsaved": not turn.persisted,
            "CacheHits": ended == "cached",
            "ModelFallbacks": turn.fell_back,
        }
        for name, count in counts.items():
            metrics.add_metric(name, "Count", count)
        lines = [metrics.serialize_metric_set()]
        for span in turn.spans:
            if span.status != "ok":
                outcome = self._metrics(turn, step=span.name, status=span.status)
                outcome.add_metric("StepOutcome", "Count", 1)
                lines.append(outcome.serialize_metric_set())
        sys.stdout.write("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
        sys.stdout.flush()

    def _metrics(self, turn: TurnMetrics, **dimensions: Any) -> AmazonCloudWatchEMFProvider:
        metrics = AmazonCloudWatchEMFProvider(namespace=NAMESPACE, service=self._service)
        for name, value in dimensions.items():
            metrics.add_dimension(name, value)
        metrics.add_metadata("trace_id", turn.trace_id)
        return metrics


def count_cold_start(service: str, context: Any) -> None:
    """Counts the first event of a process, unless the process was started ahead of it."""
    if cold_start.is_cold_start:
        cold_start.is_cold_start = False
        AmazonCloudWatchEMFProvider(namespace=NAMESPACE, service=service).add_cold_start_metric(context)
