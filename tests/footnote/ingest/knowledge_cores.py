"""What is filled in where knowledge is built, and what was built of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from footnote.bootstrap import Core
from footnote.ingest.knowledge import KnowledgeState
from footnote.knowledge.recipes import scopes_of
from footnote.knowledge.tree import Summary
from footnote.knowledge.tree import unpack as unpack_summaries
from footnote.types import SYSTEM, KnowledgeKind, Maker
from tests.fakes import make_document, put_document

NUMBERS = ("two", "three", "four", "five")
TUNNELS = tuple(f"The secret tunnel under the river has {number} lamps." for number in NUMBERS)
SOUPS = tuple(f"Soup in the canteen costs {number} euros today." for number in NUMBERS)
TOWERS = tuple(f"Lighthouse keepers climb {number} stairs before dusk." for number in NUMBERS)
SHIPS = tuple(f"Harbour fees for ships amount to {number} crowns." for number in NUMBERS)
PEOPLE = ("Ann Mason runs the Acme Works.", "Bert Olsen left Elmby.", "It rained.")

Open = Callable[..., Core]
"""The fixture `open_builder`."""


async def put(core: Core, doc_id: str, texts: Sequence[str], **given: Any) -> None:
    await put_document(core.generations, make_document(doc_id, **given), texts)


async def built(core: Core, kind: KnowledgeKind, collection: str = "default", maker: Maker = "rules") -> dict[str, bytes]:
    """Chunk id → what was built of the passage, in its first layer."""
    scope = scopes_of(collection, kind, maker, core.embedder)[0]
    chunks = await core.index.sample(SYSTEM, collection, 1000)
    return await core.knowledge.built(SYSTEM, scope, [chunk.chunk_id for chunk in chunks])


async def states(core: Core, collection: str = "default") -> dict[str, KnowledgeState]:
    return {state.kind: state for state in await core.knowledge_builder.states(await core.collections.resolve(collection))}


async def summaries(core: Core, layer: int = 0, maker: Maker = "rules") -> list[Summary]:
    """Those of the tree; `layer` 1: those above them."""
    found = await core.knowledge.built_in(SYSTEM, scopes_of("default", "summary_tree", maker, core.embedder)[layer])
    return [summary for data in found.values() for summary in unpack_summaries(data)]
