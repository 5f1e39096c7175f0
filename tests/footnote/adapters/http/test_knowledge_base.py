"""A search service on a socket of this machine."""

from __future__ import annotations

import asyncio

import pytest

from footnote.adapters.http.json_client import MAX_REPLY_BYTES
from footnote.adapters.http.knowledge_base import PATH, HttpKnowledgeBase
from footnote.errors import Unavailable
from tests.openai_server import Part, Reply, Server

ASKED = {"query": "연봉은 언제 지급되나요?", "collection_name": "default", "match_values": ["Law"], "top_k": 3}


async def test_questions_and_results_pass_unchanged(server: Server) -> None:
    server.replies[PATH] = Reply(200, ('[{"p_id": "1", "context": "다', '리"}]'))
    base = HttpKnowledgeBase(server.url + "/")
    try:
        assert await asyncio.gather(base.search(ASKED), base.search(ASKED)) == ['[{"p_id": "1", "context": "다리"}]'] * 2
    finally:
        await base.close()
    assert [(path, sent) for path, _, sent in server.requests] == [(PATH, ASKED)] * 2


async def test_for_a_collection_that_it_does_not_know_there_is_no_reply(server: Server) -> None:
    base = HttpKnowledgeBase(server.url)
    try:
        assert await base.search(ASKED) is None
    finally:
        await base.close()


@pytest.mark.parametrize(
    ("status", "body", "headers", "told"),
    [
        (500, ("{}",), "", "status 500"),
        (302, ("",), "location: http://127.0.0.1:9/\r\n", "status 302"),
        (200, ("[", None), "", "cannot be reached"),
        (200, (b" " * (MAX_REPLY_BYTES + 1),), "", "larger than 4 MiB"),
    ],
)
async def test_whatever_else_comes_is_unavailable(server: Server, status: int, body: tuple[Part, ...], headers: str, told: str) -> None:
    server.replies[PATH] = Reply(status, body, headers=headers)
    base = HttpKnowledgeBase(server.url)
    try:
        with pytest.raises(Unavailable, match=told):
            await base.search(ASKED)
    finally:
        await base.close()


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://", "localhost:28101", "ftp://kdb.example.org"])
async def test_an_address_where_nothing_is_names_the_setting(url: str) -> None:
    base = HttpKnowledgeBase(url)
    try:
        with pytest.raises(Unavailable, match="KDB__URL"):
            await base.search(ASKED)
    finally:
        await base.close()
