"""Chunks that wait for their vectors in OpenSearch, and how many have them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from footnote.adapters.opensearch.client import Json, OpenSearchClient
from footnote.adapters.opensearch.mapping import ACTIVE, Names, to_pending
from footnote.errors import SearchUnavailable
from footnote.ports import PendingVector, VectorScope

MAX_SEARCHED = 10_000
"""Most collections whose chunks of every level get vectors; the engine's limit of hits."""


class PendingVectors:
    """The part of `ports.IndexStore` that says which vectors are missing."""

    def __init__(self, client: OpenSearchClient, names: Names) -> None:
        self._client = client
        self._names = names
        self._noted: set[str] = set()
        """Collections known to be in the index `Names.searched`."""

    async def want_all_levels(self, collection: str) -> None:
        """Makes chunks of every level of the collection wait for vectors. A search must not fail because it cannot be noted now: the
        next one notes it."""
        if collection in self._noted:
            return
        path = f"/{self._names.searched}/_update/{self._names.chunks(collection)}"
        with suppress(SearchUnavailable):
            await self._client.request("POST", path, {"doc": {"name": collection}, "doc_as_upsert": True}, refresh=True)
            self._noted.add(collection)

    async def pending(self, scope: VectorScope, limit: int, doc_id: str | None) -> list[PendingVector]:
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
        return [] if found is None else [to_pending(hit["_id"], hit["_source"]) for hit in found["hits"]["hits"]]

    async def progress(self, scope: VectorScope) -> tuple[int, int]:
        wanted = await self._wanted(scope)
        found = await self._client.search(self._names.all_chunks, counts(wanted, scope.embedder, scope.recipe))
        return (0, 0) if found is None else _counted(found)

    async def _wanted(self, scope: VectorScope) -> list[Json]:
        """Filter: the chunks of the scope."""
        found = await self._client.search(self._names.searched, {"size": MAX_SEARCHED})
        names = [hit["_source"]["name"] for hit in found["hits"]["hits"]] if found else []
        return [
            *in_languages(scope.languages),
            {"bool": {"should": [{"term": {"level": 2}}, {"terms": {"collection": names}}]}},
            *([{"bool": {"must_not": {"terms": {"collection": sorted(scope.without)}}}}] if scope.without else []),
            *([] if scope.only is None else [{"terms": {"collection": sorted(scope.only)}}]),
        ]


def in_languages(languages: frozenset[str] | None) -> list[Json]:
    """Filter: active chunks in these languages; None = all."""
    return [ACTIVE, *([] if languages is None else [{"terms": {"lang": sorted(languages)}}])]


def _made(embedder: str, recipe: int) -> list[Json]:
    """Filter: chunks with vectors of this recipe or a later one. Before there were recipes, all were recipe 0."""
    return [{"term": {"embedder": embedder}}, *([{"range": {"recipe": {"gte": recipe}}}] if recipe else [])]


def counts(filters: Sequence[Json], embedder: str, recipe: int = 0) -> Json:
    """A search that counts the chunks that meet the filters, and those of them with vectors."""
    made = {"made": {"filter": {"bool": {"filter": _made(embedder, recipe)}}}}
    return {"size": 0, "query": {"bool": {"filter": filters}}, "track_total_hits": True, "aggs": made}


def _counted(found: Json) -> tuple[int, int]:
    """(chunks with a vector, all chunks)."""
    return found["aggregations"]["made"]["doc_count"], found["hits"]["total"]["value"]


def coverage_of(found: Json | None) -> float:
    """`Candidates.coverage`, from the reply to `counts`."""
    made, total = (0, 0) if found is None else _counted(found)
    return made / total if total else 1.0
