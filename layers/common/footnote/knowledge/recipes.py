"""What makes each kind of knowledge: the layers that it consists of, and the recipe that says whether a passage's are current."""

from __future__ import annotations

from collections.abc import Mapping

from footnote.ports import Embedder, Layer, LayerScope
from footnote.types import KnowledgeKind, Maker

LAYERS: Mapping[KnowledgeKind, tuple[Layer, ...]] = {
    "graph": ("graph",),
    "late_interaction": ("tokens",),
    "summary_tree": ("tree", "themes"),
}
VERSIONS: Mapping[KnowledgeKind, int] = {"graph": 2, "late_interaction": 1, "summary_tree": 1}
"""Increased when what is built changes: it is then built again in the background."""
EMBEDDED = frozenset({"late_interaction", "summary_tree"})
"""Kinds that consist of the embedder's vectors."""


def recipe_of(kind: KnowledgeKind, maker: Maker, embedder: Embedder | None) -> str:
    """The recipe of the kind as it would be built now."""
    parts = [str(VERSIONS[kind]), maker]
    if kind in EMBEDDED:
        parts.append(embedder.name if embedder else "none")
    return " ".join(parts)


def scopes_of(collection: str, kind: KnowledgeKind, maker: Maker, embedder: Embedder | None) -> tuple[LayerScope, ...]:
    """The layers of the kind in a collection."""
    recipe = recipe_of(kind, maker, embedder)
    return tuple(LayerScope(collection, layer, recipe) for layer in LAYERS[kind])
