"""A real language model behind a real server: llama.cpp. What the model says is nobody's to expect; how it comes is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from time import monotonic
from typing import Any, Literal

import httpx
import pytest
from pydantic import BaseModel, Field

from footnote.adapters.openai.models import ConfiguredModels
from footnote.errors import PromptTooLong
from footnote.model_calls import ask, read_reply
from footnote.ports import Delta, LanguageModel, Tool
from footnote.types import Message, ToolCall

COUNT = (Message("user", "Count from one to two hundred in words."),)
SEARCH = Tool("search", "Searches documents.", {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]})


class Built(BaseModel, defer_build=True):
    year: int = Field(description="a whole number")
    where: Literal["Köln", "서울"] = Field(description="a city")


@pytest.fixture
async def models(llama_url: str) -> AsyncIterator[ConfiguredModels]:
    made = ConfiguredModels(f"{llama_url}/v1", None, None, temperature=0.0, max_tokens=24)
    yield made
    await made.close()


@pytest.fixture
async def model(models: ConfiguredModels) -> LanguageModel:
    picked = await models.pick(None)
    assert picked is not None
    return picked


async def read(model: LanguageModel, messages: Sequence[Message], **options: Any) -> list[Delta]:
    return [delta async for delta in model.stream(messages, **options)]


async def works_on(llama_url: str, limit: int) -> bool:
    """Whether the server, which other tests may be using, works on a request with this limit."""
    async with httpx.AsyncClient(base_url=llama_url) as client:
        slots = (await client.get("/slots")).json()
    return any(slot["is_processing"] and slot["params"]["max_tokens"] == limit for slot in slots)


async def test_a_reply_comes_in_pieces_and_ends_with_its_usage(model: LanguageModel) -> None:
    pieces = await read(model, COUNT, max_tokens=12)
    assert model.name == "smollm2"
    assert len([piece for piece in pieces if piece.text]) > 3
    assert [piece.usage.completion_tokens for piece in pieces if piece.usage] == [12]
    assert pieces[-1].usage is not None


async def test_a_reply_that_is_as_long_as_it_may_be_says_so(model: LanguageModel) -> None:
    pieces = await read(model, COUNT, max_tokens=5)
    assert [piece.cut for piece in pieces if piece.cut] == ["length"]
    assert [piece.usage.completion_tokens for piece in pieces if piece.usage] == [5]


async def test_a_value_of_a_schema_is_what_the_grammar_allows(models: ConfiguredModels) -> None:
    question = Message("user", "The bridge in Köln was built in 1894. Reply with nothing but JSON.")
    assert await ask(models, None, [question], Built, max_tokens=60, timeout_s=60) == Built(year=1894, where="Köln")


async def test_a_prompt_beyond_the_window_names_the_window(model: LanguageModel) -> None:
    with pytest.raises(PromptTooLong) as raised:
        await read(model, [Message("user", "word " * 5000)])
    assert raised.value.window == 4096


async def test_a_reader_who_leaves_ends_the_work(model: LanguageModel, llama_url: str) -> None:
    async with aclosing(read_reply(model, COUNT, max_tokens=1999)) as stream:
        await anext(stream)
        assert await works_on(llama_url, 1999)
    until = monotonic() + 20
    while (working := await works_on(llama_url, 1999)) and monotonic() < until:
        await asyncio.sleep(0.05)
    assert not working


async def test_two_replies_at_once_do_not_mix(model: LanguageModel) -> None:
    async def name(city: str) -> Any:
        schema = {"type": "object", "properties": {"city": {"enum": [city]}}, "required": ["city"]}
        return json.loads("".join(piece.text for piece in await read(model, [Message("user", "Which city?")], schema=schema)))

    assert await asyncio.gather(name("Köln"), name("서울")) == [{"city": "Köln"}, {"city": "서울"}]


async def test_the_result_of_a_tool_is_read(model: LanguageModel) -> None:
    """This model calls none by itself; that a call and its result are taken back is what a server may refuse."""
    called = Message("assistant", "", tool_calls=(ToolCall("call_1", "search", '{"query": "hotel"}'),))
    found = Message("tool", "A hotel night is reimbursed up to 142 euros.", tool_call_id="call_1", name="search")
    asked = Message("user", "How much is a hotel night? Search, then answer with what was found.")
    pieces = await read(model, [asked, called, found], tools=[SEARCH])
    assert "".join(piece.text for piece in pieces).strip() or any(piece.tool_calls for piece in pieces)
