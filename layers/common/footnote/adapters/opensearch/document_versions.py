"""The truth about documents and collections in OpenSearch: one small document each, read in real time, compared and set.

A chunk answers while the head of its document names its generation. What a search finds beyond that, because a
refresh is due or somebody wrote late, does not pass.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from footnote.adapters.opensearch.client import WRITE_LIMIT_S, OpenSearchClient, Refused, doc_path
from footnote.adapters.opensearch.mapping import CHUNKS, HEADS, MAPPING, Names, vector_mapping
from footnote.errors import SearchUnavailable

CHANGES = 30
"""Tries to change one head while others do."""
PAGE = 1000
OTHER_MAPPING = "The index was made by another version of Footnote. Run `footnote reindex`."


@dataclass(frozen=True, slots=True)
class Head:
    """`active`: the generation that answers, 0 = none. Up to `floor` the document was removed."""

    active: int = 0
    floor: int = 0
    generations: Mapping[int, str] = field(default_factory=dict)
    """Generation → collection, of all that was staged and not yet cleared away."""

    def admits(self, generation: int) -> bool:
        return generation > self.floor and generation >= self.active

    def collections(self, through: int) -> set[str]:
        return {collection for generation, collection in self.generations.items() if generation <= through}


@dataclass(frozen=True, slots=True)
class Collection:
    """`chunks`: the alias of its index. `embedders`: name → length of its vectors.

    `places`: the index that answers, and the one that is being built, if there is one; what is written goes into both."""

    name: str
    chunks: str
    version: int
    embedders: Mapping[str, int]
    places: tuple[str, ...]


class Heads:
    def __init__(self, client: OpenSearchClient, names: Names, *, any_mapping: bool = False) -> None:
        self._client = client
        self._names = names
        self._any_mapping = any_mapping
        self._made = False
        self._known: dict[str, Collection] = {}

    # --- documents --------------------------------------------------------------------------------

    async def read(self, doc_ids: Iterable[str]) -> dict[str, Head]:
        wanted = list(doc_ids)
        found = await self._client.get([self.key(doc_id) for doc_id in wanted])
        return {doc_id: to_head(item) for doc_id, item in zip(wanted, found, strict=True)}

    def key(self, doc_id: str) -> dict[str, Any]:
        return {"_index": self._names.heads, "_id": f"doc|{doc_id}"}

    async def change(self, doc_id: str, turn: Callable[[Head], Head | None]) -> Head | None:
        """Sets what `turn` makes of the head as it is, whoever else writes. None, and nothing is written, where it makes none."""
        for _ in range(CHANGES):
            (item,) = await self._client.get([self.key(doc_id)])
            if item is None:
                await self._make()
            head = turn(old := to_head(item))
            if head is None or head == old:
                return head
            generations = {str(generation): collection for generation, collection in head.generations.items()}
            source = {"doc_id": doc_id, "active": head.active, "floor": head.floor, "generations": generations}
            if await self._set(f"doc|{doc_id}", source, item):
                return head
        raise SearchUnavailable("A document is changed from too many sides at once. Try again in a moment.")

    async def pages(self) -> AsyncIterator[dict[str, Head]]:
        """All heads, by doc_id."""
        async for hits in self._pages("doc_id"):
            yield {hit["_source"]["doc_id"]: to_head(hit) for hit in hits}

    async def _pages(self, key: str) -> AsyncIterator[list[dict[str, Any]]]:
        await self._client.refresh(self._names.heads)
        body: dict[str, Any] = {"size": PAGE, "query": {"exists": {"field": key}}, "sort": [key]}
        while (found := await self._client.search(self._names.heads, body)) is not None and (hits := found["hits"]["hits"]):
            yield hits
            body["search_after"] = hits[-1]["sort"]

    # --- collections ------------------------------------------------------------------------------

    async def find(self, name: str, embedder: str = "") -> Collection | None:
        """What is known of a collection; read again where it does not know this embedder yet. Its version may be old."""
        known = self._known.get(name)
        return known if known is not None and (not embedder or embedder in known.embedders) else await self.look_up(name)

    async def look_up(self, name: str) -> Collection | None:
        """The same, as it is now."""
        return (await self._record(name))[0]

    async def collections(self) -> list[str]:
        return [hit["_source"]["name"] async for hits in self._pages("name") for hit in hits]

    def forget(self) -> None:
        """What is remembered did not fit: somebody made the index anew."""
        self._known.clear()

    async def open(self, name: str) -> Collection:
        """Makes what is missing: the collection, its index and that one's aliases."""
        while (known := await self.find(name)) is None:
            await self._make()
            index = f"{self._names.chunks(name)}-g0001"
            await self._make_index(index, {**CHUNKS, "aliases": {self._names.chunks(name): {}, self._names.all_chunks: {}}})
            source = {"name": name, "index": index, "version": 0, "embedders": {}, "mapping": MAPPING}
            await self._set(f"collection|{name}", source, None)
        return known

    async def learn(self, name: str, embedder: str, dimension: int) -> Collection:
        """Makes room for vectors of an embedder. Those of another length than it made before are refused."""
        while True:
            known = self._known.get(name)
            if known is not None and embedder in known.embedders:
                return self.check_dimension(known, embedder, dimension)
            known, item = await self._record(name)
            if known is None or item is None:
                raise SearchUnavailable("A collection has no record. Run `footnote verify`.")
            if embedder not in known.embedders:
                await self._client.request("PUT", f"/{','.join(known.places)}/_mapping", vector_mapping(dimension), timeout_s=WRITE_LIMIT_S)
                await self.change_record(item, embedders={**known.embedders, embedder: dimension})
                self._known.pop(name, None)

    def check_dimension(self, collection: Collection, embedder: str, dimension: int) -> Collection:
        if collection.embedders[embedder] != dimension:
            self.forget()  # it may be made anew by now
            known = collection.embedders[embedder]
            raise SearchUnavailable(
                f"The index holds vectors of length {known} by this embedding model, and now they have {dimension}."
                " Set EMBEDDING__DIMENSION back, or run `footnote reindex`."
            )
        return collection

    async def count_change(self, names: Iterable[str]) -> None:
        """After a change can be seen: who read the version before it may have seen the old state, who reads it later did not."""
        line = {"script": {"source": "ctx._source.version += 1"}}
        await self._client.bulk(
            ({"update": {"_index": self._names.heads, "_id": f"collection|{name}", "retry_on_conflict": CHANGES}}, line)
            for name in sorted(names)
        )

    async def record(self, name: str) -> dict[str, Any] | None:
        """As it is stored, whatever its mapping. `index`: the one that answers; `previous`: the one before it, if it is kept;
        `upcoming`: `{"index", "mapping"}` of the one that is being built."""
        (item,) = await self._client.get([{"_index": self._names.heads, "_id": f"collection|{name}"}])
        return item

    async def change_record(self, item: dict[str, Any], **changes: Any) -> bool:
        """False where it is no longer what it was."""
        return await self._set(item["_id"], {**item["_source"], **changes}, item)

    async def _record(self, name: str) -> tuple[Collection | None, dict[str, Any] | None]:
        item = await self.record(name)
        if item is None:
            return None, None
        source = item["_source"]
        if source["mapping"] != MAPPING and not self._any_mapping:
            raise SearchUnavailable(OTHER_MAPPING)
        upcoming = source.get("upcoming")
        places = (source["index"], *((upcoming["index"],) if upcoming and upcoming["mapping"] == MAPPING else ()))
        known = Collection(name, self._names.chunks(name), source["version"], source["embedders"], places)
        self._known[name] = known
        return known, item

    # --- writing ----------------------------------------------------------------------------------

    async def _set(self, key: str, source: dict[str, Any], old: dict[str, Any] | None) -> bool:
        """False where it is no longer what it was."""
        last = {"op_type": "create"} if old is None else {"if_seq_no": old["_seq_no"], "if_primary_term": old["_primary_term"]}
        try:
            await self._client.request("PUT", doc_path(self._names.heads, key), source, timeout_s=WRITE_LIMIT_S, **last)
        except Refused as exc:
            if exc.code != 409:
                raise
            await asyncio.sleep(random.uniform(0, 0.05))  # noqa: S311 - not a secret
            return False
        return True

    async def _make(self) -> None:
        if not self._made:
            await self._make_index(self._names.heads, HEADS)
            self._made = True

    async def _make_index(self, index: str, body: dict[str, Any]) -> None:
        try:
            await self._client.request("PUT", f"/{index}", body, timeout_s=WRITE_LIMIT_S)
        except Refused as exc:
            if exc.kind != "resource_already_exists_exception":
                raise


def to_head(item: Mapping[str, Any] | None) -> Head:
    if item is None:
        return Head()
    source = item["_source"]
    return Head(source["active"], source["floor"], {int(generation): name for generation, name in source["generations"].items()})
