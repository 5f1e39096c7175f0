"""Stored turns, and the conversations that they make up."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from footnote.types import Caller, Feedback, Mode, Page, TurnRecord


@dataclass(frozen=True, slots=True)
class Room:
    """A conversation in a list. `title`: its first question; `updated_at`: when its last turn started."""

    room_id: str
    title: str
    turns: int
    updated_at: float


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """A stored turn, with its user's feedback on it."""

    record: TurnRecord
    feedback: Feedback | None = None


class TurnStore(Protocol):
    """Stored turns. Those older than the time for which conversations are kept are as good as deleted."""

    async def save(self, record: TurnRecord) -> None:
        """Stores a turn. A record of status `idle` never replaces another one. A turn that is saved again keeps its place in its
        room. Conflict when the trace is another user's.

        Any other record also adds `turn_records.figures.share_of` the turn to the roll-up of its day, user, room and mode, once however
        often it is saved: in the same transaction, where the engine has them. `StatisticsStore.put_rollups` replaces the same roll-up by
        one made from the stored turns, which corrects a count that was cut off, or that a simultaneous one added twice."""

    async def get(self, caller: Caller, trace_id: str) -> TurnRecord:
        """The caller's own turn; NotFound otherwise."""

    async def history(
        self,
        caller: Caller,
        room_id: str,
        dialect: str,
        limit: int,
        *,
        mode: Mode = "rag",
        classes: frozenset[str] = frozenset(),
        before: str | None = None,
    ) -> list[TurnRecord]:
        """The last `limit` finished turns of the caller in one room, dialect and mode, oldest first. Where `classes` is not
        empty, only turns that have one of them among their `block_classes`. `before`: the trace of a turn; only turns that
        began before it, all if it is not stored."""

    async def room_prompt(self, caller: Caller, room_id: str, dialect: str, name: str) -> str | None:
        """The system message called `name` of the first of the caller's turns in one room and dialect that has one, failed ones too;
        None = none has."""

    async def tokens(self, caller: Caller, room_id: str) -> int:
        """All tokens that the caller's turns of a room have used, in every dialect."""

    def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        """All of the caller's own turns, oldest first."""

    async def delete_all_of(self, caller: Caller) -> int:
        """Deletes the caller's turns in all rooms, the links to them (`Records` of kind `share`), the feedback they gave, and the
        roll-ups under their name. Returns the number of turns."""

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        """The caller's own conversations in all dialects, the last used one first. Turns without a room are not listed, unless a
        later turn has their trace id as its room. NotFound for an `after` that is no room of the caller's."""

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        """The caller's turns of a room, in all dialects, errors too, oldest first. NotFound where there are none, and
        for an `after` that is no turn of the room."""

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        """Deletes the caller's turns of a room, the links to it, the feedback on them, and the roll-ups of the room. Returns the number
        of turns."""
