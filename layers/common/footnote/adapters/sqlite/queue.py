"""The queue of one machine, in the embedded store: it survives a restart and serves several processes."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Mapping
from typing import Any

from footnote.adapters.sqlite.database import Database, writing
from footnote.ports import Clock, Job


class SqliteQueue:
    """`ports.Queue` on SQLite. A taken job is due again when its lease ends, so a consumer that dies loses nothing.

    Delivery is at least once: the job of a consumer that outlives its lease may be done twice."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def put(self, body: Mapping[str, Any]) -> str:
        job_id = secrets.token_hex(8)
        await self._database.run(_put, job_id, json.dumps(dict(body)), self._clock())
        return job_id

    async def take(self, lease_s: float) -> Job | None:
        return await self._database.run(_take, self._clock(), lease_s)

    async def finish(self, job_id: str) -> None:
        await self._database.run(_finish, job_id)

    async def retry(self, job_id: str, delay_s: float) -> None:
        await self._database.run(_retry, job_id, self._clock() + delay_s)

    async def recall(self) -> None:
        await self._database.run(_recall, self._clock())

    async def size(self) -> int:
        return await self._database.run(_size)


def _put(connection: sqlite3.Connection, job_id: str, body: str, now: float) -> None:
    with writing(connection):
        connection.execute("INSERT INTO jobs (job_id, body, due_at) VALUES (?, ?, ?)", (job_id, body, now))


def _take(connection: sqlite3.Connection, now: float, lease_s: float) -> Job | None:
    with writing(connection):
        rows = connection.execute(
            """UPDATE jobs SET attempt = attempt + 1, due_at = ?
               WHERE number = (SELECT number FROM jobs WHERE due_at <= ? ORDER BY number LIMIT 1)
               RETURNING job_id, body, attempt""",
            (now + lease_s, now),
        ).fetchall()
    return Job(rows[0]["job_id"], json.loads(rows[0]["body"]), rows[0]["attempt"]) if rows else None


def _finish(connection: sqlite3.Connection, job_id: str) -> None:
    with writing(connection):
        connection.execute("DELETE FROM jobs WHERE job_id = ?", (job_id,))


def _retry(connection: sqlite3.Connection, job_id: str, due_at: float) -> None:
    with writing(connection):
        connection.execute("UPDATE jobs SET due_at = ? WHERE job_id = ?", (due_at, job_id))


def _recall(connection: sqlite3.Connection, now: float) -> None:
    with writing(connection):
        connection.execute("UPDATE jobs SET due_at = ? WHERE due_at > ?", (now, now))


def _size(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT COUNT(*) FROM jobs").fetchone()[0])
