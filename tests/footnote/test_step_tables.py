"""Rows of rows: branches, loops and switches, and tables that cannot work."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from footnote.errors import ModelUnavailable, SearchUnavailable, StepTimeout
from footnote.steps import BLOCK, FALLBACK, SKIP, Loop, OnError, Parallel, Runner, Step, Switch
from footnote.types import Turn
from tests.fakes import LIVE, make_turn
from tests.footnote.step_toys import SAVE, Saves, end, fail, mark, never, save, statuses


def join(turn: Turn, branches: Sequence[Turn]) -> Turn:
    return turn.with_(question=turn.question + "".join(branch.question for branch in branches))


async def test_branches_run_at_once_from_the_same_turn_and_merge_in_the_order_of_the_table() -> None:
    first_may_end = asyncio.Event()

    async def first(turn: Turn) -> Turn:
        await first_may_end.wait()
        return turn.with_(question=turn.question + "1")

    async def second(turn: Turn) -> Turn:
        first_may_end.set()
        return turn.with_(question=turn.question + "2")

    done = await end((Step("a", mark("a")), Parallel("both", (Step("first", first), Step("second", second)), join, limit_s=5)))
    assert (done.turn.question, done.turn.degraded) == ("aa1a2", False)
    assert [span.name for span in done.turn.spans] == ["a", "first", "second"]


async def test_a_late_branch_is_left_out_and_cancelled() -> None:
    cancelled = []

    async def late(turn: Turn) -> Turn:
        try:
            return await never(turn)
        finally:
            cancelled.append(True)

    done = await end((Parallel("both", (Step("late", late), Step("good", mark("g"))), join, limit_s=0.005), Step("two", mark("b"))))
    assert (done.turn.question, done.turn.degraded, cancelled) == ("gb", True, [True])
    assert statuses(done.turn) == {"good": "ok", "late": "late", "two": "ok"}


async def test_a_failed_branch_is_left_out() -> None:
    done = await end((Parallel("both", (Step("bad", fail(ModelUnavailable())), Step("good", mark("g"))), join),))
    assert (done.turn.question, done.turn.degraded) == ("g", True)
    assert statuses(done.turn) == {"bad": "failed", "good": "ok"}


async def test_when_no_branch_is_left_the_first_error_stands() -> None:
    rows = (Step("late", never), Step("bad", fail(ModelUnavailable("a"))), Step("worse", fail(SearchUnavailable("b"))))
    failed = await end((Parallel("all", rows, join, limit_s=0.005), SAVE), saves=Saves())
    assert isinstance(failed.error, ModelUnavailable)
    assert statuses(failed.turn) == {"late": "late", "bad": "failed", "worse": "failed", "save": "ok"}
    failed = await end((Parallel("all", (Step("late", never),), join, limit_s=0.005),))
    assert isinstance(failed.error, StepTimeout)


async def test_a_loop_ends_when_it_is_good_enough_or_was_tried_often_enough() -> None:
    rows = (Step("one", mark("a")),)
    assert (await end((Loop("loop", rows, lambda t: t.question == "aa", 5),))).turn.question == "aa"
    assert (await end((Loop("loop", rows, lambda t: False, 3), Step("two", mark("b"))))).turn.question == "aaab"
    settled = await end((Loop("loop", (Step("one", mark("a", outcome="refused")),), lambda t: False, 3), SAVE), saves=(saves := Saves()))
    assert (settled.turn.question, saves.trails) == ("a", ["a"])


async def test_a_switch_runs_the_table_that_its_key_names() -> None:
    tables = {"x": (Step("one", mark("1")),), "y": (Step("two", mark("2")), Loop("loop", (Step("three", mark("3")),), lambda t: False, 2))}
    row = Switch("mode", lambda t: t.question or "y", tables)
    assert (await end((row,))).turn.question == "233"
    assert (await end((row,), make_turn("x", LIVE))).turn.question == "x1"


@pytest.mark.parametrize("policy", [SKIP, BLOCK])
async def test_a_policy_holds_inside_a_branch_too(policy: OnError) -> None:
    inner = Switch("mode", lambda t: "only", {"only": (Step("bad", fail(ModelUnavailable()), on_error=policy), Step("after", mark("z")))})
    done = await end((Parallel("both", (inner, Step("good", mark("g"))), join),))
    assert done.turn.question == ("zg" if policy is SKIP else "g")


@pytest.mark.parametrize(
    "row",
    [
        Step("save", save),
        Step("one", mark("a"), on_error=FALLBACK, fallback=save),
        Parallel("both", (Step("one", mark("a")), Step("save", save)), join),
        Loop("loop", (Step("save", save),), lambda t: True, 1),
        Switch("mode", lambda t: "x", {"x": (Step("one", mark("a")),), "y": (Step("save", save),)}),
    ],
)
def test_a_table_that_names_a_missing_port_is_refused_when_it_is_built(row: Any) -> None:
    with pytest.raises(TypeError, match="needs the port 'saves'"):
        Runner((row,), lambda: {"store": object()})


def test_a_row_that_falls_back_needs_something_to_fall_back_to() -> None:
    with pytest.raises(TypeError, match="'one' has no fallback"):
        Runner((Step("one", mark("a"), on_error=FALLBACK),), dict)
