"""Calls of a language model, and their records."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress

import pytest
from pydantic import BaseModel

from footnote.errors import ModelUnavailable
from footnote.model_calls import ask, complete, read_reply
from footnote.ports import Delta
from footnote.steps import FALLBACK, Parallel
from footnote.tracing import collect_calls
from footnote.types import Cut, Message, ModelCall, ToolCall, Turn, Usage
from tests.conftest import HandClock
from tests.fakes import FakeModel, FakeModels, Piece
from tests.footnote.step_toys import SAVE, START, Saves, Toys, called, end, fail, find, never, runner_of, statuses, toy
from tests.turns import make_turn, with_

ASKED = [Message("user", "May this be asked?")]


async def say(*reply: Piece, name: str = "fake") -> str:
    return await complete(FakeModels(FakeModel([reply], name=name)), None, ASKED, max_tokens=9, timeout_s=1)


@pytest.mark.parametrize("reply", ["no", " no\n", "<think>yes</think>no", "yes</think>\nno", "no<think>yes", "yes</think>no<think>yes"])
async def test_reasoning_is_not_part_of_the_reply(reply: str) -> None:
    assert await say(reply) == "no"


@pytest.mark.parametrize("reply", ["", "  ", "<think>yes</think>", "<think>yes"])
async def test_reasoning_alone_is_not_a_reply(reply: str) -> None:
    with pytest.raises(ModelUnavailable):
        await say(reply)


@pytest.mark.parametrize(("cut", "told"), [("length", "reached its token limit"), ("content_filter", "withheld by the content filter")])
async def test_a_truncated_reply_is_not_used_and_says_why(cut: Cut, told: str) -> None:
    class Reply(BaseModel):
        queries: list[str]

    for reply in ('{"queries": ["one"]}', "no", ""):
        model = FakeModel([[reply, Delta(cut=cut)], ['{"queries": ["two"]}']])
        with pytest.raises(ModelUnavailable, match=told):
            await ask(FakeModels(model), None, ASKED, Reply, max_tokens=9, timeout_s=1)
        with pytest.raises(ModelUnavailable, match=told):
            await say(reply, Delta(cut=cut))
        assert len(model.sent) == 1


@pytest.mark.parametrize(
    ("reply", "used"),
    [
        (("no", Delta(usage=Usage(7, 3))), Usage(7, 3)),
        (("no",), Usage(4, 1, estimated=True)),
        ((Delta(tool_calls=(ToolCall("c1", "search", '{"query": "x"}'),)),), Usage(4, 7, estimated=True)),
        (("n", Delta(usage=Usage(7, 3)), ModelUnavailable("gone")), Usage(7, 3)),
        (("no", ModelUnavailable("gone")), Usage(4, 1, estimated=True)),
        ((ModelUnavailable("down"),), Usage()),
        ((), Usage(4, 0, estimated=True)),
    ],
)
async def test_a_call_is_recorded_with_its_model_and_tokens_however_it_ends(reply: tuple[Piece, ...], used: Usage) -> None:
    with collect_calls("rewrite", make_turn()) as collector, suppress(ModelUnavailable):
        await say(*reply, name="small")
    assert [(call.step, call.model, call.usage) for call in collector.calls] == [("rewrite", "small", used)]


async def test_the_tokens_of_a_cancelled_call_are_estimated() -> None:
    with collect_calls("rewrite", make_turn()) as collector:
        task = asyncio.create_task(say("Two words", asyncio.Event()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    assert [call.usage for call in collector.calls] == [Usage(4, 2, estimated=True)]


async def test_the_tokens_of_a_partly_read_reply_are_estimated() -> None:
    with collect_calls("answer", make_turn()) as collector:
        async with aclosing(read_reply(FakeModel([["Two words", " and", " more"]]), ASKED)) as deltas:
            assert await anext(deltas) == Delta("Two words")
    assert [call.usage for call in collector.calls] == [Usage(4, 2, estimated=True)]


async def test_a_call_has_its_duration_and_the_name_of_the_model_that_replied() -> None:
    clock = HandClock(10.0)

    class Falling(FakeModel):
        """Another model replies than the one that was asked."""

        async def stream(self, messages, **options):  # type: ignore[no-untyped-def]
            clock.now += 1.5
            self.name = "spare"
            yield Delta("no", usage=Usage(7, 3))

    with collect_calls("answer", make_turn(), clock) as collector:
        await complete(FakeModels(Falling([], name="big")), None, ASKED, max_tokens=9, timeout_s=1)
    assert collector.calls == [ModelCall("answer", "spare", Usage(7, 3), 1500.0)]


async def test_a_call_of_a_nested_turn_is_recorded_by_both_turns_under_their_own_step() -> None:
    with collect_calls("agent", make_turn()) as outer, collect_calls("forbidden", make_turn()) as inner:
        await say("no", Delta(usage=Usage(7, 3)))
    assert [(call.step, call.usage) for call in outer.calls] == [("agent", Usage(7, 3))]
    assert [(call.step, call.usage) for call in inner.calls] == [("forbidden", Usage(7, 3))]


# --- in the record of a turn ----------------------------------------------------------------------


async def test_all_calls_of_a_retried_step_and_its_fallback_are_recorded() -> None:
    async def instead(turn: Turn) -> Turn:
        called(Usage(1, 1), "spare")
        return turn

    row = toy("answer", fail(ModelUnavailable(), usage=Usage(7, 3)), on_error=FALLBACK, fallback=instead, tries=2)
    done = await end((row,))
    assert [(call.step, call.model, call.usage) for call in done.turn.trace.calls] == [
        ("answer", "toy", Usage(7, 3)),
        ("answer", "toy", Usage(7, 3)),
        ("answer", "spare", Usage(1, 1)),
    ]


async def test_calls_of_a_nested_turn_are_recorded_by_both_turns_and_counted_once() -> None:
    """An agent's searches are such turns: they begin without calls, and a check within them may make some."""
    inner = runner_of((toy("check", find("c", usage=Usage(5, 2))), toy("then", find("t", usage=Usage(1, 1)))))
    ended: list[Turn] = []

    async def agent(turn: Turn) -> Turn:
        called(Usage(100, 10))
        fresh = with_(START, question="inner")
        ended.extend(await asyncio.gather(inner.finish(fresh, Toys()), inner.finish(fresh, Toys())))
        return turn

    done = await end((toy("before", find("b", usage=Usage(1000, 0))), toy("agent", agent)))
    for turn in ended:
        assert [(call.step, call.usage) for call in turn.trace.calls] == [("check", Usage(5, 2)), ("then", Usage(1, 1))]
    assert [call.step for call in done.turn.trace.calls] == ["before", *["agent"] * 5]
    assert done.turn.trace.usage == Usage(1000 + 100 + 12, 10 + 6)


async def test_a_nested_turn_ends_with_the_step_that_reads_it_and_its_tokens_count() -> None:
    async def check(turn: Turn) -> Turn:
        called(Usage(5, 2))
        return await never(turn)

    inner = runner_of((toy("check", check), SAVE))

    async def agent(turn: Turn) -> Turn:
        return await inner.finish(START, Toys(saves=saves))

    saves = Saves()
    rows = (toy("agent", agent), toy("good", find("g")))
    done = await end((Parallel("both", rows, timeout_s=0.3),))
    await inner.drain()
    assert (statuses(done.turn)["agent"], done.turn.trace.usage, saves.trails) == ("late", Usage(5, 2), [])
