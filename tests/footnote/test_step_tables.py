"""Rows of rows: branches, loops and switches, and tables that cannot work."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from footnote.errors import ModelUnavailable, SearchUnavailable, StepTimeout
from footnote.steps import BLOCK, FALLBACK, SKIP, OnError, Parallel, Runner, Switch
from footnote.types import Turn
from tests.footnote.step_toys import SAVE, Saves, end, fail, mark, never, save, statuses, toy
from tests.turns import LIVE, make_turn, with_


def join(turn: Turn, branches: Sequence[Turn]) -> Turn:
    return with_(turn, question=turn.request.question + "".join(branch.request.question for branch in branches))


async def test_branches_run_at_once_from_the_same_turn_and_merge_in_the_order_of_the_table() -> None:
    first_may_end = asyncio.Event()

    async def first(turn: Turn) -> Turn:
        await first_may_end.wait()
        return with_(turn, question=turn.request.question + "1")

    async def second(turn: Turn) -> Turn:
        first_may_end.set()
        return with_(turn, question=turn.request.question + "2")

    done = await end((toy("a", mark("a")), Parallel("both", (toy("first", first), toy("second", second)), join, timeout_s=5)))
    assert (done.turn.request.question, done.turn.record.degraded) == ("aa1a2", False)
    assert [span.name for span in done.turn.record.spans] == ["a", "first", "second"]


async def test_a_late_branch_is_left_out_and_cancelled() -> None:
    cancelled = []

    async def late(turn: Turn) -> Turn:
        try:
            return await never(turn)
        finally:
            cancelled.append(True)

    done = await end((Parallel("both", (toy("late", late), toy("good", mark("g"))), join, timeout_s=0.005), toy("two", mark("b"))))
    assert (done.turn.request.question, done.turn.record.degraded, cancelled) == ("gb", True, [True])
    assert statuses(done.turn) == {"good": "ok", "late": "late", "two": "ok"}


async def test_a_failed_branch_is_left_out() -> None:
    done = await end((Parallel("both", (toy("bad", fail(ModelUnavailable())), toy("good", mark("g"))), join),))
    assert (done.turn.request.question, done.turn.record.degraded) == ("g", True)
    assert statuses(done.turn) == {"bad": "failed", "good": "ok"}


async def test_when_no_branch_is_left_the_first_error_stands() -> None:
    rows = (toy("late", never), toy("bad", fail(ModelUnavailable("a"))), toy("worse", fail(SearchUnavailable("b"))))
    failed = await end((Parallel("all", rows, join, timeout_s=0.005), SAVE), saves=Saves())
    assert isinstance(failed.error, ModelUnavailable)
    assert statuses(failed.turn) == {"late": "late", "bad": "failed", "worse": "failed", "save": "ok"}
    failed = await end((Parallel("all", (toy("late", never),), join, timeout_s=0.005),))
    assert isinstance(failed.error, StepTimeout)


async def test_a_switch_runs_the_table_that_its_key_names() -> None:
    tables = {"x": (toy("one", mark("1")),), "y": (toy("two", mark("2")), toy("three", mark("3")))}
    row = Switch("mode", lambda t: t.request.question or "y", tables)
    assert (await end((row,))).turn.request.question == "23"
    assert (await end((row,), make_turn("x", LIVE))).turn.request.question == "x1"


@pytest.mark.parametrize("policy", [SKIP, BLOCK])
async def test_a_policy_holds_inside_a_branch_too(policy: OnError) -> None:
    inner = Switch("mode", lambda t: "only", {"only": (toy("bad", fail(ModelUnavailable()), on_error=policy), toy("after", mark("z")))})
    done = await end((Parallel("both", (inner, toy("good", mark("g"))), join),))
    assert done.turn.request.question == ("zg" if policy is SKIP else "g")


@pytest.mark.parametrize(
    "row",
    [
        toy("save", save),
        toy("one", mark("a"), on_error=FALLBACK, fallback=save),
        Parallel("both", (toy("one", mark("a")), toy("save", save)), join),
        Switch("mode", lambda t: "x", {"x": (toy("one", mark("a")),), "y": (toy("save", save),)}),
    ],
)
def test_a_table_that_names_a_missing_port_is_refused_when_it_is_built(row: Any) -> None:
    with pytest.raises(TypeError, match="needs the port 'saves'"):
        Runner((row,), lambda: {"store": object()})


def test_a_row_that_falls_back_needs_something_to_fall_back_to() -> None:
    with pytest.raises(TypeError, match="'one' has no fallback"):
        Runner((toy("one", mark("a"), on_error=FALLBACK),), dict)
