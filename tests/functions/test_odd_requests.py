"""Malformed requests: every route of every function replies with a status below 500, and the connection stays open."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import httpx
import pytest

from footnote.bootstrap import Core
from footnote_feedback.app import create_app as create_feedback
from footnote_ingest.app import create_app as create_ingest
from footnote_local.openapi import FILE
from footnote_local.server import function_of
from footnote_query.app import create_app as create_query
from footnote_stats.app import create_app as create_stats
from tests.fakes import FakeEmbedder, FakeModels, SameModel
from tests.functions.conftest import ASK, OpenClient
from tests.nightly import DEEP

OF_EACH = ("/health", "/ready")
"""Paths that every function has."""
CREATE = {"query": create_query, "ingest": create_ingest, "feedback": create_feedback, "stats": create_stats}

ODD_TEXTS = ["\0", "\ud800", "\u202e", "a\u0301" * 5_000, "𝕏" * 1_000, "' OR 1=1 --", "%00", "../" * 50, "{{7*7}}", "\r\nx: y", "-" * 300]
ODD_VALUES: list[Any] = [*ODD_TEXTS, 10**400, -(2**63) - 1, 1e308, True, None, [], {}, [[]] * 50, {"a": {"b": {}}}]
FINE: dict[str, Any] = {
    **ASK,
    "query": "a",
    "messages": [{"role": "user", "content": "a"}],
    "knowledge_id": "default",
    "retrieval_setting": {"top_k": 1, "score_threshold": 0},
    "trace_id": "x",
    "rating": "up",
    "file_name": "a.txt",
    "size": 1,
}
"""A good value for each required field, whichever route has it."""
BODIES = {
    "no JSON": b"{",
    "not UTF-8": b'{"query_text": "\xff\xfe"}',
    "half a surrogate": b'{"query_text": "\\ud800", "index_name": "\\udfff", "permission_groups": ["\\ud800"]}',
    "100,000 lists deep": b"[" * 100_000,
    "5,000 objects deep": b'{"a":' * 5_000 + b"1" + b"}" * 5_000,
    "a number without an end": b'{"num_result_doc": ' + b"9" * 10_000 + b"}",
    "no number": b'{"num_result_doc": NaN, "limit": Infinity}',
    "a key twice": b'{"query_text": "a", "query_text": "b"}',
    "UTF-16": '{"query_text": "a"}'.encode("utf-16"),
    "nothing": b"",
}
PATHS = ["%00", "%ff%fe", "%ed%a0%80", "..%2f..%2fetc%2fpasswd", "a" * 5_000, "%F0%9F%93%84", "%0d%0ax:%20y", "'", "%25%30%30", "~"]
QUERIES = [
    "limit=1&limit=2",
    "limit=99999999999999999999",
    "after=%00",
    "after=%ff",
    "collection=%ed%a0%80",
    "k=1e9",
    "&&==&",
    "from=0000-00-00",
    "from=99999-01-01",
]
HEADERS = [
    (b"last-event-id", b"\xff\xfe"),
    (b"last-event-id", b"a" * 20_000),
    (b"content-type", b"\xff"),
    (b"content-type", b"multipart/form-data"),
    (b"content-length", b"\xb2"),
    (b"x-y", b"\x80" * 100),
]


def routes() -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """The functions' routes, as their OpenAPI has them, with the fields of each request."""
    openapi = json.loads(FILE.read_text("utf-8"))
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            fields = openapi["components"]["schemas"].get(schema.get("$ref", "").rpartition("/")[2], {}).get("properties", {})
            for name in CREATE if path in OF_EACH else [function_of(path)]:
                yield name, method.upper(), path, fields


def requests(method: str, path: str, fields: dict[str, Any]) -> Iterator[dict[str, Any]]:
    plain = re.sub(r"\{.*?\}", "x", path)
    json_type = {"content-type": "application/json"}
    if "{" in path:
        yield from ({"url": re.sub(r"\{.*?\}", odd, path)} for odd in PATHS)
    if method == "GET":
        yield from ({"url": f"{plain}?{query}"} for query in QUERIES)
    yield from ({"url": plain, "headers": [header]} for header in HEADERS)
    if method in ("POST", "PUT"):
        yield from ({"url": plain, "content": body, "headers": json_type} for body in BODIES.values())
        fine = {field: value for field, value in FINE.items() if field in fields}
        for field in fields:
            yield from ({"url": plain, "content": json.dumps(fine | {field: odd}), "headers": json_type} for odd in ODD_VALUES)


ROUTES = list(routes())
STEP = 1 if DEEP else 4
"""A route gets every fourth request in the gate, the next route the ones after those."""


@pytest.mark.parametrize("number", range(len(ROUTES)), ids=[f"{name}-{method} {path}" for name, method, path, _ in ROUTES])
async def test_odd_requests_are_answered_below_500(
    number: int, core: Core, open_client: OpenClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, method, path, fields = ROUTES[number]
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")  # a key alone is one of OpenAI
    core.embedder = FakeEmbedder()  # without one, a search by meaning is a 503
    if path.startswith(("/v2/", "/api/chat")):  # some of these are a 503 without a model
        core.models = FakeModels(SameModel())
    client: httpx.AsyncClient = await open_client(CREATE[name])
    for request in islice(requests(method, path, fields), number % STEP, None, STEP):
        reply = await client.request(method, **request)
        assert reply.status_code < 500, (request, reply.text)
        assert reply.headers["x-trace-id"]
    assert (await client.get("/health")).status_code == 200
