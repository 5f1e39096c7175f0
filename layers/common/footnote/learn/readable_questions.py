"""Questions of several turns each, of which a caller sees those whose documents they may read."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.ports import Ledger
from footnote.turn_records.readable import needed_to_show_question, readable_documents
from footnote.types import Caller, TurnFigures

CHECKED_AT_ONCE = 50
"""Questions whose documents are looked up together."""


async def readable_questions(
    questions: Sequence[Sequence[TurnFigures]], most: int, caller: Caller, ledger: Ledger
) -> list[Sequence[TurnFigures]]:
    """The first `most` of the questions that the caller asked alone, or whose other turns depend on no document that they may not
    read."""
    shown: list[Sequence[TurnFigures]] = []
    for first in range(0, len(questions), CHECKED_AT_ONCE):
        some = questions[first : first + CHECKED_AT_ONCE]
        needed = [frozenset[str]().union(*(needed_to_show_question(turn, caller) for turn in turns)) for turns in some]
        readable = await readable_documents(frozenset().union(*needed), caller, ledger)
        shown += [turns for turns, documents in zip(some, needed, strict=True) if documents <= readable]
        if len(shown) >= most:
            break
    return shown[:most]
