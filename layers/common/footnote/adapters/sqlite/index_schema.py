"""Tables of the embedded index. Each collection has a full-text table of its own, so that word statistics are not shared."""

from __future__ import annotations

import sqlite3
import struct
from collections.abc import Sequence

from footnote.adapters.sqlite.database import Upgrade, run_script
from footnote.adapters.sqlite.word_segments import POSTINGS, SEGMENTED, SEGMENTS, add_segment

BY_COLLECTION = "CREATE INDEX chunks_by_collection ON chunks (collection_id, lang, generation_id, level)"
"""With all that a view of the collection counts."""


def _add_segments(connection: sqlite3.Connection) -> None:
    """From 10 to 11: about half a second for every SEGMENT rows."""
    of_collections = f"ALTER TABLE collections ADD COLUMN {SEGMENTED};\nDROP INDEX chunks_by_collection;\n{BY_COLLECTION}"
    run_script(connection, f"{SEGMENTS};\n{POSTINGS};\n{of_collections}")
    for (collection_id,) in connection.execute("SELECT collection_id FROM collections").fetchall():
        while add_segment(connection, collection_id):
            pass


LAYERS = """CREATE TABLE layers (
    chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE, layer TEXT NOT NULL, recipe TEXT NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (chunk, layer)
) WITHOUT ROWID;
CREATE TABLE layer_keys (
    collection_id INTEGER NOT NULL, layer TEXT NOT NULL, recipe TEXT NOT NULL, key TEXT NOT NULL,
    chunk INTEGER NOT NULL REFERENCES chunks ON DELETE CASCADE, PRIMARY KEY (collection_id, layer, recipe, key, chunk)
) WITHOUT ROWID;
CREATE INDEX layer_keys_by_chunk ON layer_keys (chunk, layer)"""
"""What is built of passages (`ports.Knowledge`)."""
VERSION = 12
BLOCKS = """CREATE TABLE vector_blocks (
    collection_id INTEGER NOT NULL, embedder TEXT NOT NULL, block INTEGER NOT NULL, checksum INTEGER NOT NULL,
    PRIMARY KEY (collection_id, embedder, block)
) WITHOUT ROWID"""
"""The checksums of the blocks of a vector file."""
TITLES = "CREATE INDEX active_titles ON generations (collection_id, title) WHERE active"
UPGRADES: dict[int, Upgrade] = {7: "", 8: f"{BLOCKS};\n", 9: f"{TITLES};\n", 10: _add_segments, 11: f"{LAYERS};\n"}
"""Version → the statements that lead from it to the next one. Where none lead here, the index is made anew from the stored results of
parsing, and says so meanwhile; with them, it answers at once. 7: only other words, which `ingest.migrating` writes."""

# collections.all_levels: chunks of every level get vectors, because they were searched; otherwise passages alone.
# floors: the generations of a document up to this one are removed. chunks.terms: of `footnote.text.sentence_terms`;
# chunks.bounds: of `pack_bounds`. chunks.metadata: what differs from its document's, NULL = nothing.
SCHEMA = f"""
CREATE TABLE collections (
    collection_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, version INTEGER NOT NULL DEFAULT 0,
    all_levels INTEGER NOT NULL DEFAULT 0, {SEGMENTED}
);
CREATE TABLE acls (acl_id INTEGER PRIMARY KEY, groups TEXT NOT NULL UNIQUE);
CREATE TABLE generations (
    generation_id INTEGER PRIMARY KEY, doc_id TEXT NOT NULL, generation INTEGER NOT NULL,
    collection_id INTEGER NOT NULL REFERENCES collections, acl_id INTEGER NOT NULL REFERENCES acls,
    title TEXT NOT NULL, metadata TEXT NOT NULL, created_at REAL NOT NULL, active INTEGER NOT NULL DEFAULT 0,
    UNIQUE (doc_id, generation)
);
CREATE TABLE floors (doc_id TEXT PRIMARY KEY, generation INTEGER NOT NULL) WITHOUT ROWID;
CREATE UNIQUE INDEX one_active ON generations (doc_id) WHERE active;
{TITLES};
CREATE TABLE chunks (
    rowid INTEGER PRIMARY KEY, chunk_id TEXT NOT NULL UNIQUE,
    generation_id INTEGER NOT NULL REFERENCES generations ON DELETE CASCADE, collection_id INTEGER NOT NULL,
    ordinal INTEGER NOT NULL, level INTEGER NOT NULL, lang TEXT NOT NULL, kind TEXT NOT NULL, content_type TEXT NOT NULL,
    page INTEGER, parts TEXT NOT NULL, headings TEXT NOT NULL, text TEXT NOT NULL, bounds BLOB NOT NULL, terms TEXT NOT NULL,
    metadata TEXT
);
CREATE INDEX chunks_by_generation ON chunks (generation_id);
{BY_COLLECTION};
CREATE INDEX chunks_with_metadata ON chunks (collection_id) WHERE metadata IS NOT NULL;
CREATE TABLE vectors (
    rowid INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    embedder TEXT NOT NULL, recipe INTEGER NOT NULL, slot INTEGER NOT NULL, vector BLOB NOT NULL, sentences BLOB
);
CREATE TABLE vector_files (
    collection_id INTEGER NOT NULL, embedder TEXT NOT NULL, dimension INTEGER NOT NULL,
    generation INTEGER NOT NULL DEFAULT 1, slots INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (collection_id, embedder)
);
{BLOCKS};
{SEGMENTS};
{POSTINGS};
{LAYERS}
"""

QUESTIONS = "CREATE TABLE IF NOT EXISTS questions (rowid INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE, texts TEXT NOT NULL)"
"""`Chunk.questions` as JSON. Made with the first of them, so that folders from before this table can still be used."""
FULL_TEXT = (
    """CREATE VIRTUAL TABLE words_{0} USING fts5 (
        title, body, tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* Co' tokenchars '_'"
    )""",
    "CREATE VIRTUAL TABLE vocabulary_{0} USING fts5vocab (words_{0}, 'row')",
    "INSERT INTO words_{0} (words_{0}, rank) VALUES ('usermerge', 2)",
)
"""Created with a collection; {0} is its id. Texts are tokenized by `footnote.text.tokens` before they are stored."""


def pack_bounds(bounds: Sequence[tuple[int, int]]) -> bytes:
    """Bounds as stored: unsigned 32-bit integers, since parsing JSON would take a third of `Index.sentences`."""
    return struct.pack(f"<{2 * len(bounds)}I", *(at for bound in bounds for at in bound))


def unpack_bounds(packed: bytes) -> tuple[tuple[int, int], ...]:
    """The bounds that `pack_bounds` packed."""
    numbers = iter(struct.unpack(f"<{len(packed) // 4}I", packed))
    return tuple(zip(numbers, numbers, strict=True))
