"""Writes of the embedded index, all in a worker thread: generations are staged, read back, activated and removed."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.index_schema import FULL_TEXT, QUESTIONS, pack_bounds
from footnote.adapters.sqlite.word_segments import add_segment, forget, next_row
from footnote.ports import Indexed
from footnote.text.sentence_terms import chunk_tokens, sentence_terms
from footnote.text.tokens import index_tokens
from footnote.types import Chunk, Document, chunks_digest

MERGE_PAGES = 64
"""Pages of the full-text table that are merged after every change: each query reads every segment that is left."""


def stage(
    connection: sqlite3.Connection, document: Document, chunks: Sequence[Chunk], bounds: Sequence[tuple[tuple[int, int], ...]]
) -> None:
    """`ports.Index.stage`."""
    # Tokenized before the write lock is taken, so that other writers wait for the inserts only.
    tokens = [(" ".join(index_tokens(chunk.title, chunk.lang)), " ".join(chunk_tokens(chunk))) for chunk in chunks]
    terms = [sentence_terms(chunk, pieces) for chunk, pieces in zip(chunks, bounds, strict=True)]
    with writing(connection):
        collection_id = _make_collection(connection, document.collection)
        groups = json.dumps(sorted(document.permission_groups))
        connection.execute("INSERT INTO acls (groups) VALUES (?) ON CONFLICT DO NOTHING", (groups,))
        this = document.doc_id, document.generation
        answers = (
            connection.execute("SELECT 1 FROM generations WHERE doc_id = ? AND generation = ? AND active", this).fetchone() is not None
        )
        _delete_generations(connection, "doc_id = ? AND generation = ?", this)
        generation_id = connection.execute(
            """INSERT INTO generations (doc_id, generation, collection_id, acl_id, title, metadata, created_at, active)
               VALUES (?, ?, ?, (SELECT acl_id FROM acls WHERE groups = ?), ?, ?, ?, ?) RETURNING generation_id""",
            (*this, collection_id, groups, document.title, json.dumps(dict(document.metadata)), document.created_at, answers),
        ).fetchone()[0]
        if answers:  # a job that crashed after the activation is repeated: the active generation is replaced in one step
            connection.execute("UPDATE collections SET version = version + 1 WHERE collection_id = ?", (collection_id,))
        if any(chunk.questions for chunk in chunks):
            connection.execute(QUESTIONS)
        each = zip(chunks, bounds, tokens, terms, strict=True)
        for rowid, (chunk, pieces, (title, body), said) in enumerate(each, start=next_row(connection)):
            connection.execute(
                """INSERT INTO chunks
                   (rowid, chunk_id, generation_id, collection_id, ordinal, level, lang, kind, content_type, page, parts, headings, text,
                    bounds, terms, metadata) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
                (
                    rowid, chunk.chunk_id, generation_id, collection_id, chunk.ordinal, chunk.level, chunk.lang, chunk.kind,
                    chunk.content_type, chunk.page, json.dumps(chunk.parts),
                    json.dumps(chunk.headings), chunk.text, pack_bounds(pieces), said, _own(chunk, document),
                ),
            )  # fmt: skip
            connection.execute(f"INSERT INTO words_{collection_id} (rowid, title, body) VALUES (?, ?, ?)", (rowid, title, body))
            if chunk.questions:
                connection.execute("INSERT INTO questions VALUES (?, ?)", (rowid, json.dumps(chunk.questions)))


def staged(connection: sqlite3.Connection, doc_id: str, generation: int) -> tuple[int, str]:
    """`ports.Index.staged`."""
    rows = connection.execute(
        """SELECT c.rowid, c.collection_id, c.chunk_id, c.text FROM chunks c JOIN generations g USING (generation_id)
           WHERE g.doc_id = ? AND g.generation = ? ORDER BY c.ordinal""",
        (doc_id, generation),
    ).fetchall()
    searchable = sum(
        connection.execute(f"SELECT 1 FROM words_{row['collection_id']} WHERE rowid = ?", (row["rowid"],)).fetchone() is not None
        for row in rows
    )
    return searchable, chunks_digest((row["chunk_id"], row["text"]) for row in rows)


def activate(connection: sqlite3.Connection, doc_id: str, generation: int) -> bool:
    """`ports.Index.activate`."""
    with writing(connection):
        later = connection.execute(
            """SELECT 1 FROM floors WHERE doc_id = :doc_id AND generation >= :generation
               UNION ALL SELECT 1 FROM generations WHERE doc_id = :doc_id AND generation > :generation AND active""",
            {"doc_id": doc_id, "generation": generation},
        ).fetchone()
        if later is not None:
            return False
        with _changing(connection, "doc_id = ? AND generation <= ?", (doc_id, generation)):
            _delete_generations(connection, "doc_id = ? AND generation < ?", (doc_id, generation))
            connection.execute("UPDATE generations SET active = 1 WHERE doc_id = ? AND generation = ?", (doc_id, generation))
    return True


