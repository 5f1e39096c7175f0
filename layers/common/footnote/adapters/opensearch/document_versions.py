"""The source of truth about documents and collections in OpenSearch: one small stored document for each, read in real time
and changed by compare and set.

A chunk is valid while its generation is the active one of its document. Other chunks that a search finds, because of a
pending refresh or a late write, are discarded.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from footnote.adapters.opensearch.client import WRITE_TIMEOUT_S, OpenSearchClient, Refused, doc_path
from footnote.adapters.opensearch.mapping import CHUNKS, MAPPING, SEARCHED, USABLE, VERSIONS, Names, vector_mapping
from footnote.errors import SearchUnavailable

CHANGES = 30
"""Most tries of a change that conflicts with others."""
PAGE = 1000
"""Documents per page of a listing."""
OTHER_MAPPING = "The index was created by another version of Footnote. Run `footnote reindex`."


@dataclass(frozen=True, slots=True)
class DocumentVersions:
    """The generations of one document. `active`: the one that answers, 0 = none. Generations up to `floor` are removed."""

    active: int = 0
    floor: int = 0
    generations: Mapping[int, str] = field(default_factory=dict)
    """Generation → collection, of all generations that were staged and not yet removed."""

    def admits(self, generation: int) -> bool:
        """Whether this generation may become active."""
        return generation > self.floor and generation >= self.active

    def collections(self, through: int) -> set[str]:
        """Collections of the generations up to `through`."""
        return {collection for generation, collection in self.generations.items() if generation <= through}


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection. `chunks`: the alias of its index. `embedders`: name → length of its vectors.

    `places`: the index that answers and, during a reindex, the new one; writes go to both."""

    name: str
    chunks: str
    version: int
    embedders: Mapping[str, int]
    places: tuple[str, ...]


