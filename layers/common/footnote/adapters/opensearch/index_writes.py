"""Writes of the index in OpenSearch: generations are staged, read back, activated and removed.

An activation has steps whose intermediate states readers don't see: the new chunks become searchable, the document's record
names them active, the old ones are deleted. Every operation can be repeated after an interruption.

During a reindex (`reindex`) chunks are written to both indexes. Writers need no lock: after a write they look up which
indexes the collection has now, and write again if that changed.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from footnote.adapters.opensearch.client import Action, OpenSearchClient, Refused
from footnote.adapters.opensearch.document_versions import PAGE, Collection, DocumentVersions, VersionStore
from footnote.adapters.opensearch.mapping import Names, metadata_source, to_source, vector_source
from footnote.ports import ChunkVectors
from footnote.types import Chunk, Document, chunks_digest

Hit = dict[str, Any]
Change = tuple[str, str, str, dict[str, Any] | None]
"""(bulk action, collection, chunk id, document)."""
MORE: dict[str, dict[str, Any]] = {
    "index": {"require_alias": True},  # otherwise a write to a deleted index would create a new one
    "update": {"require_alias": True, "retry_on_conflict": 5},
    "delete": {},
}


class Writes:
    """The part of `ports.IndexStore` that writes."""

    def __init__(self, client: OpenSearchClient, names: Names, versions: VersionStore) -> None:
        self._client = client
        self._names = names
        self._versions = versions

    async def stage(self, document: Document, chunks: Sequence[Chunk], bounds: Sequence[tuple[tuple[int, int], ...]]) -> None:
        doc_id, generation = document.doc_id, document.generation
        await self._versions.open(document.collection)
        again = False

        def name(old: DocumentVersions) -> DocumentVersions:
            nonlocal again
            again = generation in old.generations
            return replace(old, generations={**old.generations, generation: document.collection})

        versions = await self._versions.change(doc_id, name)  # before the chunks, so that what an interrupted write leaves is found
        answers = versions is not None and versions.active == generation  # a job that crashed after the activation is repeated
        now = time.time()
        sources = [to_source(document, chunk, pieces, active=answers, staged_at=now) for chunk, pieces in zip(chunks, bounds, strict=True)]
        await self._write((("index", document.collection, source["chunk_id"], source) for source in sources), refresh=answers)
        if again:
            written = {chunk.chunk_id for chunk in chunks}
            await self._delete([hit for hit in await self._chunks(doc_id, generation, generation) if hit["_id"] not in written])
        if answers:
            await self._versions.count_change([document.collection])
        elif (await self._versions.read([doc_id]))[doc_id].active == generation:  # another process has activated it
            await self._show(doc_id, generation)

    async def staged(self, doc_id: str, generation: int) -> tuple[int, str]:
        hits = await self._chunks(doc_id, generation, generation, fields=["text"])
        return len(hits), chunks_digest((hit["_id"], hit["_source"]["text"]) for hit in hits)

    async def activate(self, doc_id: str, generation: int) -> bool:
        if not (await self._versions.read([doc_id]))[doc_id].admits(generation):
            return False
        await self._show(doc_id, generation)
        versions = await self._versions.change(doc_id, lambda old: replace(old, active=generation) if old.admits(generation) else None)
        if versions is None:  # removed or superseded in the meantime: this generation and all before it are deleted
            await self._drop(doc_id, generation)
            return False
        older = any(known < generation for known in versions.generations)
        if older:
            await self._drop(doc_id, generation - 1)
        await self._versions.count_change(versions.collections(generation))
        if older:
            await self._forget(doc_id, generation - 1)
        return True

    async def amend(self, doc_id: str, generation: int, metadata: Mapping[str, Any]) -> None:
        hits = await self._chunks(doc_id, generation, generation, fields=["rest.metadata"])
        if not hits:
            return
        shared = hits[0]["_source"]["rest"]["metadata"]  # the outline's are those of the document
        changes: list[Change] = []
        for hit in hits:
            own = hit["_source"]["rest"]["metadata"]
            new = {name: value for name, value in metadata.items() if own.get(name) == shared.get(name)}
            changes.append(("update", hit["_source"]["collection"], hit["_id"], {"doc": metadata_source({**own, **new})}))
        if await self._write(changes, refresh=True):
            await self._versions.count_change(sorted({name for _, name, _, _ in changes}))

    async def remove(self, doc_id: str, through: int) -> None:
        def close(old: DocumentVersions) -> DocumentVersions:
            floor = max(old.floor, through)
            return replace(old, floor=floor, active=old.active if old.active > floor else 0)

        versions = await self._versions.change(doc_id, close)
        await self._drop(doc_id, through)
        if versions is not None and (collections := versions.collections(through)):
            await self._versions.count_change(collections)
            await self._forget(doc_id, through)

    async def put_vectors(self, embedder: str, vectors: Sequence[ChunkVectors], collections: dict[str, str]) -> None:
        """`collections`: chunk id → collection, for chunks that exist."""
        for name in sorted(set(collections.values())):
            mine = [item for item in vectors if collections.get(item.chunk_id) == name]
            for dimension in {len(item.vector) for item in mine}:
                collection = await self._versions.learn(name, embedder, dimension)
            lengths = set(collection.embedders.values())
            sources = [{"doc": vector_source(embedder, item, lengths)} for item in mine]
            written = await self._write(
                (("update", name, item.chunk_id, source) for item, source in zip(mine, sources, strict=True)), refresh=True
            )
            if written:
                await self._versions.count_change([name])

    async def write(self, changes: Iterable[Change]) -> int:
        """Writes to all indexes of a collection, and refreshes them → number of chunks written."""
        return await self._write(changes, refresh=True)

    # --- chunks of a document ---------------------------------------------------------------------

    async def _show(self, doc_id: str, generation: int) -> None:
        hits = await self._chunks(doc_id, generation, generation)
        await self._write((("update", hit["_source"]["collection"], hit["_id"], {"doc": {"active": True}}) for hit in hits), refresh=True)

    async def _drop(self, doc_id: str, through: int) -> None:
        await self._delete(await self._chunks(doc_id, 0, through))

    async def _forget(self, doc_id: str, through: int) -> None:
        await self._versions.change(doc_id, lambda old: replace(old, generations={g: c for g, c in old.generations.items() if g > through}))

    async def _delete(self, hits: Sequence[Hit]) -> None:
        await self._write((("delete", hit["_source"]["collection"], hit["_id"], None) for hit in hits), refresh=True)

    async def _chunks(self, doc_id: str, first: int, last: int, *, fields: Sequence[str] = ()) -> list[Hit]:
        """All chunks of these generations in any collection, by generation and ordinal."""
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

    # --- all indexes of a collection -------------------------------------------------------------------------

    async def _write(self, changes: Iterable[Change], *, refresh: bool) -> int:
        """Number of chunks written; 0 = all were deleted in the meantime."""
        asked = list(changes)
        names = sorted({collection for _, collection, _, _ in asked})
        places = {name: _places(await self._versions.find(name)) for name in names}
        while True:
            written, refused = 0, None
            try:
                written = await self._client.bulk(self._actions(asked, places), refresh=refresh)
            except Refused as exc:  # an index that was being built may have been abandoned
                refused = exc
            before, places = places, {name: _places(await self._versions.look_up(name)) for name in names}
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
