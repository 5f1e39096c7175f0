"""Documents and question in one message, with the conversation before it."""

from __future__ import annotations

import pytest

from footnote.answer.context import assemble_context
from footnote.prompts import LANGUAGES
from footnote.types import Exchange, Profile
from tests.deps import FakeDeps, call_step
from tests.fakes import make_hit
from tests.turns import make_turn


@pytest.mark.parametrize("lang", [*LANGUAGES, "ja"])
async def test_references_stand_beside_the_question_after_what_was_said_before(lang: str) -> None:
    profile = Profile(
        "p",
        live=True,
        citation_style="references",
        prompt="system",
        question_prompt="answer_references",
        context_tokens=80,
    )
    hits = make_hit("It was built in 1894.", "bridge", page=7), make_hit("It is blue.", "bridge", 1)
    history = Exchange("Too long to be shown " * 5, "Yes"), Exchange("A bridge?", "Yes.")
    asked = make_turn("When {{ 1 }} [References]?", profile, lang=lang, hits=hits, exchanges=history, queries=("When was it built?",))
    system, *earlier, user = (await call_step(assemble_context, asked, FakeDeps())).messages
    assert (system.role, [message.content for message in earlier], user.role) == ("system", ["A bridge?", "Yes."], "user")
    assert "1894" not in system.content
    references, _, question = user.content.partition("[Question]\n")
    assert "\nReference [1] : Bridge (" in references
    assert "\nReference [2] : Bridge\n<document>\nIt is blue.\n</document>" in references
    assert (user.content.count("[References]"), question.startswith("When {{ 1 }}"), "When was it built?" in question) == (1, True, True)


@pytest.mark.parametrize("exchanges", [(), (Exchange("A bridge?", "Yes."),)], ids=["alone", "in a conversation"])
async def test_the_model_gets_the_user_s_words_and_what_was_searched_for(exchanges: tuple[Exchange, ...]) -> None:
    asked = make_turn("And it?", hits=(make_hit("x"),), queries=("When was it built?",), exchanges=exchanges)
    turn = await call_step(assemble_context, asked, FakeDeps())
    assert turn.messages[-1].content.endswith("\n\nAnd it?\n\n(The documents were searched for: When was it built?)")


async def test_a_question_that_was_searched_for_as_it_is_stands_alone() -> None:
    turn = await call_step(assemble_context, make_turn("When was it built?", hits=(make_hit("x"),)), FakeDeps())
    assert len(turn.messages) == 2
    assert turn.messages[1].content.endswith("\n\nWhen was it built?")
