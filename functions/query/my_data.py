"""`/me/data`: all that is kept of a user, to take away or to be deleted."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse

from footnote.guard.audit import audit
from footnote.memory.withdrawn import WITHDRAWN, read_again
from footnote.ports import Block, StoredTurn
from footnote.types import Caller, Feedback
from footnote_http.callers import CallerOf, CoreOf

if TYPE_CHECKING:
    from footnote.bootstrap import Core

AT_ONCE = 50
"""Turns whose passages are looked up together."""
LINES: dict[int | str, dict[str, Any]] = {200: {"description": "One turn a line", "content": {"application/x-ndjson": {}}}}


def add_my_data(app: FastAPI) -> None:
    @app.get("/me/data", response_class=StreamingResponse, responses=LINES)
    async def export(caller: CallerOf, core: CoreOf) -> StreamingResponse:
        """Everything that is kept of the caller's turns, oldest first: each as a line of JSON, with the feedback on it."""
        lines = export_lines(caller, core)
        first = await anext(lines, b"")  # a store that is down is told by the status

        async def all_lines() -> AsyncGenerator[bytes, None]:
            yield first
            async for line in lines:
                yield line

        headers = {"content-disposition": 'attachment; filename="footnote-data.jsonl"', "cache-control": "no-store"}
        return StreamingResponse(all_lines(), media_type="application/x-ndjson", headers=headers)

    @app.delete("/me/data", status_code=204)
    async def delete(caller: CallerOf, core: CoreOf) -> Response:
        """Deletes the caller's turns, feedback, figures and preferences."""
        await delete_data(caller.user_id, caller, core)
        return Response(status_code=204)


async def export_lines(caller: Caller, core: Core) -> AsyncGenerator[bytes, None]:
    waiting: list[StoredTurn] = []
    async for stored in core.turns.all_of(caller):
        waiting.append(stored)
        if len(waiting) == AT_ONCE:
            for line in await _lines(waiting, caller, core):
                yield line
            waiting.clear()
    for line in await _lines(waiting, caller, core):
        yield line


async def delete_data(user_id: str, by: Caller, core: Core) -> int:
    """How many turns there were."""
    await audit(core.records, by, "user.delete", user_id, now=core.clock())
    await core.records.delete("preference", user_id)
    return await core.turns.delete_all_of(Caller(user_id))


async def _lines(turns: Sequence[StoredTurn], caller: Caller, core: Core) -> list[bytes]:
    told = await read_again([stored.block for stored in turns], caller, index=core.index, ledger=core.ledger)
    return [_line(block, stored.feedback) for block, stored in zip(told.blocks, turns, strict=True)]


def _line(block: Block, feedback: Feedback | None) -> bytes:
    told = {**block, "withdrawn": block["outcome"] == WITHDRAWN, "feedback": asdict(feedback) if feedback else None}
    return (json.dumps(told, ensure_ascii=False) + "\n").encode(errors="replace")
