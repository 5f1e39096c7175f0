"""A function URL: converts HTTP requests into events of format 2.0, and responses into HTTP responses.

https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from uuid import uuid4

from footnote_local.lambda_service.invocation import FunctionError, Reply, TooLarge
from footnote_local.lambda_service.runtime_api import JSON
from footnote_local.lambda_service.service import Lambda
from footnote_local.lambda_service.wire import Exchange, listening

PRELUDE = "application/vnd.awslambda.http-integration-response"
"""Content type of a stream that begins with a JSON prelude (statusCode, headers, cookies), followed by NULS."""
NULS = b"\0" * 8
TEXT = re.compile(r"text/|application/(json|javascript|xml|[\w.-]+\+(json|xml))\b")
FRAMING = {"connection", "content-length", "transfer-encoding"}


@dataclass(frozen=True, slots=True)
class HttpReply:
    """An HTTP response whose body may still be streaming."""

    status: int
    headers: list[tuple[str, str]]
    body: AsyncIterator[bytes]


@asynccontextmanager
async def function_url(service: Lambda, *, stream: bool) -> AsyncIterator[str]:
    """Serves the function's URL. `stream`: RESPONSE_STREAM, else BUFFERED. → the URL."""

    async def handle(exchange: Exchange) -> None:
        event = make_event(exchange.method, exchange.target, exchange.headers, await exchange.read())
        try:
            reply = await read_http(await service.invoke(json.dumps(event).encode()))
            if not stream:
                reply = HttpReply(reply.status, reply.headers, _once(b"".join([part async for part in reply.body])))
        except TooLarge:
            await exchange.reply(413, b'{"Message":"Request must be smaller than 6291456 bytes for the InvokeFunction operation"}', JSON)
        except FunctionError:
            await exchange.reply(502, b'{"Message":"Internal Server Error"}', JSON)
        else:
            await _send(exchange, reply)

    async with listening(handle) as port:
        yield f"http://127.0.0.1:{port}"


async def _send(exchange: Exchange, reply: HttpReply) -> None:
    await exchange.begin(reply.status, [(name, value) for name, value in reply.headers if name.lower() not in FRAMING])
    try:
        async for part in reply.body:
            await exchange.write(part)
    except FunctionError:
        return  # the headers are sent, so a truncated body is the only possible signal
    await exchange.end()


def make_event(method: str, target: str, headers: dict[str, str], body: bytes) -> dict[str, Any]:
    """The event, format 2.0, for an HTTP request."""
    url, now = urlsplit(target), datetime.now(UTC)
    host = headers.get("host", "localhost")
    is_text = not body or TEXT.match(headers.get("content-type", "")) is not None
    query: dict[str, str] = {}
    for name, value in parse_qsl(url.query, keep_blank_values=True):
        query[name] = f"{query[name]},{value}" if name in query else value
    event: dict[str, Any] = {
        "version": "2.0",
        "routeKey": "$default",
        "rawPath": url.path,
        "rawQueryString": url.query,
        "headers": {name: value for name, value in headers.items() if name != "cookie"},
        "requestContext": {
            "accountId": "anonymous",
            "apiId": "local",
            "domainName": host,
            "domainPrefix": host.split(".")[0],
            "http": {
                "method": method,
                "path": url.path,
                "protocol": "HTTP/1.1",
                "sourceIp": "127.0.0.1",
                "userAgent": headers.get("user-agent", ""),
            },
            "requestId": str(uuid4()),
            "routeKey": "$default",
            "stage": "$default",
            "time": now.strftime("%d/%b/%Y:%H:%M:%S +0000"),
            "timeEpoch": int(now.timestamp() * 1000),
        },
        "isBase64Encoded": not is_text,
    }
    if query:
        event["queryStringParameters"] = query
    if "cookie" in headers:
        event["cookies"] = re.split(r"\s*;\s*", headers["cookie"])
    if body:
        event["body"] = body.decode() if is_text else base64.b64encode(body).decode()
    return event


async def read_http(reply: Reply) -> HttpReply:
    """The HTTP response for a function's response. FunctionError if it is malformed."""
    if reply.content_type == PRELUDE:
        return await _read_stream(reply.body)
    whole = b"".join([part async for part in reply.body])
    try:
        response = json.loads(whole)
    except ValueError as exc:
        raise FunctionError.of("Runtime.InvalidReply", "The reply is not JSON.") from exc
    if not isinstance(response, dict) or "statusCode" not in response:
        return HttpReply(200, JSON, _once(whole))
    body = response.get("body") or ""
    content = base64.b64decode(body) if response.get("isBase64Encoded") else body.encode()
    return HttpReply(response["statusCode"], _headers(response), _once(content))


async def _read_stream(body: AsyncIterator[bytes]) -> HttpReply:
    begun = b""
    while NULS not in begun:
        part = await anext(body, None)
        if part is None:
            raise FunctionError.of("Runtime.InvalidReply", "The stream ended before its status.")
        begun += part
    prelude, _, rest = begun.partition(NULS)
    head = json.loads(prelude)
    return HttpReply(head.get("statusCode", 200), _headers(head), _chain(rest, body))


def _headers(response: dict[str, Any]) -> list[tuple[str, str]]:
    cookies = [("set-cookie", cookie) for cookie in response.get("cookies") or ()]
    return [(name, str(value)) for name, value in (response.get("headers") or {}).items()] + cookies


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body


async def _chain(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    if first:
        yield first
    async for part in rest:
        yield part
