"""Each part that the functions stand on is away, silent, slow to anger or only half there; what is said then, and how soon.

An id reads on from its test's name. Where no reply comes, the loop's clock is turned: seconds are those that a caller would wait.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest

from footnote.errors import FootnoteError, ModelUnavailable
from footnote.guard.identity import Session, open_session
from footnote.settings import Auth
from ingest.app import create_app, create_handler
from tests.faults.aws_world import World
from tests.faults.proxy import Action
from tests.faults.query_world import ASK, FIND, KINDS, LOCAL, QUESTION, Fault, Site, is_told, open_filled, open_site, read_events
from tests.faults.test_crash_sweep import check, list_all

FAULTS: dict[str, Fault] = {
    "is down": "down",
    "does not answer": "hang",
    "answers 500": "error",
    "answers 503": "unavailable",
    "says too many": "throttle",
    "closes connections": "refuse",
    "resets connections": "reset",
    "dies of each call": "cut",
    "loses its replies": "cut_after",
}
PARTLY: dict[str, Fault] = {"misses a shard": "partial", "ran out of time": "late"}
PASSING: dict[str, Action] = {
    "answers 500": "error",
    "answers 503": "unavailable",
    "says too many": "throttle",
    "closes a connection": "refuse",
    "resets a connection": "reset",
    "dies of a call": "cut",
    "loses a reply": "cut_after",
}
"""What another try mends."""

SEARCH_S, VECTOR_S, SAVE_S, CACHE_S = 8.0, 4.0, 7.0, 3.0
"""How long a caller waits at most for: word that search is down, one late leg of a search, an answer that cannot be saved, the cache."""


def each(faults: dict[str, Any]) -> Any:
    return pytest.mark.parametrize("fault", [pytest.param(fault, id=name) for name, fault in faults.items()])


@pytest.fixture(scope="module")
def world(opensearch_url: str, dynamodb_url: str, mongodb_url: str, aws_url: str) -> Iterator[World]:
    with open_filled(opensearch_url, dynamodb_url, mongodb_url, aws_url) as made:
        yield made


@pytest.fixture
async def site(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Site]:
    async with open_site(world, monkeypatch) as made:
        yield made


def assert_answered(reply: Any, *, persisted: bool = True, degraded: bool = False) -> None:
    assert "1894" in reply["answer"]
    assert [citation["title"] for citation in reply["citations"]][:1] == ["Records of the bridge"]
    assert (reply["persisted"], reply["degraded"], reply["outcome"]) == (persisted, degraded, "answered")


# --- the search engine -----------------------------------------------------------------------------


def questions(site: Site) -> dict[str, Any]:
    """Everything that asks the search engine."""
    found = {f"/retrieve-{retriever}": FIND for retriever in ("rrf", "bm25", "knn", "cc")}
    return {path: site.query.post(path, json=body) for path, body in {"/ask": ASK, "/ask/stream": ASK, "/chat": {"query": QUESTION}, **found}.items()}  # fmt: skip


@each(FAULTS | PARTLY)
async def test_nothing_is_answered_while_the_search_engine(fault: Fault, site: Site) -> None:
    for known in (False, True):  # to this process, from an earlier question
        site.fail(fault, "opensearch")
        before = site.count("cache")
        asked = questions(site)
        replies, waited_s = await site.wait(asyncio.gather(*asked.values()))
        assert {path: is_told(reply, "opensearch") for path, reply in zip(asked, replies, strict=True)} == dict.fromkeys(asked, True)
        assert waited_s < SEARCH_S
        others = site.query.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": QUESTION}], "model": "footnote"})
        reply, waited_s = await site.wait(others)
        assert (reply.status_code, "error" in reply.json(), "choices" in reply.json()) == (503, True, False)
        collections, _ = await site.wait(site.query.get("/collections"))
        assert is_told(collections, "opensearch")
        assert {call for call in site.calls("cache")[before:] if "GetItem" not in call} == set()
        site.mend()
        assert_answered(await site.ask()), known


@each(PASSING)
async def test_a_question_does_not_notice_that_the_search_engine_once(fault: Action, world: World, site: Site) -> None:
    before = site.count("opensearch")
    assert_answered(await site.ask())
    for at in range(site.count("opensearch") - before):
        site.fail_once(fault, "opensearch", at)
        assert_answered(await site.ask())


# --- the conversations -----------------------------------------------------------------------------

MONGODB: dict[str, Fault] = {
    "is down": "down",
    "lets nobody in": "hang",
    "falls silent": "pass",
    "closes connections": "refuse",
}


@each(MONGODB)
async def test_an_answer_is_given_and_told_as_not_saved_while_mongodb(fault: Fault, site: Site) -> None:
    kept = await site.ask(room_id="r1")
    assert_answered(kept)
    if fault == "pass":
        site.proxies["mongodb"].freeze()
    else:
        site.fail(fault, "mongodb")
        site.proxies["mongodb"].drop()
    started = time.monotonic()
    reply, stream, chat, rooms, room, deleted, turn, rating = await asyncio.gather(
        site.query.post("/ask", json=ASK),
        site.query.post("/ask/stream", json=ASK),
        site.query.post("/chat", json={"query": QUESTION}),
        site.query.get("/conversations"),
        site.query.get("/conversations/r1"),
        site.query.delete("/conversations/r1"),
        site.query.get(f"/turns/{kept['trace_id']}"),
        site.feedback.post("/feedback", json={"trace_id": kept["trace_id"], "rating": "up"}),
    )
    assert time.monotonic() - started < SAVE_S
    assert_answered(reply.json(), persisted=False)
    *_, done = read_events(stream.text)
    assert_answered(done, persisted=False)
    assert "1894" in chat.json()["answer"]
    assert [is_told(reply, "mongodb") for reply in (rooms, room, deleted, turn, rating)] == [True] * 5
    site.mend()
    assert_answered(await site.ask())
    assert (await site.query.get("/conversations/r1")).json()["data"][0]["trace_id"] == kept["trace_id"]


async def test_connections_to_mongodb_that_died_while_nobody_asked_cost_nothing(site: Site) -> None:
    for _ in range(4):
        assert_answered(await site.ask())
        site.proxies["mongodb"].drop()
    assert (await site.query.get("/conversations")).status_code == 200


# --- the cache, and who asks -----------------------------------------------------------------------


@each(FAULTS)
async def test_collections_are_listed_with_questions_made_anew_while_the_cache(fault: Fault, site: Site) -> None:
    known = (await site.query.get("/collections")).json()
    assert [(found["name"], found["documents"], len(found["questions"])) for found in known["data"]] == [("default", 1, 3)]
    site.fail(fault, "cache")
    before, started = site.count("cache"), time.monotonic()
    reply = await site.query.get("/collections")
    assert (reply.status_code, reply.json()) == (200, known)
    assert time.monotonic() - started < CACHE_S
    assert [call for call in site.calls("cache")[before:] if "GetItem" not in call] == []  # what cannot be read is not written
    assert_answered(await site.ask())


@each(FAULTS)
async def test_nobody_is_let_in_as_anybody_else_while_the_sessions_table(
    fault: Fault, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_site(world, monkeypatch, auth=Auth(mode="session")) as site:
        token = await open_session(Session("ann", ("staff",)), 3600, cache=site.core.cache)
        signed = {"authorization": f"Bearer {token}"}
        site.fail(fault, "cache")
        started = time.monotonic()
        replies = await asyncio.gather(
            site.query.post("/ask", json=ASK, headers=signed),
            site.query.post("/ask/stream", json=ASK, headers=signed),
            site.query.post("/retrieve-bm25", json=FIND, headers=signed),
            site.query.get("/conversations", headers=signed),
            site.query.post("/sessions", json={"token": token}),
            site.ingest.get("/documents", headers=signed),
            site.ingest.post("/uploads", json={"file_name": "a.txt", "size": 1}, headers=signed),
        )
        assert [is_told(reply, "cache") for reply in replies] == [True] * 7
        assert time.monotonic() - started < CACHE_S
        assert (await site.query.post("/ask", json=ASK)).status_code == 401
        site.mend()
        assert_answered((await site.query.post("/ask", json=ASK, headers=signed)).json())


@each(PASSING)
async def test_somebody_who_has_signed_in_does_not_notice_that_the_table_once(
    fault: Action, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_site(world, monkeypatch, auth=Auth(mode="session")) as site:
        token = await open_session(Session("ann", ("staff",)), 3600, cache=site.core.cache)
        site.fail_once(fault, "cache", 0)
        reply = await site.query.post("/ask", json=ASK, headers={"authorization": f"Bearer {token}"})
        assert_answered(reply.json())


# --- files that come in ----------------------------------------------------------------------------

WORDS = ("ledger", "s3", "sqs")


def upload(site: Site, name: str) -> Any:
    text = f"The {name} is a kind of tower. It has seven floors and a bell."
    return site.ingest.post("/ingest/file", files={"file": (f"{name}.txt", text.encode())}, data={"index_name": "default"})


async def finish(site: Site) -> None:
    """The worker's part, of all that waits."""
    while await site.core.ingestor.work_one():
        pass


