"""Turns, feedback and roll-ups in MongoDB.

`conversations` holds one document per turn: its record as it is, with the feedback on it, so that every change is
one write to one document and no transaction is needed. `statistics`, another database, holds the roll-ups: a collection per
search type, and one of the days. Doing any of this twice changes nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager

from footnote.adapters.mongodb import turn_store_feedback as stored_feedback
from footnote.adapters.mongodb import turn_store_figures as stored_figures
from footnote.adapters.mongodb import turn_store_rollups as stored_rollups
from footnote.adapters.mongodb import turn_store_shares as stored_shares
from footnote.adapters.mongodb import turn_store_turns as turns
from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.mongodb.documents import storable
from footnote.adapters.shared.turns import Retention, read_in_batches
from footnote.ports import Clock, FeedbackFilter, RatedTurn, RolledDay, Rollup, Room, Share, StoredTurn
from footnote.turn_records.days import day_of, end_of
from footnote.turn_records.figures import share_of
from footnote.turn_records.read import started_at_of
from footnote.types import Caller, Feedback, Mode, Outcome, Page, Tally, TurnFigures, TurnRecord


class MongoTurnStore:
    """`ports.TurnStore` on MongoDB. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, databases: Databases, clock: Clock, *, keep_s: float | None = None) -> None:
        self._databases = databases
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def save(self, record: TurnRecord) -> None:
        started_at = started_at_of(record)
        known = None
        if record["status"] != "idle":  # a turn that was resumed keeps the place of its first beginning
            known = await self._databases.run(turns.started_at_of, record["trace_id"])
        async with self._changing(day_of(known or started_at)):
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

    async def room_prompt(self, caller: Caller, room_id: str, dialect: str, name: str) -> str | None:
        return await self._databases.run(turns.room_prompt, caller.user_id, room_id, dialect, name, self._retention.since)

    async def tokens(self, caller: Caller, room_id: str) -> int:
        return await self._databases.run(turns.tokens, caller.user_id, room_id, self._retention.since)

    async def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        traces = await self._databases.run(turns.traces_of, caller.user_id, self._retention.since)
        async for stored in read_in_batches(traces, lambda some: self._databases.run(turns.read, caller.user_id, some)):
            yield stored

    async def delete_all_of(self, caller: Caller) -> int:
        """Counted before, because a delete that is tried again after a lost reply finds nothing left."""
        there = len(await self._databases.run(turns.traces_of, caller.user_id, self._retention.since))
        async with self._changing(*await self._databases.run(stored_rollups.days_of, caller.user_id)):
            await self._databases.run(turns.delete_all_of, caller.user_id)
            await self._databases.run(stored_shares.delete_shares, caller.user_id)
            await self._databases.run(stored_rollups.delete_of, caller.user_id)
        return there

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        return await self._databases.run(turns.rooms, caller.user_id, max(limit, 1), after, self._retention.since)

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        return await self._databases.run(turns.room, caller.user_id, room_id, max(limit, 1), after, self._retention.since)

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        """Counted before, as above."""
        there = await self._databases.run(turns.count_room, caller.user_id, room_id, self._retention.since)
        async with self._changing(*await self._databases.run(stored_rollups.days_of, caller.user_id, room_id)):
            await self._databases.run(turns.delete_room, caller.user_id, room_id)
            await self._databases.run(stored_shares.delete_shares, caller.user_id, room_id)
            await self._databases.run(stored_rollups.delete_of, caller.user_id, room_id)
        return there

    async def put_share(self, share: Share) -> None:
        await self._databases.run(stored_shares.put_share, share, self._retention.since)

    async def shares(self, caller: Caller) -> list[Share]:
        return await self._databases.run(stored_shares.shares, caller.user_id, self._clock())

    async def shared(self, digest: str) -> Share | None:
        return await self._databases.run(stored_shares.shared, digest, self._clock())

    async def delete_share(self, caller: Caller, share_id: str) -> bool:
        """Counted before, as above."""
        there = await self._databases.run(stored_shares.count_share, caller.user_id, share_id)
        await self._databases.run(stored_shares.delete_share, caller.user_id, share_id)
        return there > 0

    async def put_feedback(self, caller: Caller, feedback: Feedback) -> None:
        """Stored under the caller's own id, whatever user `feedback` names."""
        created_at = feedback.created_at or self._clock()
        async with self._changing(*await self._day_of(feedback.trace_id)):
            await self._databases.run(stored_feedback.put_feedback, caller, feedback, created_at, self._retention.since)

    async def feedback(self, caller: Caller, trace_id: str) -> Feedback | None:
        return await self._databases.run(stored_feedback.feedback_of, caller.user_id, trace_id, self._retention.since)

    async def rated(self, caller: Caller, since: float, limit: int) -> list[tuple[str, Feedback]]:
        return await self._databases.run(stored_feedback.rated, caller.user_id, max(since, self._retention.since), limit)

    async def delete_feedback(self, caller: Caller, trace_id: str) -> bool:
        async with self._changing(*await self._day_of(trace_id)):
            return await self._databases.run(stored_feedback.delete_feedback, caller.user_id, trace_id)

    async def _day_of(self, trace_id: str) -> list[str]:
        """The day of a stored turn; [] = it is not stored."""
        started_at = await self._databases.run(turns.started_at_of, trace_id)
        return [] if started_at is None else [day_of(started_at)]

    async def list_feedback(self, caller: Caller, wanted: FeedbackFilter, limit: int, after: str | None = None) -> Page[RatedTurn]:
        return await self._databases.run(stored_feedback.list_feedback, caller, wanted, max(limit, 1), after, self._retention.since)

    async def rated_by_others(self, caller: Caller, collection: str, since: float, limit: int) -> list[RatedTurn]:
        since = max(since, self._retention.since)
        return await self._databases.run(stored_feedback.rated_by_others, caller.user_id, collection, since, limit)

    async def figures(self, caller: Caller, since: float, until: float) -> list[TurnFigures]:
        return await self._databases.run(stored_figures.figures, caller, max(since, self._retention.since), until)

    async def ended_as(
        self, caller: Caller, outcomes: Collection[Outcome], since: float, until: float, limit: int | None
    ) -> list[TurnFigures]:
        since = max(since, self._retention.since)
        return await self._databases.run(stored_figures.ended_as, caller, outcomes, since, until, limit)

    async def count(self, figures: TurnFigures) -> None:
        day, share = share_of(figures)
        async with self._changing(day):
            await self._databases.run(stored_figures.count, figures.trace_id, day, share)

    async def put_rollups(self, day: str, rollups: Sequence[Rollup], rolled: RolledDay | None = None) -> bool:
        return await self._databases.run(stored_rollups.put_rollups, day, rollups, rolled)

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        return await self._databases.run(stored_rollups.rollups, caller, day)

    async def rolled_days(self, caller: Caller, first: str, last: str) -> list[RolledDay]:
        return await self._databases.run(stored_rollups.rolled_days, caller, first, last, self._retention.since)

    async def unrolled_days(self, caller: Caller, last: str) -> list[RolledDay]:
        return await self._databases.run(stored_rollups.unrolled_days, last, self._retention.since)

    async def tallies(self, caller: Caller, days: Sequence[RolledDay]) -> list[Tally]:
        return await self._databases.run(stored_rollups.tallies, caller, days)

    @asynccontextmanager
    async def _changing(self, *days: str) -> AsyncIterator[None]:
        """Around a change of turns of these days. Marked before, in case this process dies in between; and after, in case it was
        frozen in between and the days were rolled up meanwhile."""
        await self._mark(days)
        yield
        await self._mark(days)

    async def _mark(self, days: Sequence[str]) -> None:
        if any(end_of(day) <= self._clock() for day in days):
            await self._databases.run(stored_rollups.mark_changed, days, self._clock())

    async def close(self) -> None:
        await self._databases.close()