class VersionStore:
    """Reads and changes the records of documents and collections. `any_mapping`: accepts indexes of other versions."""

    def __init__(self, client: OpenSearchClient, names: Names, *, any_mapping: bool = False) -> None:
        self._client = client
        self._names = names
        self._any_mapping = any_mapping
        self._made = False
        self._known: dict[str, Collection] = {}

    # --- documents --------------------------------------------------------------------------------

    async def read(self, doc_ids: Iterable[str]) -> dict[str, DocumentVersions]:
        """doc_id → its versions, also for unknown documents."""
        wanted = list(doc_ids)
        found = await self._client.get([self.key(doc_id) for doc_id in wanted])
        return {doc_id: to_versions(item) for doc_id, item in zip(wanted, found, strict=True)}

    def key(self, doc_id: str) -> dict[str, Any]:
        """Where a document's record is stored."""
        return {"_index": self._names.versions, "_id": f"doc|{doc_id}"}

    async def change(self, doc_id: str, change: Callable[[DocumentVersions], DocumentVersions | None]) -> DocumentVersions | None:
        """Writes `change(current versions)`, repeatedly if others write at the same time → what was written. Writes nothing if
        `change` returns None."""
        for _ in range(CHANGES):
            (item,) = await self._client.get([self.key(doc_id)])
            if item is None:
                await self._make()
            versions = change(old := to_versions(item))
            if versions is None or versions == old:
                return versions
            generations = {str(generation): collection for generation, collection in versions.generations.items()}
            source = {"doc_id": doc_id, "active": versions.active, "floor": versions.floor, "generations": generations}
            if await self._set(f"doc|{doc_id}", source, item):
                return versions
        raise SearchUnavailable("Too many changes at once to this document. Try again in a moment.")

    async def pages(self) -> AsyncIterator[dict[str, DocumentVersions]]:
        """All documents, in pages of doc_id → versions, sorted by doc_id."""
        async for hits in self._pages("doc_id"):
            yield {hit["_source"]["doc_id"]: to_versions(hit) for hit in hits}

    async def _pages(self, key: str) -> AsyncIterator[list[dict[str, Any]]]:
        await self._client.refresh(self._names.versions)
        body: dict[str, Any] = {"size": PAGE, "query": {"exists": {"field": key}}, "sort": [key]}
        while (found := await self._client.search(self._names.versions, body)) is not None and (hits := found["hits"]["hits"]):
            yield hits
            body["search_after"] = hits[-1]["sort"]

    # --- collections ------------------------------------------------------------------------------

    async def find(self, name: str, embedder: str = "") -> Collection | None:
        """A collection, cached: its `version` may be out of date. Read again if `embedder` is unknown in it."""
        known = self._known.get(name)
        return known if known is not None and (not embedder or embedder in known.embedders) else await self.look_up(name)

    async def look_up(self, name: str) -> Collection | None:
        """A collection as it is now; None if there is none."""
        return (await self._record(name))[0]

    async def collections(self) -> dict[str, int]:
        """Name → mapping of all collections."""
        return {hit["_source"]["name"]: hit["_source"]["mapping"] async for hits in self._pages("name") for hit in hits}

    def forget(self) -> None:
        """Drops the cache, after an index was rebuilt by another process."""
        self._known.clear()

    async def open(self, name: str) -> Collection:
        """The collection; creates it, its index and aliases if they are missing."""
        while (known := await self.find(name)) is None:
            await self._make()
            index = f"{self._names.chunks(name)}-g0001"
            await self._make_index(index, {**CHUNKS, "aliases": {self._names.chunks(name): {}, self._names.all_chunks: {}}})
            source = {"name": name, "index": index, "version": 0, "embedders": {}, "mapping": MAPPING}
            await self._set(f"collection|{name}", source, None)
        return known

    async def learn(self, name: str, embedder: str, dimension: int) -> Collection:
        """Prepares the collection's indexes for the vectors of an embedder. Raises if it had vectors of another length before."""
        while True:
            known = self._known.get(name)
            if known is not None and embedder in known.embedders:
                return self.check_dimension(known, embedder, dimension)
            known, item = await self._record(name)
            if known is None or item is None:
                raise SearchUnavailable("A collection has lost its record. Run `footnote verify`.")
            if embedder not in known.embedders:
                await self._client.request(
                    "PUT", f"/{','.join(known.places)}/_mapping", vector_mapping(dimension), timeout_s=WRITE_TIMEOUT_S
                )
                await self.change_record(item, embedders={**known.embedders, embedder: dimension})
                self._known.pop(name, None)

    def check_dimension(self, collection: Collection, embedder: str, dimension: int) -> Collection:
        """The collection; SearchUnavailable if its vectors of this embedder have another length."""
        if collection.embedders[embedder] != dimension:
            self.forget()  # it may have been rebuilt by now
            known = collection.embedders[embedder]
            raise SearchUnavailable(
                f"The index holds vectors of length {known} from this embedding model, but now they have {dimension}."
                " Set EMBEDDING__DIMENSION back, or run `footnote reindex`."
            )
        return collection

    async def count_change(self, names: Iterable[str]) -> None:
        """Increments the collections' versions, after a change is visible: readers of the new version see the new state."""
        line = {"script": {"source": "ctx._source.version += 1"}}
        await self._client.bulk(
            ({"update": {"_index": self._names.versions, "_id": f"collection|{name}", "retry_on_conflict": CHANGES}}, line)
            for name in sorted(names)
        )

    async def record(self, name: str) -> dict[str, Any] | None:
        """The stored record of a collection, of any mapping. `index`: the index that answers; `previous`: its predecessor, if kept;
        `upcoming`: `{"index", "mapping"}` of the one being built."""
        (item,) = await self._client.get([{"_index": self._names.versions, "_id": f"collection|{name}"}])
        return item

    async def change_record(self, item: dict[str, Any], **changes: Any) -> bool:
        """Writes if the record is unchanged since it was read; else returns False."""
        return await self._set(item["_id"], {**item["_source"], **changes}, item)

    async def _record(self, name: str) -> tuple[Collection | None, dict[str, Any] | None]:
        item = await self.record(name)
        if item is None:
            return None, None
        source = item["_source"]
        if source["mapping"] not in USABLE and not self._any_mapping:
            raise SearchUnavailable(OTHER_MAPPING)
        upcoming = source.get("upcoming")
        places = (source["index"], *((upcoming["index"],) if upcoming and upcoming["mapping"] == MAPPING else ()))
        known = Collection(name, self._names.chunks(name), source["version"], source["embedders"], places)
        self._known[name] = known
        return known, item

    # --- writing ----------------------------------------------------------------------------------

    async def _set(self, key: str, source: dict[str, Any], old: dict[str, Any] | None) -> bool:
        """Writes if the record is unchanged since it was read; else returns False."""
        last = {"op_type": "create"} if old is None else {"if_seq_no": old["_seq_no"], "if_primary_term": old["_primary_term"]}
        try:
            await self._client.request("PUT", doc_path(self._names.versions, key), source, timeout_s=WRITE_TIMEOUT_S, **last)
        except Refused as exc:
            if exc.code != 409:
                raise
            await asyncio.sleep(random.uniform(0, 0.05))  # noqa: S311 - not a secret
            return False
        return True

    async def _make(self) -> None:
        if not self._made:
            await self._make_index(self._names.versions, VERSIONS)
            await self._make_index(self._names.searched, SEARCHED)
            self._made = True

    async def _make_index(self, index: str, body: dict[str, Any]) -> None:
        try:
            await self._client.request("PUT", f"/{index}", body, timeout_s=WRITE_TIMEOUT_S)
        except Refused as exc:
            if exc.kind != "resource_already_exists_exception":
                raise


def to_versions(item: Mapping[str, Any] | None) -> DocumentVersions:
    """The versions in a stored record; None = an unknown document."""
    if item is None:
        return DocumentVersions()
    source = item["_source"]
    return DocumentVersions(
        source["active"], source["floor"], {int(generation): name for generation, name in source["generations"].items()}
    )
