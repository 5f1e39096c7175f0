"""Compares the question with the first results token by token."""

from __future__ import annotations

from collections.abc import Callable

from footnote.knowledge.late_interaction import max_similarity, unpack_tokens
from footnote.ports import Embedder, Found, KnowledgeReads, LayerScope, Scope, TokenEmbedder
from footnote.types import Candidate, Query

COMPARED = 50
"""Of the results by words and vectors."""


class TokenSearch:
    """`ports.RankedLists` over the token vectors that a collection has built. `embedder`: collection → what embeds its questions."""

    def __init__(self, knowledge: KnowledgeReads, embedder: Callable[[str], Embedder | None]) -> None:
        self._knowledge, self._embedder = knowledge, embedder

    async def search(self, query: Query, scope: Scope) -> Found:
        """The first results, by the mean over the question's tokens of the highest cosine with a token of the passage; the best has score
        1, the worst 0."""
        embedder = self._embedder(scope.collection)
        if not isinstance(embedder, TokenEmbedder) or not scope.seeds:
            return Found()
        first = [entry.chunk_id for entry in scope.seeds[:COMPARED]]
        seen = await scope.readable(first)
        layer = LayerScope(scope.collection, "tokens", scope.recipe)
        built = await self._knowledge.built(scope.caller, layer, [chunk_id for chunk_id in first if chunk_id in seen])
        if not built:
            return Found()
        (asked,) = await embedder.embed_tokens([query.text], query=True)
        scores = max_similarity(asked, [unpack_tokens(data) for data in built.values()])
        least, most = min(scores), max(scores)
        shares = [(score - least) / (most - least) if most > least else 1.0 for score in scores]
        found = (Candidate(chunk_id, share) for chunk_id, share in zip(built, shares, strict=True))
        return Found(tuple(sorted(found, key=lambda entry: (-entry.score, entry.chunk_id))[: scope.limit]))
