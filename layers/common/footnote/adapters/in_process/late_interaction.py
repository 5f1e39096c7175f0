"""Late interaction: every token of a query is compared with every token of a passage (ColBERT's MaxSim).

score = mean over the query's tokens of max over the passage's tokens (cosine)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING

from footnote.ports import Found, Scope
from footnote.types import Candidate, Query

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Tokens = Callable[[Query], Awaitable["npt.NDArray[np.float32]"]]
"""A query → a unit vector for each of its tokens."""


class LateInteraction:
    """`ports.RankedLists` over `passages`: collection → chunk id → a unit vector for each of its tokens."""

    def __init__(self, tokens: Tokens, passages: Mapping[str, Mapping[str, npt.NDArray[np.float32]]]) -> None:
        self._tokens, self._passages = tokens, passages

    async def search(self, query: Query, scope: Scope) -> Found:
        """All passages are compared; those with no token in common direction (score 0 or less) are left out."""
        passages = self._passages.get(scope.collection, {})
        asked = await self._tokens(query) if passages else None
        if asked is None or not len(asked):
            return Found()
        scored = [Candidate(chunk_id, float((asked @ made.T).max(axis=1).mean())) for chunk_id, made in passages.items() if len(made)]
        scored = sorted((entry for entry in scored if entry.score > 0), key=lambda entry: (-entry.score, entry.chunk_id))
        kept: list[Candidate] = []
        for start in range(0, len(scored), scope.limit):  # a passage's score depends on itself alone
            batch = scored[start : start + scope.limit]
            seen = await scope.readable([entry.chunk_id for entry in batch])
            kept += [entry for entry in batch if entry.chunk_id in seen]
            if len(kept) >= scope.limit:
                break
        return Found(tuple(kept[: scope.limit]))
