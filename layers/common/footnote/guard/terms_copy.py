"""A copy of the forbidden terms in the cache, for processes that cannot reach the records.

Whoever reads the records refreshes it, and whoever changes a term deletes it first, so it is never behind the records: while
these are down nobody can change them. `terms` is the head, which says when the copy was last compared with the records;
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
"""How long the cache keeps a copy that nobody refreshes; age from which its pages are written again."""
REFRESH_S = 60.0
"""Age from which the head is written again."""
PER_PAGE = 30
"""Terms of a page: with the longest vectors they fit into an item of DynamoDB."""

Row = tuple[str, str | None, str | None, dict[str, str]]
"""Text, match, topic, and {name of an embedder: vector in base64}."""


@dataclass(frozen=True, slots=True)
class SharedCopy:
    """`known_at`: when somebody last compared it with the records."""

    known_at: float
    rows: tuple[Row, ...]


class SharedTerms:
    def __init__(self, cache: Cache) -> None:
        self._cache = cache

    async def refresh(self, rows: Sequence[Row], now: float) -> bool:
        """True where something was written. A cache that is down keeps what it has."""
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
        """StoreUnavailable while the cache is down."""
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
        """StoreUnavailable while the cache is down."""
        await self._cache.delete(HEAD)


def _page(digest: str, number: int) -> str:
    return f"{HEAD}:{digest}:{number}"
