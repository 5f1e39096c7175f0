"""`/forbidden-terms`, and the effect of a term on every API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx
import pytest

from footnote.bootstrap import Core
from footnote.errors import StoreUnavailable
from footnote.types import Caller
from footnote_query.app import create_app as create_query
from tests.fakes import make_document, put_document
from tests.functions.conftest import ASK, BRIDGE, OpenClient, OpenSite, as_caller

ANN = Caller("ann", frozenset({"staff"}))
SECRET = ASK | {"query_text": "When was the bridge built?"}
NOTICE = (
    "Questions about construction cannot be answered here."
    " You may ask about procedures and methods, for example how to apply for something."
)


class Unreadable:
    """Records whose changes cannot be read."""

    def __init__(self, records: Any) -> None:
        self._records = records

    async def changes(self, kind: str) -> int:
        raise StoreUnavailable("down")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)


@pytest.fixture
async def client(open_client: OpenClient) -> httpx.AsyncClient:
    return await open_client(create_query)


async def test_an_admin_adds_changes_lists_and_removes_terms(client: httpx.AsyncClient) -> None:
    for term, change in (
        ("임원", {}),
        ("a/b?", {"match_type": "exact"}),
        ("salary", {"topic": "Pay"}),
        ("Salary", {"topic": "Pay and bonus"}),
    ):
        reply = await client.put(f"/forbidden-terms/{quote(term, safe='')}", json=change)
        assert reply.status_code == 200, reply.text
        assert (reply.json()["term"], reply.json()["changed_by"]) == (term, "local")
    page = (await client.get("/forbidden-terms?limit=2")).json()
    assert [(term["term"], term["match_type"], term["topic"]) for term in page["data"]] == [
        ("a/b?", "exact", None),
        ("Salary", None, "Pay and bonus"),
    ]
    rest = (await client.get("/forbidden-terms", params={"after": page["last_id"]})).json()
    assert ([term["term"] for term in rest["data"]], rest["has_more"]) == (["임원"], False)
    assert (await client.delete("/forbidden-terms/SALARY")).status_code == 204
    assert (await client.delete("/forbidden-terms/salary")).status_code == 404
    actions = (await client.get("/audit")).json()["data"]
    assert [entry["action"] for entry in actions].count("term.set") == 4
    assert "alary" not in str(actions)


@pytest.mark.parametrize(
    ("term", "change"),
    [("%20", {}), ("%3F%21", {}), ("x" * 101, {}), ("a", {"match_type": "close"}), ("a", {"topic": "x" * 101}), ("a", []), ("a%00b", {})],
)
async def test_an_invalid_term_is_a_422(term: str, change: Any, client: httpx.AsyncClient) -> None:
    assert (await client.put(f"/forbidden-terms/{term}", json=change)).status_code == 422
    assert (await client.get("/forbidden-terms")).json()["data"] == []


async def test_an_admin_tries_a_question_and_reads_what_its_user_would(
    core: Core, open_client: OpenClient, client: httpx.AsyncClient
) -> None:
    await client.put("/forbidden-terms/bridge", json={"topic": "construction"})
    tried = (await client.post("/forbidden-terms/try", json={"query_text": SECRET["query_text"]})).json()
    assert (tried["enabled"], tried["refused"], tried["notice"]) == (True, True, NOTICE)
    assert [(hit["term"], hit["similarity"], hit["match_type"]) for hit in tried["hits"]] == [("bridge", 1.0, "exact")]
    allowed = (await client.post("/forbidden-terms/try", json={"query_text": "Who was the mayor?"})).json()
    assert (allowed["refused"], allowed["notice"], allowed["hits"]) == (False, None, [])
    await client.put("/settings/rag.forbidden_check", json={"value": False})
    off = (await client.post("/forbidden-terms/try", json={"query_text": SECRET["query_text"]})).json()
    assert (off["enabled"], off["refused"], len(off["hits"])) == (False, False, 1)
    assert [turn async for turn in core.turns.all_of(Caller("local"))] == []
    assert (await client.post("/forbidden-terms/try", json={"query_text": ""})).status_code == 422
    others = await open_client(as_caller(ANN, create_query))
    assert (await others.post("/forbidden-terms/try", json={"query_text": "Why?"})).status_code == 403


async def test_a_forbidden_question_is_refused_and_stored_but_not_searched(core: Core, client: httpx.AsyncClient) -> None:
    await put_document(core.generations, make_document("bridge", groups=("*",)), BRIDGE)
    assert (await client.post("/ask", json=SECRET)).json()["citations"]
    await client.put("/forbidden-terms/bridge", json={"topic": "construction"})
    reply = (await client.post("/ask", json=SECRET | {"room_id": "r"})).json()
    assert (reply["outcome"], reply["answer"], reply["hits"], reply["citations"]) == ("forbidden", NOTICE, [], [])
    assert reply["persisted"]
    stored = (await client.get(f"/turns/{reply['trace_id']}")).json()
    assert (stored["outcome"], stored["answer"]) == ("forbidden", NOTICE)
    assert "search" not in [step["name"] for step in stored["steps"]]


@pytest.mark.parametrize("retriever", ["rrf", "bm25", "cc"])
async def test_a_search_for_a_forbidden_term_is_refused(retriever: str, core: Core, client: httpx.AsyncClient) -> None:
    await put_document(core.generations, make_document("bridge", groups=("*",)), BRIDGE)
    asked = {"index_name": "default", "query_text": "When was the bridge built?", "permission_groups": []}
    assert (await client.post(f"/retrieve-{retriever}", json=asked)).json()["hits"]["total"]["value"] == 2
    await client.put("/forbidden-terms/bridge", json={"topic": "construction"})
    reply = await client.post(f"/retrieve-{retriever}", json=asked)
    assert (reply.status_code, reply.json()["detail"]) == (422, NOTICE)


async def test_a_model_that_allows_a_method_lets_it_be_answered(open_site: OpenSite) -> None:
    site = await open_site('{"decision": "allow"}')
    await site.core.terms.save(ANN, "bridge")
    model = site.core.models.model  # type: ignore[attr-defined]
    model.replies = [['{"decision": "allow"}'], ['{"decision": "allow"}'], ["It was built in 1894 [^bridge]."]]
    reply = (await site.client.post("/ask", json=SECRET)).json()
    assert (reply["outcome"], len(model.sent)) == ("answered", 3)
    assert reply["usage"]["total_tokens"] > 300


async def test_terms_that_cannot_be_read_block_every_answer(core: Core, client: httpx.AsyncClient) -> None:
    core.records = Unreadable(core.records)
    reply = (await client.post("/ask", json=SECRET)).json()
    assert (reply["outcome"], reply["hits"]) == ("blocked", [])
    assert "could not be checked" in reply["answer"]
