"""Keeps the system prompt of a room's first turn in force in the room: a prompt that an admin changes counts for new rooms."""

from __future__ import annotations

from dataclasses import replace

from footnote.ports import TurnStore
from footnote.prompts import Prompts
from footnote.steps import known_early
from footnote.types import Turn


@known_early
def keeps_room_prompt(turn: Turn) -> bool:
    """The API keeps the first system prompt of a conversation in force."""
    return turn.profile.room_prompt


async def keep_room_prompt(turn: Turn, *, turns: TurnStore, prompts: Prompts) -> Turn:
    """Sets `turn.conversation.system` to the stored prompt of the room, or to the current one, which is then stored with this turn. An
    agent's prompt depends on its tools, so the agent sets it itself where none is stored."""
    name, kept = turn.profile.prompt, None
    if turn.request.room_id is not None:
        kept = await turns.room_prompt(turn.caller, turn.room_id, turn.profile.name, name)
    if kept is None and turn.request.mode == "pa":
        return turn
    system = prompts.render(name, turn.lang, {}, turn.plan.prompts) if kept is None else kept
    return replace(turn, conversation=replace(turn.conversation, system=system, keeps_system=kept is None))
