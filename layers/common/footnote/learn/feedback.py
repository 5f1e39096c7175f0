"""Metrics of user feedback: ratings, reasons, rank of the passages that users selected, trending questions.

The ranking is that of the citations as shown; each selected passage has a gain of 1. nDCG@k and MRR@k measure whether the
passages that users found useful came first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.learn.ranking_metrics import ndcg, reciprocal_rank
from footnote.types import TurnFigures

MOST_REASONS = 50
MOST_QUERIES = 10
ASKED_AT_LEAST = 2
"""A question that was asked once is not a trend."""


@dataclass(frozen=True, slots=True)
class FeedbackMetrics:
    """Metrics of a period; None = no feedback of that kind."""

    positive_rate: float | None
    counts_by_reason: dict[str, int]
    ndcg: float | None
    mrr: float | None
    trending_queries: tuple[str, ...]


def measure_feedback(records: Sequence[TurnFigures], since: float, *, k: int) -> FeedbackMetrics:
    """Metrics of the turns from `since` on. The older ones, of as long a time, only show what was asked before."""
    recent = [record for record in records if record.started_at >= since]
    given = [(record, feedback) for record in recent for feedback in record.feedback]
    reasons = Counter(feedback.reason for _, feedback in given if feedback.reason)
    rankings = [rank_picked(record.cited, feedback.selected_citations) for record, feedback in given if feedback.selected_citations]
    return FeedbackMetrics(
        positive_rate=_mean([float(feedback.rating == "up") for _, feedback in given]),
        counts_by_reason=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))[:MOST_REASONS]),
        ndcg=_mean([ndcg(ranked, relevance, k) for ranked, relevance in rankings]),
        mrr=_mean([reciprocal_rank(ranked, relevance, k) for ranked, relevance in rankings]),
        trending_queries=trending_queries(records, since),
    )


def rank_picked(cited: Sequence[str], picked: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """(ranking, relevance) of the cited passages. A passage is selected by its chunk id (`DOC#007`) or its document's id, which
    counts once, at the document's first passage."""
    relevance = dict.fromkeys(picked, 1)
    ranked: list[str] = []
    for chunk_id in cited:
        doc_id = chunk_id.rpartition("#")[0]
        ranked.append(doc_id if doc_id in relevance and doc_id not in ranked and chunk_id not in relevance else chunk_id)
    return ranked, relevance


def trending_queries(records: Sequence[TurnFigures], since: float) -> tuple[str, ...]:
    """Questions that are asked more often from `since` on than before, the steepest rise first, as they were worded last. Never
    one that was once forbidden, or that failed and so perhaps was never checked."""
    change: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    worded: dict[str, str] = {}
    withheld = {_normalised(record) for record in records if record.outcome in ("forbidden", "blocked")}
    for record in records:
        query = _normalised(record)
        if query in withheld or record.is_error:
            continue
        if record.started_at < since:
            change[query] -= 1
            continue
        change[query] += 1
        asked[query] += 1
        worded[query] = record.question
    rising = [query for query, times in asked.items() if times >= ASKED_AT_LEAST and change[query] > 0]
    return tuple(worded[query] for query in sorted(rising, key=lambda query: (-change[query], query))[:MOST_QUERIES])


def _normalised(record: TurnFigures) -> str:
    return " ".join(record.question.casefold().split())


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
