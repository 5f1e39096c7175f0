"""Stores every turn, however it ended, and loads the conversation before a turn, with the system prompt of its room."""

from __future__ import annotations

from footnote.checkpoints import TurnCheckpoint
from footnote.memory.withdrawn import WITHDRAWN, read_again
from footnote.ports import Clock, Index, Ledger, TurnStore
from footnote.prompts import Prompts
from footnote.settings import Settings
from footnote.steps import known_early
from footnote.text.surrogates import repair
from footnote.turn_records.make import make_record
from footnote.turn_records.read import passages_of, question_of, quoted_in, standalone_of, trimmed
from footnote.types import Conversation, Exchange, Turn, TurnRecord
from footnote.types.copies import replace

LONGEST_QUESTION = 10_000
"""Number of characters that are stored. A rejected question may be as long as a request body."""


@known_early
def is_kept(turn: Turn) -> bool:
    """The turn is not a test."""
    return not turn.request.is_test


@known_early
def needs_history(turn: Turn) -> bool:
    """The question belongs to a stored conversation."""
    return turn.profile.history > 0 and turn.request.room_id is not None and not turn.conversation.exchanges


async def open_turn(turn: Turn, *, turns: TurnStore, clock: Clock) -> Turn:
    """Stores the question, so that the turn appears in its room even if its process dies."""
    await turns.save(make_record(turn, "idle", now=clock()))
    return turn


async def load_history(
    turn: Turn, *, turns: TurnStore, index: Index, ledger: Ledger, settings: Settings, checkpoint: TurnCheckpoint | None
) -> Turn:
    """Sets `turn.conversation` to the last finished turns of the same room, dialect and mode. For a filtered question, only turns
    filtered by one of its values count. Turns that quote a document that the caller may no longer read are left out.
    A repeated request sees the conversation as it was at the first request, a replay as it was before the turn that it asks again."""
    classes = frozenset(value for values in turn.request.filters.values() for value in values)
    before = turn.request.replays or (None if checkpoint is None else turn.trace_id)
    mode, limit = turn.request.search_type, settings.conversation.turns(turn.profile.history)
    found = await turns.history(turn.caller, turn.room_id, turn.profile.name, limit, mode=mode, classes=classes, before=before)
    if any(map(quoted_in, found)):
        readable = await read_again(found, turn.caller, index=index, ledger=ledger)
        found = [record for record in readable.records if record["outcome"] != WITHDRAWN]
    quoted = {each["doc_id"]: each["passage"] for record in found for each in quoted_in(record)}
    last = next((record for record in reversed(found) if record["hits"]), None)
    return replace(
        turn,
        conversation=Conversation(
            exchanges=tuple(map(_exchange, found)),
            trace_ids=tuple(record["trace_id"] for record in found),
            asked=standalone_of(last) if last else "",
            passages=tuple(passages_of(last)) if last else (),
            quoted=tuple((passage, doc_id) for doc_id, passage in quoted.items()),
        ),
    )


def _exchange(record: TurnRecord) -> Exchange:
    return Exchange(question_of(record), record["result"]["final_response"])


async def save_turn(turn: Turn, *, turns: TurnStore, clock: Clock) -> Turn:
    """Stores the turn, which counts it, and sets `turn.trace.persisted`. A turn that failed or has no answer is stored as an error, with
    the text already sent. An agent's tool calls are dropped from a finished turn and kept in an unfinished one."""
    request = replace(turn.request, question=repair(turn.request.question[:LONGEST_QUESTION]))
    saved = replace(turn, request=request, trace=replace(turn.trace, persisted=True))
    done = turn.answer is not None and turn.trace.partial is None
    record = make_record(saved, "done" if done else "error", now=clock())
    if done:
        record["conversations"] = trimmed(record["conversations"])
        saved = replace(saved, trace=replace(saved.trace, tool_messages=()))
    await turns.save(record)
    return saved


@known_early
def keeps_room_prompt(turn: Turn) -> bool:
    """The API keeps the first system prompt of a conversation in force."""
    return turn.profile.room_prompt


async def keep_room_prompt(turn: Turn, *, turns: TurnStore, prompts: Prompts) -> Turn:
    """Sets `turn.conversation.system` to the stored prompt of the room, so that a prompt that an admin changes counts for new rooms; or to
    the current one, which is then stored with this turn. An agent's prompt depends on its tools, so the agent sets it itself where none is
    stored."""
    name, kept = turn.profile.prompt, None
    if turn.request.room_id is not None:
        kept = await turns.room_prompt(turn.caller, turn.room_id, turn.profile.name, name)
    if kept is None and turn.request.mode == "pa":
        return turn
    system = prompts.render(name, turn.lang, {}, turn.plan.prompts) if kept is None else kept
    return replace(turn, conversation=replace(turn.conversation, system=system, keeps_system=kept is None))
