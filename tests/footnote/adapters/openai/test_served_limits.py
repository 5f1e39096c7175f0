"""The limits of a model are asked of its server, before its name is looked up."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import openai  # noqa: F401  # importing it takes longer than a question waits
import pytest

from footnote.adapters.openai.models import ConfiguredModels
from footnote.adapters.openai.served_limits import KEEP_S, LIMIT_S, ServedLimits
from footnote.answer.budget import budget_of
from footnote.answer.generate import pick_model
from footnote.settings import LLM
from footnote.types import ModelLimits
from tests.deps import FakeDeps, call_step
from tests.fakes import LoopClock
from tests.openai_server import Reply, Server, chunk, serving, sse
from tests.turns import HELD, make_turn

NAME = "llama3.2"


def said(body: Any) -> Reply:
    return Reply(200, (json.dumps(body),))


def listed(**fields: Any) -> dict[str, Reply]:
    return {"/v1/models": said({"object": "list", "data": [{"id": "other", "max_model_len": 1}, {"id": NAME, **fields}]})}


async def ask(server: Server, name: str = NAME) -> ModelLimits:
    models = ConfiguredModels(f"{server.url}/v1", NAME, None, temperature=None, max_tokens=10_000)
    try:
        return await models.limits(name)
    finally:
        await models.close()


@pytest.mark.parametrize(
    ("replies", "limits"),
    [
        ({"/props": said({"default_generation_settings": {"n_ctx": 2048}, "total_slots": 1})}, ModelLimits(2048)),
        ({"/api/show": said({"model_info": {"general.architecture": "llama", "llama.context_length": 131072}})}, ModelLimits(131072)),
        (
            {"/api/show": said({"parameters": "stop \"x\"\nnum_ctx    8192", "model_info": {"llama.context_length": 131072}})},
            ModelLimits(8192),
        ),
        (
            {
                "/api/show": said({"model_info": {"llama.context_length": 131072}}),
                "/api/ps": said({"models": [{"name": f"{NAME}:latest", "context_length": 4096}]}),
            },
            ModelLimits(4096),
        ),
        (listed(max_model_len=16_384, owned_by="vllm"), ModelLimits(16_384)),
        (listed(context_length=128_000, top_provider={"context_length": 64_000, "max_completion_tokens": 4096}), ModelLimits(64_000, 4096)),
        (listed(context_length=32_000, top_provider=None), ModelLimits(32_000)),
        (listed(), ModelLimits()),
        ({"/v1/models": said([1]), "/props": Reply(200, ("<html>",), "text/html"), "/api/show": said({"model_info": 7})}, ModelLimits()),
        (listed(max_model_len="many", context_length=True), ModelLimits()),
        ({"/props": said({"default_generation_settings": {"n_ctx": 0}})}, ModelLimits()),
        ({"/props": Reply(500, ("{}",)), "/api/ps": Reply(200, (None,))}, ModelLimits()),
    ],
)  # fmt: skip
async def test_the_limits_are_what_each_kind_of_server_says(replies: dict[str, Reply], limits: ModelLimits, server: Server) -> None:
    server.replies |= replies
    assert await ask(server) == limits


async def test_a_server_that_is_away_and_openai_itself_say_nothing() -> None:
    async with serving() as server:
        pass
    assert await ask(server) == ModelLimits()
    models = ConfiguredModels(None, NAME, "a-secret-key", temperature=None, max_tokens=10_000)
    assert await models.limits(NAME) == ModelLimits()
    await models.close()


async def test_a_silent_server_is_waited_for_once() -> None:
    asked: list[str] = []

    class Silent:
        async def get(self, path: str, **_: Any) -> None:
            asked.append(path)
            await asyncio.Event().wait()

        post = get

    async def connect() -> Any:
        return Silent()

    clock, now = LoopClock(), [0.0]
    limits = ServedLimits("http://model.test/v1", connect, lambda: now[0])
    first = asyncio.create_task(limits.of("slow"))
    while len(asked) < 4:
        await asyncio.sleep(0)
    clock.advance(LIMIT_S)
    assert await first == ModelLimits()
    now[0] = KEEP_S
    assert await limits.of("slow") == ModelLimits()  # asked again, but not waited for
    assert not limits._asked["slow"][1].done()
    await limits.close()


async def test_limits_are_refreshed_and_outlive_the_server(server: Server) -> None:
    now = [0.0]
    server.replies |= listed(max_model_len=8192)
    models = ConfiguredModels(f"{server.url}/v1", NAME, None, temperature=None, max_tokens=10_000)
    limits = models._endpoint.limits
    limits._timer = lambda: now[0]
    assert await models.limits(NAME) == ModelLimits(8192)
    server.replies |= listed(max_model_len=4096)
    assert await models.limits(NAME) == ModelLimits(8192)
    now[0] = KEEP_S
    await models.limits(NAME)
    await limits._asked[NAME][1]
    assert await models.limits(NAME) == ModelLimits(4096)
    server.replies = {}
    now[0] = 2 * KEEP_S
    await models.limits(NAME)
    await limits._asked[NAME][1]
    assert await models.limits(NAME) == ModelLimits(4096)
    await models.close()


async def test_the_prompt_and_the_reply_keep_to_what_the_server_says(server: Server) -> None:
    server.replies |= listed(context_length=2000, top_provider={"max_completion_tokens": 300})
    server.replies["/v1/chat/completions"] = sse(chunk(content="Yes."))
    models = ConfiguredModels(f"{server.url}/v1", NAME, None, temperature=None, max_tokens=10_000)
    asked = make_turn(profile=replace(HELD, context_tokens=6000))
    turn = await call_step(pick_model, asked, FakeDeps(models=models, model_server=models))
    assert (turn.plan.model, turn.plan.window) == (NAME, 2000)
    assert budget_of(turn, LLM()).passages == 1120
    assert budget_of(turn, LLM(context_window=1000)).passages == 560
    model = await models.pick(None)
    assert "".join([delta.text async for delta in model.stream([])]) == "Yes."
    assert server.requests[-1][2]["max_tokens"] == 300
    await models.close()
