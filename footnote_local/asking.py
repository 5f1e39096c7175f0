"""Asks a question as the page does, and receives the events of `/ask/stream`: from the server that uses the data folder, which has its
models in memory, else from this process."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from typing import Any

from footnote.bootstrap import Core
from footnote.errors import BadRequest, FootnoteError, Unavailable
from footnote.events import Failed
from footnote.guard.identity import LOCAL
from footnote.library.asking import named_collection
from footnote.library.worker import served_at
from footnote.plan import is_set
from footnote.tracing import new_trace_id

CONNECT_S = 2.0
"""Longest wait for a connection to the server on this machine."""
Body = Mapping[str, Any]


class _NotServed(Exception):
    """The server cannot be asked by this command: it wants a sign-in, or it has just stopped."""


async def ask(
    core: Core, question: str, *, collection: str | None, model: str | None, room: str | None, write: Callable[[str], Any] | None
) -> Body:
    """The reply of `POST /ask`; its text goes to `write` as it comes. `room`: the conversation. NotFound for an unknown collection;
    Unavailable."""
    await core.refresh()
    request: dict[str, Any] = {
        "query_text": question,
        "index_name": await named_collection(core, collection, LOCAL),
        "permission_groups": [],
        "retriever": "cc",
        "model": model,
        "room_id": room,
        "citation_style": "numbered",
    }
    if is_set("rag.top_k", core.settings):
        request["num_result_doc"] = core.settings.rag.top_k
    address = served_at(core.settings.data) if core.settings.auth.mode == "none" else None
    if address is not None:
        try:
            return await _last(_served(address, request), write)
        except _NotServed:
            pass
    return await _last(_own(core, request), write)


async def _last(events: AsyncGenerator[Body, None], write: Callable[[str], Any] | None) -> Body:
    async with aclosing(events):
        async for event in events:
            if event["type"] == "token" and write is not None:
                write(event["content"])
            elif event["type"] == "done":
                return event
            elif event["type"] == "error":
                raise Unavailable(f"{event['content']}. {event['detail']}")
    raise Unavailable("The answer broke off. Ask again.")


async def _own(core: Core, request: Body) -> AsyncGenerator[Body, None]:
    from footnote_query.dialects.trd.ask import LIVE, ask_turn
    from footnote_query.dialects.trd.replies import encode
    from footnote_query.dialects.trd.wire import AskRequest

    turn = ask_turn(AskRequest.model_validate(request), LOCAL, LIVE, core, new_trace_id())
    async with aclosing(core.answer.run(turn)) as events:
        async for event in events:
            if isinstance(event, Failed):
                raise event.error
            for body in encode(event, core.settings.llm):
                yield body


async def _served(address: str, request: Body) -> AsyncGenerator[Body, None]:
    import httpx2

    limits = httpx2.Timeout(None, connect=CONNECT_S)
    try:
        async with (
            httpx2.AsyncClient(timeout=limits, trust_env=False) as client,
            client.stream("POST", f"{address}/ask/stream", json=request) as reply,
        ):
            if reply.status_code in (401, 403, 404, 421):
                raise _NotServed
            if reply.is_error:
                raise _error(reply.status_code, await reply.aread())
            async for line in reply.aiter_lines():
                if line.startswith("data:"):
                    yield json.loads(line.removeprefix("data:"))
    except httpx2.ConnectError as exc:
        raise _NotServed from exc
    except httpx2.HTTPError as exc:
        raise Unavailable("The connection to the server broke off. Ask again.") from exc


def _error(status: int, body: bytes) -> FootnoteError:
    try:
        detail = str(json.loads(body)["detail"])
    except (ValueError, KeyError, TypeError):
        detail = f"The server responded with status {status}."
    return BadRequest(detail) if status < 500 and status != 429 else Unavailable(detail)
