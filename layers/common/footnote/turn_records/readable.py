"""Which documents of stored turns a caller may read."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from footnote.errors import NotFound
from footnote.ports import Ledger
from footnote.types import Caller


async def readable_documents(doc_ids: Iterable[str], caller: Caller, ledger: Ledger) -> frozenset[str]:
    """Those of the documents that exist and that the caller may read now. Ids of external systems are never among them."""
    asked = sorted(set(doc_ids))
    found = await asyncio.gather(*(_is_readable(doc_id, caller, ledger) for doc_id in asked))
    return frozenset(doc_id for doc_id, readable in zip(asked, found, strict=True) if readable)


async def _is_readable(doc_id: str, caller: Caller, ledger: Ledger) -> bool:
    try:
        await ledger.get(caller, doc_id)
    except NotFound:
        return False
    return True
