"""store.db: the embedded store's file, and the turns, feedback and roll-ups in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from footnote.adapters.sqlite import Database, writing
from footnote.adapters.store_schema import SCHEMA, VERSION
from footnote.errors import Conflict, NotFound
from footnote.ports import Block, Clock, Rollup, Room, StoredTurn, TurnRecord, make_block, record_of, title_of
from footnote.ports.blocks import Status
from footnote.types import Caller, Feedback, Mode, Page, Turn


def open_store(folder: Path) -> Database:
    """The store of a data folder, made when it is first used. Ledger, turns, cache and queue share it."""
    return Database(folder / "store.db", SCHEMA, VERSION)


class SqliteTurnStore:
    """Turns as version 3 conversation blocks (JSON), one row per trace, and feedback on them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def save(self, turn: Turn, status: Status) -> None:
        """Saving a trace again replaces its block. Conflict when the trace is another user's."""
        block = make_block(turn, status, now=self._clock())
        await self._database.run(_save, turn, block)

    async def get(self, caller: Caller, trace_id: str) -> Block:
        row = await self._database.run(_own_turn, caller, trace_id)
        return _load_block(row)

    async def trim(self, caller: Caller, trace_id: str) -> None:
        raise NotImplementedError

    async def tokens(self, caller: Caller, room_id: str) -> int:
        raise NotImplementedError

    def all_of(self, caller: Caller) -> AsyncIterator[StoredTurn]:
        raise NotImplementedError

    async def delete_all_of(self, caller: Caller) -> int:
        raise NotImplementedError

    async def count(self, turn: Turn) -> None:
        raise NotImplementedError

    async def history(
        self, caller: Caller, room_id: str, dialect: str, limit: int, *, mode: Mode = "rag", classes: frozenset[str] = frozenset()
    ) -> list[Block]:
        rows = await self._database.run(_history, caller.user_id, room_id, dialect, max(limit, 0))
        return [_load_block(row) for row in reversed(rows)]

    async def rooms(self, caller: Caller, limit: int, after: str | None = None) -> Page[Room]:
        return await self._database.run(_rooms, caller.user_id, max(limit, 1), after)

    async def room(self, caller: Caller, room_id: str, limit: int, after: str | None = None) -> Page[StoredTurn]:
        return await self._database.run(_room, caller.user_id, room_id, max(limit, 1), after)

    async def delete_room(self, caller: Caller, room_id: str) -> int:
        return await self._database.run(_delete_room, caller.user_id, room_id)

    async def put_feedback(self, caller: Caller, feedback: Feedback) -> None:
        """Stored under the caller's own id, whatever user `feedback` names."""
        await self._database.run(_put_feedback, caller, feedback, feedback.created_at or self._clock())

    async def feedback(self, caller: Caller, trace_id: str) -> Feedback | None:
        return await self._database.run(_feedback, caller.user_id, trace_id)

    async def records(self, caller: Caller, since: float, until: float) -> list[TurnRecord]:
        return await self._database.run(_records, caller, since, until)

    async def put_rollups(self, day: str, rollups: Sequence[Rollup]) -> None:
        await self._database.run(_put_rollups, day, rollups)

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        return await self._database.run(_rollups, caller, day)


def _load_block(row: sqlite3.Row) -> Block:
    block: Block = json.loads(row["block"])
    return block


def _save(connection: sqlite3.Connection, turn: Turn, block: Block) -> None:
    # A span's detail may hold a number type of some library; its text is worth more than a lost turn.
    text = json.dumps(block, default=str)
    with writing(connection):
        written = connection.execute(
            """INSERT INTO turns (trace_id, user_id, room_id, dialect, status, started_at, block) VALUES (?, ?, ?, ?, ?, ?, ?)
               ON CONFLICT (trace_id) DO UPDATE SET room_id = excluded.room_id, dialect = excluded.dialect,
                   status = excluded.status, started_at = excluded.started_at, block = excluded.block
               WHERE turns.user_id = excluded.user_id""",
            (turn.trace_id, block["user_id"], block["room_id"], block["dialect"], block["status"], turn.started_at, text),
        ).rowcount
        if not written:
            raise Conflict("This trace id is in use.")


def _own_turn(connection: sqlite3.Connection, caller: Caller, trace_id: str) -> sqlite3.Row:
    row: sqlite3.Row | None = connection.execute("SELECT user_id, block FROM turns WHERE trace_id = ?", (trace_id,)).fetchone()
    if row is None or not (caller.sees_all or row["user_id"] == caller.user_id):
        raise NotFound("There is no such turn.")
    return row


def _history(connection: sqlite3.Connection, user_id: str, room_id: str, dialect: str, limit: int) -> list[sqlite3.Row]:
    """Newest first. By user even for a caller who sees all: two people may use the same room id."""
    return connection.execute(
        """SELECT block FROM turns WHERE user_id = ? AND room_id = ? AND dialect = ? AND status = 'done'
           ORDER BY started_at DESC, number DESC LIMIT ?""",
        (user_id, room_id, dialect, limit),
    ).fetchall()


