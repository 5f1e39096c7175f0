"""Replays a finished turn for a repeated request."""

from __future__ import annotations

from collections.abc import AsyncGenerator

from footnote.errors import FootnoteError, NotFound
from footnote.events import Done, Event, Failed, Token
from footnote.memory.withdrawn import read_again
from footnote.ports import Index, Ledger, TurnStore
from footnote.turn_records.restore import restore
from footnote.types import Turn


async def stored_turn(turn: Turn, *, turns: TurnStore, index: Index, ledger: Ledger) -> Turn:
    """The stored turn with the trace id of `turn`, complete enough for every API to encode the same reply again.

    `turn`: the turn at its beginning, with the trace id of the first request. Passages are read again for the caller. If the
    stored turn quotes a document that the caller may no longer read, its outcome is `withdrawn` and only the question is left. A
    turn that failed has `record.partial`. NotFound if the turn belongs to another user or has not ended.
    """
    record = await turns.get(turn.caller, turn.trace_id)
    if record["user_id"] != turn.caller.user_id or record["status"] == "idle":
        raise NotFound("There is no such turn.")
    readable = await read_again([record], turn.caller, index=index, ledger=ledger)
    return restore(turn, readable.records[0], readable.chunks)


async def replay(turn: Turn) -> AsyncGenerator[Event, None]:
    """The events of a finished turn: its text in one piece, then its end. Errors are not stored, so a failed turn has a generic one."""
    if turn.trace.partial is not None:
        yield Failed(FootnoteError(), turn, turn.trace.partial)
        return
    if turn.answer is not None and turn.answer.text:
        yield Token(turn.answer.text)
    yield Done(turn)
