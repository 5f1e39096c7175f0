"""Which arm a turn gets, what it changes, and what is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import BadRequest, StoreUnavailable
from footnote.learn.experiment_results import LEAST_SHARE, follow_ratings, measure, ratings_of, shares_for
from footnote.learn.experiment_stats import Rated
from footnote.learn.experiments import (
    COPY_S,
    Experiment,
    Experiments,
    check_experiment,
    create_experiment,
    even_shares,
    get_experiment,
    join_experiment,
    put_experiment,
)
from footnote.memory.scope import answer_scope
from footnote.ports import View
from footnote.prompts.store import save_prompt
from footnote.settings import LLM, Embedding, Settings
from footnote.turn_records.days import DAY_S
from footnote.types import Arm, Caller, Feedback, Request, Turn, TurnFigures
from tests.conftest import HandClock
from tests.fakes import FakeModel, FakeModels, make_document, put_document
from tests.turns import HELD, counted, make_turn, with_

ADMIN = Caller("root", frozenset({"staff"}), role="admin")
PLAIN, NO_CHECK = Arm("plain"), Arm("no-check", options={"support_check": False})
EVEN = {"plain": 0.5, "no-check": 0.5}


def make(*arms: Arm, **changes: Any) -> Experiment:
    chosen = arms or (PLAIN, NO_CHECK)
    return replace(Experiment("tries", "00ff", chosen, even_shares(chosen), state="RUNNING", started_at=1.0, created_by="root"), **changes)


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock) -> Any:
    settings = Settings(footnote_data=tmp_path, embedding=Embedding(builtin=False), llm=LLM(discover=False))
    made = Core(settings, clock=clock, models=FakeModels(FakeModel([["It was built in 1894 [1]."]] * 50)))
    await put_document(made.generations, make_document("bridge", title="Records", groups=("*",)), ["The bridge was built in 1894."])
    yield made
    await made.close()


async def joined(core: Core, *experiments: Experiment, caller: Caller = ADMIN, **request: Any) -> Turn:
    for each in experiments:
        await create_experiment(each, core.records)
    await core.load_changes()
    turn = core.new_turn(Request("When was the bridge built?", **request), caller, HELD)
    return await join_experiment(turn, experiments=core.experiments, settings=core.settings)


def test_users_keep_their_arm_and_shares_are_met() -> None:
    experiment = make(shares=(0.8, 0.2), traffic=0.5)
    users = [f"user {number}" for number in range(4000)]
    inside = [user for user in users if experiment.admits(user)]
    assert 0.46 < len(inside) / len(users) < 0.54
    drawn = Counter(experiment.draw(user).arm.name for user in inside)
    assert 0.76 < drawn["plain"] / len(inside) < 0.84
    assert [experiment.draw(user) for user in users] == [experiment.draw(user) for user in users]
    other = replace(experiment, experiment_id="another")
    assert sum(other.draw(user).arm != experiment.draw(user).arm for user in users) > 800
    later = replace(experiment, period=1)
    assert sum(later.draw(user).arm != experiment.draw(user).arm for user in users) > 800


async def test_an_arm_changes_the_plan_and_says_so_to_admins_only(core: Core) -> None:
    arm = Arm("wide", level="basic", options={"refine": False}, retriever="bm25", alpha=0.2, strategy="TWO_STAGE")
    turn = await joined(core, make(arm, replace(arm, name="same")))
    name = turn.plan.assignment.arm.name if turn.plan.assignment else ""
    assert (turn.plan.retriever, turn.request.alpha, turn.plan.level) == ("bm25", 0.2, "basic")
    assert [turn.plan.wants(each) for each in ("refine", "hybrid", "follow_up", "faq")] == [False, False, False, True]
    assert turn.plan.choices["refine"].because == turn.plan.level_because == f"experiment tries, arm {name}"
    explained = await core.explain(core.new_turn(Request("When was the bridge built?"), ADMIN, HELD))
    assert explained.plan.strategy == "TWO_STAGE"
    assert explained.plan.strategy_because.startswith("experiment tries")
    users = await joined(core, caller=Caller("ann"))
    assert users.plan.assignment is not None
    assert users.plan.choices["refine"].because == "an experiment"


@pytest.mark.parametrize(
    ("arm", "request_", "counts"),
    [
        (Arm("b", options={"refine": False}), {"options": {"refine": True}}, False),
        (Arm("b", options={"refine": False}), {"options": {"faq": False}}, True),
        (Arm("b", options={"refine": False}), {"level": "enhanced"}, False),
        (Arm("b", retriever="bm25"), {"level": "enhanced"}, True),
        (Arm("b", retriever="bm25"), {"retriever": "cc"}, False),
        (Arm("b", alpha=0.3), {"alpha": 0.9}, False),
        (Arm("b", options={"refine": False}), {"is_test": True}, True),  # the row does not run for a test
    ],
)
async def test_options_of_the_user_win_over_an_arm_and_are_not_counted(core: Core, arm: Arm, request_: Any, counts: bool) -> None:
    turn = await joined(core, make(PLAIN, arm), **request_)
    assert (turn.plan.assignment is not None) is counts
    if not counts:
        assert (turn.request.alpha, turn.plan.retriever) == (request_.get("alpha"), "cc")


async def test_an_experiment_is_for_its_collection_and_its_other_names(core: Core) -> None:
    from footnote.types import CollectionSettings

    await core.collections.create("papers", CollectionSettings(), title="", description="", by="root")
    await core.collections.edit("papers", lambda now: replace(now, aliases=("articles",)), by="root")
    await create_experiment(make(collection="papers"), core.records)
    for name, counts in (("papers", True), ("articles", True), ("default", False)):
        assert ((await joined(core, collection=name)).plan.assignment is not None) is counts


async def test_a_down_store_means_no_experiment(core: Core, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (await joined(core, make())).plan.assignment is not None

    changes = core.records.changes

    async def down(kind: Any) -> int:
        if kind == "experiment":
            raise StoreUnavailable("down")
        return await changes(kind)

    monkeypatch.setattr(core.records, "changes", down)
    assert core.experiments is not None
    clock.now += COPY_S
    await core.refresh()
    assert core.experiments is None
    turn = await core.answer.finish(core.new_turn(Request("When was the bridge built?"), ADMIN, HELD))
    assert (turn.plan.assignment, turn.outcome) == (None, None)


async def test_answers_of_arms_are_cached_apart(core: Core) -> None:
    plain = core.new_turn(Request("When was the bridge built?"), ADMIN, HELD)
    view = View(ADMIN.groups, 1)
    scopes = []
    experiment = make(PLAIN, Arm("same"))
    for arm in (None, *experiment.arms):
        given = replace(experiment.draw("root"), arm=arm) if arm else None
        turn = replace(plain, plan=replace(plain.plan, assignment=given))
        scopes.append(str(answer_scope(turn, view, core.settings, core.prompts)))
    assert len(set(scopes)) == 3


async def test_a_pinned_version_of_a_prompt_is_used_by_its_arm_only(core: Core) -> None:
    for text in ("First version. {{ documents }}", "Second version. {{ documents }}"):
        await save_prompt("answer_numbered.en", text, by="root", records=core.records, cache=core.cache)
    for versions, seen in (({"answer_numbered.en": 1}, "First version."), ({}, "Second version."), ({"answer_numbered.en": 0}, "")):
        name = f"pins{len(versions)}{versions.get('answer_numbered.en', '')}"
        arm = Arm("x", prompts=versions)
        stored = make(arm, replace(arm, name="y"), name=name)
        stored = replace(stored, experiment_id=name)
        turn = await core.answer.finish(await joined(core, stored))
        assert turn.messages[0].content.startswith(seen or "You")
        await core.records.delete("experiment", name)


async def test_the_arm_is_stored_with_the_turn_and_its_ratings_are_measured(core: Core, clock: HandClock) -> None:
    await joined(core, make())
    for user in ("ann", "bob", "cem"):
        turn = await core.answer.finish(core.new_turn(Request("When was the bridge built?"), Caller(user), HELD))
        assert turn.plan.assignment is not None
        for rating in ("down", "up"):  # one per turn: the last one stands
            await core.feedback.put(Caller(user), Feedback(turn.trace_id, user, rating, created_at=clock.now))  # type: ignore[arg-type]
        clock.now += 1
    figures = await core.statistics.figures(ADMIN, 0, clock.now + 1)
    results = measure(make(), figures)
    assert sum(arm.turns for arm in results.arms) == sum(arm.rate.positive for arm in results.arms) == 3
    assert (sum(arm.downs for arm in results.arms), results.verdict.winner) == (0, None)
    assert sum(arm.turns for arm in measure(make(experiment_id="other"), figures).arms) == 0


def rated(user: str, arm: str, rating: Any, at: float, period: int = 0) -> TurnFigures:
    given = {"id": "00ff", "name": "tries", "arm": arm, "period": period, "shares": EVEN}
    figures = counted(with_(make_turn(), started_at=at))
    return replace(figures, user_id=user, experiment=given, feedback=(Feedback("t1", user, rating, created_at=at),))  # type: ignore[arg-type]


def test_a_user_counts_once_per_draw() -> None:
    turns = [rated("ann", "plain", "down", 3), rated("ann", "plain", "up", 2), rated("bob", "no-check", "up", 1)]
    assert ratings_of(turns) == [Rated("no-check", True, EVEN), Rated("plain", True, EVEN)]
    assert len(ratings_of([*turns, rated("ann", "plain", "down", 9, period=1)])) == 3


def test_shares_follow_the_ratings_and_none_falls_to_nothing() -> None:
    good = [Rated("b", True, EVEN)] * 50 + [Rated("a", False, EVEN)] * 50
    assert shares_for(good, "ab", "x") == pytest.approx((LEAST_SHARE, 1 - LEAST_SHARE))
    even = shares_for([], "ab", "x")
    assert (sum(even), even == shares_for([], "ab", "x")) == (pytest.approx(1), True)
    assert even == pytest.approx((0.5, 0.5), abs=0.05)


async def test_the_shares_of_a_running_bandit_change_once_a_day(core: Core, clock: HandClock) -> None:
    await create_experiment(make(kind="bandit", shares_at=clock.now), core.records)
    await create_experiment(make(name="fixed", shares_at=clock.now), core.records)
    follow = lambda: follow_ratings(ADMIN, records=core.records, statistics=core.statistics, clock=clock)  # noqa: E731
    assert await follow() == {}
    clock.now += DAY_S
    assert await follow() == {"tries": 1}
    assert await follow() == {}
    changed = await get_experiment("tries", core.records)
    assert (changed.period, sum(changed.shares)) == (1, pytest.approx(1))
    await put_experiment(replace(changed, state="STOPPED"), core.records, by="root")
    clock.now += DAY_S
    assert await follow() == {}


@pytest.mark.parametrize(
    ("experiment", "problem"),
    [
        (make(Arm("a"), Arm("b", options={"rerank": True})), "arm b: rerank cannot be switched on: RERANK__BASE_URL is not set"),
        (make(Arm("a"), Arm("b", options={"forbidden_check": False})), "no option “forbidden_check” that an arm may switch"),
        (make(Arm("a"), Arm("b", retriever="knn")), "there is no embedder"),
        (make(Arm("a"), Arm("b", alpha=0.5)), "there is no embedder"),
        (make(Arm("a"), Arm("b", prompts={"answer_numbered.en": 7})), "has no version 7"),
        (make(Arm("a"), Arm("b", prompts={"nothing.en": 0})), "no prompt “nothing.en”"),
        (make(Arm("a"), Arm("a")), "same name"),
        (make(Arm("a")), "2 to 5 arms"),
        (make(name="Not a name"), "“Not a name” is no name"),
        (make(shares=(0.5, 0.4)), "their sum is 1"),
        (make(traffic=0.0), "share of traffic"),
    ],
)
async def test_an_arm_that_is_not_possible_here_is_refused(core: Core, experiment: Experiment, problem: str) -> None:
    with pytest.raises(BadRequest, match=problem.replace("“", ".").replace("”", ".")):
        await check_experiment(experiment, settings=core.settings, embedder=core.embedder, records=core.records)


async def test_valid_experiments_are_accepted(core: Core) -> None:
    await check_experiment(make(), settings=core.settings, embedder=core.embedder, records=core.records)
    assert Experiments(HandClock()).are_running is False
