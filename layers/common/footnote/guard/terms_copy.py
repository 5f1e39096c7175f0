"""A copy of the forbidden terms in the cache, for processes that cannot reach the records.

Processes that read the records refresh it, and a change of a term deletes it first. It is therefore never behind the records:
while these are down, terms cannot be changed. The entry `terms` is the head with the time of the last comparison;
`terms:<digest>:<n>` are its pages.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from footnote.errors import StoreUnavailable
from footnote.ports import Cache

HEAD = "terms"
KEPT_S, REWRITE_S = 7 * 24 * 3600.0, 24 * 3600.0
"""Lifetime of a copy that is not refreshed; age after which its pages are rewritten."""
REFRESH_S = 60.0
"""Age after which the head is rewritten."""
PER_PAGE = 30
"""Terms per page: with the longest vectors, a page fits into a DynamoDB item."""

Row = tuple[str, str | None, str | None, dict[str, str]]
"""Text, match, topic, and {name of an embedder: vector in base64}."""


@dataclass(frozen=True, slots=True)
class SharedCopy:
    """The copy in the cache. `known_at`: when it was last compared with the records."""

    known_at: float
    rows: tuple[Row, ...]


class SharedTerms:
    """Reads and writes the copy in the cache."""

    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    async def refresh(self, rows: Sequence[Row], now: float) -> bool:
        """Writes the copy if it has changed or aged; returns whether it did. A cache that is down is ignored."""
        digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:24]
        with suppress(StoreUnavailable):
            head = await self._cache.get(HEAD) or {}
            same = head.get("digest") == digest
            if same and now - head["known_at"] < REFRESH_S:
                return False
            pages = [rows[start : start + PER_PAGE] for start in range(0, len(rows), PER_PAGE)]
            written_at = head["written_at"] if same and now - head["written_at"] < REWRITE_S else now
            if written_at == now:
                for number, page in enumerate(pages):
                    await self._cache.put(_page(digest, number), page, KEPT_S + REWRITE_S)
            await self._cache.put(HEAD, {"digest": digest, "pages": len(pages), "known_at": now, "written_at": written_at}, KEPT_S)
            return True
        return False

    async def find(self) -> SharedCopy | None:
        """The copy; None if there is none or it is incomplete. Raises StoreUnavailable if the cache is down."""
        head = await self._cache.get(HEAD)
        if head is None:
            return None
        rows: list[Row] = []
        for number in range(head["pages"]):
            page = await self._cache.get(_page(head["digest"], number))
            if page is None:
                return None
            rows += map(tuple, page)
        return SharedCopy(head["known_at"], tuple(rows))

    async def forget(self) -> None:
        """Deletes the copy. Raises StoreUnavailable if the cache is down."""
        await self._cache.delete(HEAD)


def _page(digest: str, number: int) -> str:
    return f"{HEAD}:{digest}:{number}"
