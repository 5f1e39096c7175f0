"""Texts of a model that are no answer, or only say that the documents lack it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.answer.check import check_answer, doubt_answer
from footnote.answer.messages import message
from footnote.types import Answer, Citation, Message, Turn
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.footnote.answer.stored_sentences import Stored
from tests.turns import HELD, make_turn, with_

HIT = make_hit("The bridge was built in 1894. It is blue.", "bridge")
ASKED = make_turn("When was it built?", HELD, hits=(HIT,), model="fake")
STRICT = replace(HELD, options={"reject_uncited": True})
CITED = (Citation(1, HIT, "x", spans=((8, 11),)),)
NEGATING = (Citation(1, HIT, "x", spans=((3, 6),)),)
SILENT = Answer("The documents do not mention a year [1].", (Citation(1, HIT, "x", spans=((36, 39),)),), model="fake")
UNCITED = Answer("In 1931.", model="fake", warnings=("short",))


async def check(turn: Turn) -> Turn:
    """The turn after a check."""
    return [item async for item in call_step(check_answer, turn, FakeDeps(index=Stored(HIT)))][-1]  # type: ignore[return-value]


async def test_an_uncited_answer_is_rejected_and_its_owner_finds_it_in_the_trace() -> None:
    rejected = await check(with_(ASKED, profile=STRICT, answer=UNCITED))
    assert (rejected.outcome, rejected.answer) == ("refused", Answer(message("uncited", "en"), model="fake"))
    assert rejected.trace.notes == {"rejected_answer": "In 1931."}


async def test_an_answer_that_the_documents_are_silent_is_replaced_or_marked() -> None:
    replaced = await check(with_(ASKED, profile=STRICT, lang="ko", answer=SILENT))
    assert (replaced.outcome, replaced.answer) == ("refused", Answer(message("insufficient", "ko"), model="fake"))
    assert replaced.trace.notes == {"rejected_answer": SILENT.text}
    marked = await check(with_(ASKED, answer=SILENT))
    assert (marked.outcome, marked.answer) == ("refused", replace(SILENT, warnings=("insufficient",)))
    assert marked.trace.notes == {}


@pytest.mark.parametrize(
    "answer", [None, Answer("In 1894 [1].", CITED), Answer("I don't know.", extractive=True), Answer("No [1].", NEGATING)]
)
async def test_other_answers_stand(answer: Answer | None) -> None:
    turn = with_(ASKED, profile=STRICT, answer=answer)
    checked = await check(turn)
    claimed = replace(answer, claims=checked.answer.claims) if answer and checked.answer else answer
    assert checked == replace(turn, answer=claimed)


async def test_a_text_from_a_tool_or_an_attached_text_is_only_marked() -> None:
    said = Message("tool", "In 1894.", tool_call_id="c1", name="mcp_calendar")
    for turn in (with_(ASKED, answer=UNCITED, attached="Notes."), with_(ASKED, answer=UNCITED, tool_messages=(said,))):
        assert (await check(turn)).answer == replace(UNCITED, warnings=("short", "uncited"))
        assert (await doubt_answer(turn)).outcome is None


async def test_where_the_check_fails_an_uncited_text_is_no_answer() -> None:
    doubted = await doubt_answer(with_(ASKED, answer=UNCITED))
    assert (doubted.outcome, doubted.answer) == ("refused", replace(UNCITED, warnings=("short", "uncited")))
    for answer in (Answer("In 1894 [1].", CITED), Answer("In 1894.", extractive=True)):
        assert await doubt_answer(with_(ASKED, answer=answer)) == with_(ASKED, answer=answer)
