"""Links to conversations over HTTP: who reads what through one, and when it ends."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import httpx
import pytest

from footnote.answer.messages import message
from footnote.guard.audit import read_audit
from footnote.types import EXTERNAL_IDS, Answer, Caller, Chunk, Citation, Hit, Message
from tests.conftest import HandClock
from tests.fakes import make_document, put_document
from tests.functions.conftest import QUESTION, OpenSite, Site
from tests.functions.test_conversations import ANN, BEN, PAY, ask, client_of
from tests.turns import make_turn, stored

CEM = Caller("cem", frozenset({"guests"}))
PAID = "What was the bridge warden paid?"
COLOUR = "The bridge is painted green."


async def share(site: Site, room_id: str = "r1", **fields: Any) -> dict[str, Any]:
    reply = await site.client.post("/shares", json={"room_id": room_id, **fields})
    assert reply.status_code == 201, reply.text
    return reply.json()


async def opened(site: Site, token: str, caller: Caller, **params: Any) -> httpx.Response:
    async with client_of(site, caller) as client:
        return await client.post("/shares/open", json={"token": token}, params=params)


def is_gone(reply: httpx.Response) -> bool:
    return (reply.status_code, reply.json()["detail"]) == (404, "This link is unknown, was deleted or has expired.")


async def answered(site: Site, *hits: Hit, caller: Caller = ANN, room_id: str = "r1", trace_id: str = "t1", **fields: Any) -> None:
    """Stores a turn whose answer cites the hits."""
    citations = tuple(
        Citation(number, hit, hit.chunk.text, None, ((0, len(hit.chunk.text)),), ((0, 0),)) for number, hit in enumerate(hits, start=1)
    )
    answer = Answer("Green, and 900 crowns.", citations, **{"model": "llama", **fields.pop("answer", {})})
    turn = make_turn(PAID, caller=caller, trace_id=trace_id, room_id=room_id, hits=hits, answer=answer, started_at=1e9, **fields)
    await site.core.turns.save(stored(turn))


async def hits_of(site: Site, **documents: str) -> list[Hit]:
    """Documents of one passage, readable to a group each."""
    for doc_id, group in documents.items():
        await put_document(site.core.generations, make_document(doc_id, groups=(group,)), [f"{doc_id}: {COLOUR}"])
    reader = Caller("all", sees_all=True)
    found = [(await site.core.index.read(reader, [f"{doc_id}|1|0"]))[0] for doc_id in documents]
    return [Hit(chunk, 0.5) for chunk in found]


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site(caller=ANN)


async def test_whoever_has_the_link_reads_questions_and_answers(site: Site, clock: HandClock) -> None:
    reply = await ask(site, room_id="r1")
    made = await share(site)
    assert (made["room_id"], made["expires_at"], made["path"]) == ("r1", clock.now + 30 * 86_400, f"/shared#{made['token']}")
    page = (await opened(site, made["token"], BEN)).json()
    (turn,) = page.pop("data")
    assert page == {"has_more": False, "last_id": reply["trace_id"], "created_at": made["created_at"], "expires_at": made["expires_at"]}
    assert (turn["question"], turn["answer"], turn["withheld"], turn["notice"]) == (QUESTION, reply["answer"], "nothing", None)
    assert (turn["citations"], turn["hits"]) == (reply["citations"], reply["hits"])
    assert set(turn) & {"trace_id", "room_id", "user_id", "searched_for", "steps", "cost", "model", "feedback"} == set()


async def test_later_questions_are_not_shared(site: Site, clock: HandClock) -> None:
    for number in range(3):
        await ask(site, room_id="r1", query_text=f"{QUESTION[:-1]}, {number}?")
        clock.advance(1)
    token = (await share(site))["token"]
    clock.advance(1)
    await ask(site, room_id="r1", query_text="What colour is it?")
    first = (await opened(site, token, BEN, limit=2)).json()
    rest = (await opened(site, token, BEN, limit=2, after=first["last_id"])).json()
    assert [turn["question"][-2] for page in (first, rest) for turn in page["data"]] == ["0", "1", "2"]
    assert (first["has_more"], rest["has_more"]) == (True, False)


async def test_of_a_quoted_answer_a_reader_sees_the_sentences_of_their_own_documents(site: Site) -> None:
    open_, secret = await hits_of(site, open="*", secret="staff")
    await answered(site, secret, open_, answer={"model": None, "extractive": True})
    token = (await share(site))["token"]
    (whole,) = (await opened(site, token, BEN)).json()["data"]
    assert (whole["answer"], whole["withheld"], len(whole["citations"])) == ("Green, and 900 crowns.", "nothing", 2)
    reply = await opened(site, token, CEM)
    (turn,) = reply.json()["data"]
    assert (turn["answer"], turn["withheld"], turn["notice"]) == (f"open: {COLOUR} [2]", "part", message("shared_part", "en"))
    assert [(cited["doc_id"], cited["spans"]) for cited in turn["citations"]] == [
        ("open", [[len(turn["answer"]) - 3, len(turn["answer"])]])
    ]
    assert [hit["doc_id"] for hit in turn["hits"]] == ["open"]
    assert "secret" not in reply.text
    assert "crowns" not in reply.text


async def test_a_reader_sees_nothing_that_a_model_wrote_from_a_source_that_is_not_theirs(site: Site) -> None:
    open_, secret = await hits_of(site, open="*", secret="staff")
    await answered(site, open_, secret)
    token = (await share(site))["token"]
    assert (await opened(site, token, BEN)).json()["data"][0]["answer"] == "Green, and 900 crowns."
    reply = await opened(site, token, CEM)
    (turn,) = reply.json()["data"]
    assert (turn["question"], turn["answer"], turn["withheld"]) == (PAID, message("shared_all", "en"), "all")
    assert (turn["citations"], turn["hits"], turn["outcome"], turn["tier"]) == ([], [], "withdrawn", "nothing")
    assert "crowns" not in reply.text


async def test_an_uncited_passage_or_one_of_the_conversation_before_counts_as_a_source(site: Site) -> None:
    open_, secret = await hits_of(site, open="*", secret="staff")
    await answered(site, open_, trace_id="t1", quoted=((secret.chunk.chunk_id, "secret"),))
    turn = make_turn(
        PAID, caller=ANN, trace_id="t2", room_id="r1", hits=(open_, secret), answer=Answer("Green.", model="llama"), started_at=1e9
    )
    await site.core.turns.save(stored(turn))
    token = (await share(site))["token"]
    for reader, withheld in ((BEN, "nothing"), (CEM, "all")):
        assert [turn["withheld"] for turn in (await opened(site, token, reader)).json()["data"]] == [withheld] * 2


async def test_sources_are_checked_at_each_opening(site: Site) -> None:
    await put_document(site.core.generations, make_document("pay", groups=("*",)), [PAY])
    await ask(site, query_text=PAID, room_id="r1")
    token = (await share(site))["token"]

    async def seen(reader: Caller) -> str:
        reply = await opened(site, token, reader)
        assert ("crowns" in reply.text) == ("pay" in reply.text)
        return str(reply.json()["data"][0]["withheld"])

    assert [await seen(reader) for reader in (BEN, CEM)] == ["nothing", "nothing"]
    await put_document(
        site.core.generations, make_document("pay", generation=2, groups=("staff",)), ["The bridge warden was paid nothing."]
    )
    assert [await seen(reader) for reader in (ANN, BEN, CEM)] == ["all", "all", "all"]  # the answer quotes what is not in it any more


async def test_a_deleted_document_is_withheld_from_everybody(site: Site) -> None:
    await ask(site, room_id="r1")
    token = (await share(site))["token"]
    await site.core.generations.remove("bridge", 1)
    for reader in (ANN, BEN):
        (turn,) = (await opened(site, token, reader)).json()["data"]
        assert (turn["withheld"], turn["answer"], turn["hits"]) == ("all", message("shared_all", "en"), [])


@pytest.mark.parametrize(
    "fields",
    [
        {"mode": "pa", "tool_messages": "called"},
        {"notes": {"feedback_hints": {"good": ["900 crowns"], "bad": []}}},
        {"room_id": "t1"},
    ],
    ids=["an agent's tools", "others' feedback", "a conversation that its client keeps"],
)
async def test_answers_with_unnamed_sources_are_withheld(fields: dict[str, Any], site: Site) -> None:
    (open_,) = await hits_of(site, open="*")
    if "tool_messages" in fields:
        fields = fields | {"tool_messages": (Message("tool", "900 crowns", tool_call_id="c1", name="wages"),)}
    await answered(site, open_, **fields)
    token = (await share(site, fields.get("room_id", "r1")))["token"]
    reply = await opened(site, token, BEN)
    assert (reply.json()["data"][0]["withheld"], "crowns" in reply.text) == ("all", False)


async def test_results_of_connected_systems_are_withheld_from_others(site: Site) -> None:
    chunk = Chunk(f"{EXTERNAL_IDS[0]}wages|1|0", "wages", 1, 0, 2, "Wages", PAY, "en", "default")
    await answered(site, Hit(chunk, 0.5))
    token = (await share(site))["token"]
    assert (await opened(site, token, BEN)).json()["data"][0]["withheld"] == "all"


async def test_turns_without_an_answer_are_left_out(site: Site) -> None:
    (open_,) = await hits_of(site, open="*")
    await answered(site, open_)
    for trace_id, status in (("t2", "error"), ("t3", "idle")):
        await site.core.turns.save(stored(make_turn("And?", caller=ANN, trace_id=trace_id, room_id="r1", started_at=1e9), status))
    token = (await share(site))["token"]
    assert [turn["question"] for turn in (await opened(site, token, BEN)).json()["data"]] == [PAID]


async def test_unknown_deleted_and_expired_links_are_the_same_404(site: Site, clock: HandClock) -> None:
    for room_id in ("r1", "r2"):
        await ask(site, room_id=room_id)
    deleted, expired, of_deleted = await share(site), await share(site, valid_days=1), await share(site, "r2", valid_days=None)
    assert (of_deleted["expires_at"], expired["expires_at"]) == (None, clock.now + 86_400)
    assert (await site.client.delete(f"/shares/{deleted['share_id']}")).status_code == 204
    assert (await site.client.delete("/conversations/r2")).status_code == 204
    clock.advance(86_400)
    tokens = [deleted["token"], expired["token"], of_deleted["token"], expired["share_id"], "x" * 43]
    replies = [await opened(site, token, reader) for token in tokens for reader in (ANN, BEN)]
    assert all(map(is_gone, replies))
    assert len({tuple(sorted((name, value) for name, value in reply.json().items() if name != "trace_id")) for reply in replies}) == 1
    after = await opened(site, (await share(site))["token"], BEN, after="t-of-nobody")
    assert is_gone(after)


async def test_only_its_owner_sees_and_deletes_a_link(site: Site) -> None:
    await ask(site, room_id="r1")
    made = await share(site)
    listed = {name: made[name] for name in ("share_id", "room_id", "created_at", "expires_at")}
    assert (await site.client.get("/shares")).json() == {"data": [listed]}
    async with client_of(site, BEN) as ben:
        assert (await ben.get("/shares")).json() == {"data": []}
        assert (await ben.delete(f"/shares/{made['share_id']}")).status_code == 404
        assert (await ben.post("/shares", json={"room_id": "r1"})).status_code == 404
    assert (await opened(site, made["token"], BEN)).status_code == 200


async def test_the_token_is_long_random_and_stored_nowhere(site: Site) -> None:
    await ask(site, room_id="r1")
    tokens = [(await share(site))["token"] for _ in range(3)]
    assert (len(set(tokens)), {len(token) for token in tokens}) == (3, {43})
    folder = site.core.settings.footnote_data
    kept = b"".join(await asyncio.to_thread(lambda: [path.read_bytes() for path in folder.rglob("*") if path.is_file()]))
    assert b"conversation.share" in kept
    assert [token for token in tokens if token.encode() in kept] == []


async def test_sharing_and_its_end_are_in_the_audit(site: Site) -> None:
    await ask(site, room_id="r1")
    made = await share(site, valid_days=7)
    await site.client.delete(f"/shares/{made['share_id']}")
    entries = [(each.user_id, each.action, each.object_id, each.facts) for each in (await read_audit(site.core.records, 10)).data]
    assert set(map(str, entries)) == {
        str(("ann", "conversation.share", "r1", {"share_id": made["share_id"], "valid_days": 7})),
        str(("ann", "conversation.unshare", made["share_id"], {})),
    }


async def test_a_user_has_at_most_a_hundred_links(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote_query.shares.MOST", 2)
    await ask(site, room_id="r1")
    for _ in range(2):
        await share(site)
    assert (await site.client.post("/shares", json={"room_id": "r1"})).status_code == 409


async def test_of_many_links_made_at_once_no_more_are_made_than_allowed(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote_query.shares.MOST", 5)
    await ask(site, room_id="r1")
    replies = await asyncio.gather(*(site.client.post("/shares", json={"room_id": "r1"}) for _ in range(30)))
    assert Counter(reply.status_code for reply in replies) == {201: 5, 409: 25}
    assert len((await site.client.get("/shares")).json()["data"]) == 5


@pytest.mark.parametrize("fields", [{"valid_days": 0}, {"valid_days": 366}, {"room_id": "r" * 201}])
async def test_a_link_needs_a_sensible_time_and_room(fields: dict[str, Any], site: Site) -> None:
    assert (await site.client.post("/shares", json={"room_id": "r1", **fields})).status_code == 422
