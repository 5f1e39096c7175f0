"""`/feedback/weights`: admins see what feedback has taught, as far as they may read it, and make it be forgotten."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from footnote.bootstrap import Core
from footnote.learn.feedback_weights import DocumentWeight, Weight, Weights, dump_weights, load_weights
from footnote.types import Caller, CollectionSettings, Feedback, Request
from footnote_feedback.app import create_app
from footnote_query.dialects.trd.ask import HELD
from footnote_stats.app import create_app as create_stats
from footnote_stats.app import create_handler
from tests.conftest import HandClock
from tests.fakes import work_all
from tests.functions.conftest import LOCAL, OpenClient, as_caller, sample_event

ADMIN = Caller("boss", frozenset({"staff"}), role="admin")


async def add(core: Core, name: str, *groups: str) -> str:
    added = await core.ingestor.accept(
        LOCAL, name.encode(), file_name=f"{name[:9]}.txt", collection="default", permission_groups=list(groups)
    )
    await work_all(core)
    return added.doc_id


async def put(core: Core, documents: dict[str, DocumentWeight], collection: str = "default") -> None:
    weights = Weights(documents, {"title": Weight(1.02, 9, 0.8)})
    await core.records.put("weights", collection, dump_weights(weights), by="weights")


async def test_an_admin_sees_the_weights_of_documents_that_they_may_read(core: Core, open_client: OpenClient, clock: HandClock) -> None:
    plan, old, secret = await add(core, "plan", "staff"), await add(core, "old", "staff"), await add(core, "secret", "board")
    weights = {
        plan: DocumentWeight(1.03, 9, 0.9, 1, ("staff",)),
        old: DocumentWeight(0.95, 7, 0.2, 1, ("board", "staff")),  # its readers were others
        secret: DocumentWeight(0.9, 20, 0.0, 1, ("board",)),
        "gone": DocumentWeight(0.9, 20, 0.0, 1, ("staff",)),
    }
    await put(core, weights)
    client = await open_client(as_caller(ADMIN, create_app))
    body = (await client.get("/feedback/weights")).json()
    assert body == {
        "is_on": False,
        "data": [
            {
                "collection": "default",
                "changed_at": clock(),
                "reset_at": None,
                "fields": [{"field": "title", "weight": 1.02, "users": 9, "positive_rate": 0.8}],
                "documents": [
                    {"doc_id": old, "title": "old", "is_current": False, "weight": 0.95, "users": 7, "positive_rate": 0.2},
                    {"doc_id": plan, "title": "plan", "is_current": True, "weight": 1.03, "users": 9, "positive_rate": 0.9},
                ],
            }
        ],
    }
    assert (await client.get("/feedback/weights", params={"index_name": "other"})).json()["data"] == []


async def test_a_reset_is_audited_and_counts_for_the_collection_whatever_its_name(
    core: Core, open_client: OpenClient, clock: HandClock
) -> None:
    await core.collections.create("papers", CollectionSettings(), title="", description="", by="root")
    stored = await core.collections.resolve("papers")
    await put(core, {}, stored)
    await put(core, {})
    await core.collections.edit("papers", lambda now: replace(now, name="articles", aliases=("papers",)), by="root")
    client = await open_client(as_caller(ADMIN, create_app))
    assert [each["collection"] for each in (await client.get("/feedback/weights")).json()["data"]] == ["articles", "default"]
    assert (await client.delete("/feedback/weights", params={"index_name": "articles"})).status_code == 204
    assert load_weights(await core.records.get("weights", stored)) == Weights(reset_at=clock())
    shown = {each["collection"]: each for each in (await client.get("/feedback/weights")).json()["data"]}
    assert (shown["articles"]["fields"], shown["articles"]["reset_at"]) == ([], clock())
    assert shown["default"]["fields"]
    (entry,) = (await core.records.list("audit")).data
    told: Any = entry.value
    assert (told["user_id"], told["action"], told["object_id"]) == ("boss", "weights.reset", "articles")


async def test_weights_never_learned_cannot_be_reset(core: Core, open_client: OpenClient) -> None:
    client = await open_client(as_caller(ADMIN, create_app))
    reply = await client.delete("/feedback/weights", params={"index_name": "nowhere"})
    assert (reply.status_code, reply.json()["detail"]) == (404, "Nothing has been learned from the feedback on this collection yet.")
    assert (await client.delete("/feedback/weights")).status_code == 422
    assert (await core.records.list("audit")).data == ()


async def rate_by_several(core: Core) -> str:
    """A document that six users like."""
    doc_id = await add(core, "The ferry to the island takes 40 minutes.", "staff")
    for number in range(6):
        caller = Caller(f"user {number}", frozenset({"staff"}))
        turn = await core.answer.finish(core.new_turn(Request("How long does the ferry to the island take?", "default"), caller, HELD))
        await core.feedback.put(caller, Feedback(turn.trace_id, caller.user_id, "up", created_at=core.clock()))
    return doc_id


def test_the_hourly_schedule_learns_weights(core: Core, lambda_loop: asyncio.AbstractEventLoop) -> None:
    do = lambda_loop.run_until_complete
    doc_id = do(rate_by_several(core))
    create_handler(create_stats(lambda: core))(sample_event("stats_schedule"), None)
    weights = load_weights(do(core.records.get("weights", "default")))
    assert {each: (weight.users, weight.value) for each, weight in weights.documents.items()} == {doc_id: (6, 1.0)}


async def test_only_admins_see_and_reset_weights(core: Core, open_client: OpenClient) -> None:
    client = await open_client(as_caller(Caller("ann", frozenset({"staff"})), create_app))
    assert (await client.get("/feedback/weights")).status_code == 403
    assert (await client.delete("/feedback/weights", params={"index_name": "default"})).status_code == 403
