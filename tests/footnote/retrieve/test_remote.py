"""Search in connected systems."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from footnote.errors import Unavailable
from footnote.ports import Tool
from footnote.retrieve.remote import may_ask_kdb, may_search_remotely, search_kdb, search_remotely
from footnote.settings import KDB, MCP
from footnote.types import Caller, Turn
from tests.deps import FakeDeps, call_step
from tests.turns import ME, make_turn, with_

NAMES = ("query", "collection_name", "metadata_filter_key", "match_values", "top_k", "use_paragraph")
SEARCH = Tool("neural_search", "", {"type": "object", "properties": {name: {} for name in NAMES}})
ASKED = make_turn("Ferries?", queries=("a", "b"), tool_scope="GO_RAG", filters={"class": ("Law", "Rule")}, limit=3)
ON = MCP(mcp_enabled=True, limit_s=9)


def result(p_id: str = "p1", score: float = 0.5, **metadatas: Any) -> dict[str, Any]:
    return {"p_id": p_id, "context": f"Text of {p_id}.", "score": score, "metadatas": {"file_name": "a.pdf", **metadatas}}


@dataclass
class FakeSearch:
    """`ports.Tools` with one tool; `replies` by query."""

    replies: Mapping[str, str]
    tool: Tool = SEARCH
    owner: str = ""
    called: list[tuple[str, Mapping[str, Any], float]] = field(default_factory=list)

    async def list(self, scope: str) -> Sequence[Tool]:
        return [self.tool] if self.owner in ("", scope) else []

    async def call(self, name: str, arguments: Mapping[str, Any], *, timeout_s: float) -> str:
        self.called.append((name, arguments, timeout_s))
        return self.replies[arguments["query"]]


async def test_every_query_is_searched_for_with_arguments_from_the_turn() -> None:
    tools = FakeSearch({"a": json.dumps([result("p1", 0.4), result("p2", 0.9)]), "b": json.dumps([result("p1", 0.6), result("p3", 7)])})
    turn = await call_step(search_remotely, ASKED, FakeDeps(tools=tools, mcp=ON))
    asked = {
        "collection_name": "default", "metadata_filter_key": "class", "match_values": ["Law", "Rule"], "top_k": 3, "use_paragraph": True,
    }  # fmt: skip
    assert tools.called == [("neural_search", {"query": "a", **asked}, 9), ("neural_search", {"query": "b", **asked}, 9)]
    assert [(hit.chunk.metadata["p_id"], hit.score) for hit in turn.evidence.hits] == [("p3", 1.0), ("p2", 0.9), ("p1", 0.6)]


async def test_a_result_becomes_a_passage_outside_of_the_index() -> None:
    reply = result("doc|1|0", 0.5, page=4, paragraph_type="faq", url="javascript:alert(1)", **{"class": "Law"})
    turn = await call_step(search_remotely, with_(ASKED, queries=("a",)), FakeDeps(tools=FakeSearch({"a": json.dumps([reply])}), mcp=ON))
    chunk = turn.evidence.hits[0].chunk
    assert (chunk.text, chunk.title, chunk.doc_id, chunk.page_at(3)) == ("Text of doc|1|0.", "a.pdf", "mcp:a.pdf", 4)
    assert chunk.metadata == {"p_id": "doc|1|0", "file_name": "a.pdf", "class": "Law", "paragraph_type": "faq"}
    assert chunk.chunk_id.startswith("mcp|")
    assert chunk.chunk_id.count("|") == 1
    assert not Caller("x", frozenset({"*", ""})).may_read(chunk.permission_groups)


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps([result()]), json.dumps({"result": [result()]}), json.dumps({"results": [result()]}), json.dumps(result()),
        json.dumps(result(), indent=2) + "\n",
    ],
)  # fmt: skip
async def test_all_forms_of_a_result_list_are_read(reply: str) -> None:
    turn = await call_step(search_remotely, with_(ASKED, queries=("a",)), FakeDeps(tools=FakeSearch({"a": reply}), mcp=ON))
    assert [hit.chunk.text for hit in turn.evidence.hits] == ["Text of p1."]
    two = json.dumps(result()) + "\n" + json.dumps(result("p2"), indent=2)
    turn = await call_step(search_remotely, with_(ASKED, queries=("a",)), FakeDeps(tools=FakeSearch({"a": two}), mcp=ON))
    assert len(turn.evidence.hits) == 2


@pytest.mark.parametrize(
    "reply",
    [
        "no JSON", "[", "7", "[7]", '"x"', "[null]", '{"other": []}', '[{"p_id": "1"}]', '[{"p_id": "1", "context": "x", "score": "high"}]',
        '[{"p_id": "1", "context": "x", "score": 1, "metadatas": [1]}]', f'[{{"p_id": "1", "context": "x", "score": 1{"0" * 400}}}]',
        "[" * 100_000, "error: x", '[{"p_id":1}] and more',
    ],
)  # fmt: skip
async def test_an_unknown_reply_format_is_unavailable(reply: str) -> None:
    with pytest.raises(Unavailable, match="Check MCP__SEARCH_TOOL"):
        await call_step(search_remotely, with_(ASKED, queries=("a",)), FakeDeps(tools=FakeSearch({"a": reply}), mcp=ON))


@pytest.mark.parametrize("reply", ["[]", '{"result": []}', ""])
async def test_without_results_the_turn_is_unchanged(reply: str) -> None:
    asked = with_(ASKED, queries=("a",))
    assert await call_step(search_remotely, asked, FakeDeps(tools=FakeSearch({"a": reply}), mcp=ON)) == asked


async def test_a_server_without_a_search_tool_is_not_called() -> None:
    other = FakeSearch({}, Tool("other", "", {}))
    for tools, mcp in ((None, ON), (other, ON), (FakeSearch({}), MCP())):
        assert await call_step(search_remotely, ASKED, FakeDeps(tools=tools, mcp=mcp)) == ASKED
    assert other.called == []


@pytest.mark.parametrize(
    ("caller", "scope", "found"),
    [
        (Caller("local", sees_all=True), "GO_RAG", True),
        (Caller("me", frozenset({"GO_RAG"})), "GO_RAG", True),
        (ME, "GO_RAG", False),
        (Caller("me", frozenset({"GO_RAG"})), "OTHER", False),
    ],
)
async def test_an_organisations_search_is_for_its_members(caller: Caller, scope: str, found: bool) -> None:
    tools = FakeSearch({"Ferries?": json.dumps([result()])}, Tool("GO_RAG__neural_search", "", {}), "GO_RAG")
    turn: Turn = await call_step(search_remotely, make_turn("Ferries?", caller=caller, tool_scope=scope), FakeDeps(tools=tools, mcp=ON))
    assert bool(turn.evidence.hits) is found


def test_only_an_api_that_names_an_organisation_searches_remotely() -> None:
    assert may_search_remotely(ASKED)
    assert not may_search_remotely(with_(ASKED, tool_scope=""))


async def test_lone_surrogates_are_repaired() -> None:
    reply = json.dumps([result("\ud83d", file_name="\ude00.pdf")])
    turn = await call_step(search_remotely, with_(ASKED, queries=("a",)), FakeDeps(tools=FakeSearch({"a": reply}), mcp=ON))
    assert (turn.evidence.hits[0].chunk.text.encode(), turn.evidence.hits[0].chunk.doc_id.encode()) != (b"", b"")


@dataclass
class FakeKnowledgeBase:
    """`ports.KnowledgeBase`; `replies` by query."""

    replies: Mapping[str, str]
    asked: list[Mapping[str, Any]] = field(default_factory=list)

    async def search(self, arguments: Mapping[str, Any]) -> str:
        self.asked.append(arguments)
        return self.replies[arguments["query"]]


async def test_a_knowledge_base_gets_arguments_from_the_turn_but_no_user() -> None:
    base = FakeKnowledgeBase({"a": json.dumps([result("p1", 0.4)]), "b": json.dumps([result("p2", 0.9)])})
    turn = await call_step(search_kdb, ASKED, FakeDeps(knowledge_base=base, kdb=KDB(groups=["*"])))
    asked = {
        "collection_name": "default", "metadata_filter_key": "class", "match_values": ["Law", "Rule"], "top_k": 3, "use_paragraph": True,
    }  # fmt: skip
    assert base.asked == [{"query": "a", **asked}, {"query": "b", **asked}]
    assert [(hit.chunk.metadata["p_id"], hit.chunk.doc_id) for hit in turn.evidence.hits] == [("p2", "kdb:a.pdf"), ("p1", "kdb:a.pdf")]
    assert all(hit.chunk.chunk_id.startswith("kdb|") for hit in turn.evidence.hits)


@pytest.mark.parametrize(
    ("caller", "groups", "found"),
    [
        (Caller("local", sees_all=True), [], True),
        (Caller("me", frozenset({"law"})), ["law", "tax"], True),
        (Caller("me", frozenset({"law"})), ["*"], True),
        (Caller("me", frozenset({"law"})), ["tax"], False),
        (Caller("me", frozenset({"law"})), [], False),
    ],
)
async def test_a_knowledge_base_is_for_its_configured_groups_only(caller: Caller, groups: list[str], found: bool) -> None:
    base = FakeKnowledgeBase({"Ferries?": json.dumps([result()])})
    turn = await call_step(search_kdb, make_turn("Ferries?", caller=caller), FakeDeps(knowledge_base=base, kdb=KDB(groups=groups)))
    assert (bool(turn.evidence.hits), bool(base.asked)) == (found, found)


async def test_an_invalid_reply_of_a_knowledge_base_names_its_setting() -> None:
    base = FakeKnowledgeBase({"Ferries?": "no JSON"})
    with pytest.raises(Unavailable, match="Check KDB__URL"):
        await call_step(search_kdb, make_turn("Ferries?", caller=ME), FakeDeps(knowledge_base=base, kdb=KDB(groups=["*"])))


async def test_a_knowledge_base_is_searched_if_the_api_uses_it_and_nothing_was_found() -> None:
    asked = make_turn("Ferries?", ask_kdb=True)
    found = await call_step(
        search_remotely, with_(ASKED, queries=("a",)), FakeDeps(tools=FakeSearch({"a": json.dumps([result()])}), mcp=ON)
    )
    assert may_ask_kdb(asked)
    assert not may_ask_kdb(make_turn("Ferries?"))
    assert not may_ask_kdb(with_(asked, hits=found.evidence.hits))
    assert await call_step(search_kdb, asked, FakeDeps()) == asked
