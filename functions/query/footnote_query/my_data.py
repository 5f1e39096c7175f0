"""`/me/data`: all stored data of a user, to be exported or deleted."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from fastapi import Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field

from footnote.collections.attachments import arrived
from footnote.guard.audit import audit
from footnote.ingest.vector_cache import forget_voices
from footnote.learn.golden_cases import load_case
from footnote.memory.room_marks import RoomMark, forget_marks, key_of, load_marks
from footnote.memory.withdrawn import WITHDRAWN, read_again
from footnote.ports import StoredTurn, read_all
from footnote.text.pii import mask_pii
from footnote.types import Caller, Feedback, TurnRecord
from footnote.voices.product import voices_in
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.openapi import Responses, text_of
from footnote_http.routes import Router

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Me")
AT_ONCE = 50
"""Turns whose passages are looked up together, and texts that are deleted together."""


class ExportedMessage(BaseModel, defer_build=True):
    """What somebody said: the user, the model, or a tool that it called."""

    role: str
    content: str
    tool_calls: list[dict[str, Any]]
    tool_call_id: str | None
    name: str | None
    created_at: str


class ExportedResult(BaseModel, defer_build=True):
    """The answer of an exported turn."""

    type: str
    final_response: str
    references: list[dict[str, Any]]
    usage: dict[str, Any]
    search_decision: dict[str, Any]


class ExportedFeedback(BaseModel, defer_build=True):
    """The feedback on an exported turn."""

    trace_id: str
    user_id: str
    rating: Literal["up", "down"]
    reason: str | None
    proposed_answer: str | None
    selected_citations: list[str]
    tags: list[str]
    created_at: float


class ExportedFile(BaseModel, defer_build=True):
    """A file attached to a conversation; `GET /documents/{doc_id}/content` has it."""

    doc_id: str
    file_name: str


class ExportedTurn(BaseModel, defer_build=True):
    """A turn as it is stored, and what its owner thought of it."""

    model_config = ConfigDict(extra="allow")

    version: str
    status: Literal["done", "error", "idle"]
    trace_id: str
    room_id: str
    user_id: str
    collection: str
    dialect: str
    search_type: str
    created_at: str
    conversations: list[ExportedMessage]
    result: ExportedResult
    spans: list[dict[str, Any]]
    withdrawn: bool = Field(description="True: it quoted what the caller may not read any more; only the question is left.")
    feedback: ExportedFeedback | None
    room_title: str | None = Field(description="The name that its user gave the conversation; null = none.")
    room_pinned: bool = Field(description="Whether its user pinned the conversation.")
    room_files: list[ExportedFile] = Field(description="The files attached to the conversation.")


KIND = "text/x-ndjson"
LINES: Responses = {
    200: {
        "description": "One turn a line; each is an object of this schema",
        "content": {KIND: {"schema": text_of(KIND, ExportedTurn)}},
    }
}


@router.get("/me/data", name="export_my_data", response_class=StreamingResponse, responses=LINES)
async def export(caller: CallerOf, core: CoreOf) -> StreamingResponse:
    """Everything that is kept of the caller's turns, oldest first: each as a line of JSON, with the feedback on it and the names of the
    files attached to its conversation."""
    lines = export_lines(caller, core)
    first = await anext(lines, b"")  # a store that is down is reported by the status

    async def all_lines() -> AsyncGenerator[bytes, None]:
        yield first
        async for line in lines:
            yield line

    headers = {"content-disposition": 'attachment; filename="footnote-data.jsonl"', "cache-control": "no-store"}
    return StreamingResponse(all_lines(), media_type=KIND, headers=headers)


@router.delete("/me/data", name="delete_my_data", status_code=204)
async def delete(caller: CallerOf, core: CoreOf) -> Response:
    """Deletes the caller's turns, names of conversations, links to them and files attached to them, feedback, figures and preferences,
    and the golden cases that were made from the turns."""
    await delete_data(caller.user_id, caller, core)
    return Response(status_code=204)


async def export_lines(caller: Caller, core: Core) -> AsyncGenerator[bytes, None]:
    """The caller's turns as lines of JSON, oldest first."""
    waiting: list[StoredTurn] = []
    rooms = _Rooms(await load_marks(core.records, caller.user_id), await _files(caller, core))
    async for stored in core.turns.all_of(caller):
        waiting.append(stored)
        if len(waiting) == AT_ONCE:
            for line in await _lines(waiting, rooms, caller, core):
                yield line
            waiting.clear()
    for line in await _lines(waiting, rooms, caller, core):
        yield line


