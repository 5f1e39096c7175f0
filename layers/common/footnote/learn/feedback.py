"""Metrics of user feedback: ratings, reasons, rank of the passages that users selected, trending questions.

The ranking is that of the citations as shown; each selected passage has a gain of 1. nDCG@k and MRR@k measure whether the
passages that users found useful came first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from footnote.learn.ranking_metrics import ndcg, reciprocal_rank
from footnote.ports import Ledger, StatisticsStore
from footnote.text.normal_form import QuestionSet
from footnote.turn_records.days import DAY_S
from footnote.turn_records.readable import readable_questions, withheld_questions
from footnote.types import Caller, TurnFigures

MOST_QUERIES = 10
READ_AT_ONCE_S = 30 * DAY_S
"""Of the time before, the turns of so many seconds are in memory at once."""
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
    recent: Sequence[TurnFigures],
    since: float,
    until: float,
    caller: Caller,
    *,
    statistics: StatisticsStore,
    ledger: Ledger,
    collections: frozenset[str] | None = None,
) -> list[str]:
    """At most MOST_QUERIES questions asked more often in [since, until) than in the period of the same length before, the steepest rise
    first, in their latest wording. `recent`: all turns of [since, until); `collections`: only questions to these; None = to any.

    Questions with the content words of one that was ever forbidden or blocked, in any collection, are left out, and so are failed turns,
    which may never have been checked. So are questions of others, unless the caller may read all documents that their answers depend on."""
    by_query = _asked(recent, collections)
    frequent = {query: records for query, records in by_query.items() if len(records) >= ASKED_AT_LEAST}
    if not frequent:
        return []
    withheld = QuestionSet(await withheld_questions(caller, statistics))
    frequent = {
        query: records
        for query, records in frequent.items()
        if not any(withheld.holds(question, lang) for question, lang in _worded(records))
    }
    change = Counter({query: len(records) for query, records in frequent.items()})
    earlier, end = max(2 * since - until, 0.0), since
    while end > earlier and (rising := {query for query, times in change.items() if times > 0}):
        begin = max(end - READ_AT_ONCE_S, earlier)
        for query, records in _asked(await statistics.figures(caller, begin, end), collections).items():
            if query in rising:
                change[query] -= len(records)
        end = begin
    ordered = sorted((query for query, times in change.items() if times > 0), key=lambda query: (-change[query], query))
    shown = await readable_questions([frequent[query] for query in ordered], MOST_QUERIES, caller, ledger)
    return [records[-1].question for records in shown]


def _asked(records: Iterable[TurnFigures], collections: frozenset[str] | None = None) -> dict[str, list[TurnFigures]]:
    """The turns of each question that did not fail, oldest first."""
    by_query: dict[str, list[TurnFigures]] = {}
    for record in records:
        if not record.is_error and (collections is None or record.collection in collections):
            by_query.setdefault(" ".join(record.question.casefold().split()), []).append(record)
    return by_query


def _worded(records: Iterable[TurnFigures]) -> set[tuple[str, str]]:
    """(question, its language) in all wordings."""
    return {(record.question, record.lang) for record in records}


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
