"""Vectors of texts that were embedded before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

VECTORS_KEPT_S = 180 * 24 * 3600.0
"""How long a vector is kept whose text is in no document any more and that was not deleted, as a process died in between."""


class VectorCache(Protocol):
    """Vectors by a digest of their text. What is lost is embedded again. Entries expire VECTORS_KEPT_S after they were put."""

    async def get(self, embedder: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Key → vector, for those that this embedder made."""

    async def put(self, embedder: str, vectors: Mapping[bytes, bytes]) -> None:
        """Stores vectors. It may drop others, to stay within its size, and those of other embedders under these keys."""

    async def delete(self, keys: Sequence[bytes]) -> None:
        """Deletes the vectors that any embedder made. Unknown keys are ignored."""

    async def close(self) -> None:
        """Closes connections and files."""
