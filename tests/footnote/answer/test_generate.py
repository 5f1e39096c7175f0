"""The language model's words, with their citations checked."""

from __future__ import annotations

import pytest

from footnote.answer.generate import check_citations, generate, pick_model, tell_nothing_found
from footnote.answer.messages import MESSAGES, message
from footnote.errors import ModelUnavailable
from footnote.events import Event, Think, Token
from footnote.ports import Delta
from footnote.types import Answer, Caller, Chunk, Citation, Message, Profile, Turn, Usage
from tests.fakes import FakeModel, FakeModels, Piece, make_hit, make_turn

HIT = make_hit("The bridge was built in 1894. It is blue.", "bridge")
PROFILE = Profile("p", live=False, citation_style="numbered", prompt="x", temperature=0.4, max_tokens=9, first_token_s=1.5, total_s=20)
ASKED = make_turn("When?", PROFILE, hits=(HIT,), messages=(Message("system", "one two three"), Message("user", "When?")), model="fake")


async def run(*reply: Piece, turn: Turn = ASKED) -> tuple[list[Event], Turn, FakeModel]:
    model = FakeModel([reply])
    events = [event async for event in generate(turn, models=FakeModels(model))]
    assert isinstance(events[-1], Turn)
    return events[:-1], events[-1], model  # type: ignore[return-value]


async def test_the_reply_is_streamed_as_it_comes_and_kept_as_an_answer() -> None:
    events, turn, model = await run(Delta(thinking="Hm."), "In 18", "94 [1].", Delta(usage=Usage(11, 5)))
    assert events == [Think("Hm."), Token("In 18"), Token("94 [1].")]
    assert turn.answer is not None
    assert (turn.answer.text, turn.answer.model, turn.answer.extractive) == ("In 1894 [1].", "fake", False)
    assert [(citation.number, citation.hit, citation.snippet) for citation in turn.answer.citations] == [(1, HIT, HIT.chunk.text)]
    assert turn.usage == Usage(11, 5)
    assert model.sent[0].messages == ASKED.messages
    assert model.sent[0].options == {"temperature": 0.4, "max_tokens": 9, "first_token_s": 1.5, "total_s": 20}


async def test_tokens_are_estimated_where_the_provider_does_not_tell() -> None:
    _, turn, _ = await run("Yes, in 1894.", turn=ASKED.with_(usage=Usage(1, 1)))
    # one two three = 3, "When?" = 1.5 → 2; Yes in 1894 = 3, two signs = 1
    assert turn.usage == Usage(6, 5, estimated=True)


@pytest.mark.parametrize("reply", ["\n\n  In 1894 [1].\n", "In 1894 [1].", "\tIn 1894 [1]. [7]\n"])
async def test_markers_stand_where_their_spans_say_whatever_white_space_came(reply: str) -> None:
    _, turn, _ = await run(reply)
    assert turn.answer is not None
    assert turn.answer.text == "In 1894 [1]."
    assert turn.answer.citations[0].spans == ((8, 11),)


@pytest.mark.parametrize("reply", [(), ("",), ("  \n",), (Delta(thinking="Hm."),)])
async def test_an_empty_reply_is_an_error_of_the_model(reply: tuple[Piece, ...]) -> None:
    with pytest.raises(ModelUnavailable, match="empty answer"):
        await run(*reply)


async def test_a_model_that_is_gone_meanwhile_is_an_error() -> None:
    with pytest.raises(ModelUnavailable):
        [event async for event in generate(ASKED, models=FakeModels())]


async def test_the_model_that_will_answer_is_named_beforehand() -> None:
    models = FakeModels(FakeModel([], name="llama"))
    assert (await pick_model(make_turn(model="big"), models=models)).model == "llama"
    assert models.asked == ["big"]
    assert (await pick_model(make_turn(model="big"), models=FakeModels())).model is None


async def test_an_answer_that_cites_nothing_is_rejected_or_carries_a_warning() -> None:
    uncited = ASKED.with_(answer=Answer("In 1894.", model="fake", warnings=("short",)))
    assert (await check_citations(uncited)).answer == Answer("In 1894.", model="fake", warnings=("short", "uncited"))
    strict = uncited.with_(profile=Profile("p", live=False, citation_style="numbered", prompt="x", reject_uncited=True))
    rejected = await check_citations(strict)
    assert (rejected.outcome, rejected.answer) == ("refused", Answer(message("uncited", "en"), model="fake"))
    for fine in (None, Answer("In 1894 [1].", (Citation(1, HIT, "x"),)), Answer("In 1894.", extractive=True)):
        assert await check_citations(strict.with_(answer=fine)) == strict.with_(answer=fine)


async def test_a_reader_is_told_why_nothing_was_found() -> None:
    class Visible:
        def __init__(self, *chunks: Chunk) -> None:
            self._chunks = chunks

        async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
            return list(self._chunks)

    for index, key in ((Visible(HIT.chunk), "no_hits"), (Visible(), "empty")):
        said = [event async for event in tell_nothing_found(make_turn(lang="ko"), index=index)]  # type: ignore[arg-type]
        assert said[0] == Token(MESSAGES[key]["ko"])
        assert isinstance(said[1], Turn)
        assert (said[1].outcome, said[1].answer) == ("no_hits", Answer(MESSAGES[key]["ko"]))


def test_every_message_is_there_in_three_languages_and_english_stands_for_the_rest() -> None:
    assert all(sorted(texts) == ["de", "en", "ko"] and all(texts.values()) for texts in MESSAGES.values())
    assert message("empty", "fr") == MESSAGES["empty"]["en"]
