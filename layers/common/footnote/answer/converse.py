"""What do we say without documents? The conversation so far, as a model's messages."""

from __future__ import annotations

from footnote.types import Turn


async def assemble_conversation(turn: Turn) -> Turn:
    return turn
