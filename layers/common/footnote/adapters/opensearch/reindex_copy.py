"""Copies the differences from the active index of a collection to another one, with the current mapping and tokens.

Generations are compared by counts. Generations that their document's record doesn't name are not copied, and are deleted
from the other index.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from footnote.adapters.opensearch.client import WRITE_TIMEOUT_S, Json, OpenSearchClient
from footnote.adapters.opensearch.document_versions import VersionStore
from footnote.adapters.opensearch.mapping import ACTIVE, Names, to_bounds, to_chunk, to_source
from footnote.errors import Conflict, NotFound, SearchUnavailable
from footnote.types import Document

PAGE = 200
"""Chunks, with their vectors, per request."""
TERMS = 500
"""Documents per query."""
MAX_STATES = 10_000
"""Generations per page of an aggregation."""
PASSES = 50
"""Most passes over the documents that differ."""
NO_EMBEDDER = ""
"""No embedder: no vectors are copied."""
SETTLE_S = 0.2
"""Wait before documents that differ are compared again: a writer may be half-way through them."""

Place = tuple[str, int]
"""(doc_id, generation)."""
Progress = Callable[[str, int, int], None]
"""(what is done, done, total)."""


class State(NamedTuple):
    """A generation in one index. Generations with equal states are assumed to be equal."""

    chunks: int
    active: int
    first: float
    last: float
    """`first` and `last`: when its chunks were staged."""
    vectors: int
    """Number of vectors that are copied."""


@dataclass(frozen=True, slots=True)
class Build:
    """A build of a new index."""

    collection: str
    old: str
    new: str
    kept: bool
    """The new index existed before: this is a roll-back."""
    embedder: str | None
    """Whose vectors are copied; None = all."""


class Size(NamedTuple):
    """Counts of an index's active generations."""

    documents: int
    chunks: int
    vectors: int


