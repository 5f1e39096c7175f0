"""Each backend of the functions is down, silent, slow to fail or partly broken: what is replied, and how soon.

A test's id completes the sentence of its name. Where no reply comes, the loop's clock is advanced: seconds are those that a
caller would wait.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx
import pytest

from footnote.adapters.mongodb.databases import AWAY_S, SOON_S
from footnote.adapters.opensearch.index import OpenSearchIndex
from footnote.answer.messages import message
from footnote.errors import ModelUnavailable
from footnote.guard.identity import Session, open_session
from footnote.ingest.restoring import purge_expired
from footnote.settings import Auth
from footnote_ingest.app import create_app, create_handler
from tests.faults.aws_world import World
from tests.faults.conftest import each, each_of
from tests.faults.proxy import Action
from tests.faults.query_world import (
    ASK,
    FIND,
    KINDS,
    QUESTION,
    Fault,
    Site,
    answers,
    documents,
    finish,
    ids,
    is_part,
    open_filled,
    open_site,
    says_unavailable,
    upload,
)
from tests.faults.test_crash_sweep import check
from tests.functions.conftest import read_events

FAULTS: dict[str, Fault] = {
    "is down": "down",
    "does not answer": "hang",
    "answers 500": "error",
    "says too many": "throttle",
    "dies of each call": "cut",
    "loses its replies": "cut_after",
    "answers 503": "unavailable",
    "closes connections": "refuse",
    "resets connections": "reset",
}
PARTLY: dict[str, Fault] = {"misses a shard": "partial", "ran out of time": "late"}
PASSING: dict[str, Action] = {
    "answers 503": "unavailable",
    "says too many": "throttle",
    "dies of a call": "cut",
    "loses a reply": "cut_after",
    "answers 500": "error",
    "closes a connection": "refuse",
    "resets a connection": "reset",
}
"""Faults that a retry overcomes."""
BATCHES: dict[str, Action] = {
    "does not answer": "hang",
    "answers 500": "error",
    "loses its replies": "cut_after",
    "says too many": "throttle",
    "closes connections": "refuse",
}
OPENAI = {"model": "footnote", "messages": [{"role": "user", "content": QUESTION}]}

SEARCH_S, VECTOR_S, EMBED_S, SAVE_S = 8.0, 6.0, 70.0, 15.0
"""How long who waits for it at most: search, one leg of it, the vectors of a file, saving an answer."""


@pytest.fixture(scope="module")
def world(opensearch_url: str, dynamodb_url: str, mongodb_url: str, aws_url: str) -> Iterator[World]:
    with open_filled(opensearch_url, dynamodb_url, mongodb_url, aws_url) as made:
        yield made


@pytest.fixture
async def site(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    async with open_site(world, monkeypatch) as made:
        yield made


def assert_answered(reply: Any, *, persisted: bool = True, degraded: bool | None = False) -> None:
    """`degraded`: None where time limits are real, and a busy machine may leave out what is late."""
    assert "1894" in reply["answer"]
    assert [citation["title"] for citation in reply["citations"]][:1] == ["Records of the bridge"]
    assert (reply["persisted"], reply["outcome"]) == (persisted, "answered")
    assert degraded in (None, reply["degraded"])


# --- the search engine -----------------------------------------------------------------------------


def questions(site: Site) -> dict[str, Any]:
    """Every request that needs the search engine."""
    asked: dict[str, Any] = {f"/retrieve-{retriever}": FIND for retriever in ("rrf", "bm25", "knn", "cc")}
    asked |= {"/ask": ASK, "/ask/stream": ASK, "/chat": {"query": QUESTION}, "/v1/chat/completions": OPENAI}
    return {"/collections": site.query.get("/collections")} | {path: site.query.post(path, json=body) for path, body in asked.items()}


@each(FAULTS | PARTLY, "misses a shard")
async def test_nothing_is_answered_while_the_search_engine(fault: Fault, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, put = list[str](), site.core.cache.put

    async def note(key: str, value: Any, ttl_s: float) -> None:
        kept.append(key)
        await put(key, value, ttl_s)

    monkeypatch.setattr(site.core.cache, "put", note)
    for _ in ("unknown to this process", "known from an earlier question"):
        site.fail(fault, "opensearch")
        kept.clear()
        before, asked = site.count("cache"), questions(site)
        made, waited_s = await site.wait(asyncio.gather(*asked.values()))
        replies = dict(zip(asked, made, strict=True))
        openai = replies.pop("/v1/chat/completions")
        assert (openai.status_code, list(openai.json())) == (503, ["error"])
        safe = {replies.pop("/ask").json()["answer"], read_events(replies.pop("/ask/stream").text)[-1]["answer"]}
        assert safe == {message("search_failed", "en")}
        assert {path for path, reply in replies.items() if not says_unavailable(reply, "opensearch")} == set()
        assert waited_s < SEARCH_S
        written = [call for call in site.calls("cache")[before:] if "GetItem" not in call]
        assert written == ["cache POST PutItem"] * len(kept)
        assert set(kept) <= {"terms"}  # concurrent questions may each copy the forbidden terms; no part of an answer is cached
        site.repair()
        assert_answered(await site.ask())


@pytest.mark.nightly
@each(PASSING, "answers 503")
async def test_a_question_does_not_notice_that_the_search_engine_once(fault: Action, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_site(world, monkeypatch, patient=True) as site:
        before = site.count("opensearch")
        assert_answered(await site.ask())
        for at in range(site.count("opensearch") - before):
            site.fail_once(fault, "opensearch", at)
            assert_answered(await site.ask())


def says_no_answer(reply: Any) -> bool:
    """Whether a reply of /ask or /ask/stream has no answer."""
    last = read_events(reply.text)[-1] if reply.headers["content-type"].startswith("text/event-stream") else reply.json()
    return last.get("type") == "error" or (last["outcome"] in ("blocked", "refused") and not last["hits"])


# --- the conversations -----------------------------------------------------------------------------

MONGODB: dict[str, Fault] = {
    "is down": "down",
    "accepts no connections": "hang",
    "falls silent": "pass",
    "closes connections": "refuse",
}


@each(MONGODB, "falls silent")
async def test_an_answer_is_given_and_reported_as_not_saved_while_mongodb(fault: Fault, site: Site) -> None:
    room_id = f"room-{fault}"
    kept = await site.ask(room_id=room_id)
    assert_answered(kept, degraded=None)
    site.lose(fault, soon_s=SOON_S)
    started = time.monotonic()
    reply, stream, chat, rooms, room, deleted, turn, rating = await asyncio.gather(
        site.query.post("/ask", json=ASK),
        site.query.post("/ask/stream", json=ASK),
        site.query.post("/chat", json={"query": QUESTION}),
        site.query.get("/conversations"),
        site.query.get(f"/conversations/{room_id}"),
        site.query.delete(f"/conversations/{room_id}"),
        site.query.get(f"/turns/{kept['trace_id']}"),
        site.feedback.post("/feedback", json={"trace_id": kept["trace_id"], "rating": "up"}),
    )
    assert time.monotonic() - started < SAVE_S
    assert_answered(reply.json(), persisted=False, degraded=None)
    *_, done = read_events(stream.text)
    assert_answered(done, persisted=False, degraded=None)
    assert "1894" in chat.json()["answer"]
    assert [says_unavailable(reply, "mongodb") for reply in (rooms, room, deleted, turn, rating)] == [True] * 5
    site.repair()
    assert_answered(await site.ask(), degraded=None)
    assert [turn["trace_id"] for turn in (await site.query.get(f"/conversations/{room_id}")).json()["data"]] == [kept["trace_id"]]


@pytest.mark.nightly
async def test_idle_connections_to_mongodb_that_died_are_replaced_without_an_error(site: Site) -> None:
    for _ in range(4):
        assert_answered(await site.ask())
        site.proxies["mongodb"].drop()
    assert (await site.query.get("/conversations")).status_code == 200


# --- the cache and sign-in ---------------------------------------------------------------------


@pytest.mark.usefixtures("sure_of_little")
@each(FAULTS, "does not answer")
async def test_collections_are_listed_with_newly_generated_questions_while_the_cache(fault: Fault, site: Site) -> None:
    known = (await site.query.get("/collections")).json()
    assert [(each["name"], each["documents"], each["questions"]) for each in known["data"]] == [("default", 1, ["When do ferries leave?"])]
    site.fail(fault, "cache")
    before = site.count("cache")
    reply = await site.query.get("/collections")
    assert (reply.status_code, reply.json()) == (200, known)
    assert site.count("cache") - before <= (1 if fault == "hang" else 9)  # questions, forbidden terms; what timed out is not retried
    assert [call for call in site.calls("cache")[before:] if "GetItem" not in call] == []  # what cannot be read is not written
    assert_answered(await site.ask())


@each(FAULTS, "answers 500")
async def test_nobody_is_signed_in_as_another_user_while_the_sessions_table(
    fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_site(world, monkeypatch, auth=Auth(mode="session")) as site:
        token = await open_session(
            Session("ann", ("staff",)), 3600, cache=site.core.cache, records=site.core.records, now=site.core.clock()
        )
        signed = {"authorization": f"Bearer {token}"}
        site.fail(fault, "cache")
        before = site.count("cache")
        replies = await asyncio.gather(
            site.query.post("/ask", json=ASK, headers=signed),
            site.query.post("/ask/stream", json=ASK, headers=signed),
            site.query.post("/retrieve-bm25", json=FIND, headers=signed),
            site.query.get("/conversations", headers=signed),
            site.query.post("/sessions", json={"token": token}),
            site.ingest.get("/documents", headers=signed),
            site.ingest.post("/uploads", json={"file_name": "a.txt", "size": 1}, headers=signed),
        )
        assert [says_unavailable(reply, "cache") for reply in replies] == [True] * 7
        assert site.count("cache") - before <= (8 if fault == "hang" else 24)  # what timed out is not retried
        assert (await site.query.post("/ask", json=ASK)).status_code == 401
        site.repair()
        assert_answered((await site.query.post("/ask", json=ASK, headers=signed)).json())


@each(PASSING, "loses a reply")
async def test_a_signed_in_user_does_not_notice_that_the_sessions_table_once(
    fault: Action, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_site(world, monkeypatch, auth=Auth(mode="session")) as site:
        token = await open_session(
            Session("ann", ("staff",)), 3600, cache=site.core.cache, records=site.core.records, now=site.core.clock()
        )
        site.fail_once(fault, "cache", 0)
        reply = await site.query.post("/ask", json=ASK, headers={"authorization": f"Bearer {token}"})
        assert_answered(reply.json())


# --- files that come in ----------------------------------------------------------------------------


@each_of({"ledger": "loses its replies", "s3": "", "sqs": ""}, FAULTS)
async def test_a_file_is_refused_and_later_accepted_once_if_meanwhile(
    fault: Fault, part: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footnote.adapters.aws.client.READ_S", 2.0)  # three attempts
    name = f"{part}{list(FAULTS.values()).index(fault)}tower"
    async with open_site(world, monkeypatch, ledger_s=4.0) as site:
        site.fail(fault, part)
        before = site.count(part)
        assert says_unavailable(await upload(site, name), part)
        target = await site.ingest.post("/uploads", json={"file_name": f"{name}.txt", "size": 1})
        assert says_unavailable(target, part) if part == "ledger" else target.status_code == 201
        tries = 1 if (fault, part) == ("hang", "ledger") else 3
        assert site.count(part) - before <= (2 if part == "ledger" else 1) * tries  # the second call is only for the ledger
        site.repair()
        async with asyncio.timeout(30):
            while await documents(site, name) != [("READY", 1)]:  # at once, unless a slow machine loses the queue's reply
                assert (await upload(site, name)).status_code == 202
                await finish(site)
        assert await answers(site, name) == {name}


@each(FAULTS, "answers 500")
async def test_no_upload_url_is_issued_for_a_file_that_is_not_ingested_while_the_cache(fault: Fault, site: Site) -> None:
    site.fail(fault, "cache")
    assert says_unavailable(await site.ingest.post("/uploads", json={"file_name": "a.txt", "size": 1}), "cache")
    site.repair()
    assert (await site.ingest.post("/uploads", json={"file_name": "a.txt", "size": 1})).status_code == 201


@each({name: FAULTS[name] for name in ("is down", "does not answer", "loses its replies")}, "loses its replies")
async def test_a_delete_fails_and_succeeds_later_if_the_search_engine(fault: Fault, world: World, site: Site) -> None:
    name = f"{fault}spire"
    assert (await upload(site, name)).status_code == 202
    await finish(site)
    (doc_id,) = await ids(site, name)
    await site.core.engine.close()
    site.core.engine = OpenSearchIndex(site.core.settings.opensearch)  # a process without any state
    site.core.ingestor.generations = site.core.engine
    site.fail(fault, "opensearch")
    reply, waited_s = await site.wait(site.ingest.delete(f"/documents/{doc_id}"))
    assert says_unavailable(reply, "opensearch")
    assert waited_s < SEARCH_S
    site.repair()
    await purge_expired(site.core.ingestor)
    assert await answers(site, name) == set()


@each_of({"ledger": "loses a reply", "s3": "answers 503", "sqs": "says too many"}, PASSING)
async def test_an_uploading_client_does_not_notice_that_once(fault: Action, part: str, site: Site) -> None:
    before = site.count(part)
    assert (await upload(site, f"{part}{fault}0")).status_code == 202
    for at in range(site.count(part) - before):
        site.fail_once(fault, part, at)
        assert (await upload(site, f"{part}{fault}{at + 1}")).status_code == 202
        assert await documents(site, f"{part}{fault}{at + 1}") == [("RECEIVED", 1)]


# --- files in batches ------------------------------------------------------------------------------

LIMITS = {
    "adapters.opensearch.client.WRITE_TIMEOUT_S": 1.0,
    "adapters.opensearch.document_versions.WRITE_TIMEOUT_S": 1.0,
    "adapters.aws.client.READ_S": 0.5,
    "bootstrap.backends.LEDGER_S": 1.0,
}
"""Waits for one call that are long enough for a test: these are not the loop's."""


