"""The feedback function: ratings over HTTP and as Lambda events, and metrics over all ratings."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.types import Answer, Citation, CollectionSettings, Feedback
from footnote_feedback.app import create_app, handler
from footnote_http.lambda_handler import http_handler
from tests.conftest import HandClock
from tests.fakes import make_hit
from tests.functions.conftest import LOCAL, OpenClient, as_caller, body_of, get_event, heavy_imports, sample_event
from tests.turns import ME, make_turn, stored

SAMPLE_TRACE = "01JHM0E7V5N3K9Q2T8W4X6Y1ZA"
DAY = 86_400.0


async def save(core: Core, trace_id: str, status: Any = "done", **changes: Any) -> None:
    await core.turns.save(stored(make_turn(**{"trace_id": trace_id, "caller": LOCAL, "started_at": core.clock(), **changes}), status))


@pytest.fixture
async def client(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(create_app)


# --- one feedback ------------------------------------------------------------------------------


async def test_feedback_is_stored_with_all_its_fields(core: Core, clock: HandClock, client: httpx.AsyncClient) -> None:
    await save(core, "t1")
    clock.advance(60)
    body = {
        "trace_id": "t1",
        "rating": "down",
        "reason": " 다른 버전에 대한 문장이에요. ",
        "proposed_answer": "Drei Jahre.",
        "selected_citations": ["plan#007", "plan#001", "plan#007"],
        "tags": ["outdated", "short"],
        "comment": "Seite 3",
    }
    reply = await client.post("/feedback", json=body)
    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})
    assert await core.feedback.get(LOCAL, "t1") == Feedback(
        "t1",
        "local",
        "down",
        "다른 버전에 대한 문장이에요.",
        "Drei Jahre.",
        ("plan#007", "plan#001"),
        ("outdated", "short"),
        1_700_000_060.0,
        "Seite 3",
    )


DOWN, UP = {"trace_id": "t1", "rating": "down"}, {"trace_id": "t1", "rating": "up"}


@pytest.mark.parametrize(
    ("bodies", "rating", "reason"),
    [
        pytest.param([UP | {"reason": "  "}], "up", None, id="a rating is enough, an empty reason is dropped"),
        pytest.param([DOWN | {"reason": "Wrong.", "tags": ["wrong"]}, UP], "up", None, id="the last feedback on a turn stands alone"),
        *(
            pytest.param([DOWN | {"reason": reason}], "down", stored_as, id=f"reason {reason!r}")
            for reason, stored_as in (
                ("wrong", "wrong"),
                (" Wrong source ", "wrong_source"),
                ("WRONG-SOURCE", "wrong_source"),
                ("It is wrong.", "It is wrong."),
            )
        ),
    ],
)
async def test_what_is_kept_of_a_feedback(bodies: Any, rating: Any, reason: str | None, core: Core, client: httpx.AsyncClient) -> None:
    await save(core, "t1")
    for body in bodies:
        await client.post("/feedback", json=body)
    assert await core.feedback.get(LOCAL, "t1") == Feedback("t1", "local", rating, reason, created_at=1_700_000_000.0)


async def test_personal_data_is_masked_in_every_text(core: Core, client: httpx.AsyncClient) -> None:
    await save(core, "t1")
    texts = {
        "reason": "Falsch, siehe ann.lee@example.com.",
        "comment": "담당자 010-1234-5678로 전화하세요",
        "proposed_answer": "Pay to DE89 3704 0044 0532 0130 00 or with 4111 1111 1111 1111.",
        "tags": ["call +49 30 901820", "old"],
    }
    await client.post("/feedback", json={"trace_id": "t1", "rating": "down"} | texts)
    given = await core.feedback.get(LOCAL, "t1")
    assert (given.reason, given.comment) == ("Falsch, siehe [e-mail].", "담당자 [phone]로 전화하세요")
    assert (given.proposed_answer, given.tags) == ("Pay to [IBAN] or with [card].", ("call [phone]", "old"))


async def test_own_feedback_can_be_deleted(core: Core, open_client: OpenClient, client: httpx.AsyncClient) -> None:
    await save(core, "t1")
    await client.post("/feedback", json={"trace_id": "t1", "rating": "up"})
    stranger = await open_client(as_caller(ME, create_app))
    assert [(await each.delete("/feedback/t1")).status_code for each in (stranger, client, client)] == [404, 204, 404]
    assert await core.feedback.get(LOCAL, "t1") is None


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"trace_id": None}, "trace_id: Input should be a valid string"),
        ({"trace_id": ""}, "trace_id: String should have at least 1 character"),
        ({"trace_id": "t" * 101}, "trace_id: String should have at most 100 characters"),
        ({"rating": "sideways"}, "rating: Input should be 'up' or 'down'"),
        ({"comment": "x" * 2001}, "comment: String should have at most 2000 characters"),
        ({"reason": "x" * 2001}, "reason: String should have at most 2000 characters"),
        ({"proposed_answer": "x" * 20_001}, "proposed_answer: String should have at most 20000 characters"),
        ({"selected_citations": ["x"] * 101}, "selected_citations: List should have at most 100 items after validation, not 101"),
        ({"selected_citations": ["x" * 201]}, "selected_citations.0: String should have at most 200 characters"),
        ({"tags": ["x"] * 21}, "tags: List should have at most 20 items after validation, not 21"),
        ({"tags": ["fine", "x" * 51]}, "tags.1: String should have at most 50 characters"),
        ({"tags": [" "]}, "tags.0: String should have at least 1 character"),
    ],
)
async def test_an_invalid_or_too_long_field_is_named(changes: dict[str, Any], detail: str, core: Core, client: httpx.AsyncClient) -> None:
    await save(core, "t1")
    reply = await client.post("/feedback", json={"trace_id": "t1", "rating": "up"} | changes)
    assert (reply.status_code, reply.json()["detail"]) == (422, detail)
    assert await core.feedback.get(LOCAL, "t1") is None


async def test_the_longest_feedback_is_taken(core: Core, client: httpx.AsyncClient) -> None:
    await save(core, "t" * 100)
    longest = {
        "reason": "가" * 2000,
        "proposed_answer": "가" * 20_000,
        "selected_citations": [f"{number:0200}" for number in range(100)],
        "tags": [f"{number:050}" for number in range(20)],
    }
    reply = await client.post("/feedback", json={"trace_id": "t" * 100, "rating": "up"} | longest)
    assert reply.status_code == 200
    assert (await core.feedback.get(LOCAL, "t" * 100)).reason == "가" * 2000


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"", 422),
        (b"{", 422),
        (b"[]", 422),
        (b'{"trace_id": "t1", "rating": "up", "reason": "\\ud800"}', 422),
        (b"\xff", 422),
    ],
)
async def test_a_body_that_cannot_be_read_is_refused(content: bytes, status: int, core: Core, client: httpx.AsyncClient) -> None:
    await save(core, "t1")
    reply = await client.post("/feedback", content=content, headers={"content-type": "application/json"})
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    assert await core.feedback.get(LOCAL, "t1") is None


# --- metrics ----------------------------------------------------------------------


async def test_metrics_without_feedback_measure_nothing(client: httpx.AsyncClient) -> None:
    reply = await client.get("/feedback/metrics")
    assert (reply.status_code, reply.json()) == (
        200,
        {"positive_rate": None, "counts_by_reason": {}, "ndcg@k": None, "mrr@k": None, "trending_queries": []},
    )


async def test_ratings_and_reasons_of_the_last_days_are_counted(core: Core, clock: HandClock, client: httpx.AsyncClient) -> None:
    await save(core, "old", started_at=clock.now - 7 * DAY - 1)
    for number in range(4):
        await save(core, f"t{number}", started_at=clock.now - 7 * DAY + number)
    for trace_id, rating, reason in (
        ("old", "up", "Fine."),
        ("t0", "down", "wrong"),
        ("t1", "down", "It is from last year."),
        ("t2", "down", "Wrong"),
        ("t3", "up", None),
    ):
        await client.post("/feedback", json={"trace_id": trace_id, "rating": rating, "reason": reason})
    week = (await client.get("/feedback/metrics")).json()
    assert (week["positive_rate"], list(week["counts_by_reason"].items())) == (0.25, [("wrong", 2), ("other", 1)])
    longer = (await client.get("/feedback/metrics", params={"days": 8})).json()
    assert (longer["positive_rate"], longer["counts_by_reason"]) == (0.4, {"other": 2, "wrong": 2})


async def test_the_ranking_is_measured_by_the_citations_that_people_selected(
    core: Core, clock: HandClock, client: httpx.AsyncClient
) -> None:
    shown = {
        "third": [("plan", 0), ("plan", 1), ("tour", 0)],  # selected: the third
        "by-document": [("plan", 0), ("tour", 4), ("tour", 5)],  # selected: the document of the second and third
        "not-shown": [("plan", 0)],  # selected: one that the answer did not cite
        "nothing": [("plan", 0)],  # nothing selected: not counted in the ranking
    }
    for trace_id, passages in shown.items():
        citations = tuple(Citation(number, make_hit("…", *passage), "…") for number, passage in enumerate(passages, 1))
        await save(core, trace_id, answer=Answer("…", citations))
    clock.advance(1)
    for trace_id, selected in (("third", ["tour#000"]), ("by-document", ["tour"]), ("not-shown", ["tour#000"]), ("nothing", [])):
        await client.post("/feedback", json={"trace_id": trace_id, "rating": "up", "selected_citations": selected})
    metrics = (await client.get("/feedback/metrics")).json()
    # 1/log2(3 + 1) = .5 and 1/3; 1/log2(2 + 1) = .6309 and 1/2; 0 and 0
    assert metrics["ndcg@k"] == pytest.approx((0.5 + 0.63093 + 0) / 3, abs=1e-5)
    assert metrics["mrr@k"] == pytest.approx((1 / 3 + 1 / 2 + 0) / 3)
    first_two = (await client.get("/feedback/metrics", params={"k": 2})).json()
    assert first_two["ndcg@k"] == pytest.approx(0.63093 / 3, abs=1e-5)
    assert first_two["mrr@k"] == pytest.approx(0.5 / 3)


async def test_questions_asked_more_often_than_before_are_trending(core: Core, clock: HandClock, client: httpx.AsyncClient) -> None:
    now = clock.now
    before, lately = now - 8 * DAY, now - DAY
    asked = [("Steady?", before)] * 2 + [("Older?", before - 7 * DAY)] * 2 + [("Rising?", before)]
    asked += [("Steady?", lately)] * 2 + [("Once?", lately)] + [("Rising?", lately)] * 3 + [("Older?", lately)] * 3
    asked += [("new  ONE?", lately), ("New one?", lately + 1)]
    for number, (question, started_at) in enumerate(asked):
        await save(core, f"t{number}", question=question, started_at=started_at)
    metrics = (await client.get("/feedback/metrics")).json()
    assert metrics["trending_queries"] == ["Older?", "New one?", "Rising?"]


async def test_forbidden_and_failed_questions_are_never_trending(core: Core, clock: HandClock, client: httpx.AsyncClient) -> None:
    lately = clock.now - DAY
    for number in range(3):
        await save(core, f"f{number}", question="How much does the board earn?", started_at=lately, outcome="forbidden")
        await save(core, f"b{number}", question="Who is ill?", started_at=lately, outcome="blocked")
        await save(core, f"e{number}", question="Who was fired?", status="error", started_at=lately)
        await save(core, f"a{number}", question="Where is the bridge?", started_at=lately)
        await save(core, f"x{number}", question="What does Kim earn?", started_at=lately)
    await save(core, "x", question="what does  Kim earn?", started_at=lately - 9 * DAY, outcome="forbidden")
    metrics = (await client.get("/feedback/metrics")).json()
    assert metrics["trending_queries"] == ["Where is the bridge?"]


async def test_metrics_reveal_other_users_only_to_admins(
    core: Core, clock: HandClock, open_client: OpenClient, client: httpx.AsyncClient
) -> None:
    for number in range(3):
        await save(core, f"t{number}", question="Secret?")
        await core.feedback.put(LOCAL, Feedback(f"t{number}", "local", "down", "Secret."))
    clock.advance(1)
    mine = (await (await open_client(as_caller(ME, create_app))).get("/feedback/metrics")).json()
    everybodys = (await client.get("/feedback/metrics")).json()
    assert (mine["counts_by_reason"], mine["trending_queries"]) == ({}, [])
    assert (everybodys["counts_by_reason"], everybodys["trending_queries"]) == ({"other": 3}, ["Secret?"])


async def test_metrics_are_of_one_collection_under_all_its_names(core: Core, client: httpx.AsyncClient) -> None:
    await core.collections.create("rules", CollectionSettings(), title="", description="", by="local")
    for number, (collection, rating) in enumerate((("rules", "up"), ("laws", "up"), ("other", "down"))):
        await save(core, f"t{number}", collection=collection, question="Why?", started_at=core.clock() - 1)
        await core.feedback.put(LOCAL, Feedback(f"t{number}", "local", rating))
    await core.collections.edit("rules", lambda now: replace(now, aliases=("laws",)), by="local")
    for name, expected in (("rules", (1.0, ["Why?"])), ("laws", (1.0, ["Why?"])), ("other", (0.0, [])), ("none", (None, []))):
        metrics = (await client.get("/feedback/metrics", params={"index_name": name})).json()
        assert (metrics["positive_rate"], metrics["trending_queries"]) == expected, name


async def test_metrics_are_of_one_period(core: Core, clock: HandClock, client: httpx.AsyncClient) -> None:
    clock.now = 1_700_006_400.0 + 3600  # 2023-11-15, 01:00 UTC
    for trace_id, hours_ago, rating in (("today", 0.5, "up"), ("yesterday", 2, "down"), ("before", 26, "down")):
        await save(core, trace_id, started_at=clock.now - hours_ago * 3600)
        await core.feedback.put(LOCAL, Feedback(trace_id, "local", rating))
    periods = {
        "from=2023-11-15": 1.0, "from=2023-11-14": 0.5, "from=2023-11-14&to=2023-11-14": 0.0, "to=2023-11-13": 0.0, "days=1": 0.5,
    }  # fmt: skip
    for asked, rate in periods.items():
        assert (await client.get(f"/feedback/metrics?{asked}")).json()["positive_rate"] == rate, asked
    for asked in ("days=1&from=2023-11-15", "from=2023-11-15&to=2023-11-14", "from=yesterday", "days=0"):
        assert (await client.get(f"/feedback/metrics?{asked}")).status_code == 422, asked


@pytest.mark.parametrize(
    ("asked", "forbidden", "collection"),
    [
        pytest.param("Who earns most?", {"question": "who earns MOST?", "collection": "other"}, "default", id="in another collection"),
        pytest.param(
            "What does Kim earn", {"question": "What does Kim earn?", "lang": "de", "started_at": -900 * DAY}, None, id="long ago"
        ),
    ],
)
async def test_a_question_that_was_ever_forbidden_is_not_trending(
    asked: str, forbidden: dict[str, Any], collection: str | None, core: Core, clock: HandClock, client: httpx.AsyncClient
) -> None:
    for number in range(3):
        await save(core, f"a{number}", question=asked, lang="en", started_at=clock.now - 9)
        await save(core, f"b{number}", question="Where is the bridge?", lang="en", started_at=clock.now - 9)
    await save(core, "f", outcome="forbidden", **forbidden | {"started_at": clock.now + forbidden.get("started_at", -9)})
    metrics = (await client.get("/feedback/metrics", params={"index_name": collection} if collection else {})).json()
    assert metrics["trending_queries"] == ["Where is the bridge?"]


async def test_over_a_year_a_rise_is_measured_against_the_year_before(core: Core, clock: HandClock, client: httpx.AsyncClient) -> None:
    for number, days_ago in enumerate((1, 2, 370, 500, 700)):
        await save(core, f"a{number}", question="Falling?", started_at=clock.now - days_ago * DAY)
    for number, days_ago in enumerate((1, 2, 3, 400, 731, 733)):
        await save(core, f"b{number}", question="Rising?", started_at=clock.now - days_ago * DAY)
    for number, days_ago in enumerate((1, 2, 400, 730)):
        await save(core, f"c{number}", question="Steady?", started_at=clock.now - days_ago * DAY)
    metrics = (await client.get("/feedback/metrics", params={"days": 366})).json()
    assert metrics["trending_queries"] == ["Rising?"]


# --- Lambda ------------------------------------------------------------------------------------


def test_feedback_as_lambda_gets_it_is_kept(core: Core, lambda_loop: asyncio.AbstractEventLoop) -> None:
    do = lambda_loop.run_until_complete
    do(save(core, SAMPLE_TRACE))
    reply = http_handler(create_app(lambda: core))(sample_event("feedback_http"), None)
    assert (reply["statusCode"], body_of(reply)) == (200, {"status": "ok"})
    assert do(core.feedback.get(LOCAL, SAMPLE_TRACE)) == Feedback(
        SAMPLE_TRACE, "local", "down", "The passage is about another version.", None, (), ("outdated",), 1_700_000_000.0
    )


def test_an_unknown_turn_as_lambda_gets_it_is_a_problem(core: Core, lambda_loop: asyncio.AbstractEventLoop) -> None:
    reply = http_handler(create_app(lambda: core))(sample_event("feedback_http"), None)
    assert (reply["statusCode"], reply["headers"]["content-type"]) == (404, "application/problem+json")
    assert body_of(reply)["trace_id"] == reply["headers"]["x-trace-id"]


def test_the_lambda_handler_works(lambda_loop: asyncio.AbstractEventLoop) -> None:
    reply = handler(get_event("/feedback/health"), None)
    assert (reply["statusCode"], body_of(reply)) == (200, {"status": "ok", "function": "feedback"})


@pytest.mark.nightly
def test_importing_the_function_loads_no_adapter() -> None:
    assert heavy_imports("footnote_feedback.app") == []
