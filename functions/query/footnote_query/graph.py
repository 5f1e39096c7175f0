"""`/collections/{collection}/graph`: what passages say of entities, for those who may read the passages."""

from __future__ import annotations

from collections import Counter, defaultdict
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from fastapi import Query
from pydantic import BaseModel, Field

from footnote.errors import NotFound
from footnote.ingest.sources import ORDINAL
from footnote.knowledge.entities import Entity, stated, unpack
from footnote.knowledge.keys import key_of, resolve
from footnote.knowledge.recipes import scopes_of
from footnote.types import Caller, make_chunk_id
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.routes import Router

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Asking")

MOST_PASSAGES, MOST_RELATIONS = 20, 100


class EntityBody(BaseModel):
    """A thing with a name."""

    name: str
    kind: str
    passages: list[str] = Field(description="Ids of the passages that name it.")


class RelationBody(BaseModel):
    """What a passage says of two entities."""

    source: str
    target: str
    text: str
    passage: str


class GraphBody(BaseModel):
    """What passages say of entities."""

    entities: list[EntityBody] = Field(description="Those that most of the passages name come first.")
    relations: list[RelationBody]


Passages = Annotated[list[str], Query(alias="passage", max_length=MOST_PASSAGES, description="Ids of passages, as in citations.")]


@router.get("/collections/{collection}/graph", name="get_graph")
async def get_graph(collection: str, caller: CallerOf, core: CoreOf, passages: Passages) -> GraphBody:
    """The entities that passages name, and how the passages connect them. Empty where the collection has no graph; passages that the caller
    may not read are left out."""
    return await neighbourhood(core, caller, collection, passages)


async def neighbourhood(core: Core, caller: Caller, name: str, passages: list[str]) -> GraphBody:
    """What these passages say of entities, as far as the caller may read them."""
    stored = await core.collections.resolve(name)
    made_by = (await core.collections.get(stored)).knowledge.get("graph")
    chunks = await core.index.read(caller, await _chunk_ids(core, caller, passages[:MOST_PASSAGES])) if made_by else []
    if made_by is None or not chunks:
        return GraphBody(entities=[], relations=[])
    (scope,) = scopes_of(stored, "graph", made_by, None)
    built = await core.knowledge.built(caller, scope, [chunk.chunk_id for chunk in chunks])
    graphs = [unpack(built.get(chunk.chunk_id, b"")) for chunk in chunks]
    full = resolve([entity.name for graph in graphs for entity in graph.entities])  # across documents, too
    entities: dict[str, EntityBody] = {}
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    relations: list[RelationBody] = []

    def named(entity: Entity) -> EntityBody:
        name = full.get(entity.name, entity.name)
        return entities.setdefault(key_of(name), EntityBody(name=name, kind="other", passages=[]))

    for chunk, graph in zip(chunks, graphs, strict=True):
        for entity in graph.entities:
            found = named(entity)
            if chunk.public_id not in found.passages:
                found.passages.append(chunk.public_id)
            if entity.kind != "other":
                kinds[found.name][entity.kind] += 1
        for source, target, text in stated(graph, chunk.text):
            ends = named(source).name, named(target).name
            if ends[0] != ends[1]:
                relations.append(RelationBody(source=ends[0], target=ends[1], text=text, passage=chunk.public_id))
    for found in entities.values():
        match kinds[found.name].most_common(2):
            case [(kind, most), *rest] if not rest or most > rest[0][1]:
                found.kind = kind
    order = sorted(entities.values(), key=lambda each: -len(each.passages))
    return GraphBody(entities=order, relations=relations[:MOST_RELATIONS])


async def _chunk_ids(core: Core, caller: Caller, passages: list[str]) -> list[str]:
    """The index's ids of passages, `DOC#003`, of the documents' active generations."""
    parts = [each.rpartition("#") for each in passages]
    places = dict.fromkeys((doc_id, int(ordinal)) for doc_id, _, ordinal in parts if doc_id and ORDINAL.fullmatch(ordinal))
    generations: dict[str, int] = {}
    for doc_id in {doc_id for doc_id, _ in places}:
        with suppress(NotFound):
            generations[doc_id] = (await core.ledger.get(caller, doc_id)).active_generation
    return [make_chunk_id(doc_id, generations[doc_id], ordinal) for doc_id, ordinal in places if doc_id in generations]
