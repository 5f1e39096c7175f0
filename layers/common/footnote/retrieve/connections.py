"""What a collection's graph says of the passages that the answer is written from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Set
from typing import TYPE_CHECKING

from footnote.knowledge.recipes import recipe_of
from footnote.ports import Index, KnowledgeReads, LayerScope
from footnote.types import Fact, Turn
from footnote.types.copies import replace

if TYPE_CHECKING:
    from footnote.knowledge.entities import PassageGraph

MOST_FACTS = 20
FIRST = 3
"""Passages one of which must name an entity if the question names none: the last ones may be about something else."""


async def find_connections(turn: Turn, *, index: Index, knowledge: KnowledgeReads) -> Turn:
    """Sets `turn.evidence.facts`: sentences of the passages that connect entities of which several passages or the question speak. One of
    these must be named by the question or connected with what it names or, if it names none, be named in one of the first passages. Facts
    about entities that most passages name come first, in the passages' order. Passages that an expansion added count as well."""
    from footnote.knowledge.entities import names_in, stated, unpack  # few processes answer with a graph
    from footnote.knowledge.keys import key_of

    collection = turn.request.collection
    made_by = (await index.view(turn.caller, collection)).knowledge.get("graph", "rules")
    chunks = {hit.chunk.chunk_id: hit.chunk for hit in turn.evidence.sources}
    built = await knowledge.built(turn.caller, LayerScope(collection, "graph", recipe_of("graph", made_by, None)), list(chunks))
    graphs = {chunk_id: unpack(built[chunk_id]) for chunk_id in chunks if chunk_id in built}
    spoken_of = Counter(key for graph in graphs.values() for key in {entity.key for entity in graph.entities})
    named = [key for name in names_in(turn.asked, turn.lang) for key in (key_of(name), key_of(f"{name}s"))]  # it may be no genitive
    asked = spoken_of.keys() & named
    spoken_of.update(asked)
    first = [graphs[chunk_id] for chunk_id in list(chunks)[:FIRST] if chunk_id in graphs]
    near = _beside(asked, graphs) or {entity.key for graph in first for entity in graph.entities}
    facts: dict[Fact, int] = {}
    for chunk_id, graph in graphs.items():
        for source, target, said in stated(graph, chunks[chunk_id].text):
            common = max((spoken_of[end.key] for end in (source, target) if end.key in near), default=0)
            names_both = source.key not in graph.about or source.name in said  # else it names one thing, below its title
            if common > 1 and names_both:
                fact = Fact(said, chunk_id)
                facts[fact] = max(facts.get(fact, 0), common)
    order = sorted(facts, key=lambda fact: -facts[fact])
    return replace(turn, evidence=replace(turn.evidence, facts=tuple(order[:MOST_FACTS])))


def _beside(asked: Set[str], graphs: Mapping[str, PassageGraph]) -> set[str]:
    """These entities, and those that a passage connects with one of them."""
    pairs = [{graph.entities[each.source].key, graph.entities[each.target].key} for graph in graphs.values() for each in graph.relations]
    return set(asked).union(*(pair for pair in pairs if pair & asked))