@each_of({"opensearch": "", "ledger": "", "s3": "loses its replies", "sqs": "answers 500"}, BATCHES)
def test_a_message_returns_to_the_queue_and_is_processed_later_if_meanwhile(
    fault: Action, part: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = f"{part}{fault.replace('_', '')}mast.txt"
    world.fetch()
    world.waiting.clear()  # left by other tests
    world.put(key, f"The {key[:-4]} of version1 is a kind of tower.".encode())
    world.fetch()
    world.plan.decide = lambda number, call: fault if is_part(part, call) else "pass"
    with monkeypatch.context() as short:
        for name, timeout_s in LIMITS.items():
            short.setattr(f"footnote.{name}", timeout_s)
        with world.core() as core:
            handle = create_handler(create_app(lambda: core))
            for _ in range(2):  # its event, and the job for it if that could be queued
                world.step(handle)
                world.fetch()
    world.plan.decide = lambda number, call: "pass"
    assert (len(world.waiting) > 0, world.dead) == (True, [])
    with world.core(proxied=False) as core:
        world.deliver(core)
        assert world.dead == []
        check(world, core, key, 1)


# --- the language model ----------------------------------------------------------------------------

MODEL: dict[str, Fault] = FAULTS | {"answers with half of a reply": "break_off", "stops in the middle": "stall"}
MID_STREAM = ("break_off", "stall")


@pytest.fixture
async def talking(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    async with open_site(world, monkeypatch, llm=True) as made:
        yield made


@each(MODEL, "does not answer")
async def test_sentences_are_quoted_while_the_language_model(fault: Fault, talking: Site) -> None:
    site = talking
    assert (await site.ask())["model"] == "m"
    site.fail(fault, "llm")
    reply, waited_s = await site.wait(site.ask(), step_s=2)
    assert (reply["extractive"], reply["citations"][0]["title"]) == (True, "Records of the bridge")
    assert_answered(reply, degraded=True)
    assert re.search(r"\. The model at http://127\.0\.0\.1:\d+/v1 did not answer\.", reply["notice"])
    assert waited_s < (125 if fault == "stall" else 20)  # until its end, and until its first word
    site.repair()
    assert (await site.ask())["extractive"] is False


@each(MODEL, "answers 500", "stops in the middle")
async def test_a_stream_says_so_and_keeps_what_was_said_if_the_language_model(fault: Fault, talking: Site) -> None:
    site = talking
    site.fail(fault, "llm")
    stream, waited_s = await site.wait(site.query.post("/ask/stream", json=ASK), step_s=2)
    assert waited_s < (125 if fault == "stall" else 20)
    events = read_events(stream.text)
    said = "".join(event["content"] for event in events if event["type"] == "token")
    if fault in MID_STREAM:
        last = events[-1]
        assert (last["type"], last["content"].startswith("The language model")) == ("error", True)
        assert (last["final_response"], last["final_response"][:3]) == (said, "It ")
        stored = (await site.query.get(f"/turns/{last['trace_id']}")).json()
        assert stored["status"] == "error"
    else:
        assert_answered(events[-1], degraded=True)
        assert (events[-1]["type"], events[-1]["extractive"], events[-1]["answer"]) == ("done", True, said)


@each({name: fault for name, fault in MODEL.items() if fault in MID_STREAM}, "answers with half of a reply")
async def test_an_openai_client_gets_no_done_event_where_the_model(fault: Fault, talking: Site) -> None:
    talking.fail(fault, "llm")
    stream, _ = await talking.wait(talking.query.post("/v1/chat/completions", json=OPENAI | {"stream": True}), step_s=2)
    assert '"content": "It' in stream.text
    assert '"error"' in stream.text
    assert "[DONE]" not in stream.text


# --- vectors ---------------------------------------------------------------------------------------


@each(FAULTS, "does not answer")
async def test_full_text_search_alone_finds_the_answer_while_the_embedder(fault: Fault, site: Site) -> None:
    site.fail(fault, "embedder")
    reply, waited_s = await site.wait(site.ask())
    assert_answered(reply, degraded=True)
    assert waited_s < VECTOR_S
    found, _ = await site.wait(site.query.post("/retrieve-rrf", json=FIND))
    assert [hit["_source"]["title"] for hit in found.json()["hits"]["hits"]][:1] == ["Records of the bridge"]
    near, _ = await site.wait(site.query.post("/retrieve-knn", json=FIND))
    assert says_unavailable(near, "opensearch")  # never: nothing was found
    site.repair()
    assert_answered(await site.ask())


@each(FAULTS, "answers 500")
async def test_a_file_is_found_by_its_words_and_its_vectors_follow_if_the_embedder(fault: Fault, site: Site) -> None:
    name = f"{fault.replace('_', '')}belfry"
    site.fail(fault, "embedder")
    assert (await upload(site, name)).status_code == 202
    await finish(site)
    assert await documents(site, name) == [("READY", 1)]
    (doc_id,) = await ids(site, name)
    with pytest.raises(ModelUnavailable):
        await site.wait(site.core.ingestor.embed_some(16, doc_id), step_s=5)
    assert site.clock.ahead < EMBED_S
    assert await answers(site, name) == {name}
    site.repair()
    assert await site.core.ingestor.embed_some(16, doc_id) == 1


# --- everything ------------------------------------------------------------------------------------

READY = {"query": ("opensearch", "mongodb", "cache", "ledger"), "ingest": ("opensearch", "cache", "ledger", "s3", "sqs")}
"""Function → what it cannot do without."""


def parts_of(reply: httpx.Response) -> tuple[int, int]:
    """(status, how many parts are not ok)"""
    return reply.status_code, sum(ready != "ok" for ready in reply.json()["parts"].values())


@pytest.mark.parametrize(("function", "part"), [(function, part) for function, parts in READY.items() for part in parts])
async def test_a_function_that_is_asked_whether_it_is_ready_names(
    function: str, part: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_site(world, monkeypatch, patient=True) as site:
        client: httpx.AsyncClient = getattr(site, function)
        assert parts_of(await client.get("/ready")) == (200, 0)
        site.fail("down", part)
        assert parts_of(await client.get("/ready")) == (503, 1)
        site.repair()
        site.clock.advance(AWAY_S)  # shorter, so that a driver that is still connecting is not waited for
        assert parts_of(await client.get("/ready")) == (200, 0)


CANARY = "zebra-canary-7431"


@pytest.mark.nightly
@each({name: FAULTS[name] for name in ("is down", "does not answer", "answers 500")}, "answers 500")
async def test_a_function_is_alive_and_logs_no_user_text_while_everything(
    fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    monkeypatch.setattr("footnote.adapters.aws.client.READ_S", 0.5)
    async with open_site(world, monkeypatch, llm=True, ledger_s=1.0) as site:
        site.fail(fault, *KINDS)
        asked = [
            site.query.post("/ask", json=ASK | {"query_text": CANARY}),
            site.query.post("/ask/stream", json=ASK | {"query_text": CANARY}),
            site.query.post("/retrieve-rrf", json=FIND | {"query_text": CANARY}),
            site.query.post("/retrieve-knn", json=FIND | {"query_text": CANARY}),
            site.query.post("/chat", json={"query": CANARY, "session_id": CANARY}),
            site.query.post("/v1/chat/completions", json=OPENAI | {"messages": [{"role": "user", "content": CANARY}]}),
            site.query.get(f"/conversations/{CANARY}"),
            site.query.get("/collections"),
            site.ingest.post("/ingest/file", files={"file": (f"{CANARY}.txt", CANARY.encode())}, data={"index_name": "default"}),
            site.ingest.post("/uploads", json={"file_name": CANARY, "size": 1}),
            site.ingest.get("/documents"),
            site.ingest.delete(f"/documents/{CANARY}"),
            site.feedback.post("/feedback", json={"trace_id": "t", "rating": "up", "reason": CANARY}),
        ]
        replies, _ = await site.wait(asyncio.gather(*asked))
        for reply in replies:
            assert reply.status_code in (503, 504) or says_no_answer(reply), reply.text
            assert not [word for word in (CANARY, "Traceback", 'File \\"', "127.0.0.1") if word in reply.text]
        functions = {"query": site.query, "ingest": site.ingest, "feedback": site.feedback}
        for function, client in functions.items():
            assert (await client.get("/health")).json() == {"status": "ok", "function": function}
        before = len(site.plan.calls)
        for ready in await asyncio.gather(*(client.get("/ready") for client in functions.values())):
            assert (ready.status_code, "ok" in ready.json()["parts"].values()) == (503, False)
        calls = Counter(call.split()[0] for call in site.plan.calls[before:])
        del calls["mongodb"]  # its driver goes on looking for a server
        # Three functions, what two of them have still to make again, and the prompts of one; three attempts each.
        assert max(calls.values(), default=0) <= 18
    assert CANARY not in "".join(caplog.handler.format(record) for record in caplog.records if record.name != "httpx")  # that is ours
