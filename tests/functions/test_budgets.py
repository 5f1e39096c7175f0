"""A user's daily budget: the usual model, a cheaper one, search results only."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.answer.messages import message
from footnote.bootstrap import Core
from footnote.errors import FootnoteError, ModelUnavailable
from footnote.guard.spending import Hold
from footnote.ports import Delta
from footnote.settings import LLM, Budget, Caching, Embedding, Limits, Settings
from footnote.text.tokens import count_tokens
from footnote.types import Caller, Message, Mode, ModelSource, Request, Usage
from footnote_query.app import create_app
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
    await put_document(core.generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
    yield core
    await core.close()


@pytest.fixture
async def ask(core: Core) -> AsyncIterator[Ask]:
    app = as_caller(ANN, create_app)(lambda: core)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://footnote.test") as client:

        async def ask() -> dict[str, Any]:
            return (await client.post("/ask", json=ASK)).json()

        yield ask


@pytest.mark.usefixtures("sure_of_little")
async def test_an_exhausted_budget_removes_the_model_and_not_the_answer(ask: Ask, clock: HandClock) -> None:
    replies = [await ask() for _ in range(4)]
    assert [reply["model"] for reply in replies] == ["big", "big", "thrifty", None]
    assert [[warning for warning in reply["warnings"] if "budget" in warning] for reply in replies] == [
        [], [], ["budget_cheaper"], ["budget_search"],
    ]  # fmt: skip
    assert [reply["notice"] for reply in replies] == [None, None, message("budget_cheaper", "en"), message("budget_search", "en")]
    assert replies[3]["answer"] == "**Records**\n\nThe bridge was built in 1894. It is painted blue. [^bridge]"
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
    assert (turn.outcome, turn.answer.text, turn.trace.usage.total_tokens) == ("refused", message("spent", "en"), 0)


class Crowd:
    """`ports.Models` whose replies wait until everybody who asked at the same time has a reply or waits for one. Without prompt tokens
    in its `usage` it counts them."""

    address = None
    source = ModelSource("configured")
    name = "big"

    def __init__(self, usage: Usage, error: FootnoteError | None = None) -> None:
        self.usage, self.error = usage, error
        self.spent = self.waiting = 0
        self.open = asyncio.Event()

    async def pick(self, name: str | None) -> Crowd:
        return self

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        self.waiting += 1
        await self.open.wait()
        if self.error is not None:
            raise self.error
        usage = (
            self.usage if self.usage.prompt_tokens else replace(self.usage, prompt_tokens=sum(count_tokens(m.content) for m in messages))
        )
        self.spent += usage.total_tokens
        yield Delta("It was built in 1894 [^bridge].", usage=usage)


@pytest.fixture
async def site(tmp_path: Path, clock: HandClock) -> AsyncIterator[Callable[..., Awaitable[list[Core]]]]:
    """Makes processes that share their stores, with one document."""
    made: list[Core] = []

    async def make(models: Any, budget: Budget, processes: int = 1) -> list[Core]:
        settings = Settings(
            footnote_data=tmp_path, embedding=Embedding(builtin=False), budget=budget, cache=Caching(enabled=False),
            llm=LLM(discover=False, input_price=1, output_price=1), limits=Limits(user_per_minute=0, address_per_minute=0),
        )  # fmt: skip
        cores = [Core(settings, clock=clock, models=models) for _ in range(processes)]
        if not made:
            await put_document(cores[0].generations, make_document("bridge", title="Records", groups=("*",)), BRIDGE)
        made.extend(cores)
        return cores

    yield make
    for core in made:
        await core.close()


async def ask_at_once(
    crowd: Crowd, cores: Sequence[Core], many: int, path: str = "/ask", body: dict[str, Any] = ASK
) -> list[httpx.Response]:
    """The replies to the same request, made so often at the same time."""
    clients = [
        httpx.AsyncClient(
            transport=httpx.ASGITransport(as_caller(ANN, create_app)(lambda core=core: core)), base_url="http://footnote.test"
        )
        for core in cores
    ]
    replies = [asyncio.ensure_future(clients[number % len(clients)].post(path, json=body)) for number in range(many)]
    while crowd.waiting + sum(reply.done() for reply in replies) < many:
        await asyncio.sleep(0.01)
    crowd.open.set()
    done = await asyncio.gather(*replies)
    for client in clients:
        await client.aclose()
    assert {reply.status_code for reply in done} <= {200, 503}
    return done


COMPLETION: dict[str, Any] = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("path", "body"),
    [("/ask", ASK), ("/v1/chat/completions", COMPLETION), ("/v1/chat", {"message": QUESTION})],
    ids=["ask", "openai", "chat"],
)
async def test_seventy_questions_at_once_spend_at_most_the_budget_and_one_answer(
    site: Callable[..., Awaitable[list[Core]]], path: str, body: dict[str, Any]
) -> None:
    crowd, budget = Crowd(Usage(40, 15)), Budget(tokens_per_day=300)
    cores = await site(crowd, budget, processes=2)
    replies = await ask_at_once(crowd, cores, 70, path, body)
    assert {reply.status_code for reply in replies} == {200}
    assert 0 < crowd.spent <= 300 + 55
    assert await cores[0].spending.share("ann", budget) == crowd.spent / 300
    assert await Hold(cores[0].spending, "ann", budget, LLM()).open() == crowd.spent / 300, "nothing is held any more"


@pytest.mark.parametrize(
    ("budget", "limit"), [(Budget(tokens_per_day=12_000), 12_000), (Budget(money_per_day=0.012), 12_000)], ids=["tokens", "money"]
)
async def test_questions_at_once_use_what_the_budget_holds(site: Callable[..., Awaitable[list[Core]]], budget: Budget, limit: int) -> None:
    crowd = Crowd(Usage(1_500, 500))
    cores = await site(crowd, budget)
    replies = [reply.json() for reply in await ask_at_once(crowd, cores, 30)]
    assert crowd.spent == limit
    assert [sum(reply["model"] == model for reply in replies) for model in ("big", None)] == [6, 24]
    assert all("budget_search" in reply["warnings"] for reply in replies if reply["model"] is None)


async def test_the_size_of_a_prompt_is_known_before_it_is_sent(site: Callable[..., Awaitable[list[Core]]]) -> None:
    """All are let in, because the question before took little."""
    crowd = Crowd(Usage(40, 15))
    cores = await site(crowd, Budget(tokens_per_day=3_000))
    await ask_at_once(crowd, cores, 1)
    crowd.usage, crowd.spent, crowd.waiting = Usage(0, 15), 0, 0
    crowd.open.clear()
    replies = [reply.json() for reply in await ask_at_once(crowd, cores, 30)]
    answered = [reply for reply in replies if reply["model"] == "big"]
    each = crowd.spent / len(answered)
    assert each > 2 * 55
    assert 1_500 < crowd.spent <= 3_000 + each
    others = [reply for reply in replies if reply["model"] is None]
    assert len(others) == 30 - len(answered)
    assert all(reply["warnings"].count("budget_search") == 1 and "1894" in reply["answer"] for reply in others)


async def test_a_model_that_fails_leaves_the_budget_as_it_was(site: Callable[..., Awaitable[list[Core]]]) -> None:
    budget = Budget(tokens_per_day=300)
    crowd = Crowd(Usage(40, 15), ModelUnavailable("It is down."))
    cores = await site(crowd, budget)
    await ask_at_once(crowd, cores, 5)
    assert await Hold(cores[0].spending, "ann", budget, LLM()).open() == 0


async def test_explaining_a_question_holds_nothing(site: Callable[..., Awaitable[list[Core]]]) -> None:
    budget = Budget(tokens_per_day=300)
    (core,) = await site(Crowd(Usage(40, 15)), budget)
    await core.explain(core.new_turn(Request(QUESTION, "default"), ANN, LIVE))
    assert await Hold(core.spending, "ann", budget, LLM()).open() == 0
