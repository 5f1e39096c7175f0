"""The index in OpenSearch: BM25 over Footnote's tokens and Lucene HNSW for vectors, in two requests at once, fused by the core.
Once one of them has found something, the other is left out if it is late.

A search may find chunks that have just been deleted or replaced; `read` gets the chunks and their documents' versions in
real time and drops those that are not active.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from footnote.adapters.opensearch.client import Json, OpenSearchClient, Refused
from footnote.adapters.opensearch.conditions import as_query, values_asked, values_read
from footnote.adapters.opensearch.document_versions import Collection, VersionStore, to_versions
from footnote.adapters.opensearch.hits import Hit, Place, documents_of, hits_of, place_of, places_of, to_entries, to_hits, without_vector
from footnote.adapters.opensearch.index_writes import Writes
from footnote.adapters.opensearch.layers import Layers
from footnote.adapters.opensearch.mapping import (
    ACTIVE,
    NEIGHBOURS,
    OF_CHUNK,
    OF_QUESTIONS,
    OF_SENTENCES,
    Names,
    UpcomingNames,
    fused,
    ranked,
    to_chunk,
    to_chunk_sentences,
    to_pending,
    vector_field,
    visible,
)
from footnote.adapters.opensearch.slow_lists import leave_out_slow
from footnote.errors import SearchUnavailable
from footnote.ports import (
    SAME_TITLE,
    SMALL_COLLECTION,
    Built,
    ChunkVectors,
    Indexed,
    Layer,
    LayerScope,
    PendingVector,
    VectorScope,
    View,
)
from footnote.settings import OpenSearch
from footnote.text.tokens import query_tokens
from footnote.types import SYSTEM, Caller, Candidates, Chunk, ChunkSentences, Document, Search

MAX_TOKENS = 1000
"""Of a question; the engine accepts 1,024 clauses."""
LOOKS = 3
"""Most searches until one does not meet an activation half-way."""
LATE_SHARE = 1 / 3
"""Of the time limit: how much longer the second list is waited for once the first has found something."""
SAMPLE_PAGE = 1000
"""Passages of a sample that one request reads."""
KNOWN_PLACES = 50_000
"""Generations whose collection is cached."""
MAX_VIEWS = 1000
"""Views that are cached."""
MAX_SEARCHED = 10_000
"""Most collections whose chunks of every level get vectors; the engine's limit of hits."""


class _Reply(NamedTuple):
    """The reply to one request of a search: hits by the name of the list, and the share of chunks with a vector, if it was asked for."""

    hits: dict[str, list[Hit]]
    coverage: float


