"""What a replay measures of an arm, and how arms are compared."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.learn.experiment_replay import Interval, RatedQuestion, compare_arms, rated_question, scores_of
from footnote.ports import RatedTurn
from footnote.types import Feedback
from tests.fakes import make_hit
from tests.turns import as_closest, make_turn, stored, with_

LIKED = RatedQuestion("t1", "How long?", "default", True, frozenset({"plan|1|0", "road|1|0"}), ("plan|1|0", "road|1|0"))
DISLIKED = replace(LIKED, trace_id="t2", is_liked=False)


def test_of_a_good_answer_counts_what_is_found_and_cited_again() -> None:
    assert scores_of(LIKED, ["plan|1|0", "road|1|0"], ["road|1|0", "plan|1|0"]) == {"ndcg@10": 1, "recall@10": 1, "mrr@10": 1, "cited": 1}
    found = scores_of(LIKED, ["other|1|0", "road|1|0"], ["other|1|0"])
    assert found == {"ndcg@10": pytest.approx(0.387, abs=0.001), "recall@10": 0.5, "mrr@10": 0.5, "cited": 0.0}


def test_of_a_bad_answer_counts_what_is_not_cited_again() -> None:
    assert scores_of(DISLIKED, ["plan|1|0"], ["plan|1|0"]) == {"dropped": 0.5}
    assert scores_of(DISLIKED, ["plan|1|0"], []) == {"dropped": 1.0}


def test_arms_are_compared_with_the_first_on_the_same_questions() -> None:
    questions = [replace(LIKED, trace_id=f"t{number}") for number in range(40)]
    good, half = scores_of(LIKED, ["plan|1|0", "road|1|0"], []), scores_of(LIKED, ["plan|1|0"], [])
    noisy = [half if number % 2 else good for number in range(40)]
    first, worse, same = compare_arms(questions, {"first": [good] * 40, "worse": noisy, "same": [good] * 40})
    of_first, of_worse, of_same = ({each.metric: each for each in arm.measures}["recall@10"] for arm in (first, worse, same))
    assert (of_first.value, of_first.change, of_first.questions) == (Interval(1.0, 1.0, 1.0), None, 40)
    assert of_worse.change.mean == -0.25
    assert -0.35 < of_worse.change.low < of_worse.change.high < -0.15
    assert of_same.change == Interval(0.0, 0.0, 0.0)
    assert (first.lost, same.lost) == ((), ())
    assert worse.lost == tuple(f"t{number}" for number in range(40) if number % 2)


def test_good_and_bad_answers_are_measured_apart() -> None:
    scores = [scores_of(LIKED, ["plan|1|0"], ["plan|1|0"]), scores_of(DISLIKED, [], [])]
    (only,) = compare_arms([LIKED, DISLIKED], {"only": scores})
    assert {each.metric: (each.questions, each.value.mean) for each in only.measures}["dropped"] == (1, 1.0)
    assert {each.metric: each.questions for each in only.measures}["cited"] == 1


def rated(rating: Any = "up", changes: Any = None, **turn: Any) -> RatedTurn:
    hits = (make_hit("Two years long.", "plan"), make_hit("Nine miles long.", "road"))
    record: Any = stored(as_closest(with_(make_turn("How long?", hits=hits), **turn))) | (changes or {})
    return RatedTurn(record, Feedback("t1", "ann", rating))


def test_a_question_is_replayed_as_it_stood_alone() -> None:
    assert rated_question(rated()) == LIKED
    follow_up = rated_question(rated(queries=("How long is the road?",)))
    assert follow_up.question == "How long is the road?"


@pytest.mark.parametrize("changes", [{"search_type": "pa"}, {"block_classes": ["contracts"]}, {"is_error": True}])
def test_turns_not_answered_from_documents_alone_are_not_replayed(changes: Any) -> None:
    assert rated_question(rated(changes=changes)) is None


def test_the_same_question_is_one_question() -> None:
    assert LIKED.key == replace(LIKED, trace_id="t9", question="how  LONG?").key
    assert len({LIKED.key, DISLIKED.key, replace(LIKED, passages=frozenset({"x"})).key, replace(LIKED, collection="side").key}) == 4
