"""The figures of turns in store.db."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection

from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.turn_store_feedback import load_feedback, load_turn
from footnote.adapters.sqlite.turn_store_rollups import mark_changed
from footnote.ports import Rollup
from footnote.turn_records.figures import figures_of
from footnote.types import Caller, Feedback, Outcome, TurnFigures


def figures(connection: sqlite3.Connection, caller: Caller, since: float, until: float) -> list[TurnFigures]:
    """As `TurnStore.figures`."""
    everybody = caller.role == "admin"
    given: dict[str, list[Feedback]] = {}
    for row in connection.execute(
        """SELECT feedback.* FROM feedback JOIN turns USING (trace_id)
           WHERE started_at >= ? AND started_at < ? AND (? OR feedback.user_id = ?) ORDER BY feedback.created_at, feedback.user_id""",
        (since, until, everybody, caller.user_id),
    ):
        given.setdefault(row["trace_id"], []).append(load_feedback(row))
    rows = connection.execute(
        """SELECT trace_id, started_at, block FROM turns
           WHERE started_at >= ? AND started_at < ? AND status != 'idle' AND (? OR user_id = ?) ORDER BY started_at, number""",
        (since, until, everybody, caller.user_id),
    )
    # Row by row: a record is many times as large as its figures.
    return [figures_of(load_turn(row), tuple(given.get(row["trace_id"], ())), row["started_at"]) for row in rows]


def ended_as(
    connection: sqlite3.Connection, caller: Caller, outcomes: Collection[Outcome], since: float, until: float, limit: int | None
) -> list[TurnFigures]:
    """As `TurnStore.ended_as`."""
    rows = connection.execute(
        f"""SELECT started_at, block FROM turns
            WHERE json_extract(block, '$.outcome') IN ({", ".join("?" for _ in outcomes)}) AND started_at >= ? AND started_at < ?
               AND status != 'idle' AND (? OR user_id = ?) ORDER BY started_at DESC, number DESC LIMIT ?""",
        (*outcomes, since, until, caller.role == "admin", caller.user_id, -1 if limit is None else limit),
    )
    return [figures_of(load_turn(row), started_at=row["started_at"]) for row in rows]


def count(connection: sqlite3.Connection, trace_id: str, day: str, share: Rollup, now: float) -> None:
    """Adds a turn's share to the roll-up of its day, once."""
    key = (day, share.user_id, share.room_id, share.search_type)
    with writing(connection):
        if not connection.execute(
            "UPDATE turns SET counted = 1 WHERE trace_id = ? AND user_id = ? AND NOT counted", (trace_id, share.user_id)
        ).rowcount:
            return
        there = connection.execute(
            "SELECT * FROM rollups WHERE day = ? AND user_id = ? AND room_id = ? AND search_type = ?", key
        ).fetchone()
        sums = json.loads(there["figures"]) if there else {}
        sums |= {name: sums.get(name, 0) + added for name, added in share.figures.items()}
        llm = share.llm or (there["llm"] if there else None)
        connection.execute(
            "INSERT INTO rollups (day, user_id, room_id, search_type, figures, llm) VALUES (?, ?, ?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET figures = excluded.figures, llm = excluded.llm",
            (*key, json.dumps(sums), llm),
        )
        mark_changed(connection, [day], now)
