"""The index in OpenSearch: BM25 over Footnote's tokens and Lucene HNSW for vectors, in two requests at once, fused by the core.
Once one of them has found something, the other is left out if it is late.

A search may find chunks that have just been deleted or replaced; `read` gets the chunks and their documents' versions in
real time and drops those that are not active.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from footnote.adapters.opensearch.client import Json, OpenSearchClient, Refused
from footnote.adapters.opensearch.conditions import as_query, values_asked, values_read
from footnote.adapters.opensearch.document_versions import Collection, VersionStore, to_versions
from footnote.adapters.opensearch.hits import chunk_id_of, documents_of, found_something, hits_of, place_of, to_entries, without_vector
from footnote.adapters.opensearch.index_collections import Collections
from footnote.adapters.opensearch.index_vectors import PendingVectors, counts, coverage_of, in_languages
from footnote.adapters.opensearch.index_writes import Writes
from footnote.adapters.opensearch.late_lists import leave_out_late
from footnote.adapters.opensearch.mapping import (
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
    vector_field,
    visible,
)
from footnote.ports import ChunkVectors, Indexed, PendingVector, VectorScope, View
from footnote.settings import OpenSearch
from footnote.text.tokens import query_tokens
from footnote.types import Caller, Candidates, Chunk, ChunkSentences, Document, Search

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


class OpenSearchIndex:
    """`ports.IndexStore` on OpenSearch. The SDK is imported and connected at the first call.

    `upcoming`: reads the indexes that are being built."""

    def __init__(self, settings: OpenSearch, *, upcoming: bool = False) -> None:
        self._client = OpenSearchClient(settings)
        self._names = UpcomingNames(settings.prefix) if upcoming else Names(settings.prefix)
        self._versions = VersionStore(self._client, self._names, any_mapping=upcoming)
        self._collections = Collections(self._client, self._names, self._versions)
        self._vectors = PendingVectors(self._client, self._names)
        self._writes = Writes(self._client, self._names, self._versions)
        self._server_fusion = settings.server_fusion
        self._late_s = settings.limit_s * LATE_SHARE
        self._places: dict[tuple[str, int], str] = {}
        """(doc_id, generation) → collection, which never changes."""

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
            await self._vectors.want_all_levels(search.collection)
        self._remember({place: search.collection for hits in lists for hit in hits if (place := place_of(chunk_id_of(hit)))})
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
    ) -> tuple[tuple[list[Json], list[Json]], Candidates]:
        """(lexical hits, dense hits), and candidates without them. `fuses`: the engine fuses both into one list."""
        tokens = query_tokens(search.text, search.lang, sorted(search.spoken))[:MAX_TOKENS] if search.text else ()
        words: Json = {"bool": {"must": {"match": {"tokens": " ".join(tokens)}}, "filter": filters}}
        asked: dict[str, dict[str, Json]] = {"bm25": {"words": ranked(words, search.limit)}} if tokens else {}
        if search.vector is not None:
            having = counts([*visible(caller, search.levels, {}), *in_languages(search.languages)], search.embedder)
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
                asked["cosine"]["both"] = fused(asked.pop("bm25")["words"]["query"], vector, search.limit)
            else:
                asked["cosine"]["vector"] = ranked(vector, search.limit)
        searches = {source: self._searched(collection.chunks, bodies) for source, bodies in asked.items()}
        replies, ms = await leave_out_late(searches, found_something, self._late_s)
        found = {name: reply for named in replies.values() for name, reply in named.items()}
        about = Candidates(coverage=coverage_of(found.get("counts")), missing=frozenset(asked.keys() - replies.keys()), ms=ms)
        if "both" in found:
            both = hits_of(found["both"])
            if about.coverage < 1 or without_vector(both, search):  # the engine would rank chunks without a vector behind all others
                return await self._look(caller, search, collection, filters, False)
            return (both, both), about
        nearest = hits_of(found.get("vector"))  # whose scores are (1 + cosine) / 2
        near_hits = [{**hit, "_score": 2 * hit["_score"] - 1} for hit in nearest]
        return (hits_of(found.get("words")), near_hits), about

    async def _searched(self, index: str, bodies: Mapping[str, Json]) -> dict[str, Json | None]:
        """The replies to these searches, in one request."""
        return dict(zip(bodies, await self._client.searches([(index, body) for body in bodies.values()]), strict=True))

    async def _settle(self, lists: tuple[list[Json], list[Json]]) -> tuple[tuple[list[Json], list[Json]], bool]:
        """The hits without inactive generations of documents that are being activated. False if a list lost a document by that,
        or the lists came from two indexes: another search is needed."""
        settled = len({hit["_index"] for hits in lists for hit in hits}) < 2
        generations: dict[str, set[int]] = {}
        for doc_id, generation in (place for hits in lists for hit in hits if (place := place_of(chunk_id_of(hit)))):
            generations.setdefault(doc_id, set()).add(generation)
        mixed = [doc_id for doc_id, found in generations.items() if len(found) > 1]
        if not mixed:
            return lists, settled
        versions = await self._versions.read(mixed)

        def stays(hit: Json) -> bool:
            place = place_of(chunk_id_of(hit))
            return place is None or place[0] not in versions or versions[place[0]].active == place[1]

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

    def _remember(self, places: Mapping[tuple[str, int], str]) -> None:
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
        return await self._collections.term_weights(caller, collection, terms)

    async def known_terms(self, caller: Caller, collection: str, terms: Sequence[str]) -> frozenset[str]:
        return await self._collections.known_terms(caller, collection, terms)

    async def titled(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, frozenset[str]]:
        near = await self._collections.same_phrase(caller, collection, titles)
        chunks = {chunk.chunk_id: chunk for chunk in await self.read(caller, [chunk_id for ids in near.values() for chunk_id in ids])}
        found = {title: [chunks[each] for each in ids if each in chunks] for title, ids in near.items()}
        same = {title: frozenset(chunk.doc_id for chunk in some if chunk.title == title) for title, some in found.items()}
        return {title: doc_ids for title, doc_ids in same.items() if doc_ids}

    async def view(self, caller: Caller, collection: str) -> View:
        return await self._collections.view(caller, collection)

    def inventory(self) -> AsyncIterator[Indexed]:
        return self._collections.inventory()

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

    async def put_vectors(self, embedder: str, vectors: Sequence[ChunkVectors]) -> None:
        await self._writes.put_vectors(embedder, vectors, await self._collections_of(item.chunk_id for item in vectors))

    async def pending(self, scope: VectorScope, limit: int, doc_id: str | None = None) -> list[PendingVector]:
        return await self._vectors.pending(scope, limit, doc_id)

    async def progress(self, scope: VectorScope) -> tuple[int, int]:
        return await self._vectors.progress(scope)

    async def check_copies(self, *, repair: bool) -> list[str]:
        """None: the engine checks its own files."""
        return []

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()
