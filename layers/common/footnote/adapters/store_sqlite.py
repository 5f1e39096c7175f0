"""store.db: the embedded store's file, and the turns, feedback and roll-ups in it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from footnote.adapters.sqlite import Database, writing
from footnote.adapters.store_schema import SCHEMA, VERSION
from footnote.errors import Conflict, NotFound
from footnote.ports import Clock, Rollup, TurnRecord
from footnote.types import Caller, Citation, Feedback, Turn, Usage


def open_store(folder: Path) -> Database:
    """The store of a data folder, made when it is first used. Ledger, turns, cache and queue share it."""
    return Database(folder / "store.db", SCHEMA, VERSION)


class SqliteTurnStore:
    """Turns as version 3 conversation blocks (JSON), one row per trace, and feedback on them."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def save(self, turn: Turn, status: Literal["done", "error", "idle"]) -> None:
        """Saving a trace again replaces its block. Conflict when the trace is another user's."""
        block = make_block(turn, status, now=self._clock())
        await self._database.run(_save, turn, block)

    async def get(self, caller: Caller, trace_id: str) -> dict[str, Any]:
        row = await self._database.run(_own_turn, caller, trace_id)
        return _load_block(row)

    async def history(self, caller: Caller, room_id: str, dialect: str, limit: int) -> list[dict[str, Any]]:
        rows = await self._database.run(_room, caller.user_id, room_id, dialect, max(limit, 0))
        return [_load_block(row) for row in reversed(rows)]

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


def make_block(turn: Turn, status: Literal["done", "error", "idle"], *, now: float) -> dict[str, Any]:
    """The version 3 block of a turn: conversation, result and trace in one document."""
    answer = turn.answer
    conversations = [_message("user", turn.question, turn.started_at)]
    if answer is not None:
        conversations.append(_message("assistant", answer.text, now))
    return {
        "version": "v3",
        "status": status,
        "block_classes": sorted({value for values in turn.filters.values() for value in values}),
        "search_type": "rag",
        "conversations": conversations,
        "room_id": turn.room_id or turn.trace_id,
        "chat_id": turn.trace_id,
        "user_id": turn.caller.user_id,
        "is_tool_block": False,
        "is_error": status == "error",
        "result": {
            "type": "error" if status == "error" else "done",
            "final_response": answer.text if answer else "",
            "references": [_reference(citation) for citation in answer.citations] if answer else [],
            "usage": {
                "prompt_tokens": turn.usage.prompt_tokens,
                "completion_tokens": turn.usage.completion_tokens,
                "total_tokens": turn.usage.total_tokens,
                "estimated": turn.usage.estimated,
                "type": "usage",
            },
            "search_decision": {"rewritten_query": []},
        },
        "dialect": turn.profile.name,
        "trace_id": turn.trace_id,
        "collection": turn.collection,
        "outcome": turn.outcome,
        "degraded": turn.degraded,
        "llm": answer.model if answer else None,
        "extractive": answer.extractive if answer else False,
        "warnings": list(answer.warnings) if answer else [],
        "latency_ms": max(0, round((now - turn.started_at) * 1000)),
        "spans": [{"name": span.name, "ms": span.ms, "status": span.status, "detail": dict(span.detail)} for span in turn.spans],
        "created_at": _iso(turn.started_at),
    }


def _message(role: Literal["user", "assistant"], content: str, at: float) -> dict[str, Any]:
    return {"role": role, "content": content, "tool_calls": [], "tool_call_id": None, "name": None, "created_at": _iso(at)}


def _reference(citation: Citation) -> dict[str, Any]:
    chunk = citation.hit.chunk
    return {
        "index": citation.number,
        "doc_id": chunk.doc_id,
        "chunk_id": chunk.public_id,
        "title": chunk.title,
        "page": citation.page,
        "score": float(citation.hit.score),
        "snippet": citation.snippet,
    }


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")


def _load_block(row: sqlite3.Row) -> dict[str, Any]:
    block: dict[str, Any] = json.loads(row["block"])
    return block


def _save(connection: sqlite3.Connection, turn: Turn, block: dict[str, Any]) -> None:
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


def _room(connection: sqlite3.Connection, user_id: str, room_id: str, dialect: str, limit: int) -> list[sqlite3.Row]:
    """Newest first. By user even for a caller who sees all: two people may use the same room id."""
    return connection.execute(
        """SELECT block FROM turns WHERE user_id = ? AND room_id = ? AND dialect = ? AND status = 'done'
           ORDER BY started_at DESC, number DESC LIMIT ?""",
        (user_id, room_id, dialect, limit),
    ).fetchall()


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
    return [_record(_load_block(row), row["started_at"], tuple(given.get(row["trace_id"], ()))) for row in rows]


def _record(block: dict[str, Any], started_at: float, feedback: tuple[Feedback, ...]) -> TurnRecord:
    result = block["result"]
    usage = result["usage"]
    return TurnRecord(
        trace_id=block["trace_id"],
        user_id=block["user_id"],
        room_id=block["room_id"],
        search_type=block["search_type"],
        llm=block["llm"],
        question=block["conversations"][0]["content"],
        started_at=started_at,
        latency_ms=block["latency_ms"],
        outcome=block["outcome"],
        is_error=block["is_error"],
        usage=Usage(usage["prompt_tokens"], usage["completion_tokens"], usage["estimated"]),
        cited=tuple(reference["chunk_id"] for reference in result["references"]),
        feedback=feedback,
    )


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
