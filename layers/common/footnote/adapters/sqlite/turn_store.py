"""store.db: the embedded store's file, and the turns, feedback and roll-ups in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from footnote.adapters.shared.turns import Retention, read_in_batches
from footnote.adapters.sqlite import turn_store_figures as stored_figures
from footnote.adapters.sqlite import turn_store_turns as turns
from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.records import RECORDS_SCHEMA
from footnote.adapters.sqlite.store_schema import SCHEMA, VERSION
from footnote.ports import Clock, Rollup, Room, StoredTurn
from footnote.turn_records.figures import share_of
from footnote.types import Caller, Feedback, Mode, Page, TurnFigures, TurnRecord


def open_store(folder: Path) -> Database:
    """The store of a data folder, made when it is first used. Ledger, turns, cache, queue and records share it."""
    return Database(folder / "store.db", SCHEMA + RECORDS_SCHEMA, VERSION)


class SqliteTurnStore:
    """`ports.TurnStore` on SQLite: one row for each turn, its record as JSON. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, database: Database, clock: Clock, *, keep_s: float | None = None) -> None:
        self._database = database
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def save(self, record: TurnRecord) -> None:
        await self._database.run(turns.save, record, self._retention.since)

    async def get(self, caller: Caller, trace_id: str) -> TurnRecord:
        return await self._database.run(turns.get, caller, trace_id, self._retention.since)

    async def trim(self, caller: Caller, trace_id: str) -> None:
        await self._database.run(turns.trim, caller.user_id, trace_id)

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
        return await self._database.run(
            turns.history, caller.user_id, room_id, dialect, mode, classes, max(limit, 0), self._retention.since, before
        )  # fmt: skip

    async def tokens(self, caller: Caller, room_id: str) -> int:
        return await self._database.run(turns.tokens, caller.user_id, room_id, self._retention.since)

    async def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        numbers = await self._database.run(turns.numbers_of, caller.user_id, self._retention.since)
        async for stored in read_in_batches(numbers, lambda some: self._database.run(turns.read, caller.user_id, some)):
            yield stored

    async def delete_all_of(self, caller: Caller) -> int:
        return await self._database.run(turns.delete_all_of, caller.user_id, self._retention.since)

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        return await self._database.run(turns.rooms, caller.user_id, max(limit, 1), after, self._retention.since)

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        return await self._database.run(turns.room, caller.user_id, room_id, max(limit, 1), after, self._retention.since)

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        return await self._database.run(turns.delete_room, caller.user_id, room_id, self._retention.since)

    async def put_feedback(self, caller: Caller, feedback: Feedback) -> None:
        """Stored under the caller's own id, whatever user `feedback` names."""
        await self._database.run(turns.put_feedback, caller, feedback, feedback.created_at or self._clock(), self._retention.since)

    async def feedback(self, caller: Caller, trace_id: str) -> Feedback | None:
        return await self._database.run(turns.feedback_of, caller.user_id, trace_id, self._retention.since)

    async def rated(self, caller: Caller, since: float, limit: int) -> list[tuple[str, Feedback]]:
        return await self._database.run(stored_figures.rated, caller.user_id, max(since, self._retention.since), limit)

    async def figures(self, caller: Caller, since: float, until: float) -> list[TurnFigures]:
        return await self._database.run(stored_figures.figures, caller, max(since, self._retention.since), until)

    async def count(self, figures: TurnFigures) -> None:
        await self._database.run(stored_figures.count, figures.trace_id, *share_of(figures))

    async def put_rollups(self, day: str, rollups: Sequence[Rollup]) -> None:
        await self._database.run(stored_figures.put_rollups, day, rollups)

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        return await self._database.run(stored_figures.rollups, caller, day)
