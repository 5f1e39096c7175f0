"""The figures of turns, and the roll-ups of days, in store.db."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Iterable, Sequence

from footnote.adapters.shared.turns import Retention, not_fresh
from footnote.adapters.sqlite.database import Database, writing
from footnote.adapters.sqlite.turn_rows import load_feedback, load_turn
from footnote.ports import Clock, RolledDay, Rollup
from footnote.turn_records.days import begin_of, day_after, day_of, end_of
from footnote.turn_records.figures import figures_of, share_of
from footnote.turn_records.tallies import dump, load
from footnote.types import Caller, Feedback, Outcome, Tally, TurnFigures, TurnRecord


class SqliteStatisticsStore:
    """`ports.StatisticsStore` on SQLite. `keep_s`: how long a turn is kept; None = for good."""

    def __init__(self, database: Database, clock: Clock, *, keep_s: float | None = None) -> None:
        self._database = database
        self._clock = clock
        self._retention = Retention(clock, keep_s)

    async def figures(self, caller: Caller, since: float, until: float) -> list[TurnFigures]:
        period = (max(since, self._retention.since), until, caller.role == "admin", caller.user_id)

        def figures(connection: sqlite3.Connection) -> list[TurnFigures]:
            given: dict[str, list[Feedback]] = {}
            for row in connection.execute(
                """SELECT feedback.* FROM feedback JOIN turns USING (trace_id)
                   WHERE started_at >= ? AND started_at < ? AND (? OR feedback.user_id = ?)
                   ORDER BY feedback.created_at, feedback.user_id""",
                period,
            ):
                given.setdefault(row["trace_id"], []).append(load_feedback(row))
            rows = connection.execute(
                """SELECT trace_id, started_at, block FROM turns
                   WHERE started_at >= ? AND started_at < ? AND status != 'idle' AND (? OR user_id = ?) ORDER BY started_at, number""",
                period,
            )
            # Row by row: a record is many times as large as its figures.
            return [figures_of(load_turn(row), tuple(given.get(row["trace_id"], ())), row["started_at"]) for row in rows]

        return await self._database.run(figures)

    async def ended_as(
        self, caller: Caller, outcomes: Collection[Outcome], since: float, until: float, limit: int | None
    ) -> list[TurnFigures]:
        period = (max(since, self._retention.since), until, caller.role == "admin", caller.user_id)

        def ended_as(connection: sqlite3.Connection) -> list[TurnFigures]:
            rows = connection.execute(
                f"""SELECT started_at, block FROM turns
                    WHERE json_extract(block, '$.outcome') IN ({", ".join("?" for _ in outcomes)}) AND started_at >= ? AND started_at < ?
                       AND status != 'idle' AND (? OR user_id = ?) ORDER BY started_at DESC, number DESC LIMIT ?""",
                (*outcomes, *period, -1 if limit is None else limit),
            )
            return [figures_of(load_turn(row), started_at=row["started_at"]) for row in rows]

        return await self._database.run(ended_as)

    async def put_rollups(self, day: str, rollups: Sequence[Rollup], rolled: RolledDay | None = None) -> bool:
        def put(connection: sqlite3.Connection) -> bool:
            with writing(connection):
                if rolled is not None:
                    row = connection.execute("SELECT version FROM rolled_days WHERE day = ?", (day,)).fetchone()
                    if (row["version"] if row else 0) != rolled.version:
                        return False
                connection.execute("DELETE FROM rollups WHERE day = ?", (day,))
                connection.executemany(
                    "INSERT INTO rollups VALUES (?, ?, ?, ?, ?, ?, ?)",
                    [
                        (day, each.user_id, each.room_id, each.search_type, json.dumps(dict(each.figures)), each.llm, _text(each.tallies))
                        for each in rollups
                    ],
                )
                if rolled is not None:
                    connection.execute(
                        """INSERT INTO rolled_days (day, rolled, tallies) VALUES (?, ?, ?)
                           ON CONFLICT DO UPDATE SET rolled = excluded.rolled, tallies = excluded.tallies""",
                        (day, rolled.version, _text(rolled.tallies)),
                    )
            return True

        return await self._database.run(put)

    async def rollups(self, caller: Caller, day: str) -> list[Rollup]:
        def rollups(connection: sqlite3.Connection) -> list[Rollup]:
            rows = connection.execute(
                "SELECT * FROM rollups WHERE day = ? AND (? OR user_id = ?) ORDER BY user_id, room_id, search_type",
                (day, caller.role == "admin", caller.user_id),
            )
            return [
                Rollup(row["user_id"], row["room_id"], row["search_type"], json.loads(row["figures"]), row["llm"], tuple(_tallies(row)))
                for row in rows
            ]

        return await self._database.run(rollups)

    async def rolled_days(self, caller: Caller, first: str, last: str) -> list[RolledDay]:
        since, everybody = self._retention.since, caller.role == "admin"
        return await self._database.run(_rolled_days, first, last, since, everybody)

    async def unrolled_days(self, caller: Caller, last: str) -> list[RolledDay]:
        since = self._retention.since

        def unrolled_days(connection: sqlite3.Connection) -> list[RolledDay]:
            return not_fresh(_rolled_days(connection, "", last, since), _days_with_turns(connection, since, end_of(last)), since)

        return await self._database.run(unrolled_days)

    async def tallies(self, caller: Caller, days: Sequence[RolledDay]) -> list[Tally]:
        wanted, everybody = {each.day for each in days}, caller.role == "admin"

        def tallies(connection: sqlite3.Connection) -> list[Tally]:
            rows = connection.execute(
                f"SELECT * FROM rollups WHERE {'' if everybody else 'user_id = :user AND '}day BETWEEN :first AND :last ORDER BY day",
                {"user": caller.user_id, "first": min(wanted), "last": max(wanted)},
            )
            return [tally for row in rows if row["day"] in wanted for tally in _tallies(row)]

        return await self._database.run(tallies) if wanted else []


def count_turn(connection: sqlite3.Connection, record: TurnRecord) -> str:
    """Adds a turn's share to the roll-up of its day, user, room and mode. Returns the day."""
    day, share = share_of(figures_of(record))
    sums = ", ".join(f"'$.{name}', coalesce(json_extract(figures, '$.{name}'), 0) + {added}" for name, added in share.figures.items())
    connection.execute(
        f"""INSERT INTO rollups (day, user_id, room_id, search_type, figures, llm) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET figures = json_set(figures, {sums}), llm = coalesce(excluded.llm, llm)""",
        (day, share.user_id, share.room_id, share.search_type, json.dumps(dict(share.figures)), share.llm),
    )
    return day


