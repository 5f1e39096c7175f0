"""Nested tables: branches and switches, and tables that are invalid."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest

from footnote.bootstrap.deps import Deps
from footnote.errors import FootnoteError, ModelUnavailable, Rejected, SearchUnavailable, StepTimeout
from footnote.events import Failed
from footnote.model_calls import complete
from footnote.pipeline import ANSWER, LOOK_UP, RETRIEVE
from footnote.steps import BLOCK, FAIL, FALLBACK, SKIP, Parallel, Runner, Switch
from footnote.steps.check import check
from footnote.types import Answer, Message, Turn, Usage
from tests.fakes import FakeModel, FakeModels, LoopClock, make_hit
from tests.footnote.step_toys import SAVE, Saves, end, fail, find, mark, save, statuses, toy
from tests.turns import LIVE, make_turn, with_


def x_or_y(turn: Turn) -> Literal["x", "y"]:
    return "x" if turn.request.question == "x" else "y"


def only(turn: Turn) -> Literal["only"]:
    return "only"


class Stall(asyncio.Event):
    """An event that is never set; waiting for it advances the clock past every limit."""

    async def wait(self) -> Literal[True]:
        LoopClock().advance(100)
        return await super().wait()


async def stall(turn: Turn) -> Turn:
    await Stall().wait()
    return turn


def found(turn: Turn) -> list[str]:
    """The queries that branches appended; each has its list."""
    assert [each.query for each in turn.evidence.lists] == [query.text for query in turn.queries[1:]]
    return [query.text for query in turn.queries[1:]]


async def test_branches_run_concurrently_from_the_same_turn_and_merge_in_table_order() -> None:
    first_may_end = asyncio.Event()

    async def first(turn: Turn) -> Turn:
        assert found(turn) == ["a"]
        await first_may_end.wait()
        return await find("1")(turn)  # type: ignore[no-any-return]

    async def second(turn: Turn) -> Turn:
        assert found(turn) == ["a"]
        first_may_end.set()
        return await find("2")(turn)  # type: ignore[no-any-return]

    done = await end((toy("a", find("a")), Parallel("both", (toy("first", first), toy("second", second)), timeout_s=5)))
    assert (found(done.turn), done.turn.trace.degraded) == (["a", "1", "2"], False)
    assert [span.name for span in done.turn.trace.spans] == ["a", "first", "second"]


async def test_calls_and_notes_of_branches_are_added_to_those_of_the_turn() -> None:
    branches = (toy("one", find("1", usage=Usage(1000, 100), model="big", one=1)), toy("two", find("2", usage=Usage(9, 1), two=2)))
    done = await end((toy("a", find("a", usage=Usage(5, 2), a=0)), Parallel("both", branches), SAVE), saves=Saves())
    assert done.turn.trace.usage == Usage(1014, 103)
    assert [(call.step, call.model, call.usage) for call in done.turn.trace.calls] == [
        ("a", "toy", Usage(5, 2)),
        ("one", "big", Usage(1000, 100)),
        ("two", "toy", Usage(9, 1)),
    ]
    assert done.turn.trace.notes == {"a": 0, "one": 1, "two": 2}


async def test_a_branch_may_be_a_table() -> None:
    inner = Switch("mode", only, {"only": (toy("one", find("1", usage=Usage(1, 1))), toy("two", find("2", usage=Usage(2, 2))))})
    done = await end((Parallel("both", (inner, toy("three", find("3")))),))
    assert (found(done.turn), done.turn.trace.usage) == (["1", "2", "3"], Usage(3, 3))
    assert [span.name for span in done.turn.trace.spans] == ["one", "two", "three"]


async def test_a_failed_branch_is_left_out_and_its_tokens_count() -> None:
    """1,110 tokens: those of a step that succeeded before the failure, and those of the interrupted call."""
    bad = (toy("good_yet", find("b", usage=Usage(600, 60), tried=True)), toy("bad", fail(ModelUnavailable("gone"), usage=Usage(400, 50))))
    done = await end((Parallel("both", (Switch("mode", only, {"only": bad}), toy("good", find("g")))),))
    assert (found(done.turn), done.turn.trace.degraded, done.turn.trace.usage) == (["g"], True, Usage(1000, 110))
    assert done.turn.trace.notes == {"tried": True}
    assert statuses(done.turn) == {"good_yet": "ok", "bad": "failed", "good": "ok"}


async def test_a_late_branch_is_cancelled_and_left_out_and_its_tokens_are_estimated() -> None:
    model = FakeModel([["Five words of an answer", Stall()]])

    async def late(turn: Turn) -> Turn:
        await complete(FakeModels(model), None, [Message("user", "Seven words that are put to it")], max_tokens=9, timeout_s=9)
        return turn

    rows = (Switch("mode", only, {"only": (toy("before", find("b", usage=Usage(1, 1))), toy("late", late))}), toy("good", find("g")))
    done = await end((Parallel("both", rows, timeout_s=10), toy("two", find("2"))))
    assert (found(done.turn), done.turn.trace.degraded) == (["g", "2"], True)
    asked, said = done.turn.trace.usage.prompt_tokens - 1, done.turn.trace.usage.completion_tokens - 1
    assert (asked, said, done.turn.trace.usage.estimated) == (7, 5, True)
    assert statuses(done.turn) == {"before": "ok", "mode": "late", "good": "ok", "two": "ok"}


async def test_the_tokens_of_a_step_that_timed_out_are_estimated() -> None:
    async def slow(turn: Turn) -> Turn:
        model = FakeModel([["Five words of an answer", Stall()]])
        await complete(FakeModels(model), None, [Message("user", "Seven words that are put to it")], max_tokens=9, timeout_s=9)
        return turn

    for policy in (SKIP, FAIL):
        ended = await end((toy("slow", slow, timeout_s=10, on_error=policy),))
        assert ended.turn.trace.usage == Usage(7, 5, estimated=True)


@pytest.mark.parametrize("outcome", ["forbidden", "blocked"])
async def test_a_branch_that_refuses_the_question_ends_the_turn_with_its_answer(outcome: Any) -> None:
    async def refuse(turn: Turn) -> Turn:
        return replace(turn, outcome=outcome, answer=Answer("Not this."))

    for rows in ((toy("good", find("g")), toy("check", refuse)), (toy("check", refuse), toy("bad", fail(ModelUnavailable())))):
        done = await end((Parallel("both", rows), toy("two", mark("b")), SAVE), saves=(saves := Saves()))
        assert (done.turn.outcome, done.turn.answer, saves.trails) == (outcome, Answer("Not this."), [""])


async def test_any_other_outcome_of_a_branch_ends_only_that_branch() -> None:
    async def settle(turn: Turn) -> Turn:
        return replace(turn, outcome="no_hits", answer=Answer("Nothing."))

    inner = Switch("mode", only, {"only": (toy("nothing", settle), toy("never", mark("n")))})
    done = await end((Parallel("both", (inner, toy("good", find("g")))), toy("two", find("2"))))
    assert (done.turn.outcome, done.turn.answer, found(done.turn)) == (None, None, ["g", "2"])


CHECKED = toy("check", find("c"), on_error=BLOCK)


@pytest.mark.parametrize(
    "branch",
    [
        toy("check", stall, on_error=BLOCK),
        toy("check", fail(ModelUnavailable()), on_error=BLOCK),
        Switch("mode", only, {"only": (toy("late", stall), CHECKED)}),
        Switch("mode", only, {"only": (toy("bad", fail(ModelUnavailable())), CHECKED)}),
    ],
)
async def test_a_check_in_a_branch_that_could_not_be_made_blocks_the_turn(branch: Any) -> None:
    done = await end((Parallel("both", (branch, toy("good", find("g"))), timeout_s=10), toy("two", mark("b"))))
    assert (done.turn.outcome, done.turn.request.question) == ("blocked", "")


async def test_an_error_of_a_check_that_refuses_the_question_in_a_branch_ends_the_turn() -> None:
    check = toy("check", fail(Rejected("Too long.")), on_error=BLOCK)
    for other in (toy("good", find("g")), toy("bad", fail(ModelUnavailable())), toy("late", stall)):
        failed = await end((Parallel("both", (other, check), timeout_s=10), SAVE), saves=Saves())
        assert isinstance(failed, Failed)
        assert isinstance(failed.error, Rejected)


async def test_if_all_branches_fail_the_turn_ends_with_the_first_error_and_all_tokens() -> None:
    rows = (toy("late", stall), toy("bad", fail(ModelUnavailable("a"), usage=Usage(3, 4))), toy("worse", fail(SearchUnavailable("b"))))
    failed = await end((Parallel("all", rows, timeout_s=10), SAVE), saves=Saves())
    assert isinstance(failed.error, ModelUnavailable)
    assert statuses(failed.turn) == {"late": "late", "bad": "failed", "worse": "failed", "save": "ok"}
    assert failed.turn.trace.usage == Usage(3, 4)
    failed = await end((Parallel("all", (toy("late", stall),), timeout_s=10),))
    assert isinstance(failed.error, StepTimeout)
    assert failed.error.detail == "The branch “late” took longer than 10 s."


def change(**changes: Any) -> Any:
    async def step(turn: Turn) -> Turn:
        return replace(with_(turn, **changes), reading=turn.reading)

    return step


@pytest.mark.parametrize(
    ("step", "field"),
    [
        (mark("x"), "request"),
        (change(answer=Answer("Early.")), "answer"),
        (change(allowance="search"), "plan"),
        (change(hits=(make_hit("x"),)), "evidence.hits"),
        (change(lists=()), "evidence.lists"),
        (change(queries=("another",)), "queries"),
        (change(vectors=[np.ones(2)] * 2), "queries"),
        (change(suggested_questions=("Why?",)), "trace.suggested_questions"),
        (change(notes={}), "trace.notes"),
        (change(notes={"a": 2}), "trace.notes"),
        (find("b", twice=2), "trace.notes"),
    ],
)
async def test_a_change_that_a_branch_must_not_make_is_a_defect(step: Any, field: str, caplog: pytest.LogCaptureFixture) -> None:
    rows = (toy("a", find("a", a=1)), Parallel("both", (toy("good", find("g", twice=1)), toy("bad", step, amends_plan=True))), SAVE)
    failed = await end(rows, saves=Saves())
    assert isinstance(failed, Failed)
    assert type(failed.error) is FootnoteError
    assert str(caplog.records[-1].exc_info[1]) == f"the branch 'bad' changed {field}, which a branch must not change"
    assert failed.turn.trace.persisted


async def test_a_switch_runs_the_table_that_its_key_names() -> None:
    tables = {"x": (toy("one", mark("1")),), "y": (toy("two", mark("2")), toy("three", mark("3")))}
    row = Switch("mode", x_or_y, tables)
    assert (await end((row,))).turn.request.question == "23"
    assert (await end((row,), make_turn("x", LIVE))).turn.request.question == "x1"


async def test_policies_apply_inside_branches() -> None:
    inner = Switch("mode", only, {"only": (toy("bad", fail(ModelUnavailable()), on_error=SKIP), toy("after", find("z")))})
    done = await end((Parallel("both", (inner, toy("good", find("g")))),))
    assert (found(done.turn), done.turn.trace.degraded) == (["z", "g"], True)


# --- invalid tables -----------------------------------------------------------------------------


class Bare:
    """Dependencies with a single member."""

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
        ([Parallel("both", (ONE, toy("save", save)))], "step 'save' asks for 'saves'"),
        ([Switch("mode", x_or_y, {"x": (ONE,), "y": (toy("save", save),)})], "step 'save' asks for 'saves'"),
        ([toy("count", count)], "step 'count' asks for 'store' of type <class 'int'>; in Bare it is <class 'str'>"),
        ([toy("unknown", unknown)], "the types of unknown cannot be resolved at run time: name 'Nowhere' is not defined"),
        ([toy("one", mark("a"), needs="store")], "step 'one' needs 'store', which is not an optional member of Bare"),
        ([toy("one", mark("a"), needs="reranker")], "step 'one' needs 'reranker', which is not an optional member of Bare"),
        ([toy("one", mark("a"), on_error=FALLBACK)], "step 'one' has no fallback"),
        ([ONE, toy("two", mark("b")), ONE], "two rows are named 'one'"),
        ([Parallel("both", (ONE, ONE))], "two rows are named 'one'"),
        ([ONE, Switch("mode", only, {"only": (ONE,)})], "two rows are named 'one'"),
        ([Switch("mode", only, {"only": (ONE,)}), ONE], "two rows are named 'one'"),
        ([Switch("mode", only, {"only": (ALWAYS,)})], "row 'last' has always=True, but is below the top level"),
        ([Parallel("both", (ONE, ALWAYS))], "row 'last' has always=True"),
        ([Switch("mode", x_or_y, {"x": (ONE,)})], "switch 'mode' has no table for 'y'"),
        ([Switch("mode", any_key, {"x": (ONE,)})], "the key of switch 'mode' must return a Literal"),
    ],
)
def test_an_invalid_table_is_refused_when_it_is_built(rows: list[Any], problem: str) -> None:
    with pytest.raises(TypeError, match=re.escape(problem)):
        Runner(rows, Bare, lambda turn: Bare())


def test_tables_of_a_switch_may_share_a_name_and_a_step_may_accept_none() -> None:
    Runner([Switch("mode", x_or_y, {"x": (ONE,), "y": (ONE, toy("may_use", may_use))})], Bare, lambda turn: Bare())


@pytest.mark.parametrize("table", [ANSWER, RETRIEVE, LOOK_UP])
def test_every_table_of_the_pipeline_is_valid(table: Any) -> None:
    check(table, Deps)


def test_a_misspelt_dependency_is_found_before_a_turn() -> None:
    async def retrieve(turn: Turn, *, indeks: object) -> Turn:
        return turn

    with pytest.raises(TypeError, match="'indeks', which Deps does not have"):
        check([toy("retrieve", retrieve)], Deps)
