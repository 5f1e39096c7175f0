"""Which retriever an API uses: `RETRIEVER` is the default of /ask only, the others fuse by min-max scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("path", "body", "used"),
    [
        ("/ask", ASK, "rrf"),
        ("/ask", ASK | {"retriever": "cc"}, "cc"),
        ("/v1/chat/completions", {"model": "footnote", "messages": MESSAGES}, "cc"),
        ("/retrieval", {"knowledge_id": "default", "query": QUESTION}, "cc"),
        ("/mcp", CALL | {"params": {"name": "search", "arguments": {"query": QUESTION}}}, "cc"),
        ("/mcp", CALL | {"params": {"name": "ask", "arguments": {"question": QUESTION}}}, "cc"),
        ("/chat", {"query": QUESTION}, "cc"),
        ("/v2/rag/query", {"query": QUESTION}, "cc"),
    ],
)
async def test_min_max_fusion_is_the_default_except_for_ask(
    path: str, body: dict[str, Any], used: Retriever, open_site: OpenSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    spy = Spy([])
    monkeypatch.setattr("footnote.retrieve.fuse.fuse", spy)
    site = await open_site()
    assert (await site.client.post(path, json=body, headers=ACCEPT)).status_code == 200
    assert spy.used == [used]


async def test_the_setting_applies_only_to_ask(open_site: OpenSite, monkeypatch: pytest.MonkeyPatch) -> None:
    spy = Spy([])
    monkeypatch.setattr("footnote.retrieve.fuse.fuse", spy)
    site = await open_site()
    assert (await site.client.put("/settings/retriever", json={"value": "bm25"})).status_code == 200
    await site.core.load_changes()
    await site.client.post("/ask", json=ASK)
    await site.client.post("/v1/chat/completions", json={"model": "footnote", "messages": MESSAGES})
    assert spy.used == ["bm25", "cc"]


def test_a_turn_that_names_no_retriever_fuses_by_min_max() -> None:
    assert Request("How long?").retriever == "cc"