def amend(connection: sqlite3.Connection, doc_id: str, generation: int, metadata: Mapping[str, Any]) -> None:
    """`ports.Index.amend`."""
    with writing(connection):
        row = connection.execute(
            "SELECT generation_id, collection_id, metadata FROM generations WHERE doc_id = ? AND generation = ?", (doc_id, generation)
        ).fetchone()
        if row is None:
            return
        changed = json.dumps({**json.loads(row["metadata"]), **metadata})
        connection.execute("UPDATE generations SET metadata = ? WHERE generation_id = ?", (changed, row["generation_id"]))
        connection.execute("UPDATE collections SET version = version + 1 WHERE collection_id = ?", (row["collection_id"],))


def remove(connection: sqlite3.Connection, doc_id: str, through: int) -> None:
    """`ports.Index.remove`."""
    with writing(connection):
        connection.execute(
            "INSERT INTO floors VALUES (?, ?) ON CONFLICT DO UPDATE SET generation = MAX(generation, excluded.generation)",
            (doc_id, through),
        )
        with _changing(connection, "doc_id = ? AND generation <= ?", (doc_id, through)):
            _delete_generations(connection, "doc_id = ? AND generation <= ?", (doc_id, through))


def want_all_levels(connection: sqlite3.Connection, collection: str) -> None:
    """Makes chunks of every level of the collection wait for vectors. A search must not fail because it cannot be noted now: the
    next one notes it."""
    unknown = "name = ? AND NOT all_levels"
    with suppress(sqlite3.Error):
        if connection.execute(f"SELECT 1 FROM collections WHERE {unknown}", (collection,)).fetchone() is not None:
            connection.execute(f"UPDATE collections SET all_levels = 1 WHERE {unknown}", (collection,))


def inventory(connection: sqlite3.Connection, after: tuple[str, int], limit: int) -> list[Indexed]:
    """`ports.Index.inventory`, one page after `after`."""
    rows = connection.execute(
        """SELECT g.doc_id, g.generation, k.name, g.active, (SELECT count(*) FROM chunks c WHERE c.generation_id = g.generation_id)
           FROM generations g JOIN collections k USING (collection_id)
           WHERE (g.doc_id, g.generation) > (?, ?) ORDER BY g.doc_id, g.generation LIMIT ?""",
        (*after, limit),
    )
    return [Indexed(doc_id, generation, collection, bool(active), chunks) for doc_id, generation, collection, active, chunks in rows]


@contextmanager
def _changing(connection: sqlite3.Connection, where: str, values: tuple[Any, ...]) -> Iterator[None]:
    """Increments the version of the collections that hold these generations, and afterwards merges their full-text tables, and makes
    segments of them."""
    changed = connection.execute(
        f"""UPDATE collections SET version = version + 1
            WHERE collection_id IN (SELECT collection_id FROM generations WHERE {where}) RETURNING collection_id""",
        values,
    ).fetchall()
    yield
    for (collection_id,) in changed:
        connection.execute(f"INSERT INTO words_{collection_id} (words_{collection_id}, rank) VALUES ('merge', {MERGE_PAGES})")
        while add_segment(connection, collection_id):
            pass


def _own(chunk: Chunk, document: Document) -> str | None:
    """The chunk's metadata that its document does not have, as JSON."""
    if chunk.metadata is document.metadata:
        return None
    own = {name: value for name, value in chunk.metadata.items() if name not in document.metadata or document.metadata[name] != value}
    return json.dumps(own) if own else None


def _delete_generations(connection: sqlite3.Connection, where: str, values: tuple[Any, ...]) -> None:
    chunks = connection.execute(
        f"SELECT rowid, collection_id FROM chunks WHERE generation_id IN (SELECT generation_id FROM generations WHERE {where})", values
    ).fetchall()
    for chunk in chunks:
        connection.execute(f"DELETE FROM words_{chunk['collection_id']} WHERE rowid = ?", (chunk["rowid"],))
    for collection_id in {chunk["collection_id"] for chunk in chunks}:
        forget(connection, collection_id, [chunk["rowid"] for chunk in chunks if chunk["collection_id"] == collection_id])
    connection.execute(f"DELETE FROM generations WHERE {where}", values)


def _make_collection(connection: sqlite3.Connection, name: str) -> int:
    row = connection.execute("INSERT INTO collections (name) VALUES (?) ON CONFLICT DO NOTHING RETURNING collection_id", (name,)).fetchone()
    if row is None:
        row = connection.execute("SELECT collection_id FROM collections WHERE name = ?", (name,)).fetchone()
        return int(row["collection_id"])
    for statement in FULL_TEXT:
        connection.execute(statement.format(row["collection_id"]))
    return int(row["collection_id"])