class OpenSearchIndex:
    """`ports.IndexStore` on OpenSearch. The SDK is imported and connected at the first call.

    `upcoming`: reads the indexes that are being built."""

    def __init__(self, settings: OpenSearch, *, upcoming: bool = False) -> None:
        self._client = OpenSearchClient(settings)
        self._names = UpcomingNames(settings.prefix) if upcoming else Names(settings.prefix)
        self._versions = VersionStore(self._client, self._names, any_mapping=upcoming)
        self._writes = Writes(self._client, self._names, self._versions)
        self._layers = Layers(self._client, self._names, self._versions, self._readable, self._writes.write)
        self._server_fusion = settings.server_fusion
        self._late_s = settings.limit_s * LATE_SHARE
        self._places: dict[Place, str] = {}
        """(doc_id, generation) → collection, which never changes."""
        self._views: dict[tuple[str, int, frozenset[str] | None], View] = {}
        self._noted: set[str] = set()
        """Collections known to be in the index `Names.searched`."""

    # --- searching --------------------------------------------------------------------------------

    async def candidates(self, caller: Caller, search: Search) -> Candidates:
        collection = await self._versions.find(search.collection, "" if search.vector is None else search.embedder)
        if collection is None:
            return Candidates()
        try:
            filters = await self._filters(caller, search, collection)
            for look in range(1, LOOKS + 1):
                lists, found = await self._look(caller, search, collection, filters, self._server_fusion)
                lists, settled = await self._settle(lists)
                if settled or look == LOOKS:
                    break
        except Refused:
            self._versions.forget()
            raise
        if search.needs_all_levels:
            await self._want_all_levels(search.collection)
        self._remember(dict.fromkeys(places_of(*lists), search.collection))
        lexical, dense = (to_entries(hits, search) for hits in lists)
        return replace(found, lexical=lexical, dense=dense, bare=without_vector(lists[0], search))

    async def _filters(self, caller: Caller, search: Search, collection: Collection) -> list[Json]:
        """Filters that every chunk must meet."""
        filters = visible(caller, search.levels, search.filters)
        if not search.conditions.each:
            return filters
        asked = values_asked(search.conditions, filters)
        found = await self._client.search(collection.chunks, asked) if asked else None
        return [*filters, as_query(search.conditions, values_read(search.conditions, found))]

    async def _look(
        self, caller: Caller, search: Search, collection: Collection, filters: list[Json], fuses: bool
    ) -> tuple[tuple[list[Hit], list[Hit]], Candidates]:
        """(lexical hits, dense hits), and candidates without them. `fuses`: the engine fuses both into one list."""
        tokens = query_tokens(search.text, search.lang, sorted(search.spoken))[:MAX_TOKENS] if search.text else ()
        words: Json = {"bool": {"must": {"match": {"tokens": " ".join(tokens)}}, "filter": filters}}
        asked: dict[str, dict[str, Json]] = {}
        if search.vector is not None:
            having = _counts([*visible(caller, search.levels, {}), *_in_languages(search.languages)], search.embedder)
            asked["cosine"] = {"counts": having}
        if search.vector is not None and search.embedder in collection.embedders:
            self._versions.check_dimension(collection, search.embedder, len(search.vector))
            near = {
                "vector": search.vector.tolist(),
                "k": max(NEIGHBOURS, search.limit),
                "filter": {"bool": {"filter": [*filters, {"term": {"embedder": search.embedder}}]}},
            }
            vector: Json = {"knn": {vector_field(len(search.vector)): near}}
            if tokens and fuses:
                asked["cosine"]["both"] = fused(words, vector, search.limit)
            else:
                asked["cosine"]["vector"] = ranked(vector, search.limit)
        if tokens and "both" not in asked.get("cosine", ()):  # sent second: the search by vector takes longer
            asked["bm25"] = {"words": ranked(words, search.limit)}
        searches = {source: self._searched(collection.chunks, bodies) for source, bodies in asked.items()}
        replies, ms = await leave_out_slow(searches, _found_something, self._late_s)
        found = {name: hits for reply in replies.values() for name, hits in reply.hits.items()}
        coverage = replies["cosine"].coverage if "cosine" in replies else 1.0
        about = Candidates(coverage=coverage, missing=frozenset(asked.keys() - replies.keys()), ms=ms)
        if "both" in found:
            both = found["both"]
            if coverage < 1 or without_vector(both, search):  # the engine would rank chunks without a vector behind all others
                return await self._look(caller, search, collection, filters, False)
            return (both, both), about
        return (found.get("words", []), found.get("vector", [])), about

    async def _searched(self, index: str, bodies: Mapping[str, Json]) -> _Reply:
        """The replies to these searches, in one request. Hits are read at once, while the engine still works on the other list."""
        replies = dict(zip(bodies, await self._client.searches([(index, body) for body in bodies.values()]), strict=True))
        coverage = _coverage_of(replies.pop("counts", None))
        return _Reply({name: to_hits(found, is_near=name == "vector") for name, found in replies.items()}, coverage)

    async def _settle(self, lists: tuple[list[Hit], list[Hit]]) -> tuple[tuple[list[Hit], list[Hit]], bool]:
        """The hits without inactive generations of documents that are being activated. False if a list lost a document by that,
        or the lists came from two indexes: another search is needed."""
        settled = len({hit.stored_in for hits in lists for hit in hits}) < 2
        found = Counter(doc_id for doc_id, _ in places_of(*lists))
        mixed = [doc_id for doc_id, generations in found.items() if generations > 1]
        if not mixed:
            return lists, settled
        versions = await self._versions.read(mixed)

        def stays(hit: Hit) -> bool:
            return hit.place is None or hit.place[0] not in versions or versions[hit.place[0]].active == hit.place[1]

        kept = [hit for hit in lists[0] if stays(hit)], [hit for hit in lists[1] if stays(hit)]
        return kept, settled and all(documents_of(old) == documents_of(new) for old, new in zip(lists, kept, strict=True))

    # --- permission check ---------------------------------------------------------------------------

    async def read(self, caller: Caller, chunk_ids: Sequence[str]) -> list[Chunk]:
        found = await self._readable(caller, chunk_ids, OF_CHUNK)
        return [to_chunk(chunk_id, found[chunk_id]) for chunk_id in chunk_ids if chunk_id in found]

    async def sentences(self, caller: Caller, chunk_ids: Sequence[str], embedder: str) -> dict[str, ChunkSentences]:
        found = await self._readable(caller, chunk_ids, OF_SENTENCES)
        return {chunk_id: to_chunk_sentences(source, embedder) for chunk_id, source in found.items()}

    async def questions(self, caller: Caller, chunk_ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        found = await self._readable(caller, chunk_ids, OF_QUESTIONS)
        return {chunk_id: tuple(texts) for chunk_id, source in found.items() if (texts := source.get("rest", {}).get("questions"))}

    async def _readable(self, caller: Caller, chunk_ids: Sequence[str], fields: Sequence[str]) -> dict[str, Json]:
        collections = await self._collections_of(chunk_ids)
        doc_ids = sorted({place[0] for chunk_id in collections if (place := place_of(chunk_id))})
        keys = [self._versions.key(doc_id) for doc_id in doc_ids]
        chunks = [
            {"_index": self._names.chunks(collection), "_id": chunk_id, "_source": {"includes": list(fields)}}
            for chunk_id, collection in collections.items()
        ]
        items = await self._client.get([*keys, *chunks])
        active = {doc_id: to_versions(item).active for doc_id, item in zip(doc_ids, items, strict=False)}
        readable: dict[str, Json] = {}
        for chunk_id, item in zip(collections, items[len(keys) :], strict=True):
            if item is None or (place := place_of(chunk_id)) is None or active[place[0]] != place[1]:
                continue
            if caller.may_read(frozenset(item["_source"]["permission_groups"])):
                readable[chunk_id] = item["_source"]
        return readable

    async def _collections_of(self, chunk_ids: Iterable[str]) -> dict[str, str]:
        """Chunk id → collection, for chunks whose generation exists."""
        places = {chunk_id: place for chunk_id in chunk_ids if (place := place_of(chunk_id))}
        known = {place: self._places[place] for place in places.values() if place in self._places}
        unknown = {place[0] for place in places.values() if place not in known}
        for doc_id, versions in (await self._versions.read(sorted(unknown))).items():
            known |= {(doc_id, generation): collection for generation, collection in versions.generations.items()}
        self._remember(known)
        return {chunk_id: known[place] for chunk_id, place in places.items() if place in known}

    def _remember(self, places: Mapping[Place, str]) -> None:
        if len(self._places) > KNOWN_PLACES:
            self._places.clear()
        self._places.update(places)

    async def sample(self, caller: Caller, collection: str, limit: int) -> list[Chunk]:
        """Chunks in rounds over the documents: the first passage of each, then the second of each."""
        query = {"bool": {"filter": visible(caller, (2,), {})}}
        body: Json = {"query": query, "sort": ["ordinal", {"staged_at": "desc"}, "chunk_id"], "_source": False}
        found: list[Chunk] = []
        wanted = limit
        while wanted > 0:
            page = {**body, "size": min(wanted, SAMPLE_PAGE)}
            hits = hits_of(await self._client.search(self._names.chunks(collection), page))
            found += await self.read(caller, [hit["_id"] for hit in hits])
            wanted -= len(hits)
            if len(hits) < page["size"]:
                break
            body["search_after"] = hits[-1]["sort"]
        return found

    # --- collections ------------------------------------------------------------

    async def term_weights(self, caller: Caller, collection: str, terms: Sequence[str]) -> dict[str, float]:
        wanted = sorted(set(terms))
        filters = [{"term": {"tokens": term}} for term in wanted]
        body = {"size": 0, "query": ACTIVE, "track_total_hits": True, "aggs": {"terms": {"filters": {"filters": filters}}}}
        found = await self._client.search(self._names.chunks(collection), body) if wanted else None
        if found is None:
            return {}
        total = found["hits"]["total"]["value"] + SMALL_COLLECTION
        counts = [bucket["doc_count"] for bucket in found["aggregations"]["terms"]["buckets"]]
        return {term: math.log(1 + (total - n + 0.5) / (n + 0.5)) for term, n in zip(wanted, counts, strict=True)}

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        wanted = sorted(set(terms))
        filters = {"filters": {"filters": [{"term": {"tokens": term}} for term in wanted]}}
        body = {"size": 0, "query": {"bool": {"filter": visible(caller, (0, 1, 2), {})}}, "aggs": {"terms": filters}}
        found = await self._client.search(self._names.chunks(collection), body) if wanted else None
        buckets = found["aggregations"]["terms"]["buckets"] if found else []
        return frozenset(term for term, bucket in zip(wanted, buckets, strict=False) if bucket["doc_count"])

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        near = await self._same_phrase(caller, collection, titles)
        chunks = {chunk.chunk_id: chunk for chunk in await self.read(caller, [chunk_id for ids in near.values() for chunk_id in ids])}
        found = {title: [chunks[each] for each in ids if each in chunks] for title, ids in near.items()}
        same = {title: frozenset(chunk.doc_id for chunk in some if chunk.title == title) for title, some in found.items()}
        return {title: doc_ids for title, doc_ids in same.items() if doc_ids}

    async def _same_phrase(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, list[str]]:
        """Title → for each of several visible documents whose title contains its words in their order, the best passage's id, the
        shortest titles first."""
        wanted = sorted(set(titles))
        phrases: list[Json] = [{"match_phrase": {"title": title}} for title in wanted]
        filters, index = visible(caller, (0, 1, 2), {}), self._names.chunks(collection)
        two: Json = {"documents": {"terms": {"field": "doc_id", "size": 2}}}
        by: Json = {"titles": {"filters": {"filters": phrases}, "aggs": two}}
        found = await self._client.search(index, {"size": 0, "query": {"bool": {"filter": filters}}, "aggs": by}) if wanted else None
        buckets = found["aggregations"]["titles"]["buckets"] if found else []
        several = [i for i, bucket in enumerate(buckets) if len(bucket["documents"]["buckets"]) > 1]
        best: Json = {"size": SAME_TITLE, "collapse": {"field": "doc_id"}, "_source": False}
        bodies = [(index, {**best, "query": {"bool": {"must": phrases[i], "filter": filters}}}) for i in several]
        replies = await self._client.searches(bodies) if bodies else []
        return {wanted[i]: [hit["_id"] for hit in hits_of(reply)] for i, reply in zip(several, replies, strict=True)}

    async def view(self, caller: Caller, collection: str) -> View:
        record = await self._versions.look_up(collection)  # each time, since the version is part of cache keys
        if record is None:
            return View()
        key = collection, record.version, None if caller.sees_all else caller.groups
        if (known := self._views.get(key)) is None:
            if len(self._views) >= MAX_VIEWS:
                self._views.clear()
            known = self._views[key] = await self._view(caller, record)
        return known

    async def _view(self, caller: Caller, collection: Collection) -> View:
        counts: Json = {"languages": {"terms": {"field": "lang", "size": 1000, "order": {"_key": "asc"}}}}
        if own := sorted(caller.groups):
            counts["groups"] = {"terms": {"field": "permission_groups", "include": own, "size": len(own)}}
        body = {"size": 0, "query": {"bool": {"filter": visible(caller, (0, 1, 2), {})}}, "aggs": counts}
        found = (await self._client.search(collection.chunks, body) or {}).get("aggregations", {})
        buckets = {name: {bucket["key"]: bucket["doc_count"] for bucket in found[name]["buckets"]} for name in found}
        return View(collection.version, buckets.get("languages", {}), frozenset(buckets.get("groups", ())))

    # --- writing ----------------------------------------------------------------------------------

    async def stage(self, document: Document, chunks: Sequence[Chunk], bounds: Sequence[tuple[tuple[int, int], ...]]) -> None:
        await self._writes.stage(document, chunks, bounds)

    async def staged(self, doc_id: str, generation: int) -> tuple[int, str]:
        return await self._writes.staged(doc_id, generation)

    async def activate(self, doc_id: str, generation: int) -> bool:
        return await self._writes.activate(doc_id, generation)

    async def amend(self, doc_id: str, generation: int, metadata: Mapping[str, Any]) -> None:
        await self._writes.amend(doc_id, generation, metadata)

    async def remove(self, doc_id: str, through: int) -> None:
        await self._writes.remove(doc_id, through)

    async def inventory(self) -> AsyncIterator[Indexed]:
        await self._client.refresh(self._names.all_indexes)
        after = ""
        async for page in self._versions.pages():
            counts = await self._count(after, last := max(page))
            for doc_id, versions in page.items():
                staged = {generation: (name, 0) for generation, name in versions.generations.items() if versions.admits(generation)}
                for generation, (collection, chunks) in sorted((staged | counts.get(doc_id, {})).items()):
                    yield Indexed(doc_id, generation, collection, generation == versions.active, chunks)
            after = last

    async def _count(self, after: str, last: str) -> dict[str, dict[int, tuple[str, int]]]:
        """doc_id → generation → (collection, number of chunks), for after < doc_id ≤ last."""
        sources = [{name: {"terms": {"field": name}}} for name in ("doc_id", "generation", "collection")]
        by: Json = {"size": 10_000, "sources": sources}
        counts: dict[str, dict[int, tuple[str, int]]] = {}
        while True:
            body = {"size": 0, "query": {"range": {"doc_id": {"gt": after, "lte": last}}}, "aggs": {"by": {"composite": by}}}
            found = await self._client.search(self._names.all_chunks, body)
            buckets = found["aggregations"]["by"]["buckets"] if found else []
            for bucket in buckets:
                key = bucket["key"]
                counts.setdefault(key["doc_id"], {})[key["generation"]] = key["collection"], bucket["doc_count"]
            if len(buckets) < by["size"]:
                return counts
            by["after"] = buckets[-1]["key"]

    # --- vectors ---------------------------------------------------------------------------------

    async def pending(self, scope: VectorScope, limit: int, doc_id: str | None = None) -> list[PendingVector]:
        filters = [*await self._wanted(scope), *([{"term": {"doc_id": doc_id}}] if doc_id is not None else [])]
        bare = {"bool": {"must_not": {"term": {"embedder": scope.embedder}}}}
        body = {
            "size": limit,
            "query": {
                "bool": {
                    "filter": filters,
                    "must_not": {"bool": {"filter": _made(scope.embedder, scope.recipe)}},
                    "should": {"constant_score": {"filter": bare}},
                }
            },
            "sort": ["_score", "staged_at", "doc_id", "ordinal"],
            "_source": ["title", "text", "lang", "rest.bounds", "rest.headings"],
        }
        found = await self._client.search(self._names.all_chunks, body)
        return [to_pending(hit["_id"], hit["_source"]) for hit in hits_of(found)]

    async def progress(self, scope: VectorScope) -> tuple[int, int]:
        wanted = await self._wanted(scope)
        found = await self._client.search(self._names.all_chunks, _counts(wanted, scope.embedder, scope.recipe))
        return (0, 0) if found is None else _counted(found)

    async def _wanted(self, scope: VectorScope) -> list[Json]:
        """Filter: the chunks of the scope."""
        found = await self._client.search(self._names.searched, {"size": MAX_SEARCHED})
        names = [hit["_source"]["name"] for hit in hits_of(found)]
        return [
            *_in_languages(scope.languages),
            {"bool": {"should": [{"term": {"level": 2}}, {"terms": {"collection": names}}]}},
            *([{"bool": {"must_not": {"terms": {"collection": sorted(scope.without)}}}}] if scope.without else []),
            *([] if scope.only is None else [{"terms": {"collection": sorted(scope.only)}}]),
        ]

    async def _want_all_levels(self, collection: str) -> None:
        """Makes chunks of every level of the collection wait for vectors. A search must not fail because it cannot be noted now: the
        next one notes it."""
        if collection in self._noted:
            return
        path = f"/{self._names.searched}/_update/{self._names.chunks(collection)}"
        with suppress(SearchUnavailable):
            await self._client.request("POST", path, {"doc": {"name": collection}, "doc_as_upsert": True}, refresh=True)
            self._noted.add(collection)

    async def put_vectors(self, embedder: str, vectors: Sequence[ChunkVectors]) -> None:
        await self._writes.put_vectors(embedder, vectors, await self._collections_of(item.chunk_id for item in vectors))

    async def check_copies(self, *, repair: bool) -> list[str]:
        """None: the engine checks its own files."""
        return []

    # --- what is built of passages ----------------------------------------------------------------

    async def unbuilt(self, scope: LayerScope, limit: int) -> list[Chunk]:
        return await self.read(SYSTEM, await self._layers.unbuilt(scope, limit))

    async def put_built(self, scope: LayerScope, built: Sequence[Built]) -> None:
        await self._layers.put(scope, built)

    async def drop_built(self, collection: str, layer: Layer) -> None:
        await self._layers.drop(collection, layer)

    async def layer_progress(self, scope: LayerScope) -> tuple[int, int]:
        return await self._layers.progress(scope)

    async def built(self, caller: Caller, scope: LayerScope, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        return await self._layers.built(caller, scope, chunk_ids)

    async def built_in(self, caller: Caller, scope: LayerScope) -> dict[str, bytes]:
        return await self._layers.built_in(caller, scope)

    async def keyed(self, caller: Caller, scope: LayerScope, keys: Sequence[str], limit: int) -> dict[str, tuple[str, ...]]:
        return await self._layers.keyed(caller, scope, keys, limit)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()


def _found_something(reply: _Reply) -> bool:
    """Whether one of the searches has a hit."""
    return any(reply.hits.values())


def _in_languages(languages: frozenset[str] | None) -> list[Json]:
    """Filter: active chunks in these languages; None = all."""
    return [ACTIVE, *([] if languages is None else [{"terms": {"lang": sorted(languages)}}])]


def _made(embedder: str, recipe: int) -> list[Json]:
    """Filter: chunks with vectors of this recipe or a later one. Before there were recipes, all were recipe 0."""
    return [{"term": {"embedder": embedder}}, *([{"range": {"recipe": {"gte": recipe}}}] if recipe else [])]


def _counts(filters: Sequence[Json], embedder: str, recipe: int = 0) -> Json:
    """A search that _counts the chunks that meet the filters, and those of them with vectors."""
    made = {"made": {"filter": {"bool": {"filter": _made(embedder, recipe)}}}}
    return {"size": 0, "query": {"bool": {"filter": filters}}, "track_total_hits": True, "aggs": made}


def _counted(found: Json) -> tuple[int, int]:
    """(chunks with a vector, all chunks)."""
    return found["aggregations"]["made"]["doc_count"], found["hits"]["total"]["value"]


def _coverage_of(found: Json | None) -> float:
    """`Candidates.coverage`, from the reply to `_counts`."""
    made, total = (0, 0) if found is None else _counted(found)
    return made / total if total else 1.0
