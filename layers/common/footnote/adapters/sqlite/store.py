"""store.db, the embedded store's file: the tables of documents, turns, feedback, roll-ups, records, cache and jobs."""

from __future__ import annotations

from pathlib import Path

from footnote.adapters.sqlite.database import Database
from footnote.adapters.sqlite.records import RECORDS_SCHEMA

VERSION = 10
INCOMPLETE = """CREATE INDEX documents_unready ON documents (collection, permission_groups, state)
    WHERE state IN ('RECEIVED', 'PROCESSING', 'FAILED');
CREATE INDEX documents_to_describe ON documents (created_at, doc_id) WHERE described_by = 'waiting';"""
UPGRADES = {
    7: "ALTER TABLE documents ADD COLUMN owner TEXT NOT NULL DEFAULT '';\n",
    8: "ALTER TABLE documents ADD COLUMN words TEXT NOT NULL DEFAULT '';\n"
    f"ALTER TABLE documents ADD COLUMN described_by TEXT NOT NULL DEFAULT 'patterns';\n{INCOMPLETE}\n",
    9: "INSERT INTO records SELECT kind, json_extract(value, '$.user_id') || '/' || key, value, version, changed_at, changed_by"
    " FROM records WHERE kind = 'share';\n",
}
"""Version → the statements that lead from it to the next one."""

# document_names.file_name is the origin if the file has one; only then there is a `version`. `shown` is the name that people see.
# `permission_groups` is a sorted JSON array, so that equal sets are equal strings. Times are seconds since the epoch.
SCHEMA = f"""
CREATE TABLE documents (
    doc_id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    collection TEXT NOT NULL,
    file_name TEXT NOT NULL,
    state TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    size INTEGER NOT NULL,
    permission_groups TEXT NOT NULL,
    owner TEXT NOT NULL DEFAULT '',
    generation INTEGER NOT NULL,
    active_generation INTEGER NOT NULL DEFAULT 0,
    reason TEXT,
    remedy TEXT,
    pages INTEGER,
    chunks INTEGER NOT NULL DEFAULT 0,
    lang TEXT,
    format TEXT NOT NULL DEFAULT '',
    cut TEXT NOT NULL DEFAULT '',
    digest TEXT NOT NULL DEFAULT '',
    words TEXT NOT NULL DEFAULT '',
    described_by TEXT NOT NULL DEFAULT 'patterns',
    metadata TEXT NOT NULL DEFAULT '{{}}',
    created_at REAL NOT NULL,
    updated_at REAL NOT NULL,
    lease_owner TEXT,
    lease_until REAL,
    buried INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX documents_by_content ON documents (content_hash, collection, permission_groups);
CREATE INDEX documents_by_groups ON documents (permission_groups, collection, state);
CREATE INDEX documents_by_age ON documents (created_at DESC, doc_id);
{INCOMPLETE}
CREATE TABLE document_names (
    collection TEXT NOT NULL,
    permission_groups TEXT NOT NULL,
    file_name TEXT NOT NULL,
    shown TEXT NOT NULL,
    version TEXT,
    doc_id TEXT NOT NULL REFERENCES documents,
    PRIMARY KEY (collection, permission_groups, file_name)
) WITHOUT ROWID;
CREATE INDEX document_names_by_document ON document_names (doc_id);
CREATE INDEX document_names_by_name ON document_names (file_name);
CREATE TABLE document_aliases (
    alias TEXT PRIMARY KEY,
    doc_id TEXT NOT NULL REFERENCES documents
) WITHOUT ROWID;
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
