"""Turns, feedback and roll-ups in MongoDB.

`conversations` holds one document per turn: its record as it is, with the feedback on it, so that every change is
one write to one document and no transaction is needed. `statistics`, another database, holds the roll-ups: a collection per
search type. Doing any of this twice changes nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from footnote.adapters.mongodb import turn_store_figures as stored_figures
from footnote.adapters.mongodb import turn_store_turns as turns
from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.mongodb.documents import storable
from footnote.adapters.shared.turns import Retention, read_in_batches
from footnote.ports import Clock, Rollup, Room, StoredTurn
from footnote.turn_records.figures import share_of
from footnote.turn_records.read import started_at_of
from footnote.types import Caller, Feedback, Mode, Page, TurnFigures, TurnRecord


class MongoTurnStore:
    """`ports.TurnStore` on MongoDB. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, databases: Databases, clock: Clock, *, keep_s: float | None = None) -> None:
        self._databases = databases
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def save(self, record: TurnRecord) -> None:
        started_at = started_at_of(record)
        await self._databases.run(turns.save, storable(record), started_at, self._retention.expires_at(started_at))

    async def get(self, caller: Caller, trace_id: str) -> TurnRecord:
        return await self._databases.run(turns.get, caller, trace_id, self._retention.since)

    async def trim(self, caller: Caller, trace_id: str) -> None:
        await self._databases.run(turns.trim, caller.user_id, trace_id)

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
        if limit <= 0:  # to MongoDB, no limit
            return []
        return await self._databases.run(
            turns.history, caller.user_id, room_id, dialect, mode, classes, limit, self._retention.since, before
        )

    async def tokens(self, caller: Caller, room_id: str) -> int:
        return await self._databases.run(turns.tokens, caller.user_id, room_id, self._retention.since)

    async def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        traces = await self._databases.run(turns.traces_of, caller.user_id, self._retention.since)
        async for stored in read_in_batches(traces, lambda some: self._databases.run(turns.read, caller.user_id, some)):
            yield stored

    async def delete_all_of(self, caller: Caller) -> int:
        """Counted before, because a delete that is tried again after a lost reply finds nothing left."""
        there = len(await self._databases.run(turns.traces_of, caller.user_id, self._retention.since))
        await self._databases.run(turns.delete_all_of, caller.user_id)
        await self._databases.run(stored_figures.delete_all_of, caller.user_id)
        return there

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        return await self._databases.run(turns.rooms, caller.user_id, max(limit, 1), after, self._retention.since)

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        return await self._databases.run(turns.room, caller.user_id, room_id, max(limit, 1), after, self._retention.since)

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        """Counted before, as above."""
        there = await self._databases.run(turns.count_room, caller.user_id, room_id, self._retention.since)
        await self._databases.run(turns.delete_room, caller.user_id, room_id)
        return there

    async def put_feedback(self, caller: Caller, feedback: Feedback) -> None:
        """Stored under the caller's own id, whatever user `feedback` names."""
        await self._databases.run(turns.put_feedback, caller, feedback, feedback.created_at or self._clock(), self._retention.since)

    async def feedback(self, caller: Caller, trace_id: str) -> Feedback | None:
        return await self._databases.run(turns.feedback_of, caller.user_id, trace_id, self._retention.since)

    async def rated(self, caller: Caller, since: float, limit: int) -> list[tuple[str, Feedback]]:
        return await self._databases.run(stored_figures.rated, caller.user_id, max(since, self._retention.since), limit)

    async def figures(self, caller: Caller, since: float, until: float) -> list[TurnFigures]:
        return await self._databases.run(stored_figures.figures, caller, max(since, self._retention.since), until)

    async def count(self, figures: TurnFigures) -> None:
        await self._databases.run(stored_figures.count, figures.trace_id, *share_of(figures))

    async def put_rollups(self, day: str, rollups: Sequence[Rollup]) -> None:
        await self._databases.run(stored_figures.put_rollups, day, rollups)

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        return await self._databases.run(stored_figures.rollups, caller, day)

    async def close(self) -> None:
        await self._databases.close()
