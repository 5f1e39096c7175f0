"""Compares the arms of an experiment on rated questions of the past: before anybody gets an arm, does it lose good answers?

For each question and arm, from the passages that the arm finds and cites:

    a good answer's citations, each with a gain of 1:   ndcg@10, recall@10, mrr@10 of the passages found; cited = share cited again
    a bad answer's citations:                           dropped = share not cited any more

A change is the mean of the differences to the first arm on the same questions, with a bootstrap interval (`ranking_metrics`). The rated
citations are those of the plan in force at the time, so a replay favours it: an arm that finds other passages of the same quality loses
here. A replay shows what an arm breaks, not what it gains."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from footnote.learn.feedback_weights import asked_in, rated_citations
from footnote.learn.ranking_metrics import mean_interval, ndcg, recall, reciprocal_rank
from footnote.ports import RatedTurn

K = 10
MOST_LOST = 20
"""Trace ids of questions that are listed for an arm."""
RECALL = "recall@10"
METRICS = ("ndcg@10", RECALL, "mrr@10", "cited", "dropped")
"""In the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class RatedQuestion:
    """A rated question, in a form that needs no conversation. `passages`: the index's ids of the citations that the rating is about;
    `hits`: of all passages that were found."""

    trace_id: str
    question: str
    collection: str
    is_liked: bool
    passages: frozenset[str]
    hits: tuple[str, ...]

    @property
    def key(self) -> tuple[object, ...]:
        """The same for questions that would be replayed alike."""
        return (" ".join(self.question.casefold().split()), self.collection, self.is_liked, self.passages)


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Measure:
    """A metric of an arm over the questions that have it. `change`: against the first arm, None for itself."""

    metric: str
    questions: int
    value: Interval
    change: Interval | None


@dataclass(frozen=True, slots=True)
class ArmReplay:
    """The result of an arm. `lost`: trace ids of good answers of whose citations it finds fewer than the first arm, at most MOST_LOST."""

    arm: str
    measures: tuple[Measure, ...]
    lost: tuple[str, ...]


def rated_question(rated: RatedTurn) -> RatedQuestion | None:
    """The question of a rated turn; None if it cannot be asked again: documents alone did not answer it, the rating does not concern the
    citations, or it had filters, which are not stored."""
    record, cited = rated.record, rated_citations(rated)
    if not cited or record["search_type"] != "rag" or record["block_classes"]:
        return None
    return RatedQuestion(
        record["trace_id"],
        asked_in(record),
        record["collection"],
        rated.feedback.rating == "up",
        frozenset(hit["passage"] for _, hit in cited),
        tuple(hit["passage"] for hit in record["hits"]),
    )


def scores_of(question: RatedQuestion, ranking: Sequence[str], cited: Collection[str]) -> dict[str, float]:
    """The metrics of one arm on one question. `ranking`, `cited`: ids of passages, the best first."""
    again = len(question.passages.intersection(cited)) / len(question.passages)
    if not question.is_liked:
        return {"dropped": 1 - again}
    relevance = dict.fromkeys(question.passages, 1)
    return {
        "ndcg@10": ndcg(ranking, relevance, K),
        RECALL: recall(ranking, relevance, K),
        "mrr@10": reciprocal_rank(ranking, relevance, K),
        "cited": again,
    }


def compare_arms(questions: Sequence[RatedQuestion], scores: Mapping[str, Sequence[Mapping[str, float]]]) -> list[ArmReplay]:
    """The arms in their order; the first one is the control. `scores`: arm → `scores_of` each question."""
    control = next(iter(scores.values()))
    names = [name for name in METRICS if any(name in own_scores for own_scores in control)]
    replays = []
    for arm, mine in scores.items():
        measures = []
        for name in names:
            at = [number for number, own_scores in enumerate(control) if name in own_scores]
            differences = [mine[number][name] - control[number][name] for number in at]
            change = None if mine is control else Interval(*mean_interval(differences))
            measures.append(Measure(name, len(at), Interval(*mean_interval([mine[number][name] for number in at])), change))
        lost = [
            question.trace_id
            for question, own, first in zip(questions, mine, control, strict=True)
            if own.get(RECALL, 0.0) < first.get(RECALL, 0.0)
        ]
        replays.append(ArmReplay(arm, tuple(measures), tuple(lost[:MOST_LOST])))
    return replays
