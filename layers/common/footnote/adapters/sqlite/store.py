"""store.db, the embedded store's file: the tables of documents, turns, feedback, roll-ups, records, cache and jobs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from footnote.adapters.sqlite.database import Database, Upgrade
from footnote.adapters.sqlite.ledger_store import LEDGER_SCHEMA
from footnote.adapters.sqlite.ledger_upgrade import make_entries
from footnote.adapters.sqlite.records import RECORDS_SCHEMA

VERSION = 11
UPGRADES: Mapping[int, Upgrade] = {
    7: "",
    8: "",
    9: "INSERT INTO records SELECT kind, json_extract(value, '$.user_id') || '/' || key, value, version, changed_at, changed_by"
    " FROM records WHERE kind = 'share';\n",
    10: make_entries,
}
"""Version → what leads from it to the next one. `make_entries` fills in the columns that the tables of versions 7 and 8 lack."""

# Times are seconds since the epoch.
SCHEMA = f"""{LEDGER_SCHEMA}
CREATE TABLE turns (
    number INTEGER PRIMARY KEY,
    trace_id TEXT NOT NULL UNIQUE,
    user_id TEXT NOT NULL,
    room_id TEXT NOT NULL,
    dialect TEXT NOT NULL,
    status TEXT NOT NULL,
    started_at REAL NOT NULL,
    block TEXT NOT NULL,
    counted INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX turns_by_room ON turns (user_id, room_id, started_at, trace_id);
CREATE INDEX turns_by_time ON turns (started_at);
CREATE INDEX turns_by_outcome ON turns (json_extract(block, '$.outcome'), started_at);
CREATE TABLE feedback (
    trace_id TEXT NOT NULL REFERENCES turns (trace_id) ON DELETE CASCADE,
    user_id TEXT NOT NULL,
    rating TEXT NOT NULL,
    reason TEXT,
    proposed_answer TEXT,
    selected_citations TEXT NOT NULL,
    tags TEXT NOT NULL,
    created_at REAL NOT NULL,
    comment TEXT,
    PRIMARY KEY (trace_id, user_id)
) WITHOUT ROWID;
CREATE INDEX feedback_by_time ON feedback (created_at);
CREATE TABLE rollups (
    day TEXT NOT NULL,
    user_id TEXT NOT NULL,
    room_id TEXT NOT NULL,
    search_type TEXT NOT NULL,
    figures TEXT NOT NULL,
    llm TEXT,
    tallies TEXT NOT NULL DEFAULT '[]',
    PRIMARY KEY (day, user_id, room_id, search_type)
) WITHOUT ROWID;
CREATE INDEX rollups_by_user ON rollups (user_id, room_id, day);
CREATE TABLE rolled_days (
    day TEXT PRIMARY KEY,
    version INTEGER NOT NULL DEFAULT 0,
    changed_at REAL NOT NULL DEFAULT 0,
    rolled INTEGER,
    tallies TEXT NOT NULL DEFAULT '[]'
) WITHOUT ROWID;
CREATE TABLE cache (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    expires_at REAL NOT NULL
);
CREATE INDEX cache_by_expiry ON cache (expires_at);
CREATE TABLE jobs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    job_id TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    attempt INTEGER NOT NULL DEFAULT 0,
    due_at REAL NOT NULL
);
"""


def open_store(folder: Path, *, durable: bool = True) -> Database:
    """The store of a data folder, made when it is first used. Ledger, turns, cache, queue and records share it. `durable`: as in
    `Database`."""
    return Database(folder / "store.db", SCHEMA + RECORDS_SCHEMA, VERSION, upgrades=UPGRADES, durable=durable)
