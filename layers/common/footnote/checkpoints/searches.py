"""An index whose candidates are stored for replay: chunk ids and scores, no text."""

from __future__ import annotations

from footnote.checkpoints.turn_checkpoint import TurnCheckpoint, digest
from footnote.ports import Index, WrappedIndex
from footnote.types import Caller, Candidate, Candidates, Search


class ReplayedSearches(WrappedIndex):
    """`ports.Index` that wraps another. Only `candidates` is replayed: texts are always read through the index's permission check."""

    def __init__(self, index: Index, checkpoint: TurnCheckpoint) -> None:
        super().__init__(index)
        self._checkpoint = checkpoint

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


def _digest(search: Search) -> str:
    """A digest of the search. Of a vector, only its presence counts, because embedders are not reproducible to the last bit. A search
    without text is identified by its rounded vector."""
    meaning = None if search.vector is None else ("vector" if search.text else tuple(round(float(x), 2) for x in search.vector))
    filters = sorted(search.filters.items())
    return digest(search.collection, search.text, search.lang, meaning, search.limit, search.levels, filters, search.conditions)
