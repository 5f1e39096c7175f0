"""Invalid input is refused with a problem that says why, and never with a 500."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote_query.app import create_app
from tests.functions.conftest import OpenClient

JSON = {"content-type": "application/json"}
ASK: dict[str, Any] = {"query_text": "Who?", "index_name": "default", "permission_groups": []}
QUESTION_ROUTES = {
    "/ask": ASK,
    "/ask/stream": ASK,
    "/retrieve-rrf": ASK,
    "/retrieve-knn": ASK,
    "/chat": {"query": "Who?"},
}
NO_JSON = "The body is not valid JSON in UTF-8."
NO_OBJECT = "The body is not a JSON object. Send one with the header `content-type: application/json`."


def detail_of(reply: httpx.Response, status: int = 422) -> str:
    problem = reply.json()
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    assert set(problem) == {"type", "title", "status", "detail", "trace_id"}
    assert (problem["status"], problem["trace_id"]) == (status, reply.headers["x-trace-id"])
    return str(problem["detail"])


@pytest.mark.sample
@pytest.mark.parametrize(
    ("question", "detail"),
    [
        ("", "The question is empty. Write what you want to know."),
        (" \n\u200b", "The question is empty. Write what you want to know."),
        ("?!", "The question contains no letter or digit. Write it in words."),
        ("x" * 2001, "The question has 2001 characters; 2000 are allowed. Shorten it."),
    ],
)
@pytest.mark.parametrize("path", QUESTION_ROUTES)
async def test_an_empty_question_is_refused_with_a_remedy(path: str, question: str, detail: str, open_client: OpenClient) -> None:
    body = QUESTION_ROUTES[path] | {"query" if path == "/chat" else "query_text": question}
    assert detail_of(await (await open_client(create_app)).post(path, json=body)) == detail


@pytest.mark.parametrize(
    "body",
    [
        b'{"query_text": "Who',
        b"",
        b"\x00\x01\x02\xff",
        '{"query_text": "Wer heißt Müller?"}'.encode("latin-1"),
        b"[" * 100_000,
        b'{"num_result_doc": ' + b"9" * 5000 + b"}",
    ],
    ids=["cut", "empty", "binary", "latin-1", "deep", "endless number"],
)
async def test_invalid_json_is_always_the_same_422(body: bytes, open_client: OpenClient) -> None:
    reply = await (await open_client(create_app)).post("/ask", content=body, headers=JSON)
    assert detail_of(reply) in ((NO_JSON,) if body else (NO_OBJECT,))


@pytest.mark.parametrize(
    ("changes", "detail"),
    [
        ({"query_text": 7}, "query_text: Input should be a valid string"),
        ({"query_text": None}, "query_text: Input should be a valid string"),
        ({"index_name": ""}, "index_name: String should have at least 1 character"),
        ({"permission_groups": "hr"}, "permission_groups: Input should be a valid list"),
        ({"permission_groups": [1]}, "permission_groups.0: Input should be a valid string"),
        ({"retriever": "magic"}, "retriever: Input should be 'cc', 'rrf', 'bm25' or 'knn'"),
        ({"num_result_doc": 0}, "num_result_doc: Input should be greater than or equal to 1"),
        ({"num_result_doc": 101}, "num_result_doc: Input should be less than or equal to 100"),
        ({"answer_format": "xml"}, "answer_format: Input should be 'markdown' or 'json'"),
    ],
)
async def test_an_invalid_field_is_named(changes: dict[str, Any], detail: str, open_client: OpenClient) -> None:
    assert detail_of(await (await open_client(create_app)).post("/ask", json=ASK | changes)) == detail


async def test_missing_fields_are_reported_together(open_client: OpenClient) -> None:
    reply = await (await open_client(create_app)).post("/ask", json={})
    assert detail_of(reply) == "query_text: Field required; index_name: Field required; permission_groups: Field required"
    reply = await (await open_client(create_app)).get("/ask/stream")
    assert detail_of(reply) == "query.query_text: Field required; query.index_name: Field required"


async def test_a_lone_surrogate_is_dropped_from_a_question_and_refused_in_a_name(open_client: OpenClient) -> None:
    client = await open_client(create_app)
    body = '{"query_text": "Wh\\ud800o?", "index_name": "default\\ud800", "permission_groups": ["\\ud800"], "model": "\\ud800"}'
    reply = await client.post("/ask", content=body, headers=JSON)
    assert detail_of(reply).startswith("index_name: Input should be a valid string")
    reply = await client.post("/ask", content=body.replace("default\\ud800", "default"), headers=JSON)
    assert (reply.status_code, reply.json()["persisted"]) == (200, True)


@pytest.mark.parametrize("name", ["../../etc/passwd", "a'; DROP TABLE chunks; --", "x\0y", "n" * 100_000, "색인"])
async def test_a_missing_index_finds_nothing_whatever_its_name(name: str, open_client: OpenClient) -> None:
    client = await open_client(create_app)
    reply = await client.post("/ask", json=ASK | {"index_name": name})
    assert (reply.status_code, reply.json()["outcome"]) == (200, "no_hits")
    reply = await client.post("/retrieve-cc", json=ASK | {"index_name": name})
    assert (reply.status_code, reply.json()["hits"]["hits"]) == (200, [])


async def test_json_that_is_not_an_object_is_a_422(open_client: OpenClient) -> None:
    assert detail_of(await (await open_client(create_app)).post("/chat", json=["Who?"])) == NO_OBJECT


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "application/xml", None])
async def test_a_body_of_another_type_is_not_guessed_at(content_type: str | None, open_client: OpenClient) -> None:
    headers = {"content-type": content_type} if content_type else {}
    reply = await (await open_client(create_app)).post("/ask", content=b'{"query_text": "Who?"}', headers=headers)
    assert detail_of(reply) == NO_OBJECT


@pytest.mark.parametrize("content_type", ["application/json", "APPLICATION/JSON; charset=utf-8", "application/vnd.api+json", "text/plain"])
@pytest.mark.parametrize("declared", [True, False])
async def test_a_huge_body_is_a_413_of_any_type_with_its_length_declared_or_not(
    declared: bool, content_type: str, open_client: OpenClient
) -> None:
    async def in_pieces() -> AsyncIterator[bytes]:
        for _ in range(17):
            yield b" " * 2**16

    content: Any = b" " * (2**20 + 1) if declared else in_pieces()
    reply = await (await open_client(create_app)).post("/ask", content=content, headers={"content-type": content_type})
    assert detail_of(reply, 413) == "A request body without files may have at most 1048576 bytes."


async def test_a_body_of_just_the_limit_is_read(open_client: OpenClient) -> None:
    body = b'{"query": "?"' + b" " * (2**20 - 14) + b"}"
    reply = await (await open_client(create_app)).post("/chat", content=body, headers=JSON)
    assert detail_of(reply) == "The question contains no letter or digit. Write it in words."


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/ask", "POST"),
        ("DELETE", "/ask", "POST"),
        ("PUT", "/chat", "POST"),
        ("POST", "/health", "GET"),
        ("GET", "/retrieve-cc", "POST"),
    ],
)
async def test_a_wrong_method_is_a_problem_that_names_the_right_one(method: str, path: str, allowed: str, open_client: OpenClient) -> None:
    reply = await (await open_client(create_app)).request(method, path)
    assert (detail_of(reply, 405), reply.headers["allow"]) == ("Method Not Allowed", allowed)


async def test_an_exception_is_a_500_with_only_its_trace_id(caplog: pytest.LogCaptureFixture) -> None:
    def broken() -> Core:
        raise RuntimeError("internal secret")

    transport = httpx.ASGITransport(create_app(broken), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://footnote.test") as client:
        reply = await client.post("/ask", json=ASK)
    assert detail_of(reply, 500) == "Something went wrong"
    assert reply.headers["x-content-type-options"] == "nosniff"
    assert [record.__dict__["trace_id"] for record in caplog.records if record.name == "footnote_http.app"] == [reply.headers["x-trace-id"]]


async def test_many_questions_at_once_are_all_answered(open_client: OpenClient) -> None:
    client = await open_client(create_app)
    replies = await asyncio.gather(*(client.post("/ask", json=ASK) for _ in range(20)))
    assert {reply.status_code for reply in replies} == {200}
    assert len({reply.json()["trace_id"] for reply in replies}) == 20