def _rolled_days(connection: sqlite3.Connection, first: str, last: str, since: float, with_tallies: bool = False) -> list[RolledDay]:
    tallies = "tallies" if with_tallies else "'[]' AS tallies"
    rows = connection.execute(
        f"SELECT day, version, changed_at, rolled, {tallies} FROM rolled_days WHERE day BETWEEN ? AND ? ORDER BY day", (first, last)
    )
    return [
        RolledDay(
            *(row["day"], row["version"], row["changed_at"], row["rolled"], begin_of(row["day"]) >= since),
            tuple(load(json.loads(row["tallies"]), row["day"], None, None, None)),
        )
        for row in rows
    ]


def _days_with_turns(connection: sqlite3.Connection, since: float, until: float) -> list[str]:
    """From turn to first turn of a later day, by the index."""
    days: list[str] = []
    while True:
        at = connection.execute("SELECT min(started_at) FROM turns WHERE started_at >= ? AND started_at < ?", (since, until)).fetchone()[0]
        if at is None:
            return days
        days.append(day_of(at))
        since = begin_of(day_after(days[-1]))


def _tallies(row: sqlite3.Row) -> list[Tally]:
    return load(json.loads(row["tallies"]), row["day"], row["user_id"], row["room_id"], row["search_type"])


def _text(tallies: Iterable[Tally]) -> str:
    return json.dumps(dump(tallies), separators=(",", ":"))
