"""What is built of passages, in OpenSearch (`ports.Knowledge`): fields of the chunk's stored document, which it is deleted with.

Searches find the chunks, and their documents are read in real time, as `OpenSearchIndex.read` does: what belongs to a chunk that was
just deleted or replaced, or that the caller may not read, is left out."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any

from footnote.adapters.opensearch.client import WRITE_TIMEOUT_S, Json, OpenSearchClient
from footnote.adapters.opensearch.document_versions import VersionStore
from footnote.adapters.opensearch.hits import hits_of
from footnote.adapters.opensearch.index_writes import Change
from footnote.adapters.opensearch.mapping import ACTIVE, BUILT, OF_PLACE, Names, visible
from footnote.ports import Built, Layer, LayerScope
from footnote.types import SYSTEM, Caller

PAGE = 500
"""Passages that one request reads."""
IN_ORDER = ["staged_at", "doc_id", "ordinal", "chunk_id"]
Read = Callable[[Caller, Sequence[str], Sequence[str]], Awaitable[dict[str, Json]]]
"""Caller, chunk ids, fields → the stored documents of those that are active and that the caller may read."""
Write = Callable[[Iterable[Change]], Awaitable[int]]
"""Writes to all indexes of a collection, and refreshes them → number of chunks written."""


class Layers:
    """The part of `ports.IndexStore` that is `ports.Knowledge`."""

    def __init__(self, client: OpenSearchClient, names: Names, versions: VersionStore, read: Read, write: Write) -> None:
        self._client, self._names, self._versions = client, names, versions
        self._read, self._write = read, write
        self._mapped: set[str] = set()
        """Indexes that have the fields."""

    async def unbuilt(self, scope: LayerScope, limit: int) -> list[str]:
        """The chunk ids of `Knowledge.unbuilt`."""
        query = {"filter": [ACTIVE, {"term": {"level": 2}}], "must_not": _made(scope)}
        body = {"size": limit, "query": {"bool": query}, "sort": IN_ORDER, "_source": False}
        return [hit["_id"] for hit in hits_of(await self._client.search(self._names.chunks(scope.collection), body))]

    async def put(self, scope: LayerScope, built: Sequence[Built]) -> None:
        """`Knowledge.put_built`."""
        found = await self._read(SYSTEM, [item.chunk_id for item in built], OF_PLACE)
        kept = [item for item in built if found.get(item.chunk_id, {}).get("collection") == scope.collection]
        await self._learn(scope.collection)
        await self._set(scope.collection, scope.layer, {item.chunk_id: _fields(scope, item) for item in kept})

    async def drop(self, collection: str, layer: Layer) -> None:
        """`Knowledge.drop_built`."""
        pages = self._pages(collection, [{"exists": {"field": f"built.{layer}.recipe"}}])
        chunk_ids = [chunk_id async for page in pages for chunk_id in page]
        await self._set(collection, layer, dict.fromkeys(chunk_ids))

    async def progress(self, scope: LayerScope) -> tuple[int, int]:
        """`Knowledge.layer_progress`."""
        made: Json = {"filter": {"bool": {"filter": _made(scope)}}}
        query = {"bool": {"filter": [ACTIVE, {"term": {"level": 2}}]}}
        body = {"size": 0, "query": query, "track_total_hits": True, "aggs": {"made": made}}
        found = await self._client.search(self._names.chunks(scope.collection), body)
        return (found["aggregations"]["made"]["doc_count"], found["hits"]["total"]["value"]) if found else (0, 0)

    async def built(self, caller: Caller, scope: LayerScope, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        """`KnowledgeReads.built`."""
        found = await self._read(caller, chunk_ids, [*OF_PLACE, f"built.{scope.layer}"])
        return {
            chunk_id: base64.b64decode(made["data"])
            for chunk_id, source in found.items()
            if source["collection"] == scope.collection and (made := _fields_of(source, scope))
        }

    async def built_in(self, caller: Caller, scope: LayerScope) -> dict[str, bytes]:
        """`KnowledgeReads.built_in`."""
        filters = [*visible(caller, (2,), {}), *_made(scope), {"term": {f"built.{scope.layer}.has_data": True}}]
        found: dict[str, bytes] = {}
        async for page in self._pages(scope.collection, filters):
            found |= await self.built(caller, scope, page)
        return found

    async def keyed(self, caller: Caller, scope: LayerScope, keys: Sequence[str], limit: int) -> dict[str, tuple[str, ...]]:
        """`KnowledgeReads.keyed`."""
        wanted, index = list(dict.fromkeys(keys)), self._names.chunks(scope.collection)
        filters, key_field = [*visible(caller, (2,), {}), *_made(scope)], f"built.{scope.layer}.keys"
        bodies: list[Json] = [
            {"size": limit, "query": {"bool": {"filter": [*filters, {"term": {key_field: key}}]}}, "sort": IN_ORDER, "_source": False}
            for key in wanted
        ]
        replies = await self._client.searches([(index, body) for body in bodies]) if bodies else []
        found = {key: [hit["_id"] for hit in hits_of(reply)] for key, reply in zip(wanted, replies, strict=True)}
        fields = [*OF_PLACE, f"built.{scope.layer}.recipe", key_field]
        there = await self._read(caller, list(dict.fromkeys(each for ids in found.values() for each in ids)), fields)
        keys_of = {chunk_id: _fields_of(source, scope).get("keys") or () for chunk_id, source in there.items()}
        kept = {key: tuple(each for each in ids if key in keys_of.get(each, ())) for key, ids in found.items()}
        return {key: ids for key, ids in kept.items() if ids}

    async def _pages(self, collection: str, filters: Sequence[Json]) -> AsyncIterator[list[str]]:
        body: Json = {"size": PAGE, "query": {"bool": {"filter": list(filters)}}, "sort": IN_ORDER, "_source": False}
        while hits := hits_of(await self._client.search(self._names.chunks(collection), body)):
            yield [hit["_id"] for hit in hits]
            body["search_after"] = hits[-1]["sort"]

    async def _learn(self, collection: str) -> None:
        """Gives the collection's indexes the fields."""
        known = await self._versions.find(collection)
        if known is None or self._mapped.issuperset(known.places):
            return
        path = f"/{','.join(known.places)}/_mapping"
        await self._client.request("PUT", path, {"properties": BUILT}, timeout_s=WRITE_TIMEOUT_S)
        self._mapped.update(known.places)

    async def _set(self, collection: str, layer: Layer, fields: Mapping[str, Json | None]) -> None:
        changes = [("update", collection, chunk_id, {"doc": {"built": {layer: made}}}) for chunk_id, made in fields.items()]
        if changes and await self._write(changes):
            await self._versions.count_change([collection])


def _made(scope: LayerScope) -> list[Json]:
    """Filter: chunks with this layer of this recipe."""
    return [{"term": {f"built.{scope.layer}.recipe": scope.recipe}}]


def _fields(scope: LayerScope, item: Built) -> Json:
    data = base64.b64encode(item.data).decode()
    return {"recipe": scope.recipe, "keys": sorted(set(item.keys)), "data": data, "has_data": bool(item.data)}


def _fields_of(source: Mapping[str, Any] | None, scope: LayerScope) -> Json:
    """The fields of the layer; none if there is none of this recipe."""
    made: Json = ((source or {}).get("built") or {}).get(scope.layer) or {}
    return made if made.get("recipe") == scope.recipe else {}
