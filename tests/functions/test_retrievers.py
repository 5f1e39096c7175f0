"""Which retriever an API uses where the request names none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import query
from footnote.types import Candidates, Request, Retriever
from tests.functions.conftest import ASK, QUESTION, OpenSite


@dataclass
class Spy:
    """`retrieve.fuse.fuse`, recording its arguments."""

    used: list[Retriever]

    def __call__(self, candidates: Candidates, retriever: Retriever, **_: Any) -> list[Any]:
        self.used.append(retriever)
        return []


MESSAGES = [{"role": "user", "content": QUESTION}]
CALL = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
ACCEPT = {"accept": "application/json, text/event-stream"}


CHAT = {"message": QUESTION}
OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("/v1/chat/completions", {"model": "footnote", "messages": MESSAGES}),
    ("/v1/responses", {"model": "footnote", "input": QUESTION}),
    ("/retrieval", {"knowledge_id": "default", "query": QUESTION}),
    ("/mcp", CALL | {"params": {"name": "search", "arguments": {"query": QUESTION}}}),
    ("/mcp", CALL | {"params": {"name": "ask", "arguments": {"question": QUESTION}}}),
    ("/chat", {"query": QUESTION}),
    ("/v2/rag/query", {"query": QUESTION}),
    ("/api/chat", {"messages": MESSAGES, "rag": {"enabled": True}}),
]
"""APIs whose sources name no retriever."""


@pytest.mark.parametrize(
    ("path", "body", "used"),
    [
        ("/ask", ASK, "rrf"),
        ("/ask/stream", ASK, "rrf"),
        ("/ask", ASK | {"retriever": "cc"}, "cc"),
        ("/v1/chat", CHAT, "rrf"),
        *((path, body, "cc") for path, body in OTHERS),
    ],
)
async def test_only_ask_and_v1_chat_fuse_by_rank_where_nothing_is_asked_for(
    path: str, body: dict[str, Any], used: Retriever, open_site: OpenSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = Spy([])
    monkeypatch.setattr("footnote.retrieve.fuse.fuse", spy)
    site = await open_site()
    assert (await site.client.post(path, json=body, headers=ACCEPT)).status_code == 200
    assert spy.used == [used]


async def test_the_setting_of_the_retriever_applies_only_to_ask(open_site: OpenSite, monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy([])
    monkeypatch.setattr("footnote.retrieve.fuse.fuse", spy)
    site = await open_site()
    assert (await site.client.put("/settings/retriever", json={"value": "bm25"})).status_code == 200
    await site.core.load_changes()
    await site.client.post("/ask", json=ASK)
    await site.client.post("/v1/chat/completions", json={"model": "footnote", "messages": MESSAGES})
    await site.client.post("/v1/chat", json=CHAT)
    assert spy.used == ["bm25", "cc", "rrf"]


@pytest.mark.parametrize(("fusion", "used"), [("minmax", "cc"), ("convex", "cc"), ("rrf", "rrf")])
async def test_a_fusion_that_somebody_set_is_that_of_v1_chat_too(
    fusion: str, used: Retriever, open_site: OpenSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = Spy([])
    monkeypatch.setattr("footnote.retrieve.fuse.fuse", spy)
    site = await open_site()
    assert (await site.client.put("/settings/rag.fusion", json={"value": fusion})).status_code == 200
    await site.core.load_changes()
    for path, body in (("/v1/chat", CHAT), ("/v1/responses", {"model": "footnote", "input": QUESTION}), ("/ask", ASK)):
        await site.client.post(path, json=body)
    assert spy.used == [used, used, "rrf"]


def test_the_page_asks_for_cc_where_nobody_chooses() -> None:
    page = (Path(query.__file__).parent / "web" / "index.html").read_text("utf-8")
    assert re.findall(r'<select id="retriever">\s*<option value="(\w+)"', page) == ["cc"]


def test_a_turn_that_names_no_retriever_fuses_by_min_max() -> None:
    assert Request("How long?").retriever == "cc"
