"""Links to conversations in store.db. They are rows of `records`, so that a store of before has room for them; no API of records knows
their kind. They are in one file with the turns, so that a link ends in the same transaction as its conversation."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import asdict

from footnote.adapters.shared.turns import NO_ROOM, valid_shares
from footnote.adapters.sqlite.database import writing
from footnote.errors import NotFound
from footnote.ports import Share

EXPIRED = "kind = 'share' AND json_extract(value, '$.expires_at') <= ?"


def put_share(connection: sqlite3.Connection, share: Share, since: float, now: float) -> None:
    """As `TurnStore.put_share`. Links that have expired are deleted."""
    with writing(connection):
        connection.execute(f"DELETE FROM records WHERE {EXPIRED}", (now,))
        room = (share.user_id, share.room_id, since)
        if not connection.execute("SELECT 1 FROM turns WHERE user_id = ? AND room_id = ? AND started_at >= ?", room).fetchone():
            raise NotFound(NO_ROOM)
        connection.execute(
            "INSERT INTO records (kind, key, value, version, changed_at, changed_by) VALUES ('share', ?, ?, 1, ?, ?)",
            (share.digest, json.dumps(asdict(share)), now, share.user_id),
        )


def shares(connection: sqlite3.Connection, user_id: str, now: float) -> list[Share]:
    """As `TurnStore.shares`."""
    rows = connection.execute("SELECT value FROM records WHERE kind = 'share' AND json_extract(value, '$.user_id') = ?", (user_id,))
    return valid_shares(map(_load, rows.fetchall()), now)


def shared(connection: sqlite3.Connection, digest: str, now: float) -> Share | None:
    """As `TurnStore.shared`."""
    row = connection.execute("SELECT value FROM records WHERE kind = 'share' AND key = ?", (digest,)).fetchone()
    share = None if row is None else _load(row)
    return share if share is not None and share.is_valid(now) else None


def delete_share(connection: sqlite3.Connection, user_id: str, share_id: str) -> bool:
    """As `TurnStore.delete_share`."""
    with writing(connection):
        return connection.execute(
            """DELETE FROM records WHERE kind = 'share' AND json_extract(value, '$.user_id') = ?
                  AND json_extract(value, '$.share_id') = ?""",
            (user_id, share_id),
        ).rowcount > 0  # fmt: skip


def delete_shares(connection: sqlite3.Connection, user_id: str, room_id: str | None = None) -> None:
    """Deletes the user's links, to one room or to all, in the transaction that deletes the turns."""
    connection.execute(
        """DELETE FROM records WHERE kind = 'share' AND json_extract(value, '$.user_id') = :user
              AND (:room IS NULL OR json_extract(value, '$.room_id') = :room)""",
        {"user": user_id, "room": room_id},
    )


def _load(row: sqlite3.Row) -> Share:
    return Share(**json.loads(row["value"]))
