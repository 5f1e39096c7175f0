"""How an API searches where the request does not say it: its retriever, the entries of its lists, and what is put back."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import footnote_query
from footnote.plan import make_plan
from footnote.ports import Delta
from footnote.settings import Settings
from footnote.types import Caller, Candidates, Request, Retriever, Search, ToolCall
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, LOCAL, QUESTION, OpenSite, Site
from tests.turns import HELD


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
"""APIs whose sources name neither a retriever nor the entries of a list."""


class Watched:
    """An index that notes how many entries of each list the search for QUESTION asks for."""

    def __init__(self, index: Any) -> None:
        self.limits: list[int] = []
        self._index = index

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        if search.text == QUESTION:
            self.limits.append(search.limit)
        return await self._index.candidates(caller, search)  # type: ignore[no-any-return]


@pytest.fixture
async def site(open_site: OpenSite) -> Site:
    return await open_site()


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
    path: str, body: dict[str, Any], used: Retriever, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = Spy([])
    monkeypatch.setattr("footnote.retrieve.fuse.fuse", spy)
    assert (await site.client.post(path, json=body, headers=ACCEPT)).status_code == 200
    assert spy.used == [used]


async def test_the_setting_of_the_retriever_applies_only_to_ask(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy([])
    monkeypatch.setattr("footnote.retrieve.fuse.fuse", spy)
    assert (await site.client.put("/settings/retriever", json={"value": "bm25"})).status_code == 200
    await site.core.load_changes()
    await site.client.post("/ask", json=ASK)
    await site.client.post("/v1/chat/completions", json={"model": "footnote", "messages": MESSAGES})
    await site.client.post("/v1/chat", json=CHAT)
    assert spy.used == ["bm25", "cc", "rrf"]


@pytest.mark.parametrize(("fusion", "used"), [("minmax", "cc"), ("convex", "cc"), ("rrf", "rrf")])
async def test_a_fusion_that_somebody_set_is_that_of_v1_chat_too(
    fusion: str, used: Retriever, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = Spy([])
    monkeypatch.setattr("footnote.retrieve.fuse.fuse", spy)
    assert (await site.client.put("/settings/rag.fusion", json={"value": fusion})).status_code == 200
    await site.core.load_changes()
    for path, body in (("/v1/chat", CHAT), ("/v1/responses", {"model": "footnote", "input": QUESTION}), ("/ask", ASK)):
        await site.client.post(path, json=body)
    assert spy.used == [used, used, "rrf"]


@pytest.mark.parametrize(("path", "body", "count"), [("/v1/chat", CHAT, 15), ("/ask", ASK, 100), *((*each, 100) for each in OTHERS)])
async def test_v1_chat_takes_fifteen_of_each_list_unless_a_number_is_set(path: str, body: dict[str, Any], count: int, site: Site) -> None:
    site.core.index = index = Watched(site.core.index)  # type: ignore[assignment]
    assert (await site.client.post(path, json=body, headers=ACCEPT)).status_code == 200
    assert index.limits == [count]
    assert (await site.client.put("/settings/rag.candidates", json={"value": 40})).status_code == 200
    await site.core.load_changes()
    assert (await site.client.post(path, json=body, headers=ACCEPT)).status_code == 200
    assert index.limits == [count, 40]


async def test_only_v1_chat_puts_contents_glossaries_and_credits_back(site: Site) -> None:
    texts = {
        "contents": "The bridge was built: the bridge, the year, the cost.",
        "reference": "Bridge: what was built over a river. Built: a bridge, for example.",
        "credits": "The bridge, when it was built: photographs of the town's archive.",
    }
    for kind, words in texts.items():
        await put_document(site.core.generations, make_document(kind, title="Bridge", groups=("*",)), [words], content_type=kind)
    scores: list[dict[str, float]] = []
    for path, body in (("/ask", ASK | {"num_result_doc": 10}), ("/v1/chat", CHAT)):
        reply = (await site.client.post(path, json=body)).json()
        turn = await site.core.turns.get(LOCAL, reply["trace_id"])
        scores.append({hit["doc_id"]: hit["score"] for hit in turn["hits"]})
    kept = {doc_id: round(score / scores[0][doc_id], 2) for doc_id, score in scores[1].items()}
    assert kept == {"bridge": 1, "contents": 0.5, "reference": 0.7, "credits": 0.6}


async def test_an_agent_of_v1_chat_searches_as_its_other_modes_do(open_site: OpenSite) -> None:
    call = ToolCall("c1", "search_documents", json.dumps({"query": QUESTION}))
    site = await open_site(Delta(tool_calls=(call,)))
    site.core.models.model.replies += [["It was built in 1894 [1]."]]  # type: ignore[attr-defined]
    words = "The bridge was built: the bridge, the year, the cost."
    await put_document(site.core.generations, make_document("contents", groups=("*",)), [words], content_type="contents")
    site.core.index = index = Watched(site.core.index)  # type: ignore[assignment]
    reply = (await site.client.post("/v1/chat", json=CHAT | {"mode": "agent"})).json()
    turn = await site.core.turns.get(LOCAL, reply["trace_id"])
    assert index.limits == [15]
    assert [(hit["doc_id"], round(hit["score"], 2)) for hit in turn["hits"]] == [("contents", 0.5), ("bridge", 0.33)]


def test_the_page_asks_for_cc_where_nobody_chooses() -> None:
    page = (Path(footnote_query.__file__).parent / "web" / "index.html").read_text("utf-8")
    assert re.findall(r'<select id="retriever">\s*<option value="(\w+)"', page) == ["cc"]


def test_a_turn_that_names_no_retriever_fuses_by_min_max() -> None:
    assert make_plan(Request("How long?"), HELD, Settings()).retriever == "cc"
