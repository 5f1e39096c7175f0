"""Feedback on turns in store.db. `since`, where it is not said otherwise: turns that started before are as good as deleted."""

from __future__ import annotations

import json
import sqlite3

from footnote.adapters.shared.turns import NO_TURN, load_place, page_of, place_of
from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.turn_store_rollups import mark_changed
from footnote.errors import NotFound
from footnote.ports import FeedbackFilter, RatedTurn
from footnote.turn_records.days import day_of
from footnote.turn_records.read import question_of
from footnote.types import REASONS, Caller, Feedback, Page, TurnRecord


def day_of_turn(connection: sqlite3.Connection, trace_id: str) -> list[str]:
    """The day of a stored turn; [] = it is not stored."""
    return [day_of(row["started_at"]) for row in connection.execute("SELECT started_at FROM turns WHERE trace_id = ?", (trace_id,))]


def load_turn(row: sqlite3.Row) -> TurnRecord:
    """The record in a row's column `block`."""
    record: TurnRecord = json.loads(row["block"])
    return record


def put_feedback(connection: sqlite3.Connection, caller: Caller, feedback: Feedback, created_at: float, since: float, now: float) -> None:
    """As `TurnStore.put_feedback`."""
    with writing(connection):
        turn = connection.execute("SELECT user_id FROM turns WHERE trace_id = ? AND started_at >= ?", (feedback.trace_id, since)).fetchone()
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
                created_at,
                feedback.comment,
            ),
        )


def delete_feedback(connection: sqlite3.Connection, user_id: str, trace_id: str, now: float) -> bool:
    """As `TurnStore.delete_feedback`."""
    with writing(connection):
        mark_changed(connection, day_of_turn(connection, trace_id), now)
        return connection.execute("DELETE FROM feedback WHERE trace_id = ? AND user_id = ?", (trace_id, user_id)).rowcount > 0


def feedback_of(connection: sqlite3.Connection, user_id: str, trace_id: str, since: float) -> Feedback | None:
    """The user's feedback on a turn."""
    there = connection.execute("SELECT 1 FROM turns WHERE trace_id = ? AND started_at >= ?", (trace_id, since)).fetchone()
    return read_feedback(connection, user_id, trace_id) if there else None


def read_feedback(connection: sqlite3.Connection, user_id: str, trace_id: str) -> Feedback | None:
    """The user's feedback on a turn, however old the turn is."""
    row = connection.execute("SELECT * FROM feedback WHERE trace_id = ? AND user_id = ?", (trace_id, user_id)).fetchone()
    return None if row is None else load_feedback(row)


def load_feedback(row: sqlite3.Row) -> Feedback:
    """The feedback in a row."""
    values = {name: row[name] for name in row.keys() if name != "block"}  # noqa: SIM118
    values["selected_citations"] = tuple(json.loads(row["selected_citations"]))
    values["tags"] = tuple(json.loads(row["tags"]))
    return Feedback(**values)


def list_feedback(
    connection: sqlite3.Connection, caller: Caller, wanted: FeedbackFilter, limit: int, after: str | None, since: float
) -> Page[RatedTurn]:
    """As `TurnStore.list_feedback`."""
    at, trace_id, user_id = load_place(after) if after is not None else (None, None, None)
    rows = connection.execute(
        """SELECT feedback.*, block FROM feedback JOIN turns USING (trace_id)
           WHERE (:everybody OR feedback.user_id = :own) AND started_at >= :kept
              AND created_at >= :since AND (:until IS NULL OR created_at < :until)
              AND (:rating IS NULL OR rating = :rating) AND (:wanted IS NULL OR trace_id = :wanted)
              AND (:collections IS NULL OR json_extract(block, '$.collection') IN (SELECT value FROM json_each(:collections)))
              AND (:reason IS NULL OR :reason = CASE
                 WHEN reason IN (SELECT value FROM json_each(:usual)) THEN reason
                 WHEN reason IS NOT NULL OR comment IS NOT NULL THEN 'other' END)
              AND (:at IS NULL OR (created_at, trace_id, feedback.user_id) < (:at, :trace_id, :user_id))
           ORDER BY created_at DESC, trace_id DESC, feedback.user_id DESC LIMIT :limit""",
        {
            "everybody": caller.role == "admin",
            "own": caller.user_id,
            "kept": since,
            "since": wanted.since,
            "until": wanted.until,
            "rating": wanted.rating,
            "wanted": wanted.trace_id,
            "collections": None if wanted.collections is None else json.dumps(sorted(wanted.collections)),
            "reason": wanted.usual_reason,
            "usual": json.dumps(REASONS),
            "at": at,
            "trace_id": trace_id,
            "user_id": user_id,
            "limit": limit + 1,
        },
    ).fetchall()
    return page_of(rows, limit, _load, lambda row: place_of(load_feedback(row)))


def rated(connection: sqlite3.Connection, user_id: str, since: float, limit: int) -> list[tuple[str, Feedback]]:
    """As `TurnStore.rated`."""
    rows = connection.execute(
        """SELECT feedback.*, block FROM turns JOIN feedback USING (trace_id, user_id)
           WHERE user_id = ? AND started_at >= ? AND (tags != '[]' OR reason IS NOT NULL) ORDER BY started_at DESC, number DESC LIMIT ?""",
        (user_id, since, limit),
    )
    return [(question_of(load_turn(row)), load_feedback(row)) for row in rows]


def rated_by_others(connection: sqlite3.Connection, user_id: str, collection: str, since: float, limit: int) -> list[RatedTurn]:
    """As `TurnStore.rated_by_others`."""
    rows = connection.execute(
        """SELECT feedback.*, block FROM turns JOIN feedback USING (trace_id, user_id)
           WHERE user_id != ? AND started_at >= ? AND (tags != '[]' OR reason IS NOT NULL) AND json_extract(block, '$.collection') = ?
           ORDER BY started_at DESC, number DESC LIMIT ?""",
        (user_id, since, collection, limit),
    )
    return [_load(row) for row in rows]


def _load(row: sqlite3.Row) -> RatedTurn:
    return RatedTurn(load_turn(row), load_feedback(row))
