"""The index of one turn, which reads a view, a weight and the sentences of a passage once.

Ranking, the answer, its checks and the caches read the same ones within milliseconds. Results are reused for LATEST_S, like the directory
of collections: a step after a model's call reads again. Candidates and texts are never kept, so every read of passages is a permission
check (`Index.read`), and passages that it no longer returns are dropped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any, TypeVar

from footnote.collections.service import LATEST_S
from footnote.ports import Clock, Index, View, WrappedIndex
from footnote.types import Caller, Chunk, ChunkSentences

T = TypeVar("T")


class CachedIndex(WrappedIndex):
    """`ports.Index` that wraps another and keeps the results for each caller. It belongs to one turn, and nothing is shared between
    turns."""

    def __init__(self, index: Index, clock: Clock) -> None:
        super().__init__(index)
        self._clock = clock
        self._kept: defaultdict[Hashable, dict[str, Any]] = defaultdict(dict)
        self._since = clock()

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        chunks = await self._index.read(caller, chunk_ids)
        for gone in {*chunk_ids} - {chunk.chunk_id for chunk in chunks}:
            for entries in self._kept.values():
                entries.pop(gone, None)
        return chunks

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        return await self._once((caller, embedder), chunk_ids, lambda missing: self._index.sentences(caller, missing, embedder))

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        return await self._once(
            ("weights", caller, collection), terms, lambda missing: self._index.term_weights(caller, collection, missing)
        )

    async def view(self, caller: Caller, collection: str) -> View:
        async def read(_: Sequence[str]) -> dict[str, View]:
            return {collection: await self._index.view(caller, collection)}

        return (await self._once(("view", caller), [collection], read))[collection]

    async def _once(self, kind: Hashable, names: Sequence[str], read: Callable[[list[str]], Awaitable[dict[str, T]]]) -> dict[str, T]:
        """Name → value for the names that exist. `read` fetches those that are not kept yet."""
        if not 0 <= (now := self._clock()) - self._since < LATEST_S:
            self._kept.clear()
            self._since = now
        entries: dict[str, T] = self._kept[kind]
        if missing := [name for name in names if name not in entries]:
            entries |= await read(missing)
        return {name: entries[name] for name in names if name in entries}
