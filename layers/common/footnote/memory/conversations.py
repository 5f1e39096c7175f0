"""What lasts between turns? Every turn is stored, whatever became of it."""

from __future__ import annotations

import logging
from dataclasses import replace

from footnote.errors import FootnoteError
from footnote.memory.withdrawn import WITHDRAWN, read_again
from footnote.ports import Block, Index, Ledger, TurnStore, question_of, quoted_in
from footnote.steps import known_early
from footnote.text.surrogates import repair
from footnote.types import Conversation, Exchange, Turn

log = logging.getLogger(__name__)

LONGEST_QUESTION = 10_000
"""Characters that are stored: one that was rejected is as it came, and may be as long as a body."""


@known_early
def is_kept(turn: Turn) -> bool:
    """The turn is no test."""
    return not turn.request.is_test


@known_early
def needs_history(turn: Turn) -> bool:
    """The question belongs to a conversation whose turns are stored here."""
    return turn.profile.history > 0 and turn.request.room_id is not None and not turn.conversation.exchanges


async def open_turn(turn: Turn, *, turns: TurnStore) -> Turn:
    """Stores the question, so that a turn whose process dies is not lost, and has its place in its room."""
    await turns.save(turn, "idle")
    return turn


async def load_history(turn: Turn, *, turns: TurnStore, index: Index, ledger: Ledger) -> Turn:
    """`turn.conversation`: the last finished turns of the same room, dialect and mode; of a filtered question, those that were
    filtered by one of its values. What quotes a document that may not be read any more is not among them."""
    classes = frozenset(value for values in turn.request.filters.values() for value in values)
    room = turn.request.room_id or turn.trace_id
    blocks = await turns.history(turn.caller, room, turn.profile.name, turn.profile.history, mode=turn.request.mode, classes=classes)
    if any(map(quoted_in, blocks)):
        told = await read_again(blocks, turn.caller, index=index, ledger=ledger)
        blocks = [block for block in told.blocks if block["outcome"] != WITHDRAWN]
    quoted = {each["doc_id"]: each["passage"] for block in blocks for each in quoted_in(block)}
    return replace(
        turn,
        conversation=Conversation(
            exchanges=tuple(map(_exchange, blocks)),
            trace_ids=tuple(block["trace_id"] for block in blocks),
            leans_on=tuple((passage, doc_id) for doc_id, passage in quoted.items()),
        ),
    )


def _exchange(block: Block) -> Exchange:
    return Exchange(question_of(block), block["result"]["final_response"])


async def save_turn(turn: Turn, *, turns: TurnStore) -> Turn:
    """`turn.record.persisted`. A turn that failed or has no answer is stored as an error, with what had been sent of one. Of a
    finished agent's turn the talk with its tools is let go of; an unfinished one keeps it."""
    request = replace(turn.request, question=repair(turn.request.question[:LONGEST_QUESTION]))
    saved = replace(turn, request=request, record=replace(turn.record, persisted=True))
    done = turn.answer is not None and turn.record.partial is None
    await turns.save(saved, "done" if done else "error")
    try:
        if done and turn.record.tool_messages:
            await turns.trim(turn.caller, turn.trace_id)
            saved = replace(saved, record=replace(saved.record, tool_messages=()))
        await turns.count(saved)
    except FootnoteError as exc:  # the turn is stored; its figures are made anew every hour
        log.warning("turn not counted", extra={"trace_id": turn.trace_id, "error": type(exc).__name__})
    return saved
