"""Of two ways to read a question that follows others, the surer one is answered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.answer.other_reading import has_other_reading, take_surer_reading
from footnote.types import Hit, RankedList, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.footnote.answer.stored_sentences import Stored
from tests.turns import make_turn

LEAVE = make_hit("The annual leave is 29 days. Leave is requested in the portal.", "leave")
PARKING = make_hit("A parking permit costs 35 euros a month.", "parking")
COMPLETED = "parking permit days annual leave"


def read_as(text: str, hits: tuple[Hit, ...], *, other: str, question: str = "parking permit") -> Turn:
    turn = make_turn(question, queries=() if text == question else (text,), hits=hits)
    return replace(turn, conversation=replace(turn.conversation, other_reading=other))


async def taken(turn: Turn, *hits: Hit, outcome: str | None = None) -> Turn:
    """The turn after the step; the search for the other reading finds these."""

    async def search(asked: Turn) -> Turn:
        assert (asked.evidence.hits, asked.conversation.other_reading) == ((), "")
        found = make_turn(asked.request.question, queries=asked.rewritten, hits=hits)
        return replace(found, outcome=outcome)  # type: ignore[arg-type]

    index = Stored(LEAVE, PARKING, weights={"": 1.0})
    return await call_step(take_surer_reading, turn, FakeDeps(index=index, embedder=None, searcher=search))


async def test_a_new_topic_in_two_words_is_answered_instead_of_the_question_before() -> None:
    turn = await taken(read_as(COMPLETED, (LEAVE,), other="parking permit"), PARKING)
    assert (turn.asked, turn.evidence.hits, turn.rewritten) == ("parking permit", (PARKING,), ())
    assert turn.trace.notes["other_reading"] is True


async def test_a_question_that_goes_on_unseen_is_completed_if_that_finds_more() -> None:
    question = "What does it cost, by the way?"
    turn = await taken(read_as(question, (), other="What does a parking permit cost?", question=question), PARKING)
    assert (turn.asked, turn.evidence.hits) == ("What does a parking permit cost?", (PARKING,))
    assert turn.request.question == question


async def test_of_equal_readings_the_likelier_one_stays() -> None:
    turn = read_as("What is the parking permit?", (PARKING,), other="parking permit")
    assert await taken(turn, PARKING) == turn


@pytest.mark.parametrize(("hits", "outcome"), [((), None), ((PARKING,), "forbidden")])
async def test_a_reading_that_finds_nothing_or_may_not_be_asked_is_left(hits: tuple[Hit, ...], outcome: str | None) -> None:
    turn = read_as(COMPLETED, (LEAVE,), other="parking permit")
    assert await taken(turn, *hits, outcome=outcome) == turn


def test_only_a_search_of_the_index_is_made_again() -> None:
    turn = read_as(COMPLETED, (LEAVE,), other="parking permit")
    assert not has_other_reading(turn)  # what was found came from elsewhere
    searched = replace(turn, evidence=replace(turn.evidence, lists=(RankedList("bm25", COMPLETED, ()),)))
    assert has_other_reading(searched)
    assert not has_other_reading(replace(searched, conversation=replace(turn.conversation, other_reading="")))
    about = replace(searched.reading, scope=replace(searched.reading.scope, collection=True))
    assert not has_other_reading(replace(searched, reading=about))
