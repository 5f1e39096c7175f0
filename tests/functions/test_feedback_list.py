"""Admins list what people said of answers, as far as they may read the documents that these depend on."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.ports import NewFile
from footnote.types import Answer, Caller, Citation, Feedback
from footnote_feedback.app import create_app
from tests.conftest import HandClock
from tests.fakes import make_hit
from tests.functions.conftest import LOCAL, OpenClient, as_caller
from tests.turns import make_turn, stored

ANN = Caller("ann", frozenset({"staff"}))
ADMIN = Caller("boss", frozenset({"staff"}), role="admin")


async def rate(core: Core, trace_id: str, documents: tuple[str, ...] = ("plan",), given: Any = None, **changes: Any) -> None:
    hits = tuple(make_hit("Two years.", doc_id, 0) for doc_id in documents)
    answer = Answer("Two years [1].", tuple(Citation(number, hit, "Two years.") for number, hit in enumerate(hits, 1)))
    turn = make_turn(**{"trace_id": trace_id, "caller": ANN, "started_at": core.clock(), "hits": hits, "answer": answer} | changes)
    span: Any = {"name": "search", "ms": 12.345, "status": "ok", "detail": {"query": "zqdetail"}}
    await core.turns.save({**stored(turn), "spans": [span]})
    await core.feedback.put(ANN, given or Feedback(trace_id, "ann", "down", "wrong", created_at=core.clock()))


async def add_document(core: Core, doc_id: str, group: str) -> None:
    file = NewFile(file_name=doc_id, collection="default", permission_groups=frozenset({group}), content_hash=doc_id, size=1, doc_id=doc_id)
    await core.lifecycle.accept(LOCAL, file)


async def test_feedback_comes_with_its_question_answer_and_citations(core: Core, open_client: OpenClient) -> None:
    await add_document(core, "plan", "staff")
    given = Feedback("t1", "ann", "down", "wrong", "Three years.", ("plan#000",), ("old",), core.clock(), "See page 3.")
    await rate(core, "t1", given=given, question="Call 010-1234-5678?")
    reply = await (await open_client(as_caller(ADMIN, create_app))).get("/feedback")
    assert reply.json() == {
        "data": [
            {
                "trace_id": "t1",
                "user_id": "ann",
                "given_at": core.clock(),
                "rating": "down",
                "reason": "wrong",
                "collection": "default",
                "withheld": False,
                "question": "Call [phone]?",
                "answer": "Two years [1].",
                "outcome": None,
                "comment": "See page 3.",
                "proposed_answer": "Three years.",
                "facts": ["Three years"],
                "tags": ["old"],
                "selected_citations": ["plan#000"],
                "citations": [{"chunk_id": "plan#000", "doc_id": "plan", "title": "Plan", "page": None, "snippet": "Two years."}],
                "steps": [{"name": "search", "stage": "retrieve", "ms": 12.35, "status": "ok"}],
                "room_id": None,
            }
        ],
        "has_more": False,
        "last_id": f"{core.clock()!r} t1 ann",
    }


@pytest.mark.parametrize("documents", [("secret",), ("plan", "secret"), ("never-was",), ("mcp|1",)])
async def test_of_an_answer_from_unreadable_documents_only_the_rating_is_shown(
    documents: tuple[str, ...], core: Core, open_client: OpenClient
) -> None:
    await add_document(core, "plan", "staff")
    await add_document(core, "secret", "board")
    await rate(core, "t1", documents, Feedback("t1", "ann", "down", "It is in 4.2.", "No.", ("x",), ("y",), core.clock(), "z"))
    (row,) = (await (await open_client(as_caller(ADMIN, create_app))).get("/feedback")).json()["data"]
    shown = {name: value for name, value in row.items() if value}
    assert shown == {
        "trace_id": "t1", "user_id": "ann", "given_at": core.clock(), "rating": "down", "reason": "other", "collection": "default",
        "withheld": True,
    }  # fmt: skip


async def test_the_list_is_filtered_and_paged(core: Core, clock: HandClock, open_client: OpenClient) -> None:
    await add_document(core, "plan", "staff")
    for trace_id, reason, collection in (("a", "wrong", "default"), ("b", "unclear", "annex"), ("c", "Hm.", "default")):
        clock.advance(1)
        await rate(core, trace_id, given=Feedback(trace_id, "ann", "down", reason, created_at=clock.now), collection=collection)
    clock.advance(86_400)
    client = await open_client(as_caller(ADMIN, create_app))

    async def listed(**params: Any) -> list[str]:
        reply = await client.get("/feedback", params=params)
        assert reply.status_code == 200, reply.text
        return [row["trace_id"] for row in reply.json()["data"]]

    assert await listed() == ["c", "b", "a"]
    assert await listed(reason="other") == ["c"]
    assert await listed(reason="wrong") == ["a"]
    assert await listed(index_name="annex") == ["b"]
    assert await listed(rating="up") == []
    assert await listed(trace_id="b") == ["b"]
    assert await listed(**{"from": "2023-11-14", "to": "2023-11-14"}) == ["c", "b", "a"]
    assert await listed(**{"from": "2023-11-15"}) == []
    first = (await client.get("/feedback", params={"limit": 2})).json()
    assert first["has_more"]
    assert await listed(limit=2, after=first["last_id"]) == ["a"]
    for params in ({"after": "x"}, {"reason": "bad"}, {"rating": "sideways"}, {"days": 1, "from": "2023-11-14"}):
        assert (await client.get("/feedback", params=params)).status_code == 422, params


async def test_the_conversation_is_named_to_the_one_who_asked(core: Core, open_client: OpenClient) -> None:
    await rate(core, "t1", documents=(), room_id="r1")
    for caller, room in ((Caller("ann", role="admin"), "r1"), (ADMIN, None)):
        (row,) = (await (await open_client(as_caller(caller, create_app))).get("/feedback")).json()["data"]
        assert row["room_id"] == room


async def test_ones_own_feedback_is_read_again_and_nobody_elses(core: Core, open_client: OpenClient) -> None:
    given = Feedback("t1", "ann", "down", "wrong", "Three years.", ("plan#000",), ("too_short",), core.clock(), "See page 3.")
    await rate(core, "t1", given=given)
    reply = await (await open_client(as_caller(ANN, create_app))).get("/feedback/t1")
    assert reply.json() == {
        "trace_id": "t1", "rating": "down", "reason": "wrong", "comment": "See page 3.", "proposed_answer": "Three years.",
        "selected_citations": ["plan#000"], "tags": ["too_short"], "given_at": core.clock(),
    }  # fmt: skip
    for caller in (ADMIN, Caller("bob", frozenset({"staff"}))):
        assert (await (await open_client(as_caller(caller, create_app))).get("/feedback/t1")).status_code == 404
