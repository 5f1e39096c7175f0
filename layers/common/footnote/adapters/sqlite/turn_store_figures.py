"""The figures of turns in store.db, and the roll-ups."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.turn_store_turns import load_feedback, load_turn
from footnote.ports import Rollup
from footnote.turn_records.figures import figures_of
from footnote.turn_records.read import question_of
from footnote.types import Caller, Feedback, TurnFigures


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
        """SELECT trace_id, block FROM turns
           WHERE started_at >= ? AND started_at < ? AND status != 'idle' AND (? OR user_id = ?) ORDER BY started_at, number""",
        (since, until, everybody, caller.user_id),
    )
    # Row by row: a record is many times as large as its figures.
    return [figures_of(load_turn(row), tuple(given.get(row["trace_id"], ()))) for row in rows]


def rated(connection: sqlite3.Connection, user_id: str, since: float, limit: int) -> list[tuple[str, Feedback]]:
    """As `TurnStore.rated`."""
    rows = connection.execute(
        """SELECT feedback.*, block FROM turns JOIN feedback USING (trace_id, user_id)
           WHERE user_id = ? AND started_at >= ? AND tags != '[]' ORDER BY started_at DESC, number DESC LIMIT ?""",
        (user_id, since, limit),
    )
    return [(question_of(load_turn(row)), load_feedback(row)) for row in rows]


def count(connection: sqlite3.Connection, trace_id: str, day: str, share: Rollup) -> None:
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
        connection.execute("INSERT OR REPLACE INTO rollups VALUES (?, ?, ?, ?, ?, ?)", (*key, json.dumps(sums), llm))


def put_rollups(connection: sqlite3.Connection, day: str, rollups: Sequence[Rollup]) -> None:
    """As `TurnStore.put_rollups`."""
    with writing(connection):
        connection.execute("DELETE FROM rollups WHERE day = ?", (day,))
        connection.executemany(
            "INSERT INTO rollups VALUES (?, ?, ?, ?, ?, ?)",
            [(day, each.user_id, each.room_id, each.search_type, json.dumps(dict(each.figures)), each.llm) for each in rollups],
        )


def rollups(connection: sqlite3.Connection, caller: Caller, day: str) -> list[Rollup]:
    """As `TurnStore.rollups`."""
    rows = connection.execute(
        "SELECT * FROM rollups WHERE day = ? AND (? OR user_id = ?) ORDER BY user_id, room_id, search_type",
        (day, caller.role == "admin", caller.user_id),
    )
    return [Rollup(row["user_id"], row["room_id"], row["search_type"], json.loads(row["figures"]), row["llm"]) for row in rows]
