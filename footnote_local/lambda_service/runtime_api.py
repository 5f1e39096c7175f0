"""The HTTP APIs of Lambda that a function's processes call: the Runtime API and the Extensions API.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html and runtimes-extensions-api.html
"""

from __future__ import annotations

import asyncio
import base64
import json
import time
from uuid import uuid4

from footnote_local.lambda_service.invocation import MAX_PAYLOAD, Function, FunctionError, Invocation
from footnote_local.lambda_service.wire import Exchange

REGION = "us-east-1"
ACCEPTED = b'{"status":"OK"}'
JSON = [("content-type", "application/json")]


class RuntimeApi:
    """The APIs and the state of one environment."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._work: asyncio.Queue[Invocation] = asyncio.Queue()
        self._current: Invocation | None = None
        self._extensions: set[str] = set()
        self.registered = asyncio.Event()
        """Set when all of the function's extensions have registered."""
        self.idle = asyncio.Event()
        """Set while the runtime waits for an event."""
        self.shutdown = asyncio.Event()
        self.failure: asyncio.Future[FunctionError] = asyncio.get_running_loop().create_future()
        """Why this environment cannot be used any more."""

    def give(self, invocation: Invocation) -> None:
        """Passes an event to the runtime."""
        self.idle.clear()
        self._work.put_nowait(invocation)

    def fail(self, error: FunctionError) -> None:
        """Marks the environment as failed. The first reason counts, because a process often reports an error before it exits."""
        if not self.failure.done():
            self.failure.set_result(error)

    async def handle(self, exchange: Exchange) -> None:
        """Handles a request of the runtime or an extension."""
        match exchange.method, exchange.target.split("/")[2:]:  # after the API's version
            case "GET", ["runtime", "invocation", "next"]:
                await self._next(exchange)
            case "POST", ["runtime", "invocation", request_id, "response" | "error" as kind]:
                await self._take(exchange, request_id, kind)
            case "POST", ["runtime" | "extension", "init" | "exit", "error"]:
                self.fail(FunctionError(await exchange.read()))
                await exchange.reply(202, ACCEPTED, JSON)
            case "POST", ["extension", "register"]:
                await self._register(exchange)
            case "GET", ["extension", "event", "next"]:
                await self._next_for_extension(exchange)
            case _:
                await exchange.reply(404)

    async def _next(self, exchange: Exchange) -> None:
        await exchange.read()
        self.idle.set()
        invocation = self._current = await self._work.get()
        function = self._function
        headers = [
            *JSON,
            ("lambda-runtime-aws-request-id", invocation.request_id),
            ("lambda-runtime-deadline-ms", str(int((time.time() + function.timeout_s) * 1000))),
            ("lambda-runtime-invoked-function-arn", f"arn:aws:lambda:{REGION}:000000000000:function:{function.name}"),
            ("lambda-runtime-trace-id", f"Root=1-{int(time.time()):08x}-{uuid4().hex[:24]};Sampled=0"),
        ]
        await exchange.reply(200, invocation.event, headers)

    async def _take(self, exchange: Exchange, request_id: str, kind: str) -> None:
        invocation = self._current
        if invocation is None or invocation.request_id != request_id:
            await exchange.read()
            await exchange.reply(400, b'{"errorType":"InvalidRequestID","errorMessage":"Invalid request ID"}', JSON)
            return
        content_type = exchange.headers.get("content-type", "application/octet-stream")
        if kind == "response" and exchange.headers.get("lambda-runtime-function-response-mode") == "streaming":
            invocation.begin(content_type)
            async for part in exchange.body():
                invocation.add(part)
            invocation.end(_error_in(exchange.trailers))
        else:
            body = await exchange.read()
            if len(body) > MAX_PAYLOAD:
                invocation.end(FunctionError.of("Function.ResponseSizeTooLarge", f"Response payload size exceeded {MAX_PAYLOAD} bytes."))
                await exchange.reply(
                    413, b'{"errorType":"RequestEntityTooLarge","errorMessage":"Exceeded maximum allowed payload size"}', JSON
                )
                return
            if kind == "error":
                invocation.end(FunctionError(body))
            else:
                invocation.begin(content_type)
                invocation.add(body)
                invocation.end()
        await exchange.reply(202, ACCEPTED, JSON)

    async def _register(self, exchange: Exchange) -> None:
        await exchange.read()
        identifier = str(uuid4())
        self._extensions.add(identifier)
        if len(self._extensions) == len(self._function.extensions):
            self.registered.set()
        described = {"functionName": self._function.name, "functionVersion": "$LATEST", "handler": self._function.handler}
        await exchange.reply(200, json.dumps(described).encode(), [*JSON, ("lambda-extension-identifier", identifier)])

    async def _next_for_extension(self, exchange: Exchange) -> None:
        """Extensions only get the SHUTDOWN event here; no extension registers for others."""
        await exchange.read()
        if exchange.headers.get("lambda-extension-identifier") not in self._extensions:
            await exchange.reply(403, b'{"errorType":"Extension.InvalidExtensionIdentifier"}', JSON)
            return
        await self.shutdown.wait()
        described = {"eventType": "SHUTDOWN", "shutdownReason": "spindown", "deadlineMs": int((time.time() + 2) * 1000)}
        await exchange.reply(200, json.dumps(described).encode(), JSON)


def _error_in(trailers: dict[str, str]) -> FunctionError | None:
    """The error in the trailers of a stream that failed; None if it succeeded."""
    error_type = trailers.get("lambda-runtime-function-error-type")
    if error_type is None:
        return None
    body = base64.b64decode(trailers.get("lambda-runtime-function-error-body", ""))
    return FunctionError(body) if body else FunctionError.of(error_type, "The function failed while it streamed.")