def _rooms(connection: sqlite3.Connection, user_id: str, limit: int, after: str | None) -> Page[Room]:
    last = None
    if after is not None:
        last = connection.execute("SELECT max(started_at) FROM turns WHERE user_id = ? AND room_id = ?", (user_id, after)).fetchone()[0]
        if last is None:
            raise NotFound("There is no such conversation.")
    # Every turn has a room; one that was given none has its trace's name. The index holds all that this reads.
    found = connection.execute(
        """SELECT room_id, count(*) AS turns, max(started_at) AS updated_at FROM turns WHERE user_id = :user
           GROUP BY room_id HAVING max(room_id <> trace_id)
              AND (:last IS NULL OR updated_at < :last OR (updated_at = :last AND room_id > :after))
           ORDER BY updated_at DESC, room_id LIMIT :limit""",
        {"user": user_id, "last": last, "after": after, "limit": limit + 1},
    ).fetchall()
    data = tuple(Room(title=_title(connection, user_id, row["room_id"]), **row) for row in found[:limit])
    return Page(data, has_more=len(found) > limit, last_id=data[-1].room_id if data else None)


def _title(connection: sqlite3.Connection, user_id: str, room_id: str) -> str:
    first = connection.execute(
        "SELECT block FROM turns WHERE user_id = ? AND room_id = ? ORDER BY started_at, number LIMIT 1", (user_id, room_id)
    ).fetchone()
    return title_of(_load_block(first))


def _room(connection: sqlite3.Connection, user_id: str, room_id: str, limit: int, after: str | None) -> Page[StoredTurn]:
    last = connection.execute(
        "SELECT started_at, number FROM turns WHERE user_id = ? AND room_id = ? AND trace_id = coalesce(?, trace_id) LIMIT 1",
        (user_id, room_id, after),
    ).fetchone()
    if last is None:
        raise NotFound("There is no such conversation.")
    found = connection.execute(
        """SELECT trace_id, block FROM turns WHERE user_id = ? AND room_id = ? AND (? IS NULL OR (started_at, number) > (?, ?))
           ORDER BY started_at, number LIMIT ?""",
        (user_id, room_id, after, *last, limit + 1),
    ).fetchall()
    data = tuple(StoredTurn(_load_block(row), _feedback(connection, user_id, row["trace_id"])) for row in found[:limit])
    return Page(data, has_more=len(found) > limit, last_id=found[len(data) - 1]["trace_id"] if data else None)


def _delete_room(connection: sqlite3.Connection, user_id: str, room_id: str) -> int:
    with writing(connection):
        return connection.execute("DELETE FROM turns WHERE user_id = ? AND room_id = ?", (user_id, room_id)).rowcount


def _put_feedback(connection: sqlite3.Connection, caller: Caller, feedback: Feedback, created_at: float) -> None:
    with writing(connection):
        _own_turn(connection, caller, feedback.trace_id)
        connection.execute(
            "INSERT OR REPLACE INTO feedback VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                feedback.trace_id,
                caller.user_id,
                feedback.rating,
                feedback.reason,
                feedback.proposed_answer,
                json.dumps(feedback.selected_citations),
                json.dumps(feedback.tags),
                created_at,
            ),
        )


def _feedback(connection: sqlite3.Connection, user_id: str, trace_id: str) -> Feedback | None:
    row = connection.execute("SELECT * FROM feedback WHERE trace_id = ? AND user_id = ?", (trace_id, user_id)).fetchone()
    return None if row is None else _load_feedback(row)


def _load_feedback(row: sqlite3.Row) -> Feedback:
    values = dict(row)
    values["selected_citations"] = tuple(json.loads(row["selected_citations"]))
    values["tags"] = tuple(json.loads(row["tags"]))
    return Feedback(**values)


def _records(connection: sqlite3.Connection, caller: Caller, since: float, until: float) -> list[TurnRecord]:
    everybody = caller.role == "admin"
    given: dict[str, list[Feedback]] = {}
    for row in connection.execute(
        """SELECT feedback.* FROM feedback JOIN turns USING (trace_id)
           WHERE started_at >= ? AND started_at < ? AND (? OR feedback.user_id = ?) ORDER BY feedback.created_at, feedback.user_id""",
        (since, until, everybody, caller.user_id),
    ):
        given.setdefault(row["trace_id"], []).append(_load_feedback(row))
    rows = connection.execute(
        """SELECT trace_id, started_at, block FROM turns
           WHERE started_at >= ? AND started_at < ? AND status != 'idle' AND (? OR user_id = ?) ORDER BY started_at, number""",
        (since, until, everybody, caller.user_id),
    )
    # Row by row: a block is many times as large as what is kept of it.
    return [record_of(_load_block(row), row["started_at"], tuple(given.get(row["trace_id"], ()))) for row in rows]


def _put_rollups(connection: sqlite3.Connection, day: str, rollups: Sequence[Rollup]) -> None:
    with writing(connection):
        connection.execute("DELETE FROM rollups WHERE day = ?", (day,))
        connection.executemany(
            "INSERT INTO rollups VALUES (?, ?, ?, ?, ?)",
            [(day, each.user_id, each.room_id, each.search_type, json.dumps(dict(each.figures))) for each in rollups],
        )


def _rollups(connection: sqlite3.Connection, caller: Caller, day: str) -> list[Rollup]:
    rows = connection.execute(
        "SELECT * FROM rollups WHERE day = ? AND (? OR user_id = ?) ORDER BY user_id, room_id, search_type",
        (day, caller.role == "admin", caller.user_id),
    )
    return [Rollup(row["user_id"], row["room_id"], row["search_type"], json.loads(row["figures"])) for row in rows]
