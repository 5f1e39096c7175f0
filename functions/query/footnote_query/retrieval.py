"""Retrieval without an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from footnote.errors import Rejected
from footnote.types import Turn
from footnote_query.citations import answer_text

if TYPE_CHECKING:
    from footnote.bootstrap import Core


async def find_hits(turn: Turn, core: Core) -> Turn:
    """Runs retrieval and returns the turn with its hits. Rejected if a check rejects the question or cannot be made, because an
    empty result would be misleading."""
    turn = await core.retrieve.finish(turn)
    if turn.outcome in ("forbidden", "blocked"):
        raise Rejected(answer_text(turn))
    return turn
