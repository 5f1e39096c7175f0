"""One `ports.RankedLists` for each option of `types.FURTHER`, on data that is given to it."""

from __future__ import annotations

from footnote.adapters.memory.ranked_lists_graph import Entity, Graph, Relation
from footnote.adapters.memory.ranked_lists_late import LateInteraction
from footnote.adapters.memory.ranked_lists_tree import Summary, SummaryTree

__all__ = ["Entity", "Graph", "LateInteraction", "Relation", "Summary", "SummaryTree"]
