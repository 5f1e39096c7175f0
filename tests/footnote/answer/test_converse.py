"""A conversation without documents."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.answer.converse import assemble_conversation, history_messages
from footnote.prompts import LANGUAGES
from footnote.types import Exchange, Message
from tests.deps import FakeDeps, call_step
from tests.turns import HELD, make_turn

FIRST, SECOND = Exchange("one two", "three four"), Exchange("five", "six seven")
"""Four tokens, three tokens."""
CUT = Exchange("five", "six …")


@pytest.mark.parametrize(("budget", "kept"), [(7, (FIRST, SECOND)), (6, (SECOND,)), (3, (SECOND,)), (2, (CUT,)), (1, ())])
def test_only_a_last_answer_that_is_too_long_is_shortened(budget: int, kept: tuple[Exchange, ...]) -> None:
    assert history_messages((FIRST, SECOND), budget) == tuple(
        message for each in kept for message in (Message("user", each.question), Message("assistant", each.answer))
    )


@pytest.mark.parametrize("lang", [*LANGUAGES, "ja"])
async def test_the_model_hears_the_conversation_and_then_the_question_as_it_was_asked(lang: str) -> None:
    profile = replace(HELD, prompt="system", context_tokens=100)
    asked = make_turn("And {{ 1 }}?", profile, lang=lang, exchanges=(FIRST,), queries=("Something else",))
    turn = await call_step(assemble_conversation, asked, FakeDeps())
    assert turn.messages[1:3] == (Message("user", "one two"), Message("assistant", "three four"))
    assert turn.messages[3].content.endswith("\n\nAnd {{ 1 }}?")
    assert turn.messages[0].role == "system"
    assert len(turn.messages[0].content) > 100
