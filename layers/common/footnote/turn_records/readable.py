"""Which documents of stored turns, and which questions of others, a caller may read."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Sequence

from footnote.errors import NotFound
from footnote.ports import Ledger, StatisticsStore
from footnote.turn_records.read import documents_of, quoted_in
from footnote.types import EXTERNAL_IDS, Caller, Outcome, TurnFigures, TurnRecord

AT_ONCE = 100
"""Documents that are looked up at the same time."""
CHECKED_AT_ONCE = 50
"""Questions whose documents are looked up together."""
WITHHELD: tuple[Outcome, ...] = ("forbidden", "blocked")
"""How questions ended that a check refused, or could not check: nobody else ever sees them, even if they passed another time."""


async def readable_documents(doc_ids: Iterable[str], caller: Caller, ledger: Ledger) -> frozenset[str]:
    """The documents that exist and that the caller may read now. Ids of external systems are never among them."""
    ordered = sorted(set(doc_ids))
    readable: set[str] = set()
    for first in range(0, len(ordered), AT_ONCE):
        some = ordered[first : first + AT_ONCE]
        checks = await asyncio.gather(*(_is_readable(doc_id, caller, ledger) for doc_id in some))
        readable.update(doc_id for doc_id, is_readable in zip(some, checks, strict=True) if is_readable)
    return frozenset(readable)


def needed_to_show(record: TurnRecord, caller: Caller) -> frozenset[str]:
    """The documents that the caller must be allowed to read to see the turn. Results of a connected system are shown to their user, as they
    were then."""
    if not (caller.sees_all or record["user_id"] == caller.user_id):
        return frozenset(documents_of(record))
    return frozenset(passage["doc_id"] for passage in quoted_in(record) if not passage["passage"].startswith(EXTERNAL_IDS))


def needed_to_show_question(turn: TurnFigures, caller: Caller) -> frozenset[str]:
    """The same for the question alone: none for the one who asked it."""
    return frozenset() if turn.user_id == caller.user_id else frozenset(turn.documents)


async def _is_readable(doc_id: str, caller: Caller, ledger: Ledger) -> bool:
    try:
        await ledger.get(caller, doc_id)
    except NotFound:
        return False
    return True


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


async def withheld_questions(caller: Caller, statistics: StatisticsStore) -> list[str]:
    """Every question that was WITHHELD, among the stored turns that the caller gets: everybody's for an admin, their own for others. There
    is no limit: a question that is left out would be shown."""
    return [turn.question for turn in await statistics.ended_as(caller, WITHHELD, 0.0, math.inf, None)]
