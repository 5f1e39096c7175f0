"""What every language model does."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from footnote.adapters.openai.reply_stream import joined
from footnote.errors import ModelUnavailable
from footnote.ports import Delta, LanguageModel
from footnote.types import Message, Usage
from tests.contracts.conftest import Script

ASKED = (Message("user", "When?"),)
REPLY = (Delta(thinking="Hm."), Delta("In "), Delta("1894 🙂"), Delta(usage=Usage(7, 3)))
WHOLE = [Delta(thinking="Hm."), Delta("In 1894 🙂"), Delta(usage=Usage(7, 3))]
"""The same, with text that came together as one piece."""


async def collect(model: LanguageModel) -> list[Delta]:
    return [*joined([delta async for delta in model.stream(ASKED)])]


async def test_a_reply_comes_in_the_order_it_was_made(script: Script) -> None:
    assert await collect(script(*REPLY)) == WHOLE


async def test_an_interrupted_reply_raises_an_error_after_the_text_received(script: Script) -> None:
    stream = script(Delta("In "), None).stream(ASKED)
    assert await anext(stream) == Delta("In ")
    with pytest.raises(ModelUnavailable):
        await anext(stream)


async def test_after_an_abandoned_reply_the_next_one_is_complete(script: Script) -> None:
    model = script(*REPLY)
    async with aclosing(model.stream(ASKED)) as stream:  # type: ignore[type-var]
        assert await anext(stream) == REPLY[0]
    assert await collect(model) == WHOLE


async def test_replies_at_the_same_time_do_not_mix(script: Script) -> None:
    model = script(*REPLY)
    assert await asyncio.gather(collect(model), collect(model)) == [WHOLE, WHOLE]


async def test_an_empty_reply_has_no_pieces(script: Script) -> None:
    assert await collect(script()) == []
