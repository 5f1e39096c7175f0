"""Which documents of stored turns a caller may read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from footnote.errors import NotFound
from footnote.ports import Ledger
from footnote.turn_records.read import documents_of, quoted_in
from footnote.types import EXTERNAL_IDS, Caller, TurnFigures, TurnRecord

AT_ONCE = 100
"""Documents that are looked up at the same time."""


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
