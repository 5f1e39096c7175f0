"""Feedback on turns in store.db."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from footnote.adapters.shared.turns import NO_TURN, Retention, load_place, page_of, place_of
from footnote.adapters.sqlite.database import Database, writing
from footnote.adapters.sqlite.turn_rows import day_of_turn, load_feedback, load_turn, mark_changed, read_feedback
from footnote.errors import NotFound
from footnote.ports import Clock, FeedbackFilter, RatedTurn
from footnote.turn_records.read import question_of
from footnote.types import REASONS, Caller, Feedback, Page


class SqliteFeedbackStore:
    """`ports.FeedbackStore` on SQLite. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, database: Database, clock: Clock, *, keep_s: float | None = None) -> None:
        self._database = database
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def put(self, caller: Caller, feedback: Feedback) -> None:
        now, kept = self._clock(), (feedback.trace_id, self._retention.since)

        def put(connection: sqlite3.Connection) -> None:
            with writing(connection):
                turn = connection.execute("SELECT user_id FROM turns WHERE trace_id = ? AND started_at >= ?", kept).fetchone()
                if turn is None or not (caller.sees_all or turn["user_id"] == caller.user_id):
                    raise NotFound(NO_TURN)
                mark_changed(connection, day_of_turn(connection, feedback.trace_id), now)
                connection.execute(
                    "INSERT OR REPLACE INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        feedback.trace_id,
                        caller.user_id,
                        feedback.rating,
                        feedback.reason,
                        feedback.proposed_answer,
                        json.dumps(feedback.selected_citations),
                        json.dumps(feedback.tags),
                        feedback.created_at or now,
                        feedback.comment,
                    ),
                )

        await self._database.run(put)

    async def get(self, caller: Caller, trace_id: str) -> Feedback | None:
        kept = (trace_id, self._retention.since)

        def get(connection: sqlite3.Connection) -> Feedback | None:
            there = connection.execute("SELECT 1 FROM turns WHERE trace_id = ? AND started_at >= ?", kept).fetchone()
            return read_feedback(connection, caller.user_id, trace_id) if there else None

        return await self._database.run(get)

    async def delete(self, caller: Caller, trace_id: str) -> bool:
        now, own = self._clock(), (trace_id, caller.user_id)

        def delete(connection: sqlite3.Connection) -> bool:
            with writing(connection):
                mark_changed(connection, day_of_turn(connection, trace_id), now)
                return connection.execute("DELETE FROM feedback WHERE trace_id = ? AND user_id = ?", own).rowcount > 0

        return await self._database.run(delete)

    async def list(self, caller: Caller, wanted: FeedbackFilter, limit: int, after: str | None = None) -> Page[RatedTurn]:
        limit = max(limit, 1)
        at, trace_id, user_id = load_place(after) if after is not None else (None, None, None)
        found = await self._select(
            """feedback JOIN turns USING (trace_id)
               WHERE (:everybody OR feedback.user_id = :own) AND started_at >= :kept
                  AND created_at >= :since AND (:until IS NULL OR created_at < :until)
                  AND (:rating IS NULL OR rating = :rating) AND (:wanted IS NULL OR trace_id = :wanted)
                  AND (:collections IS NULL OR json_extract(block, '$.collection') IN (SELECT value FROM json_each(:collections)))
                  AND (:reason IS NULL OR :reason = CASE
                     WHEN reason IN (SELECT value FROM json_each(:usual)) THEN reason
                     WHEN reason IS NOT NULL OR comment IS NOT NULL THEN 'other' END)
                  AND (:at IS NULL OR (created_at, trace_id, feedback.user_id) < (:at, :trace_id, :user_id))
               ORDER BY created_at DESC, trace_id DESC, feedback.user_id DESC""",
            limit + 1,
            everybody=caller.role == "admin",
            own=caller.user_id,
            kept=self._retention.since,
            since=wanted.since,
            until=wanted.until,
            rating=wanted.rating,
            wanted=wanted.trace_id,
            collections=None if wanted.collections is None else json.dumps(sorted(wanted.collections)),
            reason=wanted.usual_reason,
            usual=json.dumps(REASONS),
            at=at,
            trace_id=trace_id,
            user_id=user_id,
        )
        return page_of(found, limit, lambda rated: rated, lambda rated: place_of(rated.feedback))

    async def rated(self, caller: Caller, since: float, limit: int) -> Sequence[tuple[str, Feedback]]:
        found = await self._with_reasons("user_id = :user", since, limit, user=caller.user_id)
        return [(question_of(rated.record), rated.feedback) for rated in found]

    async def rated_by_others(self, caller: Caller, collection: str, since: float, limit: int) -> Sequence[RatedTurn]:
        of_others = "user_id != :user AND json_extract(block, '$.collection') = :collection"
        return await self._with_reasons(of_others, since, limit, user=caller.user_id, collection=collection)

    async def _with_reasons(self, condition: str, since: float, limit: int, **values: str) -> Sequence[RatedTurn]:
        """Feedback with a reason or tags of those who asked, newest turn first. It is given after its turn, and few turns have any."""
        since = max(since, self._retention.since)
        if not await self._database.glance(_has_feedback, since):
            return []
        return await self._select(
            f"""feedback CROSS JOIN turns USING (trace_id, user_id)
                WHERE created_at >= :since AND (tags != '[]' OR reason IS NOT NULL) AND started_at >= :since AND {condition}
                ORDER BY started_at DESC, number DESC""",
            limit,
            since=since,
            **values,
        )

    async def _select(self, query: str, limit: int, **values: str | float | None) -> Sequence[RatedTurn]:
        def select(connection: sqlite3.Connection) -> Sequence[RatedTurn]:
            rows = connection.execute(f"SELECT feedback.*, block FROM {query} LIMIT :limit", {**values, "limit": limit})
            return [RatedTurn(load_turn(row), load_feedback(row)) for row in rows]

        return await self._database.run(select)


def _has_feedback(connection: sqlite3.Connection, since: float) -> bool:
    return connection.execute("SELECT 1 FROM feedback WHERE created_at >= ? LIMIT 1", (since,)).fetchone() is not None
