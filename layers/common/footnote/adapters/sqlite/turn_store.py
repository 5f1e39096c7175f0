"""store.db: the embedded store's file, and the turns, feedback and roll-ups in it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from pathlib import Path

from footnote.adapters.shared.turns import Retention, read_in_batches
from footnote.adapters.sqlite import turn_store_feedback as stored_feedback
from footnote.adapters.sqlite import turn_store_figures as stored_figures
from footnote.adapters.sqlite import turn_store_rollups as stored_rollups
from footnote.adapters.sqlite import turn_store_shares as stored_shares
from footnote.adapters.sqlite import turn_store_turns as turns
from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.records import RECORDS_SCHEMA
from footnote.adapters.sqlite.store_schema import SCHEMA, UPGRADES, VERSION
from footnote.ports import Clock, FeedbackFilter, RatedTurn, RolledDay, Rollup, Room, Share, StoredTurn
from footnote.turn_records.figures import share_of
from footnote.types import Caller, Feedback, Mode, Outcome, Page, Tally, TurnFigures, TurnRecord


def open_store(folder: Path, *, durable: bool = True) -> Database:
    """The store of a data folder, made when it is first used. Ledger, turns, cache, queue and records share it. `durable`: as in
    `Database`."""
    return Database(folder / "store.db", SCHEMA + RECORDS_SCHEMA, VERSION, upgrades=UPGRADES, durable=durable)


class SqliteTurnStore:
    """`ports.TurnStore` on SQLite: one row for each turn, its record as JSON. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, database: Database, clock: Clock, *, keep_s: float | None = None) -> None:
        self._database = database
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def save(self, record: TurnRecord) -> None:
        await self._database.run(turns.save, record, self._retention.since, self._clock())

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

    async def room_prompt(self, caller: Caller, room_id: str, dialect: str, name: str) -> str | None:
        return await self._database.run(turns.room_prompt, caller.user_id, room_id, dialect, name, self._retention.since)

    async def tokens(self, caller: Caller, room_id: str) -> int:
        return await self._database.run(turns.tokens, caller.user_id, room_id, self._retention.since)

    async def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        numbers = await self._database.run(turns.numbers_of, caller.user_id, self._retention.since)
        async for stored in read_in_batches(numbers, lambda some: self._database.run(turns.read, caller.user_id, some)):
            yield stored

    async def delete_all_of(self, caller: Caller) -> int:
        return await self._database.run(turns.delete_all_of, caller.user_id, self._retention.since, self._clock())

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        return await self._database.run(turns.rooms, caller.user_id, max(limit, 1), after, self._retention.since)

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        return await self._database.run(turns.room, caller.user_id, room_id, max(limit, 1), after, self._retention.since)

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        return await self._database.run(turns.delete_room, caller.user_id, room_id, self._retention.since, self._clock())

    async def put_share(self, share: Share) -> None:
        await self._database.run(stored_shares.put_share, share, self._retention.since, self._clock())

    async def shares(self, caller: Caller) -> list[Share]:
        return await self._database.run(stored_shares.shares, caller.user_id, self._clock())

    async def shared(self, digest: str) -> Share | None:
        return await self._database.run(stored_shares.shared, digest, self._clock())

    async def delete_share(self, caller: Caller, share_id: str) -> bool:
        return await self._database.run(stored_shares.delete_share, caller.user_id, share_id)

    async def put_feedback(self, caller: Caller, feedback: Feedback) -> None:
        """Stored under the caller's own id, whatever user `feedback` names."""
        now = self._clock()
        created_at = feedback.created_at or now
        await self._database.run(stored_feedback.put_feedback, caller, feedback, created_at, self._retention.since, now)

    async def feedback(self, caller: Caller, trace_id: str) -> Feedback | None:
        return await self._database.run(stored_feedback.feedback_of, caller.user_id, trace_id, self._retention.since)

    async def rated(self, caller: Caller, since: float, limit: int) -> list[tuple[str, Feedback]]:
        return await self._database.run(stored_feedback.rated, caller.user_id, max(since, self._retention.since), limit)

    async def delete_feedback(self, caller: Caller, trace_id: str) -> bool:
        return await self._database.run(stored_feedback.delete_feedback, caller.user_id, trace_id, self._clock())

    async def list_feedback(self, caller: Caller, wanted: FeedbackFilter, limit: int, after: str | None = None) -> Page[RatedTurn]:
        return await self._database.run(stored_feedback.list_feedback, caller, wanted, max(limit, 1), after, self._retention.since)

    async def rated_by_others(self, caller: Caller, collection: str, since: float, limit: int) -> list[RatedTurn]:
        since = max(since, self._retention.since)
        return await self._database.run(stored_feedback.rated_by_others, caller.user_id, collection, since, limit)

    async def figures(self, caller: Caller, since: float, until: float) -> list[TurnFigures]:
        return await self._database.run(stored_figures.figures, caller, max(since, self._retention.since), until)

    async def ended_as(
        self, caller: Caller, outcomes: Collection[Outcome], since: float, until: float, limit: int | None
    ) -> list[TurnFigures]:
        since = max(since, self._retention.since)
        return await self._database.run(stored_figures.ended_as, caller, outcomes, since, until, limit)

    async def count(self, figures: TurnFigures) -> None:
        await self._database.run(stored_figures.count, figures.trace_id, *share_of(figures), self._clock())

    async def put_rollups(self, day: str, rollups: Sequence[Rollup], rolled: RolledDay | None = None) -> bool:
        return await self._database.run(stored_rollups.put_rollups, day, rollups, rolled)

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        return await self._database.run(stored_rollups.rollups, caller, day)

    async def rolled_days(self, caller: Caller, first: str, last: str) -> list[RolledDay]:
        return await self._database.run(stored_rollups.rolled_days, caller, first, last, self._retention.since)

    async def unrolled_days(self, caller: Caller, last: str) -> list[RolledDay]:
        return await self._database.run(stored_rollups.unrolled_days, last, self._retention.since)

    async def tallies(self, caller: Caller, days: Sequence[RolledDay]) -> list[Tally]:
        return await self._database.run(stored_rollups.tallies, caller, days)
