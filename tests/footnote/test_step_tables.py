"""Rows of rows: branches, loops and switches, and tables that cannot work."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Any, Literal

import pytest

from footnote.deps import Deps
from footnote.errors import ModelUnavailable, SearchUnavailable, StepTimeout
from footnote.pipeline import ANSWER, LOOK_UP, RETRIEVE
from footnote.steps import BLOCK, FALLBACK, SKIP, OnError, Parallel, Runner, Switch
from footnote.steps.check import check
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


def x_or_y(turn: Turn) -> Literal["x", "y"]:
    return "x" if turn.request.question == "x" else "y"


def only(turn: Turn) -> Literal["only"]:
    return "only"


async def test_a_switch_runs_the_table_that_its_key_names() -> None:
    tables = {"x": (toy("one", mark("1")),), "y": (toy("two", mark("2")), toy("three", mark("3")))}
    row = Switch("mode", x_or_y, tables)
    assert (await end((row,))).turn.request.question == "23"
    assert (await end((row,), make_turn("x", LIVE))).turn.request.question == "x1"


@pytest.mark.parametrize("policy", [SKIP, BLOCK])
async def test_a_policy_holds_inside_a_branch_too(policy: OnError) -> None:
    inner = Switch("mode", only, {"only": (toy("bad", fail(ModelUnavailable()), on_error=policy), toy("after", mark("z")))})
    done = await end((Parallel("both", (inner, toy("good", mark("g"))), join),))
    assert done.turn.request.question == ("zg" if policy is SKIP else "g")


# --- tables that cannot work --------------------------------------------------------------------


class Bare:
    """What hardly any step can do with."""

    store: str


async def count(turn: Turn, *, store: int) -> Turn:
    return turn


async def may_use(turn: Turn, *, store: str | None) -> Turn:
    return turn


async def unknown(turn: Turn, *, store: Nowhere) -> Turn:  # type: ignore[name-defined]  # noqa: F821
    return turn


def any_key(turn: Turn) -> str:
    return "x"


ONE, ALWAYS = toy("one", mark("a")), toy("last", mark("z"), always=True)


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ([toy("save", save)], "step 'save' asks for 'saves', which Bare does not have"),
        ([toy("one", mark("a"), on_error=FALLBACK, fallback=save)], "step 'one' asks for 'saves'"),
        ([Parallel("both", (ONE, toy("save", save)), join)], "step 'save' asks for 'saves'"),
        ([Switch("mode", x_or_y, {"x": (ONE,), "y": (toy("save", save),)})], "step 'save' asks for 'saves'"),
        ([toy("count", count)], "step 'count' asks for 'store' as <class 'int'>; Bare has it as <class 'str'>"),
        ([toy("unknown", unknown)], "the types of unknown are not known when it runs: name 'Nowhere' is not defined"),
        ([toy("one", mark("a"), on_error=FALLBACK)], "step 'one' has no fallback"),
        ([ONE, toy("two", mark("b")), ONE], "two rows are named 'one'"),
        ([Parallel("both", (ONE, ONE), join)], "two rows are named 'one'"),
        ([ONE, Switch("mode", only, {"only": (ONE,)})], "two rows are named 'one'"),
        ([Switch("mode", only, {"only": (ONE,)}), ONE], "two rows are named 'one'"),
        ([Switch("mode", only, {"only": (ALWAYS,)})], "row 'last' is to run always, but stands below the top level"),
        ([Parallel("both", (ONE, ALWAYS), join)], "row 'last' is to run always"),
        ([Switch("mode", x_or_y, {"x": (ONE,)})], "switch 'mode' has no table for 'y'"),
        ([Switch("mode", any_key, {"x": (ONE,)})], "the key of switch 'mode' does not say by a Literal what it may be"),
    ],
)
def test_a_table_that_cannot_work_is_refused_when_it_is_built(rows: list[Any], problem: str) -> None:
    with pytest.raises(TypeError, match=re.escape(problem)):
        Runner(rows, Bare, Bare)


def test_tables_of_a_switch_may_use_a_name_each_and_a_step_may_do_without_what_there_always_is() -> None:
    Runner([Switch("mode", x_or_y, {"x": (ONE,), "y": (ONE, toy("may_use", may_use))})], Bare, Bare)


@pytest.mark.parametrize("table", [ANSWER, RETRIEVE, LOOK_UP])
def test_every_table_of_ours_can_work(table: Any) -> None:
    check(table, Deps)


def test_a_part_that_is_misspelt_is_found_before_a_turn() -> None:
    async def retrieve(turn: Turn, *, indeks: object) -> Turn:
        return turn

    with pytest.raises(TypeError, match="'indeks', which Deps does not have"):
        check([toy("retrieve", retrieve)], Deps)
