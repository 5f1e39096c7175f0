"""Several answers to one question: the best supported one is given, and it is said that they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from footnote.answer.generate import answer_fitting
from footnote.answer.vote import are_different, is_unanswered, vote
from footnote.errors import ModelUnavailable
from footnote.events import Done, Event, Failed, Token
from footnote.pipeline import DOCUMENTS
from footnote.ports import Delta
from footnote.steps import Step
from footnote.types import Answer, Message, Turn
from tests.deps import FakeDeps, call_step, run_table
from tests.fakes import FakeModel, FakeModels, Piece, make_hit
from tests.footnote.answer.stored_sentences import Stored
from tests.turns import LIVE, make_turn, with_

HIT = make_hit("The bridge was built in 1894. It is painted blue every ten years. Dogs are allowed on the bridge.", "bridge")
ASKED = make_turn("When was the bridge built?", hits=(HIT,), messages=(Message("user", "When?"),), model="fake")
RIGHT, WRONG, UNCITED = "The bridge was built in 1894 [1].", "The bridge was built in 1931 [1].", "It is old."
LACKING = "The documents do not contain this information."


async def run(*replies: Sequence[Piece], turn: Turn = ASKED) -> tuple[list[Event], Turn, FakeModel]:
    model = FakeModel(list(replies))
    events = [event async for event in call_step(vote, turn, FakeDeps(models=FakeModels(model), index=Stored(HIT)))]
    assert isinstance(events[-1], Turn)
    return events[:-1], events[-1], model  # type: ignore[return-value]


@pytest.mark.parametrize("replies", [(WRONG, RIGHT, UNCITED), (RIGHT, WRONG, WRONG), (UNCITED, LACKING, RIGHT)])
async def test_the_answer_that_its_sources_support_is_given(replies: tuple[str, ...]) -> None:
    events, turn, model = await run(*([reply] for reply in replies))
    assert events == [Token(RIGHT)]
    assert (turn.answer and turn.answer.text, turn.trace.notes["vote"]["chosen"]) == (RIGHT, replies.index(RIGHT) + 1)
    assert turn.answer
    assert turn.answer.warnings == ("disagreement",)
    assert len(turn.trace.calls) == 3
    assert [sent.options["temperature"] for sent in model.sent] == [0.7] * 3
    assert turn.request == ASKED.request


async def test_drafts_that_agree_have_no_warning() -> None:
    _, turn, _ = await run([RIGHT], ["The bridge was built in 1894, it says [1]."], [RIGHT], turn=with_(ASKED, temperature=0.4))
    assert (turn.answer.text, turn.answer.warnings) == (RIGHT, ())
    assert turn.trace.notes["vote"] == {"drafts": 3, "chosen": 1, "supported": [1.0, 1.0, 1.0], "differ": False}


async def test_where_most_say_that_the_documents_lack_it_they_win() -> None:
    _, turn, _ = await run([LACKING], [RIGHT], [LACKING])
    assert (turn.answer.text, turn.answer.warnings) == (LACKING, ("disagreement",))


async def test_a_draft_that_fails_is_left_out_and_none_is_an_error() -> None:
    gone = ModelUnavailable("gone")
    _, turn, _ = await run([gone], [RIGHT], [gone])
    assert (turn.answer and turn.answer.text, turn.trace.notes["vote"]["drafts"]) == (RIGHT, 1)
    with pytest.raises(ModelUnavailable, match="gone"):
        await run([gone], [gone], [gone])


async def test_a_truncated_draft_is_given_only_where_all_are() -> None:
    cut = Delta(cut="length")
    _, turn, _ = await run([RIGHT, cut], [UNCITED], [RIGHT, cut])
    assert turn.answer == Answer(UNCITED, model="fake")
    _, turn, _ = await run([RIGHT, cut], [UNCITED, cut], [UNCITED, cut])
    assert (turn.answer.text, turn.answer.cut) == (RIGHT, "length")


@pytest.mark.parametrize(
    ("one", "other", "lang", "differ"),
    [
        ("Built in 1894.", "It was built in 1894 and is blue.", "en", False),
        ("Built in 1894.", "Built in 1931.", "en", True),
        ("Dogs are allowed on the bridge.", "Dogs are not allowed on the bridge.", "en", True),
        ("Yes, dogs are allowed.", "Dogs are allowed.", "en", False),
        ("Hunde sind auf der Brücke erlaubt.", "Hunde sind auf der Brücke nicht erlaubt.", "de", True),
        ("다리에서 개는 허용된다.", "다리에서 개는 허용되지 않는다.", "ko", True),
        ("It costs 4 euros. The ferry opens at 8 o'clock.", "The ferry opens at 9 o'clock. It costs 4 euros.", "en", True),
        ("Cars cost 4 euros.", "It opens at 9 and costs 4 euros.", "en", False),
        (LACKING, RIGHT, "en", True),
        (LACKING, "I don't know.", "en", False),
    ],
)
def test_answers_disagree_by_numbers_negations_and_whether_there_is_one(one: str, other: str, lang: str, differ: bool) -> None:
    assert are_different(Answer(one), Answer(other), lang) is are_different(Answer(other), Answer(one), lang) is differ


@pytest.mark.parametrize("reply", [RIGHT, ModelUnavailable("gone")])
async def test_the_answer_is_not_written_a_fourth_time_but_quoted_where_all_drafts_fail(reply: Piece) -> None:
    rows = [row for row in DOCUMENTS if isinstance(row, Step) and row.run in (vote, answer_fitting)]
    model = FakeModel([[reply]] * 4)
    asked = with_(ASKED, profile=LIVE, options={"ensemble_voting": True})
    done = (await run_table(rows, asked, FakeDeps(models=FakeModels(model), index=Stored(HIT))))[-1]
    assert isinstance(done, Done)
    assert (len(model.sent), done.turn.answer.extractive, done.turn.trace.degraded) == (3, reply != RIGHT, reply != RIGHT)
    assert "built in 1894" in done.turn.answer.text


async def test_an_error_of_all_drafts_is_told_where_nothing_is_quoted() -> None:
    rows = [row for row in DOCUMENTS if isinstance(row, Step) and row.run in (vote, answer_fitting)]
    model = FakeModel([[ModelUnavailable("gone")]] * 4)
    asked = with_(ASKED, profile=replace(LIVE, options={"quotes": False}), options={"ensemble_voting": True})
    failed = (await run_table(rows, asked, FakeDeps(models=FakeModels(model), index=Stored(HIT))))[-1]
    assert isinstance(failed, Failed)
    assert (failed.error.detail, len(model.sent)) == ("gone", 3)


def test_without_a_model_nothing_is_written() -> None:
    assert not is_unanswered(with_(ASKED, model=None))
