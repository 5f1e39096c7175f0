"""The stats function: cost and outcomes of turns, over HTTP and by the hourly schedule."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.learn.stats import roll_up
from footnote.ports import Rollup
from footnote.settings import LLM, Price
from footnote.turn_records.figures import figures_of
from footnote.turn_records.tallies import tallies_of
from footnote.types import Answer, Caller, Feedback, ModelCall, ModelUsage, Usage
from footnote_stats.app import create_app, create_handler, handler
from tests.conftest import HandClock
from tests.functions.conftest import LOCAL, OpenClient, as_caller, body_of, get_event, heavy_imports, sample_event
from tests.turns import ME, make_turn, stored

JAN_15 = 1_768_435_200.0
HOUR = 3600.0
STRANGER = Caller("stranger")


async def save(core: Core, clock: HandClock, trace_id: str, started_at: float, ms: int = 100, status: Any = "done", **changes: Any) -> None:
    """Stores a turn that took `ms`, as the last pipeline step does."""
    clock.now = started_at + ms / 1000
    await core.turns.save(stored(make_turn(trace_id=trace_id, started_at=started_at, **{"caller": LOCAL, **changes}), status, ms=ms))


def called(**used: Usage) -> tuple[ModelCall, ...]:
    return tuple(ModelCall("answer", model, usage, 1.0) for model, usage in used.items())


async def save_two_days(core: Core, clock: HandClock) -> None:
    """January 14: an answer in its last second. January 15: a refusal in its first moment, and an error. Also turns just outside."""
    await save(core, clock, "before", JAN_15 - 25 * HOUR)
    await save(core, clock, "answer", JAN_15 - 1, 100, room_id="r1", answer=Answer("Yes.", model="llama"), usage=Usage(10, 4))
    await save(core, clock, "refusal", JAN_15, 300, room_id="r1", answer=Answer("I don't know."), outcome="refused")
    await save(core, clock, "error", JAN_15 + 8 * HOUR, 200, "error", room_id="r1", usage=Usage(5, 0))
    await save(core, clock, "after", JAN_15 + 24 * HOUR)
    await core.feedback.put(LOCAL, Feedback("answer", "local", "up"))
    await core.feedback.put(LOCAL, Feedback("refusal", "local", "down"))


JAN_14_FIGURES = {
    "turns": 1,
    "errors": 0,
    "answered": 1,
    "closest": 0,
    "refusals": 0,
    "forbidden": 0,
    "cache_hits": 0,
    "prompt_tokens": 10,
    "completion_tokens": 4,
    "total_tokens": 14,
    "latency_p50_ms": 100,
    "latency_p95_ms": 100,
    "feedback_up": 1,
    "feedback_down": 0,
}
JAN_15_FIGURES = {
    "turns": 2,
    "errors": 1,
    "answered": 0,
    "closest": 0,
    "refusals": 1,
    "forbidden": 0,
    "cache_hits": 0,
    "prompt_tokens": 5,
    "completion_tokens": 0,
    "total_tokens": 5,
    "latency_p50_ms": 200,
    "latency_p95_ms": 300,
    "feedback_up": 0,
    "feedback_down": 1,
}
UNPRICED = {"cost": None}


# --- HTTP --------------------------------------------------------------------------------------


async def test_figures_are_given_for_each_day_and_for_all_of_them(core: Core, clock: HandClock, open_client: OpenClient) -> None:
    await save_two_days(core, clock)
    client = await open_client(create_app)
    reply = await client.get("/stats", params={"from": "2026-01-14", "to": "2026-01-15", "by": "day"})
    assert (reply.status_code, reply.json()) == (
        200,
        {
            "from": "2026-01-14",
            "to": "2026-01-15",
            "by": "day",
            "data": [
                {"key": {"day": "2026-01-14"}, "figures": JAN_14_FIGURES | UNPRICED},
                {"key": {"day": "2026-01-15"}, "figures": JAN_15_FIGURES | UNPRICED},
            ],
            "total": {
                "turns": 3,
                "errors": 1,
                "answered": 1,
                "closest": 0,
                "refusals": 1,
                "forbidden": 0,
                "cache_hits": 0,
                "prompt_tokens": 15,
                "completion_tokens": 4,
                "total_tokens": 19,
                "latency_p50_ms": 200,
                "latency_p95_ms": 300,
                "feedback_up": 1,
                "feedback_down": 1,
                "cost": None,
            },
        },
    )


@pytest.mark.parametrize(
    ("by", "groups"),
    [
        ("user", [({"user": "me"}, 2), ({"user": "stranger"}, 1)]),
        ("room", [({"user": "me", "room": "r1"}, 1), ({"user": "me", "room": "r2"}, 1), ({"user": "stranger", "room": "r1"}, 1)]),
        ("search_type", [({"search_type": "rag"}, 3)]),
        ("llm", [({"llm": None}, 2), ({"llm": "llama"}, 1)]),
        ("day", [({"day": "2026-01-14"}, 1), ({"day": "2026-01-15"}, 2)]),
    ],
)
async def test_turns_are_grouped_by(
    by: str, groups: list[tuple[dict[str, Any], int]], core: Core, clock: HandClock, open_client: OpenClient
) -> None:
    await save(core, clock, "t1", JAN_15 - 1, caller=ME, room_id="r1", answer=Answer("Yes.", model="llama"))
    await save(core, clock, "t2", JAN_15, caller=STRANGER, room_id="r1")
    await save(core, clock, "t3", JAN_15, caller=ME, room_id="r2")
    reply = await (await open_client(create_app)).get(f"/stats?by={by}")
    assert [(group["key"], group["figures"]["turns"]) for group in reply.json()["data"]] == groups


async def test_tokens_are_charged_at_current_prices(core: Core, clock: HandClock, open_client: OpenClient) -> None:
    await save(core, clock, "t1", JAN_15, answer=Answer("Yes.", model="small"), usage=Usage(2_000, 1_000))
    await save(core, clock, "t2", JAN_15, answer=Answer("Yes.", model="large"), usage=Usage(1_000, 100))
    await save(core, clock, "t3", JAN_15, answer=Answer("Yes.", model="unpriced"), usage=Usage(9_000, 9_000))
    prices = {"small": {"input": 1, "output": 2}, "large": {"input": 10, "output": 40}}
    await core.records.put("setting", "llm.prices", {"value": prices}, by="local")
    body = (await (await open_client(create_app)).get("/stats?by=llm")).json()
    assert {group["key"]["llm"]: group["figures"]["cost"] for group in body["data"]} == {"small": 0.004, "large": 0.014, "unpriced": None}
    assert body["total"]["cost"] is None


async def test_a_turn_without_an_answer_although_nothing_failed_is_a_refusal(core: Core, clock: HandClock, open_client: OpenClient) -> None:
    for outcome in ("no_hits", "refused", "blocked", "forbidden", "faq", None):
        await save(core, clock, str(outcome), JAN_15, answer=Answer("…"), outcome=outcome)
        total = (await (await open_client(create_app)).get("/stats")).json()["total"]
        assert (outcome, total["refusals"]) == (outcome, min(total["turns"], 4))


async def test_a_turn_that_shows_the_closest_passages_is_counted_apart_and_no_refusal(
    core: Core, clock: HandClock, open_client: OpenClient
) -> None:
    await save(core, clock, "t1", JAN_15, answer=Answer("…"), outcome="closest")
    total = (await (await open_client(create_app)).get("/stats")).json()["total"]
    assert (total["turns"], total["closest"], total["refusals"], total["errors"]) == (1, 1, 0, 0)


async def test_the_last_thirty_days_are_the_default(core: Core, clock: HandClock, open_client: OpenClient) -> None:
    await save(core, clock, "too-old", JAN_15 - 29 * 24 * HOUR - 1)
    await save(core, clock, "oldest", JAN_15 - 29 * 24 * HOUR)
    await save(core, clock, "newest", JAN_15 + 12 * HOUR)
    body = (await (await open_client(create_app)).get("/stats")).json()
    assert (body["from"], body["to"], body["by"]) == ("2025-12-17", "2026-01-15", "day")
    assert [group["key"]["day"] for group in body["data"]] == ["2025-12-17", "2026-01-15"]


async def test_without_turns_there_are_no_groups_and_the_total_is_zero(open_client: OpenClient) -> None:
    body = (await (await open_client(create_app)).get("/stats", params={"to": "9999-12-31"})).json()
    assert body["data"] == []
    assert set(body["total"].values()) == {0}


async def test_a_user_without_admin_role_sees_only_their_own_figures(core: Core, clock: HandClock, open_client: OpenClient) -> None:
    await save(core, clock, "mine", JAN_15, caller=ME)
    await save(core, clock, "theirs", JAN_15, caller=STRANGER)
    await core.feedback.put(LOCAL, Feedback("mine", "local", "down"))
    body = (await (await open_client(as_caller(ME, create_app))).get("/stats?by=user")).json()
    assert [group["key"] for group in body["data"]] == [{"user": "me"}]
    assert (body["total"]["turns"], body["total"]["feedback_down"]) == (1, 0)


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("from=2026-01-16&to=2026-01-15", "`from` is after `to`."),
        (
            "by=colour",
            "query.by: Input should be 'user', 'room', 'search_type', 'llm', 'day', 'hour', 'collection', 'outcome', 'question' or"
            " 'document'",
        ),
        (
            "by=hour&from=2026-01-08&to=2026-01-15",
            "By hour, a period has at most 7 days. Choose a shorter one, or `by=day`.",
        ),
        ("from=1999-12-31", "query.from: Input should be greater than or equal to 2000-01-01"),
        ("to=tomorrow", "query.to: Input should be a valid date or datetime, input is too short"),
    ],
)
async def test_an_invalid_request_says_why(query: str, detail: str, open_client: OpenClient) -> None:
    reply = await (await open_client(create_app)).get(f"/stats?{query}")
    assert (reply.status_code, reply.headers["content-type"]) == (422, "application/problem+json")
    assert reply.json()["detail"] == detail


async def test_tokens_and_cost_stand_with_the_model_that_used_them(
    core: Core, clock: HandClock, open_client: OpenClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    prices = {"small": Price(input=1, output=10), "big": Price(input=100, output=1000)}
    priced = core.settings.model_copy(update={"llm": LLM(prices=prices)})
    monkeypatch.setattr(Core, "settings", property(lambda _: priced))
    both = called(small=Usage(2_000, 100), big=Usage(1_000, 200))
    await save(core, clock, "answered", JAN_15, answer=Answer("Yes.", model="big"), calls=both)
    await save(core, clock, "blocked", JAN_15, 100, "error", outcome="blocked", calls=called(small=Usage(500, 5)))
    await save(core, clock, "failed", JAN_15, 100, "error", calls=called(big=Usage(300, 0)))
    await save(core, clock, "quoted", JAN_15, answer=Answer("Yes.", extractive=True))
    reply = (await (await open_client(create_app)).get("/stats?by=llm")).json()
    shown = {
        group["key"]["llm"]: [group["figures"][name] for name in ("turns", "errors", "prompt_tokens", "completion_tokens")]
        for group in reply["data"]
    }
    assert shown == {None: [1, 0, 0, 0], "big": [2, 1, 1_300, 200], "small": [1, 1, 2_500, 105]}
    assert [group["figures"]["cost"] for group in reply["data"]] == [0, pytest.approx(0.33), pytest.approx(0.00355)]
    assert reply["total"]["cost"] == pytest.approx(0.33355)
    by_day = (await (await open_client(create_app)).get("/stats?by=day")).json()["data"]
    assert [group["figures"]["cost"] for group in by_day] == [pytest.approx(0.33355)]


async def test_a_stored_turn_without_a_model_name_is_priced_by_the_answering_model() -> None:
    record = stored(make_turn(answer=Answer("Yes.", model="big"), usage=Usage(1_000, 100), started_at=JAN_15))
    del record["result"]["usage"]["models"]
    figures = figures_of(record)
    assert figures.used == (ModelUsage("big", Usage(1_000, 100)),)
    prices = LLM(prices={"big": Price(input=100, output=1000)})
    assert [group.figures.cost for group in roll_up(tallies_of([figures]), "llm", prices)] == [pytest.approx(0.2)]


async def test_a_model_used_only_for_auxiliary_calls_has_tokens_and_no_turns(core: Core, clock: HandClock, open_client: OpenClient) -> None:
    calls = called(small=Usage(20, 10), big=Usage(10, 2))
    await save(core, clock, "answered", JAN_15, answer=Answer("Yes.", model="big"), calls=calls)
    groups = (await (await open_client(create_app)).get("/stats?by=llm")).json()["data"]
    assert [(group["key"]["llm"], group["figures"]["turns"], group["figures"]["total_tokens"]) for group in groups] == [
        ("big", 1, 12),
        ("small", 0, 30),
    ]


async def test_cache_hits_are_counted(core: Core, clock: HandClock, open_client: OpenClient) -> None:
    await save(core, clock, "cached", JAN_15, outcome="cached", answer=Answer("Yes."))
    await save(core, clock, "searched", JAN_15, answer=Answer("Yes."), notes={"search_cache": {"hits": 2}})
    await save(core, clock, "made", JAN_15, answer=Answer("Yes."), notes={"search_cache": {"hits": 0}})
    total = (await (await open_client(create_app)).get("/stats")).json()["total"]
    assert (total["turns"], total["cache_hits"]) == (3, 2)


# --- Lambda ------------------------------------------------------------------------------------


def test_the_schedule_rolls_up_every_day_that_is_over_once_and_today_again(
    core: Core, clock: HandClock, lambda_loop: asyncio.AbstractEventLoop
) -> None:
    do = lambda_loop.run_until_complete

    def rolled_up(day: str) -> list[Rollup]:
        return [replace(each, tallies=()) for each in do(core.statistics.rollups(LOCAL, day))]

    do(save_two_days(core, clock))
    clock.now = JAN_15 + 26 * HOUR
    handle = create_handler(create_app(lambda: core))
    for days in ({"2026-01-16": 1, "2026-01-15": 1, "2026-01-14": 1, "2026-01-13": 1}, {"2026-01-16": 1}):
        assert handle(sample_event("stats_schedule"), None) == days
        assert rolled_up("2026-01-14") == [Rollup("local", "r1", "rag", JAN_14_FIGURES, "llama")]
        assert rolled_up("2026-01-15") == [Rollup("local", "r1", "rag", JAN_15_FIGURES, "fake")]
    assert rolled_up("2026-01-12") == []


def test_roll_ups_are_of_all_users_rooms_apart(core: Core, clock: HandClock, lambda_loop: asyncio.AbstractEventLoop) -> None:
    do = lambda_loop.run_until_complete
    for trace_id, caller, room_id in (("t1", ME, "r1"), ("t2", ME, "r1"), ("t3", ME, "r2"), ("t4", STRANGER, "r1")):
        do(save(core, clock, trace_id, JAN_15, caller=caller, room_id=room_id))
    assert create_handler(create_app(lambda: core))(sample_event("stats_schedule"), None) == {"2026-01-15": 3}
    rollups = do(core.statistics.rollups(LOCAL, "2026-01-15"))
    assert [(rollup.user_id, rollup.room_id, rollup.figures["turns"]) for rollup in rollups] == [
        ("me", "r1", 2),
        ("me", "r2", 1),
        ("stranger", "r1", 1),
    ]


def test_later_turns_of_the_same_day_are_in_the_next_roll_up(core: Core, clock: HandClock, lambda_loop: asyncio.AbstractEventLoop) -> None:
    do = lambda_loop.run_until_complete
    handle = create_handler(create_app(lambda: core))
    do(save(core, clock, "t1", JAN_15 + 9 * HOUR, room_id="r1"))
    handle(sample_event("stats_schedule"), None)
    do(save(core, clock, "t2", JAN_15 + 23.5 * HOUR, room_id="r1"))
    do(core.feedback.put(LOCAL, Feedback("t1", "local", "up")))
    clock.now = JAN_15 + 24 * HOUR
    assert handle(sample_event("stats_schedule", time="2026-01-16T00:00:00Z"), None) == {"2026-01-15": 1}
    (rollup,) = do(core.statistics.rollups(LOCAL, "2026-01-15"))
    assert (rollup.figures["turns"], rollup.figures["feedback_up"]) == (2, 1)


def test_one_lambda_serves_schedule_and_http_in_turns(core: Core, clock: HandClock, lambda_loop: asyncio.AbstractEventLoop) -> None:
    lambda_loop.run_until_complete(save_two_days(core, clock))
    clock.now = JAN_15 + 12 * HOUR
    handle = create_handler(create_app(lambda: core))
    for _ in range(2):
        assert handle(sample_event("stats_schedule"), None)["2026-01-15"] == 1
        reply = handle(get_event("/stats", "from=2026-01-15&to=2026-01-15"), None)
        assert (reply["statusCode"], body_of(reply)["total"]) == (200, JAN_15_FIGURES | UNPRICED)


def test_the_lambda_handler_works(lambda_loop: asyncio.AbstractEventLoop) -> None:
    reply = handler(get_event("/stats/health"), None)
    assert (reply["statusCode"], body_of(reply)) == (200, {"status": "ok", "function": "stats"})


@pytest.mark.nightly
def test_importing_the_function_loads_no_adapter() -> None:
    assert heavy_imports("footnote_stats.app") == []
    assert heavy_imports("footnote.bootstrap, footnote_stats.app") != []
