"""An index whose candidates are stored for replay: chunk ids and scores, no text."""

from __future__ import annotations

from collections.abc import Sequence

from footnote.checkpoints.turn_checkpoint import TurnCheckpoint, digest
from footnote.ports import Index, View
from footnote.types import Caller, Candidate, Candidates, Chunk, ChunkSentences, Search


class ReplayedSearches:
    """`ports.Index` that wraps another. Only `candidates` is replayed: texts are always read through the index's permission check."""

    def __init__(self, index: Index, checkpoint: TurnCheckpoint) -> None:
        self._index, self._checkpoint = index, checkpoint

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        key = _digest(search)
        if (kept := self._checkpoint.replay("search", key)) is not None:
            lexical, dense = (tuple(Candidate(*entry) for entry in kept[name]) for name in ("lexical", "dense"))
            return Candidates(lexical, dense, kept["coverage"], frozenset(kept["bare"]), frozenset(kept.get("missing", ())))
        candidates = await self._index.candidates(caller, search)
        lists = {
            name: [[entry.chunk_id, float(entry.score), entry.foreign] for entry in getattr(candidates, name)]
            for name in ("lexical", "dense")
        }
        others = {"coverage": float(candidates.coverage), "bare": sorted(candidates.bare), "missing": sorted(candidates.missing)}
        self._checkpoint.keep_later("search", key, **lists, **others)
        return candidates

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        return await self._index.read(caller, chunk_ids)

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        return await self._index.sentences(caller, chunk_ids, embedder)

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        return await self._index.term_weights(caller, collection, terms)

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        return await self._index.known_terms(caller, collection, terms)

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        return await self._index.titled(caller, collection, titles)

    async def view(self, caller: Caller, collection: str) -> View:
        return await self._index.view(caller, collection)

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        return await self._index.sample(caller, collection, limit)


def _digest(search: Search) -> str:
    """A digest of the search. Of a vector, only its presence counts, because embedders are not reproducible to the last bit. A search
    without text is identified by its rounded vector."""
    meaning = None if search.vector is None else ("vector" if search.text else tuple(round(float(x), 2) for x in search.vector))
    filters = sorted(search.filters.items())
    return digest(search.collection, search.text, search.lang, meaning, search.limit, search.levels, filters, search.conditions)
