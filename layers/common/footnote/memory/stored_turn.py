"""Gives a finished turn once more, for a request that is sent again."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from footnote.errors import FootnoteError, NotFound
from footnote.events import Done, Event, Failed, Token
from footnote.memory.withdrawn import read_again
from footnote.ports import Index, Ledger, TurnStore
from footnote.turn_records.restore import restore
from footnote.types import Turn


async def stored_turn(turn: Turn, *, turns: TurnStore, index: Index, ledger: Ledger) -> Turn:
    """The stored turn of this trace id, which every API encodes as it did the first time.

    `turn`: as the same request begins it, with the first one's trace id. Its passages are read again for its caller. If it
    quotes a document that the caller may not read any more, its outcome is `withdrawn` and only the question is left. A turn that failed
    has `record.partial`. NotFound for a turn that is not the caller's own, and for one that has not ended.
    """
    record = await turns.get(turn.caller, turn.trace_id)
    if record["user_id"] != turn.caller.user_id or record["status"] == "idle":
        raise NotFound("There is no such turn.")
    readable = await read_again([record], turn.caller, index=index, ledger=ledger)
    return restore(turn, readable.records[0], readable.chunks)


async def replay(turn: Turn) -> AsyncGenerator[Event, None]:
    """The events of a turn that is over: its text in one piece, and its end. Why a turn failed is not stored, so its error is generic."""
    if turn.record.partial is not None:
        yield Failed(FootnoteError(), turn, turn.record.partial)
        return
    if turn.answer is not None and turn.answer.text:
        yield Token(turn.answer.text)
    yield Done(turn)