async def delete_data(user_id: str, by: Caller, core: Core) -> int:
    """Deletes a user's turns, names of conversations, links to them and files attached to them, feedback, figures and preferences, and
    the golden cases that were made from the turns. Returns the number of turns."""
    await audit(core.records, by, "user.delete", user_id, now=core.clock())
    await _delete_copies(user_id, core)  # first: afterwards nobody knows whose they are
    await core.records.delete("preference", user_id)
    await forget_marks(core.records, await load_marks(core.records, user_id))
    await core.collections.attachments.end(user_id)
    await core.checkpoints.delete(user_id)
    return await core.turns.delete_all_of(Caller(user_id))


async def _delete_copies(user_id: str, core: Core) -> None:
    """Deletes the golden cases that were made from the user's turns, as question and proposed answer are the user's, and the vectors of
    what they said."""
    records = await read_all(lambda after: core.records.list("golden", limit=200, after=after))
    made: dict[str, list[str]] = {}
    for case in map(load_case, records):
        if case.trace_id:
            made.setdefault(case.trace_id, []).append(case.case_id)
    said: list[str] = []
    async for stored in core.turns.all_of(Caller(user_id)):
        said += voices_in(stored.record, stored.feedback)
        if len(said) >= AT_ONCE:
            await forget_voices(core.vector_cache, list(map(mask_pii, said)))
            said.clear()
        for case_id in made.get(stored.record["trace_id"], ()):
            await core.records.delete("golden", case_id)
    await forget_voices(core.vector_cache, list(map(mask_pii, said)))


class _Rooms(NamedTuple):
    """What is kept of the user's conversations beside their turns: by `room_marks.key_of`, and by room_id."""

    marks: Mapping[str, RoomMark]
    files: Mapping[str, Sequence[Mapping[str, str]]]


async def _files(caller: Caller, core: Core) -> dict[str, list[dict[str, str]]]:
    """The files attached to each conversation of the caller, without those that have not arrived yet."""
    rooms: dict[str, list[str]] = {}
    for each in sorted(await core.collections.attachments.of_user(caller.user_id), key=lambda each: each.attached_at):
        rooms.setdefault(each.room_id, []).append(each.doc_id)
    return {
        room_id: [{"doc_id": each.doc_id, "file_name": each.file_name} for each in await arrived(core.ledger, caller, doc_ids)]
        for room_id, doc_ids in rooms.items()
    }


async def _lines(turns: Sequence[StoredTurn], rooms: _Rooms, caller: Caller, core: Core) -> list[bytes]:
    readable = await read_again([stored.record for stored in turns], caller, index=core.index, ledger=core.ledger)
    pairs = zip(readable.records, turns, strict=True)
    return [_line(record, stored.feedback, rooms, caller) for record, stored in pairs]


def _line(record: TurnRecord, feedback: Feedback | None, rooms: _Rooms, caller: Caller) -> bytes:
    """The arm of an experiment is for admins, and so is a plan that an arm changed: who knows their arm rates differently. So are system
    prompts, which admins write."""
    hidden = () if caller.role == "admin" or "experiment" not in record else ("experiment", "plan")
    shown = {name: value for name, value in record.items() if name not in hidden}
    if caller.role != "admin":
        shown["conversations"] = [message for message in record["conversations"] if message["role"] != "system"]
    line = {**shown, "withdrawn": record["outcome"] == WITHDRAWN, "feedback": asdict(feedback) if feedback else None}
    mark = rooms.marks.get(key_of(caller.user_id, record["room_id"]), RoomMark())
    line |= {"room_title": mark.title, "room_pinned": mark.pinned, "room_files": rooms.files.get(record["room_id"], [])}
    return (json.dumps(line, ensure_ascii=False) + "\n").encode(errors="replace")
