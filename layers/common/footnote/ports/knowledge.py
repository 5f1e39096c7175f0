"""What is built of passages beside words and vectors: entities and relations, summaries, a vector for each token.

It is stored with its passage: who may not read the passage gets none of it, and it goes with the passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from footnote.types import Caller, Chunk

Layer = Literal["graph", "tree", "themes", "tokens"]
"""graph: entities and relations of a passage. tree: the summary of a group of passages, at the one that holds its central sentence, and
nothing at the others. themes: the same above summaries. tokens: a vector for each token."""


@dataclass(frozen=True, slots=True)
class LayerScope:
    """A layer of a collection. `recipe`: what makes it, and its version; what has another one is not read, and is built again."""

    collection: str
    layer: Layer
    recipe: str


@dataclass(frozen=True, slots=True)
class Built:
    """What was built of a passage. `keys`: it is found by them (`KnowledgeReads.keyed`)."""

    chunk_id: str
    data: bytes
    keys: tuple[str, ...] = ()


class KnowledgeReads(Protocol):
    """Reads on somebody's behalf: what belongs to passages that the caller may not read, or that are not active, is not there."""

    async def built(self, caller: Caller, scope: LayerScope, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        """Chunk id → the data of the passage, where there is some."""

    async def built_in(self, caller: Caller, scope: LayerScope) -> dict[str, bytes]:
        """The same for all passages of the collection, without empty data."""

    async def keyed(self, caller: Caller, scope: LayerScope, keys: Sequence[str], limit: int) -> dict[str, tuple[str, ...]]:
        """Key → chunk ids of at most `limit` passages with it, in their order; keys without any are left out."""


class Knowledge(KnowledgeReads, Protocol):
    """All of it, as it is built and dropped."""

    async def unbuilt(self, scope: LayerScope, limit: int) -> list[Chunk]:
        """Active passages (chunk level 2) without this layer, oldest first, those of a document one after the other."""

    async def put_built(self, scope: LayerScope, built: Sequence[Built]) -> None:
        """Stores what was built, in place of what was there. Passages that were deleted meanwhile are skipped."""

    async def drop_built(self, collection: str, layer: Layer) -> None:
        """Removes a layer of a collection, whatever made it."""

    async def layer_progress(self, scope: LayerScope) -> tuple[int, int]:
        """(passages that have the layer, passages of the collection)."""
