"""A reranker whose scores are stored for replay: positions and scores, no text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from footnote.checkpoints.turn_checkpoint import TurnCheckpoint, digest
from footnote.errors import Unavailable
from footnote.ports import Reranker


class ReplayedReranker:
    """`ports.Reranker` that wraps another and replays its scores for the same question and the same texts. Scores stay valid when
    another reranker is configured in the meantime, as replies of models do."""

    def __init__(self, reranker: Reranker, checkpoint: TurnCheckpoint) -> None:
        self._reranker, self._checkpoint = reranker, checkpoint

    async def rerank(self, query: str, texts: Sequence[str]) -> Mapping[int, float]:
        """As `Reranker.rerank`. Scores that cannot be stored are used all the same: they are paid for."""
        key = digest(query, tuple(texts))
        if (kept := self._checkpoint.replay("rerank", key)) is not None:
            return {int(at): float(score) for at, score in kept["scores"]}
        scores = await self._reranker.rerank(query, texts)
        with suppress(Unavailable):
            await self._checkpoint.keep("rerank", key, scores=[[at, float(score)] for at, score in scores.items()])
        return scores

    async def close(self) -> None:
        """Closes connections."""
        await self._reranker.close()
