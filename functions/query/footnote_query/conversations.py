"""`/conversations` and `/turns`: questions and answers, for the users who asked them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated

from fastapi import Response
from pydantic import BaseModel, Field, StringConstraints
from starlette.convertors import PathConvertor, register_url_convertor

from footnote.guard.audit import audit
from footnote.memory.room_marks import RoomMark, forget_marks, key_of, load_mark, load_marks, save_mark
from footnote.memory.withdrawn import read_again
from footnote.ports import Room, StoredTurn
from footnote.types import Caller, Page
from footnote_http.app import Limit
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.openapi import NOT_FOUND
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from footnote_query.replies import TurnBody, make_turn_body

if TYPE_CHECKING:
    from footnote.bootstrap import Core

LONGEST_NAME = 120
"""Characters of a conversation's name, as of a title that is its first question."""
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f]*$")]
router = Router("Conversations", responses=NOT_FOUND)


class _Room(PathConvertor):
    """A room's name is chosen by the client and may hold any character, also slashes and line breaks."""

    regex = r"[\s\S]*"


register_url_convertor("room", _Room())


class RoomBody(BaseModel):
    """A conversation."""

    room_id: str
    title: str = Field(description="The name that its user gave it, else its first question.")
    turns: int
    updated_at: float
    pinned: bool


class RoomChange(BaseModel):
    """What is to be changed of a conversation; fields that are left out stay."""

    title: Name | None = Field(None, description="A name; null = its first question again.")
    pinned: bool = Field(False, description="Whether its user wants it before the others.")


class RoomMarkBody(BaseModel):
    """What the user set on a conversation."""

    title: str | None = Field(description="Its name; null = its first question.")
    pinned: bool


class RoomPage(PageBody):
    """A page of conversations."""

    data: list[RoomBody]


class TurnPage(PageBody):
    """A page of turns."""

    data: list[TurnBody]


@router.get("/conversations", name="list_conversations")
async def conversations(caller: CallerOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> RoomPage:
    """The caller's conversations, the last used one first."""
    marks = await load_marks(core.records, caller.user_id)  # first: a mark that is read has its conversation in the list
    page: Page[Room] = await core.turns.rooms(caller, limit, after)
    if after is None and not page.has_more:  # the others belong to conversations that are past their time
        await forget_marks(core.records, marks, kept=(key_of(caller.user_id, each.room_id) for each in page.data))

    def body(room: Room) -> RoomBody:
        mark = marks.get(key_of(caller.user_id, room.room_id), RoomMark())
        return RoomBody(**asdict(room) | ({"title": mark.title} if mark.title else {}), pinned=mark.pinned)

    return RoomPage.of(page, body)


@router.get("/conversations/{room_id:room}", name="get_conversation")
async def conversation(room_id: str, caller: CallerOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> TurnPage:
    """The turns of a conversation, oldest first."""
    page: Page[StoredTurn] = await core.turns.room(caller, room_id, limit, after)
    return TurnPage(data=await _bodies(page.data, caller, core), has_more=page.has_more, last_id=page.last_id)


@router.patch("/conversations/{room_id:room}", name="change_conversation")
async def change_conversation(room_id: str, body: RoomChange, caller: CallerOf, core: CoreOf) -> RoomMarkBody:
    """Renames or pins one of the caller's conversations."""
    await core.turns.room(caller, room_id, 1)  # NotFound
    mark = replace(await load_mark(core.records, caller.user_id, room_id), **body.model_dump(exclude_unset=True))
    await save_mark(core.records, caller.user_id, room_id, mark)
    return RoomMarkBody(**asdict(mark))


@router.delete("/conversations/{room_id:room}", name="delete_conversation", status_code=204)
async def delete_conversation(room_id: str, caller: CallerOf, core: CoreOf) -> Response:
    """Deletes a conversation: its turns, the links to it, the feedback on them, and the files attached to it."""
    await core.turns.room(caller, room_id, 1)  # NotFound
    await audit(core.records, caller, "conversation.delete", room_id, now=core.clock())
    await core.collections.attachments.end(caller.user_id, room_id)
    await core.turns.delete_room(caller, room_id)
    await save_mark(core.records, caller.user_id, room_id, RoomMark())
    await core.checkpoints.delete(caller.user_id, room_id)
    return Response(status_code=204)


@router.get("/turns/{trace_id}", name="get_turn")
async def turn(trace_id: str, caller: CallerOf, core: CoreOf) -> TurnBody:
    """One turn, as its reply was."""
    stored = StoredTurn(await core.turns.get(caller, trace_id), await core.feedback.get(caller, trace_id))
    (body,) = await _bodies([stored], caller, core)
    return body


async def _bodies(turns: Sequence[StoredTurn], caller: Caller, core: Core) -> list[TurnBody]:
    readable = await read_again([turn.record for turn in turns], caller, index=core.index, ledger=core.ledger)
    return [
        make_turn_body(replace(turn, record=record), readable.texts, core.settings.llm)
        for turn, record in zip(turns, readable.records, strict=True)
    ]
