"""The backends of conversations, administration, limits, fallback models, tools and events are down or slow: what is replied,
and how soon.

A test's id completes the sentence of its name. Where no reply comes, the loop's clock is advanced; waits for MongoDB are real.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from footnote.adapters.mongodb.databases import SOON_S
from footnote.guard.spending import HOLD_S
from footnote.guard.terms import Terms
from footnote.settings import ApiKey, Auth, Budget, Limits, OpenSearch
from tests.conftest import HandClock
from tests.faults.aws_world import World
from tests.faults.conftest import each
from tests.faults.query_world import ASK, QUESTION, SAID, Fault, Site, open_filled, open_site, says_unavailable
from tests.faults.test_backend_faults import FAULTS, MID_STREAM, MODEL, MONGODB, assert_answered
from tests.functions.conftest import read_events

RAG: dict[str, Any] = {"query": QUESTION, "room_id": "room"}
NO_USAGE = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
SIGNED = {"api-key": "anns-key"}
KEYS = Auth(mode="api_key", api_keys={"ann": ApiKey(key=SecretStr("anns-key"), groups=["staff"])})

DAY_S = 86_400
OPEN_S, LIST_S, EVENTS_MS = 8.0, 8.0, 100.0
"""Longest waits: for the status of a stream, for a list of tools, for events."""


@pytest.fixture(scope="module")
def world(opensearch_url: str, dynamodb_url: str, mongodb_url: str, aws_url: str) -> Iterator[World]:
    with open_filled(opensearch_url, dynamodb_url, mongodb_url, aws_url) as made:
        yield made


@pytest.fixture
async def site(world: World, monkeypatch: pytest.MonkeyPatch, clock: HandClock) -> AsyncIterator[Site]:
    patient = OpenSearch(url=world.direct["opensearch"], prefix=world.name, limit_s=30)  # no list is late on a busy machine
    async with open_site(world, monkeypatch, clock=clock, opensearch=patient) as made:
        yield made


@pytest.fixture
def restless(monkeypatch: pytest.MonkeyPatch) -> None:
    """The circuit breaker closes at once after a repair."""
    monkeypatch.setattr("footnote.adapters.resilience.cache.OPEN_S", 0.0)


async def query(site: Site, path: str = "/v2/rag/query", **changes: Any) -> tuple[dict[str, Any], str]:
    """The last event, and the text of all tokens before it."""
    reply = await site.query.post(path, json=RAG | changes)
    assert reply.status_code == 200, reply.text
    *_, last = events = read_events(reply.text)
    return last, "".join(event["content"] for event in events if event["type"] == "token")


# --- conversations and records ---------------------------------------------------------------------


@each(MONGODB, "is down")
async def test_a_conversation_that_cannot_be_read_is_a_500_before_its_stream_while_mongodb(fault: Fault, site: Site) -> None:
    assert (await query(site))[0]["persisted"]
    site.lose(fault, soon_s=SOON_S)
    started = time.monotonic()
    reply = await site.query.post("/v2/rag/query", json=RAG)
    assert time.monotonic() - started < OPEN_S
    error = reply.json()
    assert (reply.status_code, reply.headers["content-type"]) == (500, "application/json")
    assert (error["type"], error["content"]) == ("error", "A server error occurred: Storage is not available")
    assert (error["final_response"], error["usage"], reply.headers["x-trace-id"] in error["detail"]) == ("", NO_USAGE, True)
    assert "127.0.0.1" not in reply.text
    alone, said = await query(site, room_id=None)
    assert (alone["type"], alone["persisted"], alone["degraded"], "1894" in said) == ("done", False, False, True)
    site.repair()
    assert (await query(site))[0]["persisted"]


@each(MONGODB, "closes connections")
async def test_prompts_and_settings_stay_as_they_were_while_mongodb(fault: Fault, site: Site, clock: HandClock) -> None:
    assert (await site.query.put("/settings/rag.rrf_k", json={"value": 17})).status_code == 200
    assert (await site.query.put("/prompts/system", json={"lang": "en", "template": "Be kind."})).status_code == 200
    assert_answered(await site.ask())
    site.lose(fault)
    clock.advance(20)
    assert_answered(await site.ask(), persisted=False)
    assert (site.core.settings.rag.rrf_k, list(site.core.prompts.saved)) == (17, ["system.en"])
    site.repair()
    for path in ("/settings/rag.rrf_k", "/prompts/system"):
        body = {"value": None} if path.startswith("/settings") else None
        undone = await (site.query.put(path, json=body) if body else site.query.delete(path, params={"lang": "en"}))
        assert undone.status_code in (200, 204)


async def outcomes(site: Site) -> list[str]:
    """Outcomes of a question that matches the term "salary", and of one that does not."""
    asked = {"query_text": "What is the salary of the mayor?"}, {}
    return [reply["outcome"] for reply in await asyncio.gather(*(site.ask(**changes) for changes in asked))]


def restart(site: Site) -> None:
    """Drops the cached terms, as in a cold process."""
    site.core.terms = Terms(site.core.records, site.core.optional_cache, site.core.embedder, site.core.clock)


@pytest.mark.nightly
@each(MONGODB, "is down")
async def test_forbidden_terms_come_from_the_cache_in_every_process_while_mongodb(fault: Fault, site: Site, clock: HandClock) -> None:
    assert (await site.query.put("/forbidden-terms/salary", json={"match_type": "exact"})).status_code == 200
    assert await outcomes(site) == ["forbidden", "answered"]
    site.lose(fault)
    clock.advance(DAY_S - 60)
    assert await outcomes(site) == ["forbidden", "answered"]
    restart(site)
    assert await outcomes(site) == ["forbidden", "answered"]
    clock.advance(60)
    assert await outcomes(site) == ["blocked", "blocked"]
    site.repair()
    assert await outcomes(site) == ["forbidden", "answered"]
    assert (await site.query.delete("/forbidden-terms/salary")).status_code == 204


@pytest.mark.nightly
@each(MONGODB, "closes connections")
async def test_where_no_term_is_forbidden_nothing_is_blocked_while_mongodb(fault: Fault, site: Site, clock: HandClock) -> None:
    assert await outcomes(site) == ["refused", "answered"]
    site.lose(fault)
    clock.advance(6 * DAY_S)
    assert await outcomes(site) == ["refused", "answered"]
    restart(site)
    assert await outcomes(site) == ["refused", "answered"]


@pytest.mark.usefixtures("restless")
async def test_with_forbidden_terms_nothing_is_answered_a_minute_after_both_stores_fail(site: Site, clock: HandClock) -> None:
    assert (await site.query.put("/forbidden-terms/salary", json={"match_type": "exact"})).status_code == 200
    site.lose("down")
    site.lose("down", "cache")
    clock.advance(50)
    assert await outcomes(site) == ["forbidden", "answered"]
    clock.advance(20)
    assert await outcomes(site) == ["blocked", "blocked"]
    site.repair()
    assert await outcomes(site) == ["forbidden", "answered"]
    assert (await site.query.delete("/forbidden-terms/salary")).status_code == 204


async def test_changes_that_cannot_be_audited_are_not_made(site: Site) -> None:
    (document,) = (await site.ingest.get("/documents")).json()["data"]
    site.lose("down")
    changes = (
        await site.query.put("/settings/rag.rrf_k", json={"value": 18}),
        await site.query.put("/prompts/system", json={"lang": "en", "template": "Be brief."}),
        await site.query.put("/forbidden-terms/bridge", json={}),
        await site.query.delete("/sessions/0123456789abcdef"),
        await site.ingest.delete(f"/documents/{document['doc_id']}"),
    )
    assert [says_unavailable(reply, "mongodb") for reply in changes] == [True] * 5
    site.repair()
    # The audit may hold an entry for what was not made: it is written first, and a request on its way arrives after the repair.
    assert (await site.ingest.get(f"/documents/{document['doc_id']}")).json()["state"] == "READY"
    assert_answered(await site.ask())
    assert (site.core.settings.rag.rrf_k, site.core.prompts.saved) == (30, {})


# --- limits, budgets and caches --------------------------------------------------------------------


@pytest.mark.usefixtures("restless")
@each(FAULTS, "answers 500")
async def test_a_tenth_of_the_questions_is_let_through_while_the_counters_table(
    fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch, clock: HandClock
) -> None:
    limits = Limits(user_per_minute=20, address_per_minute=0)
    async with open_site(world, monkeypatch, auth=KEYS, limits=limits, clock=clock) as site:
        site.fail(fault, "cache")
        replies = [await site.query.post("/ask", json=ASK, headers=SIGNED) for _ in range(3)]
        assert [reply.status_code for reply in replies] == [200, 200, 429]
        assert 0 < int(replies[2].headers["retry-after"]) <= 60
        site.repair()
        assert (await site.query.post("/ask", json=ASK, headers=SIGNED)).status_code == 200


@pytest.mark.usefixtures("restless")
@each(FAULTS, "is down")
async def test_a_tenth_of_a_budget_may_be_spent_while_the_counters_table(
    fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch, clock: HandClock
) -> None:
    clock.advance(DAY_S * list(FAULTS.values()).index(fault))  # tokens spent by other tests do not count
    async with open_site(world, monkeypatch, llm=True, auth=KEYS, budget=Budget(tokens_per_day=1500), clock=clock) as site:

        async def ask() -> tuple[bool, list[str]]:
            reply = (await site.query.post("/ask", json=ASK, headers=SIGNED)).json()
            return reply["extractive"], [warning for warning in reply["warnings"] if warning.startswith("budget")]

        assert await ask() == (False, [])
        site.fail(fault, "cache")
        assert await ask() == (True, ["budget_search"])
        site.repair()
        clock.advance(2 * HOLD_S)  # what was held without a reply is free again
        assert await ask() == (False, [])


@each(FAULTS, "answers 500")
async def test_answers_are_generated_again_while_the_cache(
    fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch, clock: HandClock
) -> None:
    clock.advance(DAY_S * list(FAULTS.values()).index(fault))  # entries of other tests have expired
    async with open_site(world, monkeypatch, caching=True, clock=clock) as site:
        assert [(await site.ask())["outcome"] for _ in range(2)] == ["answered", "cached"]
        site.fail(fault, "cache")
        monkeypatch.setattr("footnote.adapters.resilience.cache.OPEN_S", 3600.0)
        before = site.count("cache")
        assert_answered(await site.ask())
        last, said = await query(site, room_id=None)
        assert (last["type"], last["degraded"], "1894" in said) == ("done", False, True)
        assert site.count("cache") - before <= (1 if fault == "hang" else 12)  # one wait, not one in each step
        site.repair()
        monkeypatch.setattr(site.core.optional_cache, "_open_until", 0.0)
        assert (await site.ask())["outcome"] == "cached"


# --- another model ---------------------------------------------------------------------------------


@each({name: fault for name, fault in MODEL.items() if fault not in MID_STREAM}, "does not answer")
async def test_another_model_answers_while_the_first_one(fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_site(world, monkeypatch, llm=True, fallback=True) as site:
        assert (await site.ask())["model"] == "m"
        site.fail(fault, "llm")
        reply, waited_s = await site.wait(site.ask(), step_s=2)
        assert (reply["model"], reply["extractive"], reply["degraded"], "1894" in reply["answer"]) == ("spare", False, True, True)
        assert waited_s < 20
        (last, said), _ = await site.wait(query(site, room_id=None), step_s=2)
        assert (last["type"], last["degraded"], said) == ("done", True, "".join(SAID).strip())
        site.fail(fault, "llm", "spare")
        reply, _ = await site.wait(site.ask(), step_s=2)
        assert_answered(reply, degraded=True)
        assert reply["extractive"] is True


@pytest.mark.nightly
@each({name: fault for name, fault in MODEL.items() if fault in MID_STREAM}, "stops in the middle")
async def test_no_fallback_model_continues_an_answer_where_the_first_one(
    fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_site(world, monkeypatch, llm=True, fallback=True) as site:
        site.fail(fault, "llm")
        (last, said), _ = await site.wait(query(site), step_s=2)
        assert (last["type"], last["final_response"], said[:3]) == ("error", said, "It ")
        assert last["usage"]["total_tokens"] >= 0
        assert site.count("spare") == 0
        stored = (await site.query.get("/conversations/room")).json()["data"]
        assert stored[-1]["status"] == "error"


@pytest.mark.nightly
async def test_a_model_that_keeps_failing_is_not_called_for_a_while(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_site(world, monkeypatch, llm=True, fallback=True) as site:
        site.fail("error", "llm")
        for _ in range(4):
            assert (await site.ask())["model"] == "spare"
        assert site.count("llm") == 5 + 4  # calls, and ways to ask for its limits, each tried once


# --- tools and events ------------------------------------------------------------------------------


@each(FAULTS, "does not answer")
async def test_the_index_is_searched_while_the_tools_server(fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_site(world, monkeypatch, mcp=True) as site:
        site.fail(fault, "mcp")
        (last, said), waited_s = await site.wait(query(site, room_id=None))
        assert (last["type"], last["degraded"], "1894" in said) == ("done", True, True)
        assert last["references"][0]["file_name"] == "bridge.md"
        assert waited_s < LIST_S
        before = site.count("mcp")
        assert (await query(site, room_id=None))[0]["degraded"]
        assert site.count("mcp") == before  # it is not asked again at once


@each(FAULTS, "does not answer")
async def test_no_request_waits_for_events_while_the_bus(
    fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "footnote.telemetry.metrics")
    aws = world.settings(world.direct).aws.model_copy(update={"event_bus": world.name})
    async with open_site(world, monkeypatch, aws=aws) as site:
        site.fail(fault, "bus")
        for _ in range(3):
            assert_answered(await site.ask())
        error = [record.__dict__["steps"] for record in caplog.records if record.getMessage() == "turn"]
        waits = [steps["announce"] + steps["announce_answer"] for steps in error]
        assert (len(waits), max(waits) < EVENTS_MS) == (3, True)
