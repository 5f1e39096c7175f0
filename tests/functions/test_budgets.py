"""A user's daily budget: the usual model, a cheaper one, search results only."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.answer.messages import message
from footnote.bootstrap import Core
from footnote.ports import Delta
from footnote.settings import LLM, Budget, Caching, Embedding, Settings
from footnote.types import Caller, Mode, ModelSource, Request, Usage
from query.app import create_app
from tests.conftest import HandClock
from tests.fakes import FakeModel, make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, QUESTION, as_caller
from tests.turns import LIVE

ANN = Caller("ann", frozenset({"*"}))
REPLY = ("It was built in 1894 [^bridge].", Delta(usage=Usage(300, 100)))
Ask = Callable[[], Awaitable[dict[str, Any]]]


class Endpoint:
    """`ports.Models`: every name is a model, and all give the same reply."""

    address = None
    source = ModelSource("configured")

    async def pick(self, name: str | None) -> FakeModel:
        return FakeModel([REPLY], name=name or "big")


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock) -> AsyncIterator[Core]:
    settings = Settings(
        footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False, cheaper_model="thrifty"),
        budget=Budget(tokens_per_day=1000), cache=Caching(enabled=False),
    )  # fmt: skip
    core = Core(settings, clock=clock, models=Endpoint())
    await put_document(core.index, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
    yield core
    await core.close()


@pytest.fixture
async def ask(core: Core) -> AsyncIterator[Ask]:
    app = as_caller(ANN, create_app)(lambda: core)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footnote.test") as client:

        async def ask() -> dict[str, Any]:
            reply: dict[str, Any] = (await client.post("/ask", json=ASK)).json()
            return reply

        yield ask


async def test_an_exhausted_budget_removes_the_model_and_not_the_answer(ask: Ask, clock: HandClock) -> None:
    replies = [await ask() for _ in range(4)]
    assert [reply["model"] for reply in replies] == ["big", "big", "thrifty", None]
    assert [[warning for warning in reply["warnings"] if "budget" in warning] for reply in replies] == [
        [], [], ["budget_cheaper"], ["budget_search"],
    ]  # fmt: skip
    assert [reply["notice"] for reply in replies] == [None, None, message("budget_cheaper", "en"), message("budget_search", "en")]
    assert replies[3]["answer"] == "**Records**\n\nThe bridge was built in 1894. [^bridge]"
    assert [reply["degraded"] for reply in replies] == [False] * 4
    clock.advance(24 * 3600)
    assert (await ask())["model"] == "big"


async def test_users_see_what_is_left_of_their_budget(core: Core, ask: Ask, clock: HandClock) -> None:
    app = as_caller(ANN, create_app)(lambda: core)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footnote.test") as client:
        limits = {"tokens_per_day": 1000, "money_per_day": None, "cheaper_at": 0.8}
        for spent in (0.0, 0.4):
            assert (await client.get("/me/usage")).json()["budget"] == {**limits, "spent": spent}
            await ask()
        clock.advance(24 * 3600)
        assert (await client.get("/me/usage")).json()["budget"]["spent"] == 0
    app = as_caller(Caller("local", sees_all=True), create_app)(lambda: core)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footnote.test") as client:
        assert (await client.get("/me/usage")).json()["budget"] is None  # nobody counts the only user


@pytest.mark.parametrize("mode", ["gpt", "pa", "vision"])
async def test_a_question_that_only_a_model_can_answer_says_that_the_budget_is_used_up(
    core: Core, ask: Ask, clock: HandClock, mode: Mode
) -> None:
    for _ in range(3):
        await ask()
    turn = await core.answer.finish(core.new_turn(Request(QUESTION, "default", mode=mode), ANN, LIVE))
    assert turn.answer is not None
    assert (turn.outcome, turn.answer.text, turn.record.usage.total_tokens) == ("refused", message("spent", "en"), 0)