class Copying:
    """Compares two indexes and copies between them."""

    def __init__(self, client: OpenSearchClient, names: Names, versions: VersionStore) -> None:
        self._client = client
        self._names = names
        self._versions = versions

    async def fill(self, build: Build, progress: Progress) -> None:
        """Copies until no document differs that differed in the previous pass. Newer writes went to both indexes."""
        total, copied = (await self.count(build, build.old)).chunks, 0
        differing: set[str] | None = None
        for _ in range(PASSES):
            await self.check(build)
            await self._client.refresh(f"{build.old},{build.new}")
            left: set[str] = set()
            async for part in self._parts(differing):
                mine, theirs = await self._compared(build, part)
                wrong = {place for place in mine.keys() | theirs.keys() if not _same(mine.get(place), theirs.get(place))}
                await self._clear(build, wrong & theirs.keys())
                copied += await self._copy(build, self._names.upcoming(build.collection), wrong & mine.keys())
                left |= {doc_id for doc_id, _ in wrong}
                progress("copying", min(copied, total), total)
            if not left:
                return
            if differing is not None:
                await asyncio.sleep(SETTLE_S)
            differing = left
        raise SearchUnavailable(f"{len(left)} documents change faster than they are copied. Try again when fewer are being added.")

    async def _parts(self, doc_ids: set[str] | None) -> AsyncIterator[Json]:
        """Filters that together match these documents, None = all."""
        if doc_ids is not None:
            known = sorted(doc_ids)
            for at in range(0, len(known), TERMS):
                yield {"terms": {"doc_id": known[at : at + TERMS]}}
            return
        after = ""
        async for page in self._versions.pages():
            yield {"range": {"doc_id": {"gt": after, "lte": (last := max(page))}}}
            after = last
        yield {"range": {"doc_id": {"gt": after}}}

    async def _compared(self, build: Build, part: Json) -> tuple[dict[Place, State], dict[Place, State]]:
        """What should be in the new index, and what is there. Versions are read last: a generation is named there before it is
        written anywhere else."""
        mine, theirs = await self._states(build, build.old, part), await self._states(build, build.new, part)
        versions = await self._versions.read({doc_id for doc_id, _ in mine})
        wanted = {
            (doc_id, generation): state
            for (doc_id, generation), state in mine.items()
            if generation in versions[doc_id].generations and versions[doc_id].admits(generation)
        }
        return wanted, theirs

    async def _states(self, build: Build, index: str, part: Json) -> dict[Place, State]:
        aggregations = {
            "active": {"filter": ACTIVE},
            "staged": {"stats": {"field": "staged_at"}},
            "vectors": {"filter": self._with_vectors(build)},
        }
        by: Json = {"size": MAX_STATES, "sources": [{name: {"terms": {"field": name}}} for name in ("doc_id", "generation")]}
        states: dict[Place, State] = {}
        while True:
            found = await self._search(index, {"size": 0, "query": part, "aggs": {"by": {"composite": by, "aggs": aggregations}}})
            buckets = found["aggregations"]["by"]["buckets"]
            for bucket in buckets:
                staged = bucket["staged"]
                states[bucket["key"]["doc_id"], bucket["key"]["generation"]] = State(
                    bucket["doc_count"], bucket["active"]["doc_count"], staged["min"], staged["max"], bucket["vectors"]["doc_count"]
                )
            if len(buckets) < MAX_STATES:
                return states
            by["after"] = buckets[-1]["key"]

    async def _copy(self, build: Build, alias: str, places: set[Place]) -> int:
        """Copies these generations → number of chunks."""
        copied = 0
        async for hits in self._chunks(build.old, places, source=True):
            sources = [self._renew(build, hit["_source"]) for hit in hits]
            lines = [{"index": {"_index": alias, "_id": source["chunk_id"], "require_alias": True}} for source in sources]
            copied += await self._client.bulk(zip(lines, sources, strict=True))
        return copied

    async def _clear(self, build: Build, places: set[Place]) -> None:
        async for hits in self._chunks(build.new, places, source=False):
            await self._client.bulk(({"delete": {"_index": build.new, "_id": hit["_id"]}}, None) for hit in hits)

    def _renew(self, build: Build, source: Mapping[str, Any]) -> Json:
        """A stored document of any mapping → one of the current mapping."""
        chunk = replace(to_chunk(source["chunk_id"], source), questions=tuple(source["rest"].get("questions", ())))
        document = Document(
            chunk.doc_id, chunk.title, chunk.collection, "", "READY", "", 0, chunk.permission_groups, generation=chunk.generation,
            metadata=chunk.metadata, created_at=chunk.created_at,
        )  # fmt: skip
        renewed = to_source(document, chunk, to_bounds(source), active=source["active"], staged_at=source["staged_at"])
        if "vectors" in source and build.embedder in (None, source.get("embedder")):  # earlier mappings stored them otherwise
            renewed |= {
                name: value for name, value in source.items() if name in ("embedder", "recipe", "vectors") or name.startswith("vector_")
            }
        return renewed

    async def _chunks(self, index: str, places: set[Place], *, source: bool) -> AsyncIterator[list[Json]]:
        known = sorted({doc_id for doc_id, _ in places})
        for at in range(0, len(known), TERMS):
            body: Json = {
                "size": PAGE,
                "query": {"terms": {"doc_id": known[at : at + TERMS]}},
                "sort": ["doc_id", "generation", "chunk_id"],
                "_source": source,
            }
            while hits := (await self._search(index, body))["hits"]["hits"]:
                yield [hit for hit in hits if tuple(hit["sort"][:2]) in places]
                body["search_after"] = hits[-1]["sort"]

    async def catch_up(self, build: Build) -> None:
        """Copies what a version of Footnote with another mapping, which knows only the old index, wrote in the meantime."""
        await self._client.refresh(f"{build.old},{build.new}")
        async for part in self._parts(None):
            mine, theirs = await self._compared(build, part)
            behind = {place for place, state in mine.items() if place not in theirs or _lacks(theirs[place], state)}
            await self._copy(build, self._names.chunks(build.collection), behind)
        await self._client.refresh(build.new)

    async def count(self, build: Build, index: str) -> Size:
        """Counts of the active generations in an index."""
        aggregations = {
            "documents": {"cardinality": {"field": "doc_id", "precision_threshold": 40_000}},
            "vectors": {"filter": self._with_vectors(build)},
        }
        body = {"size": 0, "track_total_hits": True, "query": ACTIVE, "aggs": aggregations}
        found = await self._search(index, body)
        counted = found["aggregations"]
        return Size(counted["documents"]["value"], found["hits"]["total"]["value"], counted["vectors"]["doc_count"])

    def _with_vectors(self, build: Build) -> Json:
        return {"exists": {"field": "embedder"}} if build.embedder is None else {"term": {"embedder": build.embedder}}

    async def _search(self, index: str, body: Json) -> Json:
        return await self._client.request("POST", f"/{index}/_search", body, timeout_s=WRITE_TIMEOUT_S)

    async def record(self, collection: str) -> Json:
        """The collection's stored record; NotFound."""
        record = await self._versions.record(collection)
        if record is None:
            raise NotFound(f"There is no index “{collection}”.")
        return record

    async def check(self, build: Build) -> None:
        """Conflict if another build of this collection has started."""
        if ((await self.record(build.collection))["_source"].get("upcoming") or {}).get("index") != build.new:
            raise Conflict("Another `footnote reindex` of this collection has started in the meantime.")


def _same(wanted: State | None, there: State | None) -> bool:
    """Whether a generation is complete in the new index. A kept index may hold more vectors than the old one."""
    if wanted is None or there is None:
        return wanted is there
    return wanted[:-1] == there[:-1] and wanted.vectors <= there.vectors


def _lacks(there: State, wanted: State) -> bool:
    """Whether the new index lacks something. The generation that was staged later wins, however small it is."""
    if there.last != wanted.last:
        return there.last < wanted.last
    return any(theirs < ours for theirs, ours in zip(there, wanted, strict=True))
