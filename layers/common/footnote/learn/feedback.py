"""Metrics of user feedback: ratings, reasons, rank of the passages that users selected, trending questions.

The ranking is that of the citations as shown; each selected passage has a gain of 1. nDCG@k and MRR@k measure whether the
passages that users found useful came first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from footnote.learn.ranking_metrics import ndcg, reciprocal_rank
from footnote.ports import Ledger
from footnote.turn_records.readable import readable_documents
from footnote.types import Caller, TurnFigures

MOST_QUERIES = 10
CHECKED_AT_ONCE = 50
"""Rising questions whose documents are looked up together."""
ASKED_AT_LEAST = 2
"""A question that was asked once is not a trend."""


@dataclass(frozen=True, slots=True)
class FeedbackMetrics:
    """Metrics of a period; None = no feedback of that kind. `counts_by_reason`: of usual reasons, the most frequent first."""

    positive_rate: float | None
    counts_by_reason: dict[str, int]
    ndcg: float | None
    mrr: float | None


def measure_feedback(records: Sequence[TurnFigures], *, k: int) -> FeedbackMetrics:
    """Metrics of the feedback on these turns."""
    given = [(record, feedback) for record in records for feedback in record.feedback]
    reasons = Counter(reason for _, feedback in given if (reason := feedback.usual_reason))
    rankings = [rank_picked(record.cited, feedback.selected_citations) for record, feedback in given if feedback.selected_citations]
    return FeedbackMetrics(
        positive_rate=_mean([float(feedback.rating == "up") for _, feedback in given]),
        counts_by_reason=dict(sorted(reasons.items(), key=lambda item: (-item[1], item[0]))),
        ndcg=_mean([ndcg(ranked, relevance, k) for ranked, relevance in rankings]),
        mrr=_mean([reciprocal_rank(ranked, relevance, k) for ranked, relevance in rankings]),
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


async def trending_queries(
    records: Sequence[TurnFigures], since: float, caller: Caller, ledger: Ledger, collections: frozenset[str] | None = None
) -> list[str]:
    """At most MOST_QUERIES questions that are asked more often from `since` on than before, the steepest rise first, as they were
    worded last. `collections`: asked to one of these; None = to any.

    Never one that was once forbidden, or that failed and so perhaps was never checked, to whatever collection. Nor one that others
    asked, unless the caller may read all documents that its answers depend on."""
    shown: list[str] = []
    rising = _rising(records, since, collections)
    for first in range(0, len(rising), CHECKED_AT_ONCE):
        some = rising[first : first + CHECKED_AT_ONCE]
        needed = [
            frozenset(doc_id for record in asked if record.user_id != caller.user_id for doc_id in record.documents) for asked in some
        ]
        readable = await readable_documents(frozenset().union(*needed), caller, ledger)
        shown += [asked[-1].question for asked, documents in zip(some, needed, strict=True) if documents <= readable]
        if len(shown) >= MOST_QUERIES:
            break
    return shown[:MOST_QUERIES]


def _rising(records: Sequence[TurnFigures], since: float, collections: frozenset[str] | None) -> list[list[TurnFigures]]:
    """The turns of each rising question, oldest first."""
    change: Counter[str] = Counter()
    asked: dict[str, list[TurnFigures]] = {}
    withheld = {_normalised(record) for record in records if record.outcome in ("forbidden", "blocked")}
    for record in records:
        query = _normalised(record)
        if query in withheld or record.is_error or (collections is not None and record.collection not in collections):
            continue
        if record.started_at < since:
            change[query] -= 1
            continue
        change[query] += 1
        asked.setdefault(query, []).append(record)
    rising = [query for query, times in asked.items() if len(times) >= ASKED_AT_LEAST and change[query] > 0]
    return [asked[query] for query in sorted(rising, key=lambda query: (-change[query], query))]


def _normalised(record: TurnFigures) -> str:
    return " ".join(record.question.casefold().split())


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
