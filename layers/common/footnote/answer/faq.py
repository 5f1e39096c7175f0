"""What do we say to a frequent question? The answer that somebody wrote for it."""

from __future__ import annotations

from footnote.types import Turn


def may_be_faq(turn: Turn) -> bool:
    return any(hit.chunk.metadata.get("paragraph_type") == "faq" for hit in turn.hits[:3])


async def answer_from_faq(turn: Turn) -> Turn:
    return turn
