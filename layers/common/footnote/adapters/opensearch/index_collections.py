"""Collections in OpenSearch: sizes, versions, what a caller sees of them, term weights and the inventory."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Sequence

from footnote.adapters.opensearch.client import Json, OpenSearchClient
from footnote.adapters.opensearch.document_versions import Collection, VersionStore
from footnote.adapters.opensearch.hits import hits_of
from footnote.adapters.opensearch.mapping import ACTIVE, Names, visible
from footnote.ports import SAME_TITLE, SMALL_COLLECTION, Indexed, View
from footnote.types import Caller

MAX_VIEWS = 1000
"""Views that are cached."""


class Collections:
    """The part of `ports.IndexStore` that neither finds nor writes chunks. Sizes and views are cached per version."""

    def __init__(self, client: OpenSearchClient, names: Names, versions: VersionStore) -> None:
        self._client = client
        self._names = names
        self._versions = versions
        self._views: dict[tuple[str, int, frozenset[str] | None], View] = {}

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

    async def same_phrase(self, caller: Caller, collection: str, titles: Sequence[str]) -> dict[str, list[str]]:
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
