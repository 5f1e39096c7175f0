"""Endpoints that fail: retries, the circuit breaker and the fallback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from footnote.adapters.openai.models import ConfiguredModels
from footnote.adapters.resilience.models import FAILURES, OPEN_S, WITHIN_S, Breaker, ResilientModels, RetryPolicy
from footnote.adapters.shared.models import ModelRefused
from footnote.errors import ModelTimeout, ModelUnavailable
from footnote.ports import Delta, LanguageModel
from footnote.types import Message
from tests.conftest import HandClock
from tests.fakes import FakeModel, FakeModels, LoopClock
from tests.openai_server import Part, Reply, Server, chunk, serving, sse

CHAT = "/v1/chat/completions"
ASKED = (Message("user", "When?"),)
GOOD = sse(chunk(content="In "), chunk(content="1894"))
DOWN = Reply(500, ("{}",))


class World:
    """Two endpoints, and a clock that is turned by hand; `waits`: seconds between tries, none of which is waited."""

    def __init__(self, main: Server, spare: Server, clock: HandClock) -> None:
        self.main, self.spare, self.clock = main, spare, clock
        self.waits: list[float] = []
        self.made: list[ResilientModels] = []

    def models(self, *, retries: int = 2, fallback: bool = False) -> ResilientModels:
        made = [ConfiguredModels(f"{server.url}/v1", name, None, temperature=None, max_tokens=50)
                for server, name in ((self.main, "big"), (self.spare, "small"))]  # fmt: skip
        retry_policy = RetryPolicy(retries, chance=lambda: 1.0, sleep=self._sleep)
        self.made.append(ResilientModels(made[0], made[1] if fallback else None, retry_policy=retry_policy, timer=self.clock))
        return self.made[-1]

    async def _sleep(self, seconds: float) -> None:
        self.waits.append(seconds)

    def replies(self, *replies: Reply) -> None:
        """Of the first endpoint, one after the other; the last one stays."""
        left = list(replies)
        self.main.replies[CHAT] = lambda sent: left.pop(0) if len(left) > 1 else left[0]


@pytest.fixture
async def world(clock: HandClock) -> AsyncIterator[World]:
    async with serving() as main, serving() as spare:
        spare.replies[CHAT] = sse(chunk(content="about 1900"))
        world = World(main, spare, clock)
        yield world
        for models in world.made:
            await models.close()


async def ask(models: ResilientModels, name: str | None = None, **options: Any) -> tuple[str, str]:
    """(what was said, who said it)"""
    model = await models.pick(name)
    said = "".join([delta.text async for delta in model.stream(ASKED, **options)])
    return said, model.name


async def fail(models: ResilientModels, times: int = 1) -> None:
    for _ in range(times):
        with pytest.raises(ModelUnavailable):
            await ask(models)


# --- another try ---------------------------------------------------------------------------------


async def test_a_call_that_fails_before_its_first_token_is_made_again(world: World) -> None:
    world.replies(DOWN, DOWN, GOOD)
    assert await ask(world.models()) == ("In 1894", "big")
    assert (len(world.main.requests), world.waits) == (3, [0.5, 1.0])


async def test_the_last_error_is_told_when_no_try_helps(world: World) -> None:
    world.replies(DOWN)
    with pytest.raises(ModelUnavailable, match="status 500"):
        await ask(world.models())
    assert len(world.main.requests) == 3
    world.main.requests.clear()
    with pytest.raises(ModelUnavailable, match="status 500"):
        await ask(world.models(retries=0))
    assert len(world.main.requests) == 1


async def test_an_endpoint_over_its_limit_says_how_long_to_wait(world: World) -> None:
    world.replies(Reply(429, ("{}",), headers="retry-after: 3\r\n"), GOOD)
    assert await ask(world.models()) == ("In 1894", "big")
    assert world.waits == [3.0]


async def test_nobody_waits_longer_than_the_time_that_is_left(world: World) -> None:
    world.replies(Reply(429, ("{}",), headers="retry-after: 60\r\n"), GOOD)
    with pytest.raises(ModelUnavailable, match="over its rate limit"):
        await ask(world.models(), first_token_s=30)
    assert (len(world.main.requests), world.waits) == (1, [])


@pytest.mark.parametrize("status", [400, 401, 403, 404])
async def test_permanent_errors_are_neither_retried_nor_sent_to_the_fallback(world: World, status: int) -> None:
    world.replies(Reply(status, ("{}",)))
    models = world.models(fallback=True)
    for _ in range(FAILURES + 1):
        with pytest.raises(ModelRefused):
            await ask(models)
    assert (len(world.main.requests), len(world.spare.requests)) == (FAILURES + 1, 0)


@pytest.mark.parametrize("rest", [(None,), ('data: {"error": {"message": "out of memory"}}\n\n',)])
async def test_after_the_first_token_nothing_is_tried_again(world: World, rest: tuple[Part, ...]) -> None:
    world.replies(sse(chunk(content="In "), *rest), GOOD)
    model = await world.models(fallback=True).pick(None)
    stream = model.stream(ASKED)
    assert await anext(stream) == Delta("In ")
    with pytest.raises(ModelUnavailable):
        await anext(stream)
    assert (len(world.main.requests), len(world.spare.requests), model.name) == (1, 0, "big")


async def test_waits_grow_and_chance_takes_any_part_of_them() -> None:
    retry_policy = RetryPolicy(5, chance=lambda: 0.5)
    assert [retry_policy.wait_s(tries, ModelUnavailable()) for tries in range(6)] == [0.25, 0.5, 1.0, 2.0, 4.0, 4.0]


async def test_all_tries_share_the_time_for_a_first_token(world: World) -> None:
    clock, never = LoopClock(), asyncio.Event()
    world.replies(sse(never))
    task = asyncio.create_task(ask(world.models(), first_token_s=20))
    while not world.main.requests:
        await asyncio.sleep(0.01)
    clock.advance(21)
    with pytest.raises(ModelTimeout):
        await task
    assert len(world.main.requests) == 1
    never.set()


# --- an endpoint that is down --------------------------------------------------------------------


async def test_an_endpoint_that_keeps_failing_is_left_alone_for_a_while(world: World) -> None:
    world.replies(DOWN)
    models = world.models(retries=0)
    await fail(models, FAILURES)
    with pytest.raises(ModelUnavailable, match="not used for up to 30 seconds"):
        await ask(models)
    assert len(world.main.requests) == FAILURES
    world.clock.advance(OPEN_S - 1)
    await fail(models)
    assert len(world.main.requests) == FAILURES
    world.clock.advance(1)
    world.replies(GOOD)
    assert await ask(models) == ("In 1894", "big")
    world.replies(DOWN)
    await fail(models, FAILURES)  # it is trusted as before
    assert len(world.main.requests) == 2 * FAILURES + 1


async def test_one_call_tries_an_endpoint_that_had_its_rest_and_no_other_beside_it(world: World) -> None:
    world.replies(DOWN)
    models = world.models()
    await fail(models, 2)
    assert len(world.main.requests) == FAILURES  # the sixth try was not made
    world.clock.advance(OPEN_S)
    await fail(models, 3)
    assert len(world.main.requests) == FAILURES + 1
    world.clock.advance(OPEN_S)
    await fail(models)
    assert len(world.main.requests) == FAILURES + 2


def test_failures_far_apart_are_no_outage(clock: HandClock) -> None:
    breaker = Breaker(clock)
    for _ in range(3 * FAILURES):
        breaker.failed()
        clock.advance(WITHIN_S / (FAILURES - 1) + 0.1)
        assert breaker.lets_through()


def test_replies_in_between_do_not_hide_an_outage(clock: HandClock) -> None:
    breaker = Breaker(clock)
    for _ in range(FAILURES):
        assert breaker.lets_through()
        breaker.succeeded()
        breaker.failed()
    assert not breaker.lets_through()


def test_a_reply_that_comes_after_all_clears_the_record(clock: HandClock) -> None:
    breaker = Breaker(clock)
    for _ in range(FAILURES):
        breaker.failed()
    breaker.succeeded()  # of a call that was under way
    breaker.failed()
    assert breaker.lets_through()


async def test_replies_that_break_off_count_as_failures(world: World) -> None:
    world.replies(sse(chunk(content="In "), None))
    models = world.models()
    await fail(models, FAILURES)
    with pytest.raises(ModelUnavailable, match="not used for up to"):
        await ask(models)
    assert len(world.main.requests) == FAILURES


async def give_up(models: ResilientModels, reply: Reply, world: World, clock: LoopClock, limit_s: float) -> None:
    """A call that reaches its time limit."""
    sent = len(world.main.requests)
    world.replies(reply)
    task = asyncio.create_task(ask(models, total_s=limit_s))
    while len(world.main.requests) == sent:
        await asyncio.sleep(0)
    clock.advance(limit_s + 0.1)
    with pytest.raises(ModelTimeout):
        await task


@pytest.mark.parametrize("said", [(), (chunk(content="In "),)])
async def test_a_call_given_up_for_its_own_short_limit_is_no_failure(world: World, said: tuple[Any, ...]) -> None:
    clock, never, models = LoopClock(), asyncio.Event(), world.models(retries=0)
    for _ in range(2 * FAILURES):
        await give_up(models, sse(*said, never), world, clock, 15.0)
    world.replies(GOOD)
    assert await ask(models) == ("In 1894", "big")
    never.set()


async def test_an_endpoint_that_is_silent_for_long_fails(world: World) -> None:
    clock, never, models = LoopClock(), asyncio.Event(), world.models(retries=0)
    for _ in range(FAILURES):
        await give_up(models, sse(never), world, clock, 120.0)
    with pytest.raises(ModelUnavailable, match="not used for up to"):
        await ask(models)
    never.set()


@pytest.mark.parametrize("cancelled", [False, True])
async def test_a_try_that_is_given_up_leaves_the_next_call_to_try(world: World, cancelled: bool) -> None:
    clock, never, models = LoopClock(), asyncio.Event(), world.models(retries=0)
    world.replies(DOWN)
    await fail(models, FAILURES)
    world.clock.advance(OPEN_S)
    if cancelled:
        world.replies(sse(never))
        task = asyncio.create_task(ask(models))
        while len(world.main.requests) == FAILURES:
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    else:
        await give_up(models, sse(never), world, clock, 8.0)
    world.replies(GOOD)
    assert await ask(models) == ("In 1894", "big")
    never.set()


# --- one of an endpoint's models -----------------------------------------------------------------

SPENT = Reply(429, ('{"error": {"message": "You exceeded your current quota", "code": "insufficient_quota"}}',))
BUSY = Reply(429, ("{}",))


@pytest.mark.parametrize("reply", [SPENT, BUSY, DOWN, sse(chunk(content="In "), done=False), Reply(402, ("{}",))])
async def test_a_failing_model_does_not_open_the_circuit_of_others(world: World, reply: Reply) -> None:
    world.main.replies[CHAT] = lambda sent: reply if sent["model"] == "costly" else GOOD
    models = world.models(retries=0)
    for _ in range(FAILURES + 1):
        with pytest.raises(ModelUnavailable):
            await ask(models, name="costly")
    assert await ask(models) == ("In 1894", "big")


@pytest.mark.sample(1)
@pytest.mark.parametrize("reply", [SPENT, Reply(402, ("{}",)), Reply(403, ('{"error": {"code": "insufficient_quota"}}',))])
async def test_a_quota_that_is_used_up_is_told_and_not_waited_for(world: World, reply: Reply) -> None:
    world.replies(reply)
    for _ in range(FAILURES + 1):
        with pytest.raises(ModelUnavailable, match="The quota of the model big is used up"):
            await ask(world.models())
    assert (len(world.main.requests), world.waits) == (FAILURES + 1, [])
    assert await ask(world.models(fallback=True)) == ("about 1900", "small")


async def test_only_so_many_circuits_are_kept(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.adapters.resilience.models.KEPT", 2)
    world.replies(DOWN)
    models = world.models(retries=0)
    await fail(models, FAILURES)
    for name in ("big", "a", "big", "b"):
        await models.pick(name)
    with pytest.raises(ModelUnavailable, match="not used for up to"):
        await ask(models)
    for name in ("a", "b"):
        await models.pick(name)
    with pytest.raises(ModelUnavailable, match="status 500"):
        await ask(models)


# --- another endpoint ----------------------------------------------------------------------------


async def test_another_endpoint_answers_in_place_of_one_that_fails_and_is_named(world: World) -> None:
    world.replies(DOWN)
    assert await ask(world.models(fallback=True)) == ("about 1900", "small")
    assert (len(world.main.requests), len(world.spare.requests)) == (3, 1)
    assert world.spare.requests[0][2]["model"] == "small"


async def test_while_an_endpoint_is_left_alone_the_other_answers_at_once(world: World) -> None:
    world.replies(DOWN)
    models = world.models(retries=0, fallback=True)
    assert [await ask(models) for _ in range(FAILURES + 3)] == [("about 1900", "small")] * (FAILURES + 3)
    assert len(world.main.requests) == FAILURES
    world.clock.advance(OPEN_S)
    world.replies(GOOD)
    assert await ask(models) == ("In 1894", "big")


async def test_a_model_that_hangs_leaves_the_other_half_of_the_time(world: World) -> None:
    clock, never = LoopClock(), asyncio.Event()
    world.replies(sse(never))
    task = asyncio.create_task(ask(world.models(fallback=True), first_token_s=100, total_s=100))
    while not world.main.requests:
        await asyncio.sleep(0.01)
    clock.advance(51)
    assert await task == ("about 1900", "small")
    never.set()


async def test_when_both_fail_the_error_is_that_of_the_last_one(world: World) -> None:
    world.replies(DOWN)
    world.spare.replies[CHAT] = Reply(503, ("{}",))
    with pytest.raises(ModelUnavailable, match="status 503"):
        await ask(world.models(retries=0, fallback=True))


@pytest.mark.parametrize("first", [None, ModelUnavailable("The endpoint lists no models.")])
async def test_where_no_first_model_can_be_picked_the_other_is(first: Any) -> None:
    models = ResilientModels(FakeModels(first), FakeModels(FakeModel([["Hi"]], name="small")), retry_policy=RetryPolicy(0))
    assert await ask(models) == ("Hi", "small")


async def test_without_any_model_there_is_none_and_errors_stay_what_they_are() -> None:
    assert await ResilientModels(FakeModels(None), retry_policy=RetryPolicy(0)).pick(None) is None
    with pytest.raises(ModelUnavailable, match="lists no model"):
        await ResilientModels(FakeModels(ModelUnavailable("It lists no model.")), retry_policy=RetryPolicy(0)).pick(None)


async def test_a_reply_that_is_left_is_closed_behind_its_reader() -> None:
    closed = asyncio.Event()

    class Endless:
        name = "endless"

        async def stream(self, messages: Any, **options: Any) -> AsyncIterator[Delta]:
            try:
                while True:
                    yield Delta("la ")
            finally:
                closed.set()

    endless: Callable[[], LanguageModel] = Endless
    model = await ResilientModels(FakeModels(endless()), retry_policy=RetryPolicy(0)).pick(None)
    stream = model.stream(ASKED)
    assert await anext(stream) == Delta("la ")
    await stream.aclose()  # type: ignore[attr-defined]
    assert closed.is_set()
