"""One `ports.RankedLists` for each option of `types.FURTHER`, on data that is given to it."""

from __future__ import annotations

from footnote.adapters.in_process.graph import Entity, Graph, Relation
from footnote.adapters.in_process.late_interaction import LateInteraction
from footnote.adapters.in_process.summary_tree import Summary, SummaryTree

__all__ = ["Entity", "Graph", "LateInteraction", "Relation", "Summary", "SummaryTree"]
