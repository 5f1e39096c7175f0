"""`/me/data`: a user exports or deletes their data."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.store import VERSION
from footnote.collections.attachments import CONVERSATION
from footnote.ports import Delta, NewFile
from footnote.types import ATTACHED, Caller, Feedback, Usage
from footnote_query.app import create_app
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, QUESTION, OpenSite, Site, as_caller

OWN = Caller("ann", frozenset({"staff", "user:ann"}))
ANN, BEN = Caller("ann", frozenset({"staff"})), Caller("ben", frozenset({"staff"}))


def client_of(site: Site, caller: Caller) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(as_caller(caller, create_app)(lambda: site.core), raise_app_exceptions=False)
    return httpx.AsyncClient(transport=transport, base_url="http://footnote.test")


async def ask(client: httpx.AsyncClient, **fields: Any) -> str:
    return str((await client.post("/ask", json=ASK | fields)).json()["trace_id"])


async def export(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    reply = await client.get("/me/data")
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/x-ndjson; charset=utf-8")
    assert reply.headers["content-disposition"] == 'attachment; filename="footnote-data.jsonl"'
    assert reply.text == "" or reply.text.endswith("\n")
    return [json.loads(line) for line in reply.text.splitlines()]


@pytest.mark.usefixtures("sure_of_little")
async def test_a_user_exports_their_turns_with_their_feedback(open_site: OpenSite) -> None:
    site = await open_site(caller=ANN)
    first, second = await ask(site.client, room_id="r1"), await ask(site.client, query_text="철도는 언제 지어졌나요?")
    await site.core.feedback.put(ANN, Feedback(first, "ann", "down", "old", created_at=5.0))
    async with client_of(site, BEN) as ben:
        await ask(ben, room_id="r1")
        assert len(await export(ben)) == 1
    exported = await export(site.client)
    assert [(each["trace_id"], each["conversations"][0]["content"]) for each in exported] == [
        (first, QUESTION),
        (second, "철도는 언제 지어졌나요?"),
    ]
    assert {name: exported[0][name] for name in ("version", "user_id", "room_id", "status", "withdrawn")} == {
        "version": "v3", "user_id": "ann", "room_id": "r1", "status": "done", "withdrawn": False,
    }  # fmt: skip
    assert exported[0]["result"]["final_response"].startswith("**Records**\n\nThe bridge was built in 1894.")
    assert (exported[0]["feedback"]["rating"], exported[0]["feedback"]["reason"], exported[1]["feedback"]) == ("down", "old", None)


async def test_an_export_has_the_names_and_pins_of_conversations(open_site: OpenSite) -> None:
    site = await open_site(caller=ANN)
    alone = await ask(site.client)
    for room in ("r1", "r1", "r2", "r3"):
        await ask(site.client, room_id=room)
    assert (await site.client.patch("/conversations/r1", json={"title": "The bridge", "pinned": True})).status_code == 200
    assert (await site.client.patch("/conversations/r2", json={"pinned": True})).status_code == 200
    async with client_of(site, BEN) as ben:
        await ask(ben, room_id="r1")
        assert [(each["room_title"], each["room_pinned"]) for each in await export(ben)] == [(None, False)]
    assert [(each["room_id"], each["room_title"], each["room_pinned"]) for each in await export(site.client)] == [
        (alone, None, False), ("r1", "The bridge", True), ("r1", "The bridge", True), ("r2", None, True), ("r3", None, False),
    ]  # fmt: skip


async def test_an_export_names_the_files_of_conversations(open_site: OpenSite) -> None:
    site = await open_site(caller=OWN)
    for room in ("r1", "r2"):
        await ask(site.client, room_id=room)
    conversation = await site.core.collections.attachments.add("ann", "r1", "offer")
    await site.core.collections.attachments.add("ann", "r1", "late")  # has not arrived
    readers, metadata = frozenset({"user:ann"}), {CONVERSATION: conversation}
    given: dict[str, Any] = {"content_hash": "1f", "size": 5, "doc_id": "offer", "chosen_id": True, "metadata": metadata}
    file = NewFile(file_name="offer.txt", collection=ATTACHED, permission_groups=readers, **given)
    await site.core.lifecycle.accept(OWN, file)
    async with client_of(site, BEN) as ben:
        await ask(ben, room_id="r1")
        assert [each["room_files"] for each in await export(ben)] == [[]]
    files = [{"doc_id": "offer", "file_name": "offer.txt"}]
    assert [(each["room_id"], each["room_files"]) for each in await export(site.client)] == [("r1", files), ("r2", [])]


async def test_a_user_without_turns_has_no_data(open_site: OpenSite) -> None:
    assert await export((await open_site()).client) == []


async def test_more_turns_than_are_in_memory_at_once_all_come_in_order(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    traces = [await ask(site.client) for _ in range(101)]
    assert [each["trace_id"] for each in await export(site.client)] == traces


async def test_an_export_quotes_no_document_that_became_unreadable(open_site: OpenSite) -> None:
    site = await open_site(Delta("She got 900 crowns [1]."), caller=ANN)
    pay = "The bridge warden was paid 900 crowns."
    await put_document(site.core.generations, make_document("pay"), [pay])
    await ask(site.client, query_text="What was the bridge warden paid?")
    await put_document(site.core.generations, make_document("pay", generation=2, groups=("hr",)), [pay])
    (exported,) = await export(site.client)
    assert exported["withdrawn"]
    assert exported["conversations"][0]["content"] == "What was the bridge warden paid?"
    assert "crowns" not in json.dumps(exported)


async def test_a_user_deletes_only_their_own_data(open_site: OpenSite, tmp_path: Path) -> None:
    site = await open_site(Delta("It was built in 1894 [1].", usage=Usage(7, 5)), caller=ANN)
    trace_id = await ask(site.client, room_id="r1")
    await site.core.feedback.put(ANN, Feedback(trace_id, "ann", "up"))
    for caller in (ANN, BEN):
        await site.core.records.put("preference", caller.user_id, {"model": "m"}, by=caller.user_id)
    async with client_of(site, BEN) as ben:
        kept = await ask(ben, room_id="r1")
        for _ in range(2):
            assert (await site.client.delete("/me/data")).status_code == 204
        assert await export(site.client) == []
        assert (await site.client.get(f"/turns/{trace_id}")).status_code == 404
        assert [each["trace_id"] for each in await export(ben)] == [kept]
    assert await site.core.records.get("preference", "ann") is None
    assert await site.core.records.get("preference", "ben") is not None
    exported = await Database(tmp_path / "store.db", "", VERSION).run(lambda db: [tuple(row) for row in db.execute(
        "SELECT user_id FROM turns UNION ALL SELECT user_id FROM feedback UNION ALL SELECT user_id FROM rollups")])  # fmt: skip
    assert exported == [("ben",), ("ben",)]


async def test_a_delete_leaves_an_audit_record_without_texts(open_site: OpenSite) -> None:
    site = await open_site(caller=ANN)
    await ask(site.client)
    await site.client.delete("/me/data")
    (entry,) = (await site.core.records.list("audit")).data
    assert {name: entry.value[name] for name in ("user_id", "action", "object_id", "facts")} == {
        "user_id": "ann", "action": "user.delete", "object_id": "ann", "facts": {},
    }  # fmt: skip


@pytest.mark.parametrize("method", ["GET", "DELETE"])
async def test_a_store_that_is_down_is_a_503(open_site: OpenSite, method: str, tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    site = await open_site(filled=False)
    reply = await site.client.request(method, "/me/data")
    assert (reply.status_code, reply.json()["title"]) == (503, "Storage is not available")