async def documents(site: Site, name: str) -> list[tuple[str, int]]:
    return [(document.state, document.generation) for document in await list_all(site.core) if document.file_name == f"{name}.txt"]


async def answers(site: Site, name: str) -> set[str]:
    reply = await site.query.post("/retrieve-bm25", json=FIND | {"query_text": name})
    return {hit["_source"]["title"] for hit in reply.json()["hits"]["hits"] if name in hit["_source"]["content"]}


@pytest.mark.parametrize("part", ["ledger", "s3", "sqs"])
@each(FAULTS)
async def test_a_file_is_not_taken_and_later_taken_once_if_meanwhile(
    fault: Fault, part: str, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("footnote.adapters.aws.READ_S", 1.0)  # three tries of this
    name = f"{part}{list(FAULTS.values()).index(fault)}tower"
    async with open_site(world, monkeypatch, ledger_s=2.0) as site:
        site.fail(fault, part)
        started = time.monotonic()
        assert is_told(await upload(site, name), part)
        target = await site.ingest.post("/uploads", json={"file_name": f"{name}.txt", "size": 1})
        assert is_told(target, part) if part == "ledger" else target.status_code == 201
        assert time.monotonic() - started < 8
        site.mend()
        assert (await upload(site, name)).status_code == 202
        await finish(site)
        assert await documents(site, name) == [("READY", 1)]
        assert await answers(site, name) == {name}


@each(FAULTS)
async def test_no_upload_is_announced_that_would_be_left_alone_while_the_cache(fault: Fault, site: Site) -> None:
    site.fail(fault, "cache")
    assert is_told(await site.ingest.post("/uploads", json={"file_name": "a.txt", "size": 1}), "cache")
    site.mend()
    assert (await site.ingest.post("/uploads", json={"file_name": "a.txt", "size": 1})).status_code == 201


@pytest.mark.parametrize("part", ["ledger", "s3", "sqs"])
@each(PASSING)
async def test_who_sends_a_file_does_not_notice_that_once(fault: Action, part: str, site: Site) -> None:
    before = site.count(part)
    assert (await upload(site, f"{part}{fault}0")).status_code == 202
    for at in range(site.count(part) - before):
        site.fail_once(fault, part, at)
        assert (await upload(site, f"{part}{fault}{at + 1}")).status_code == 202
        assert await documents(site, f"{part}{fault}{at + 1}") == [("RECEIVED", 1)]
