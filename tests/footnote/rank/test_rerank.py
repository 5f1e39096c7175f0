"""A reranker orders the passages that the permission gate returned; without it they stay as they were found."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.settings import LLM, Embedding, Rerank, Settings
from footnote.types import Caller, IntelligenceLevel, Profile, Request, Turn
from tests.contracts.backends_rerank import jina
from tests.fakes import make_document, put_document
from tests.openai_server import Reply, Server, serving

LOCAL = Caller("local", sees_all=True)
PROFILE = Profile("test", live=False, citation_style="numbered", prompt="answer_numbered")
QUESTION = "Who built the bridge?"


def scoring(scores: dict[str, float]) -> Any:
    """Replies with a score for each text that contains one of these words; others are left out."""

    def reply(sent: Any) -> Reply:
        found = [(at, score) for at, text in enumerate(sent["documents"]) for word, score in scores.items() if word in text]
        return Reply(body=(json.dumps({"results": [{"index": at, "relevance_score": score} for at, score in found]}),))

    return reply


@asynccontextmanager
async def reranked(folder: Path, reply: Any, timeout_s: float = 5, url: str | None = None) -> AsyncIterator[tuple[Core, Server]]:
    """A Core with three passages that match the question ever less, and its reranker."""
    async with serving() as server:
        server.replies["/rerank"] = reply
        rerank = Rerank(base_url=url or server.url, model="m", timeout_s=timeout_s)
        settings = Settings(footnote_data=folder, llm=LLM(discover=False), embedding=Embedding(builtin=False), rerank=rerank)
        core = Core(settings)
        await put_document(core.generations, make_document("first"), ["The bridge. The bridge. Who built it?"])
        await put_document(core.generations, make_document("second"), ["The bridge stood for years beside an old mill."])
        await put_document(core.generations, make_document("third"), ["Masons built it in nine years, which nobody had thought possible."])
        try:
            yield core, server
        finally:
            await core.close()


async def search(core: Core, limit: int = 5, level: IntelligenceLevel | None = None, **options: Any) -> Turn:
    request = Request(QUESTION, "default", limit=limit, level=level, **options)
    return await core.retrieve.finish(core.new_turn(request, LOCAL, PROFILE))


def ids(turn: Turn) -> list[str]:
    return [hit.chunk.doc_id for hit in turn.evidence.hits]


async def test_its_order_is_the_order_of_the_hits_and_its_score_theirs(tmp_path: Path) -> None:
    async with reranked(tmp_path, scoring({"Masons": 0.9, "Who": 0.2, "mill": 0.4})) as (core, _):
        before = {hit.chunk.doc_id: hit.score for hit in (await search(core, options={"rerank": False})).evidence.hits}
        turn = await search(core)
        assert ids(turn) == ["third", "second", "first"]
        assert [hit.score for hit in turn.evidence.hits] == [0.9, 0.4, 0.2]
        assert {hit.chunk.doc_id: hit.scores["hybridScore"] for hit in turn.evidence.hits} == before
        assert ids(await search(core, limit=1)) == ["third"]  # it sees more passages than are asked for
        assert turn.trace.notes["reranked"] == 3


async def test_passages_that_it_leaves_out_follow_in_their_earlier_order(tmp_path: Path) -> None:
    async with reranked(tmp_path, scoring({"Masons": 0.1})) as (core, _):
        turn = await search(core)
        assert ids(turn) == ["third", "first", "second"]
        assert [hit.score for hit in turn.evidence.hits] == sorted((hit.score for hit in turn.evidence.hits), reverse=True)


@pytest.mark.parametrize(
    "reply", [Reply(500, ("{}",)), Reply(body=("nonsense",)), Reply(body=(None,)), Reply(body=("{", 5.0)), Reply(401, ("{}",))]
)
async def test_when_it_fails_the_order_stays_and_the_trace_says_so(tmp_path: Path, reply: Reply) -> None:
    async with reranked(tmp_path, reply, timeout_s=0.3) as (core, _):
        turn = await search(core)
        assert ids(turn) == ["first", "second", "third"]
        assert all("hybridScore" not in hit.scores for hit in turn.evidence.hits)
        span = next(span for span in turn.trace.spans if span.name == "rerank")
        assert (span.status, dict(span.detail)) == ("fallback", {"reranked": 0})
        assert turn.trace.degraded
        assert turn.trace.notes["reranked"] == 0


async def test_it_is_asked_with_the_question_and_at_most_30_passages_of_1500_characters(tmp_path: Path) -> None:
    async with reranked(tmp_path, jina) as (core, server):
        for number in range(40):
            await put_document(core.generations, make_document(f"long{number}"), ["bridge " + "word " * 2000])
        assert len((await search(core, limit=2)).evidence.hits) == 2
        (_, _, sent) = server.requests[-1]
        assert (sent["query"], sent["model"], len(sent["documents"])) == (QUESTION, "m", 30)
        assert max(map(len, sent["documents"])) == 1_500


@pytest.mark.parametrize(
    ("request_", "calls"),
    [
        ({"level": "basic"}, 0),
        ({"options": {"rerank": False}}, 0),
        ({"retriever": "bm25"}, 0),
        *(({"level": level}, 1) for level in ("standard", "enhanced", "maximum")),
    ],
)
async def test_it_is_asked_from_level_standard_on_and_not_where_one_list_is_asked_for(tmp_path: Path, request_: Any, calls: int) -> None:
    async with reranked(tmp_path, jina) as (core, server):
        await search(core, **request_)
        assert len(server.requests) == calls


async def test_internal_searches_do_not_call_the_reranker(tmp_path: Path) -> None:
    async with reranked(tmp_path, jina) as (core, server):
        await core.list_collections(LOCAL)
        assert server.requests == []


async def test_without_one_no_larger_pool_is_read_and_explain_says_what_to_set(tmp_path: Path) -> None:
    core = Core(Settings(footnote_data=tmp_path, llm=LLM(discover=False), embedding=Embedding(builtin=False)))
    turn = core.new_turn(Request(QUESTION, "default"), LOCAL, PROFILE)
    line = next(line for line in (await core.explain(turn)).lines if line.step == "rerank")
    assert (turn.plan.pool_size, line.runs, line.because) == (0, "no", "RERANK__BASE_URL is not set")
    await core.close()
