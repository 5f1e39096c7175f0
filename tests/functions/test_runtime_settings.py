"""Each setting of retrieval, the cache and conversations has its documented default, and counts from the next `/v1/chat` on."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

import numpy as np
import pytest

from footnote.ingest.vectors import embed_chunks, pending_chunks
from footnote.ports import Delta, Found, Scope
from footnote.types import Message, Query
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder, FakeVectorCache, make_document, put_document, switch_on
from tests.functions.conftest import LOCAL, QUESTION, OpenSite, Site

Probe = Callable[[Site, HandClock], Awaitable[Any]]
SIMILAR = "When was the “bridge” built?"
OTHER = "Was the bridge built in 1894?"
FERRIES = [
    "The ferry crosses the river below the bridge.",
    "Ferries do not cross in winter.",
    "The river freezes near the bridge.",
    "Tickets are sold on board.",
]


class Writer:
    """A model that answers, and makes up queries where it is asked for them."""

    name = "writer"

    def __init__(self) -> None:
        self.sent: list[Sequence[Message]] = []

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncIterator[Delta]:
        self.sent.append(messages)
        fields = (options.get("schema") or {}).get("properties", {})
        made = {name: [QUESTION] if field["type"] == "array" else QUESTION for name, field in fields.items()}
        yield Delta(json.dumps(made) if fields else "It was built in 1894 [1].")


class Directions(FakeEmbedder):
    """A cosine of .9 between QUESTION and SIMILAR: it is .92 likely that they ask the same."""

    def vector(self, text: str) -> Any:
        whole, away = super().vector(text), self._direction("“")
        across = away - (away @ whole) * whole
        return 0.9 * whole + 0.19**0.5 * across / np.linalg.norm(across) if "“" in text else whole


class Graph:
    async def search(self, query: Query, scope: Scope) -> Found:
        return Found()


async def record(site: Site, message: str = QUESTION, **fields: Any) -> Any:
    """The stored turn of a question."""
    reply = await site.client.post("/v1/chat", json={"message": message, **fields})
    return await site.core.turns.get(LOCAL, reply.json()["trace_id"])


async def steps(site: Site, message: str = QUESTION, **fields: Any) -> set[str]:
    return {span["name"] for span in (await record(site, message, **fields))["spans"]}


async def passages(site: Site, _: HandClock) -> int:
    return len((await record(site))["hits"])


async def strategy(site: Site, _: HandClock) -> str:
    spans = {span["name"]: span["detail"] for span in (await record(site))["spans"]}
    return str(spans["route"]["strategy"])


def runs(step: str, question: str = QUESTION) -> Probe:
    async def probe(site: Site, _: HandClock) -> bool:
        return step in await steps(site, question)

    return probe


async def second_score(site: Site, _: HandClock) -> float:
    body = {"index_name": "default", "query_text": "bridge river", "permission_groups": []}
    hits = (await site.client.post("/retrieve-rrf", json=body)).json()["hits"]["hits"]
    return round(hits[1]["_score"] / hits[0]["_score"], 2)


def reused(*between: str, after_s: float = 0, asked: str = QUESTION) -> Probe:
    async def probe(site: Site, clock: HandClock) -> bool:
        for message in (QUESTION, *between):
            await record(site, message)
        clock.advance(after_s)
        return bool((await record(site, asked))["outcome"] == "cached")

    return probe


async def understood(site: Site, _: HandClock) -> bool:
    """Whether a follow-up is rewritten."""
    await record(site, session_id="s")
    return bool((await record(site, "And who painted it?", session_id="s"))["result"]["search_decision"]["rewritten_query"])


async def shown(site: Site, _: HandClock) -> int:
    """Number of earlier questions that the model sees."""
    for message in (QUESTION, OTHER, "How often do ferries cross the river?"):
        await record(site, message, session_id="s")
    model: Any = site.core.models.model  # type: ignore[attr-defined]
    return [each.role for each in model.sent[-1]].count("user") - 1


SETTINGS: Sequence[tuple[str, Any, Any, Probe, Any, Any]] = [
    ("rag.top_k", 10, 1, passages, 5, 1),
    ("rag.similarity_threshold", 0.4, 0.0, passages, 5, 6),  # five stay, whatever it is
    ("rag.hybrid", True, False, strategy, "HYBRID", "DENSE_ONLY"),
    ("rag.paraphrases", False, True, runs("paraphrases"), False, True),
    ("rag.hypothetical", False, True, runs("hypothetical", "Bridge colours?"), False, True),
    ("rag.graph", False, False, runs("lists"), True, False),  # where it is built it is on, unless the setting says no
    ("rag.verify_passages", True, False, runs("verify_passages"), True, False),
    ("rag.rrf_k", 30, 1, second_score, 0.97, 0.67),
    ("cache.enabled", True, False, reused(), True, False),
    ("cache.max_entries", 1000, 1, reused(OTHER), True, False),
    ("cache.default_ttl_seconds", 300, 60, reused(after_s=100), True, False),
    ("cache.threshold_mode", "adaptive", "precision", reused(asked=SIMILAR), True, False),
    ("conversation.rewrite", True, False, understood, True, False),
    ("conversation.history", True, False, understood, True, False),
    ("conversation.max_history_turns", 15, 1, shown, 2, 1),
]


@pytest.mark.parametrize(("key", "default", "value", "probe", "usual", "changed"), SETTINGS, ids=[row[0] for row in SETTINGS])
async def test_a_setting_has_its_default_and_counts_from_the_next_question_on(
    key: str, default: Any, value: Any, probe: Probe, usual: Any, changed: Any, open_site: OpenSite, clock: HandClock
) -> None:
    site = await open_site("x")
    site.core.models.model = Writer()  # type: ignore[attr-defined]
    site.core.embedder = embedder = Directions()
    if key == "rag.graph":
        await switch_on(site.core, "graph")
        site.core.ranked_lists = {"graph": Graph()}
    await put_document(site.core.generations, make_document("ferry", groups=("*",)), FERRIES)
    waiting = await pending_chunks(site.core.vectors, embedder, 100)
    await site.core.vectors.put_vectors(embedder.name, await embed_chunks(embedder, waiting, FakeVectorCache()))
    listed = {setting["key"]: setting for setting in (await site.client.get("/settings")).json()["data"]}
    assert (listed[key]["default"], listed[key]["value"], listed[key]["source"]) == (default, default, "default")
    assert await probe(site, clock) == usual
    site.core.models.model = Writer()  # type: ignore[attr-defined]
    await site.client.delete("/conversations/s")
    clock.advance(1000)  # no answer is kept for longer
    reply = await site.client.put(f"/settings/{key}", json={"value": value})
    assert (reply.status_code, reply.json()["value"], reply.json()["source"]) == (200, value, "runtime")
    assert await probe(site, clock) == changed
    undone = (await site.client.post(f"/settings/{key}/undo")).json()
    assert (undone["value"], undone["source"]) == (default, "default")
