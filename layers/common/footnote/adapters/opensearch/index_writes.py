"""Writing into OpenSearch: generations are staged, read back, flipped and dropped.

A flip goes in steps that readers cannot see between: the new chunks become findable, the head is set, the old
ones go. Whatever is interrupted can be done again.

While an index is built anew (`opensearch_reindex`), chunks are written into both. Nobody waits for anybody: who
wrote looks where chunks belong now, and writes again where that has changed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from footnote.adapters.opensearch.client import Action, OpenSearchClient, Refused
from footnote.adapters.opensearch.document_versions import PAGE, Collection, Head, Heads
from footnote.adapters.opensearch.mapping import Names, to_source, vector_source
from footnote.ports import ChunkVectors
from footnote.types import Chunk, Document, chunks_digest

Hit = dict[str, Any]
Change = tuple[str, str, str, dict[str, Any] | None]
"""(what is done, collection, chunk id, with what)."""
MORE: dict[str, dict[str, Any]] = {
    "index": {"require_alias": True},  # else a write to what is gone would make an index of its own
    "update": {"require_alias": True, "retry_on_conflict": 5},
    "delete": {},
}


class Writes:
    def __init__(self, client: OpenSearchClient, names: Names, heads: Heads) -> None:
        self._client = client
        self._names = names
        self._heads = heads

    async def stage(self, document: Document, chunks: Sequence[Chunk], bounds: Sequence[tuple[tuple[int, int], ...]]) -> None:
        doc_id, generation = document.doc_id, document.generation
        await self._heads.open(document.collection)
        again = False

        def name(old: Head) -> Head:
            nonlocal again
            again = generation in old.generations
            return replace(old, generations={**old.generations, generation: document.collection})

        head = await self._heads.change(doc_id, name)  # before it is written: what an interrupted write leaves behind is found
        answers = head is not None and head.active == generation  # a job that crashed after its flip came back
        now = time.time()
        sources = [to_source(document, chunk, pieces, active=answers, staged_at=now) for chunk, pieces in zip(chunks, bounds, strict=True)]
        await self._write((("index", document.collection, source["chunk_id"], source) for source in sources), refresh=answers)
        if again:
            written = {chunk.chunk_id for chunk in chunks}
            await self._delete([hit for hit in await self._chunks(doc_id, generation, generation) if hit["_id"] not in written])
        if answers:
            await self._heads.count_change([document.collection])
        elif (await self._heads.read([doc_id]))[doc_id].active == generation:  # somebody else flipped it meanwhile
            await self._show(doc_id, generation)

    async def staged(self, doc_id: str, generation: int) -> tuple[int, str]:
        hits = await self._chunks(doc_id, generation, generation, fields=["text"])
        return len(hits), chunks_digest((hit["_id"], hit["_source"]["text"]) for hit in hits)

    async def activate(self, doc_id: str, generation: int) -> bool:
        if not (await self._heads.read([doc_id]))[doc_id].admits(generation):
            return False
        await self._show(doc_id, generation)
        head = await self._heads.change(doc_id, lambda old: replace(old, active=generation) if old.admits(generation) else None)
        if head is None:  # removed or overtaken meanwhile: then this one goes, and all before it
            await self._drop(doc_id, generation)
            return False
        older = any(known < generation for known in head.generations)
        if older:
            await self._drop(doc_id, generation - 1)
        await self._heads.count_change(head.collections(generation))
        if older:
            await self._forget(doc_id, generation - 1)
        return True

    async def remove(self, doc_id: str, through: int) -> None:
        def close(old: Head) -> Head:
            floor = max(old.floor, through)
            return replace(old, floor=floor, active=old.active if old.active > floor else 0)

        head = await self._heads.change(doc_id, close)
        await self._drop(doc_id, through)
        if head is not None and (collections := head.collections(through)):
            await self._heads.count_change(collections)
            await self._forget(doc_id, through)

    async def put_vectors(self, embedder: str, vectors: Sequence[ChunkVectors], collections: dict[str, str]) -> None:
        """`collections`: chunk id → collection, of those that exist."""
        for name in sorted(set(collections.values())):
            mine = [item for item in vectors if collections.get(item.chunk_id) == name]
            for dimension in {len(item.vector) for item in mine}:
                collection = await self._heads.learn(name, embedder, dimension)
            lengths = set(collection.embedders.values())
            sources = [{"doc": vector_source(embedder, item.vector, item.sentences, lengths)} for item in mine]
            written = await self._write(
                (("update", name, item.chunk_id, source) for item, source in zip(mine, sources, strict=True)), refresh=True
            )
            if written:
                await self._heads.count_change([name])

    # --- chunks of a document ---------------------------------------------------------------------

    async def _show(self, doc_id: str, generation: int) -> None:
        hits = await self._chunks(doc_id, generation, generation)
        await self._write((("update", hit["_source"]["collection"], hit["_id"], {"doc": {"active": True}}) for hit in hits), refresh=True)

    async def _drop(self, doc_id: str, through: int) -> None:
        await self._delete(await self._chunks(doc_id, 0, through))

    async def _forget(self, doc_id: str, through: int) -> None:
        await self._heads.change(doc_id, lambda old: replace(old, generations={g: c for g, c in old.generations.items() if g > through}))

    async def _delete(self, hits: Sequence[Hit]) -> None:
        await self._write((("delete", hit["_source"]["collection"], hit["_id"], None) for hit in hits), refresh=True)

    async def _chunks(self, doc_id: str, first: int, last: int, *, fields: Sequence[str] = ()) -> list[Hit]:
        """Everything that was written of these generations until now, by generation and ordinal, whatever collection it is in."""
        await self._client.refresh(self._names.all_indexes)
        hits: list[Hit] = []
        body: dict[str, Any] = {
            "size": PAGE,
            "query": {"bool": {"filter": [{"term": {"doc_id": doc_id}}, {"range": {"generation": {"gte": first, "lte": last}}}]}},
            "sort": ["generation", "ordinal", "chunk_id"],
            "track_total_hits": False,
            "_source": ["collection", *fields],
        }
        while (found := await self._client.search(self._names.all_chunks, body)) is not None:
            page = found["hits"]["hits"]
            hits += page
            if len(page) < PAGE:
                break
            body["search_after"] = page[-1]["sort"]
        return hits

    # --- into all indexes -------------------------------------------------------------------------

    async def _write(self, changes: Iterable[Change], *, refresh: bool) -> int:
        """The number of chunks that were written; 0 = all were gone."""
        asked = list(changes)
        names = sorted({collection for _, collection, _, _ in asked})
        places = {name: _places(await self._heads.find(name)) for name in names}
        while True:
            written, refused = 0, None
            try:
                written = await self._client.bulk(self._actions(asked, places), refresh=refresh)
            except Refused as exc:  # an index that was being built may be given up
                refused = exc
            before, places = places, {name: _places(await self._heads.look_up(name)) for name in names}
            if places != before:
                continue
            if refused is not None:
                raise refused
            return written

    def _actions(self, changes: Iterable[Change], places: Mapping[str, Sequence[str]]) -> Iterator[Action]:
        for verb, name, chunk_id, source in changes:
            aliases = (self._names.chunks(name), self._names.upcoming(name))
            for alias in aliases[: max(1, len(places[name]))]:
                yield {verb: {"_index": alias, "_id": chunk_id, **MORE[verb]}}, source


def _places(collection: Collection | None) -> tuple[str, ...]:
    return () if collection is None else collection.places
