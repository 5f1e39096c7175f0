"""Embeddings at an endpoint with OpenAI's API."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from footnote.adapters.openai.endpoint import OpenAIEndpoint
from footnote.adapters.openai.wire import translate
from footnote.adapters.shared.embedder import malformed, wrong_length
from footnote.errors import ModelTimeout

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

QUERY_S, TEXTS_S = 3.0, 60.0
"""Longest waits for vectors of a question (without them the search is lexical only) and of passages."""


class OpenAIEmbedder:
    """`ports.Embedder` at an endpoint; assumed to support every language. `prefixes`: what its model wants before a question and before a
    passage. The latter is part of the name, since it changes the vectors that are stored."""

    languages: frozenset[str] | None = None

    def __init__(self, endpoint: OpenAIEndpoint, model: str, dimension: int, prefixes: tuple[str, str] = ("", "")) -> None:
        self.name = f'{model} "{prefixes[1]}"' if prefixes[1] else model
        self.dimension = dimension
        self._endpoint = endpoint
        self._model = model
        self._prefixes = prefixes

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> npt.NDArray[np.float32]:
        import numpy as np

        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        before = self._prefixes[0 if query else 1]
        try:
            client = await self._endpoint.client()
            async with asyncio.timeout(QUERY_S if query else TEXTS_S):
                reply = await client.embeddings.create(model=self._model, input=[before + text for text in texts], encoding_format="float")
        except TimeoutError as exc:
            raise ModelTimeout(f"The embedding model {self._model} did not answer in time.") from exc
        except Exception as exc:
            raise translate(exc, self._model) from exc
        try:
            vectors = np.array([item.embedding for item in reply.data], np.float32)
            rows, length = vectors.shape
        except (AttributeError, TypeError, ValueError) as exc:
            raise malformed(self._model) from exc
        if length != self.dimension:
            raise wrong_length(self._model, str(length), self.dimension)
        if rows != len(texts) or not np.isfinite(vectors).all():
            raise malformed(self._model)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        lengths[lengths == 0] = 1  # a zero vector matches nothing; an error would block the other passages of the batch
        return np.asarray(vectors / lengths, np.float32)

    async def close(self) -> None:
        """Closes the connections."""
        await self._endpoint.close()
