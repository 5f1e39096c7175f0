"""A graph of entities and their relations, searched at two levels (LightRAG).

low     entities that the question names → the passages that mention them, and those of entities up to DEPTH relations away
high    relations that say at least SAID of the question's terms → their passages and what they connect

score of a passage = Σ 1 / (1 + distance) over the entities that it mentions and the relations that it states
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from footnote.ports import Found, Scope
from footnote.text.tokens import content_terms
from footnote.types import Candidate, Fact, Query

DEPTH = 2
SAID = 0.5
MOST = 200
"""Relations that are followed at each step."""


@dataclass(frozen=True, slots=True)
class Entity:
    """A thing with a name, and the passages that mention it by this name."""

    name: str
    chunk_ids: tuple[str, ...]
    lang: str = "en"


@dataclass(frozen=True, slots=True)
class Relation:
    """Two entities, by name, and the passage that states what connects them."""

    source: str
    target: str
    text: str
    chunk_id: str
    lang: str = "en"


class _Collection:
    def __init__(self, entities: Sequence[Entity], relations: Sequence[Relation]) -> None:
        self.entities = {entity.name: entity for entity in entities}
        self.relations = relations
        self.names = [(entity.name, terms) for entity in entities if (terms := frozenset(content_terms(entity.name, entity.lang)))]
        self.said = [frozenset(content_terms(relation.text, relation.lang)) for relation in relations]
        self.of: defaultdict[str, list[Relation]] = defaultdict(list)
        for relation in relations:
            self.of[relation.source].append(relation)
            self.of[relation.target].append(relation)


class Graph:
    """`ports.RankedLists` over `collections`: name → (entities, relations)."""

    def __init__(self, collections: Mapping[str, tuple[Sequence[Entity], Sequence[Relation]]]) -> None:
        self._collections = {name: _Collection(*made) for name, made in collections.items()}

    async def search(self, query: Query, scope: Scope) -> Found:
        """A relation is followed only if the passage that states it is readable. `facts`: the relations that were, nearest first."""
        graph = self._collections.get(scope.collection)
        if graph is None:
            return Found()
        terms = frozenset(content_terms(query.text, query.lang))
        named = {name for name, its in graph.names if its <= terms}
        stated = [
            relation
            for relation, its in zip(graph.relations, graph.said, strict=True)
            if terms and len(its & terms) >= max(2.0, SAID * len(terms))
        ]
        stated = await _stated(stated, scope)
        distance = {**{end: 1 for relation in stated for end in (relation.source, relation.target)}, **dict.fromkeys(named, 0)}
        followed: dict[Relation, int] = dict.fromkeys(stated, 0)
        # Names that only unreadable passages mention lead nowhere: every step needs a readable relation.
        for step in range(1, DEPTH + 1):
            edge = sorted(name for name, at in distance.items() if at == step - 1)
            near = await _stated(dict.fromkeys(relation for name in edge for relation in graph.of[name]), scope)
            for relation in near:
                followed.setdefault(relation, step)
                for end in (relation.source, relation.target):
                    distance.setdefault(end, step)
        return await _found(graph, distance, followed, scope)


async def _stated(relations: Collection[Relation], scope: Scope) -> list[Relation]:
    """The first MOST of the relations whose passage is readable."""
    seen = await scope.readable({relation.chunk_id for relation in relations})
    return [relation for relation in relations if relation.chunk_id in seen][:MOST]


async def _found(graph: _Collection, distance: Mapping[str, int], followed: Mapping[Relation, int], scope: Scope) -> Found:
    scores: defaultdict[str, float] = defaultdict(float)
    for name, at in distance.items():
        for chunk_id in graph.entities[name].chunk_ids if name in graph.entities else ():
            scores[chunk_id] += 1 / (1 + at)
    for relation, at in followed.items():
        scores[relation.chunk_id] += 1 / (1 + at)
    seen = await scope.readable(scores.keys())
    order = sorted(seen, key=lambda chunk_id: (-scores[chunk_id], chunk_id))[: scope.limit]
    nearest = sorted(followed, key=lambda relation: (followed[relation], relation.source, relation.target))
    return Found(
        tuple(Candidate(chunk_id, scores[chunk_id]) for chunk_id in order),
        tuple(Fact(relation.text, relation.chunk_id) for relation in nearest),
    )
