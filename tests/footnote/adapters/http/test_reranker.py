"""Rerankers over HTTP: partial, malformed, slow and failing replies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from footnote.adapters.http.reranker import HttpReranker
from footnote.errors import Unavailable
from tests.contracts.backends_rerank import PATHS, reranking
from tests.openai_server import Reply

TEXTS = ["a", "b", "c"]


def reply(shape: str, *entries: tuple[Any, Any]) -> Reply:
    """A reply with these (index, score)."""
    name = {"tei": "score", "bedrock": "relevanceScore"}.get(shape, "relevance_score")
    scores = [{"index": index, name: score} for index, score in entries]
    wrapped = {"jina": {"results": scores}, "bedrock": {"results": scores}, "voyage": {"data": scores}, "tei": scores}
    return Reply(body=(json.dumps(wrapped[shape]),))


async def ask(shape: str, answer: Reply, timeout_s: float = 5) -> Any:
    async with reranking(shape, timeout_s) as (server, reranker):
        server.replies[PATHS[shape]] = answer
        return await reranker.rerank("q", TEXTS)


@pytest.mark.parametrize("shape", PATHS)
async def test_fewer_scores_than_texts_are_returned_as_they_are(shape: str) -> None:
    assert await ask(shape, reply(shape, (2, 0.9), (0, 0.1))) == {2: 0.9, 0: 0.1}


@pytest.mark.parametrize("shape", PATHS)
async def test_no_scores_are_no_error(shape: str) -> None:
    assert await ask(shape, reply(shape)) == {}


@pytest.mark.parametrize("shape", PATHS)
async def test_logits_become_scores_between_0_and_1_in_the_same_order(shape: str) -> None:
    scores = await ask(shape, reply(shape, (0, -8000.0), (1, 0.0), (2, 4.0)))
    assert scores[1] == 0.5
    assert 0 <= scores[0] < scores[1] < scores[2] <= 1


@pytest.mark.sample
@pytest.mark.parametrize("shape", PATHS)
@pytest.mark.parametrize("entries", [[(3, 0.5)], [(-1, 0.5)], [(0, 0.5), (0, 0.4)], [(0, float("nan"))], [(0, None)]])
async def test_scores_of_texts_that_were_not_sent_and_missing_numbers_are_refused(shape: str, entries: Any) -> None:
    with pytest.raises(Unavailable):
        await ask(shape, reply(shape, *entries))


@pytest.mark.sample
@pytest.mark.parametrize("shape", [shape for shape in PATHS if shape != "bedrock"])
@pytest.mark.parametrize("body", ["", "<html>", "null", "7", "{}", '{"results": 1, "data": 1}', '["a"]', "[" * 5000])
async def test_a_reply_in_another_format_is_unavailable(shape: str, body: str) -> None:
    with pytest.raises(Unavailable, match="RERANK__SHAPE"):
        await ask(shape, Reply(body=(body,)))


@pytest.mark.parametrize(
    ("status", "remedy"), [(401, "RERANK__KEY"), (404, "RERANK__BASE_URL"), (429, "rate limit"), (422, "RERANK__SHAPE"), (503, "503")]
)
async def test_a_refusal_says_what_to_check(status: int, remedy: str) -> None:
    with pytest.raises(Unavailable, match=remedy):
        await ask("jina", Reply(status, ("{}",)))


@pytest.mark.sample
@pytest.mark.parametrize("shape", PATHS)
@pytest.mark.parametrize("body", [(None,), ('{"results', None), ("[", 3.0)])
async def test_a_connection_that_breaks_or_is_slow_is_unavailable(shape: str, body: Any) -> None:
    with pytest.raises(Unavailable):
        await ask(shape, Reply(body=body), timeout_s=0.3)


async def test_a_server_that_is_not_there_is_unavailable() -> None:
    reranker = HttpReranker("jina", "http://127.0.0.1:9", None, None, 1)
    with pytest.raises(Unavailable, match="RERANK__BASE_URL"):
        await reranker.rerank("q", TEXTS)
    await reranker.close()


async def test_the_key_is_sent_as_a_bearer_token_and_is_in_no_error() -> None:
    async with reranking("jina") as (server, reranker):
        server.replies[PATHS["jina"]] = Reply(401, ('{"detail": "secret is wrong"}',))
        with pytest.raises(Unavailable) as caught:
            await reranker.rerank("q", TEXTS)
    assert server.requests[0][1]["authorization"] == "Bearer secret"
    assert "secret" not in caught.value.detail


async def test_a_batch_of_tei_has_at_most_32_texts_and_a_failing_one_fails_all() -> None:
    async with reranking("tei") as (server, reranker):
        await reranker.rerank("q", [str(number) for number in range(70)])
        assert sorted(len(body["texts"]) for _, _, body in server.requests) == [6, 32, 32]
        server.replies[PATHS["tei"]] = lambda sent: Reply(200 if len(sent["texts"]) == 32 else 500, ("[]",))
        with pytest.raises(Unavailable):
            await reranker.rerank("q", [str(number) for number in range(70)])
