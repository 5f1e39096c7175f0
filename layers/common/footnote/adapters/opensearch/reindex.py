"""Rebuilds the index of a collection while it is read and written: begin → fill → swap.

    begin   creates an empty index beside the old one; from then on writers write to both
    fill    copies the old one's chunks; their tokens are computed from the stored text by the current code
    swap    moves the aliases to the new one, all at once, and updates the collection's record

A document that was equal in both indexes is not copied again, since later writes go to both. A roll-back is the same
into the index that was kept.
"""

from __future__ import annotations

from collections.abc import Iterable

from footnote.adapters.opensearch.client import WRITE_TIMEOUT_S, Json, OpenSearchClient
from footnote.adapters.opensearch.document_versions import VersionStore
from footnote.adapters.opensearch.mapping import CHUNKS, MAPPING, Names, vector_mapping
from footnote.adapters.opensearch.reindex_copy import NO_EMBEDDER, Build, Copying, Progress, Size
from footnote.errors import Conflict, NotFound
from footnote.ports import Embedder
from footnote.settings import OpenSearch


class Reindex:
    """Rebuilds indexes; one `begin` … `swap` or `abandon` per collection."""

    def __init__(self, settings: OpenSearch) -> None:
        self._client = OpenSearchClient(settings)
        self._names = Names(settings.prefix)
        self._versions = VersionStore(self._client, self._names)
        self._copying = Copying(self._client, self._names, self._versions)

    async def collections(self) -> list[str]:
        """Names of all collections."""
        return list(await self._versions.collections())

    async def outdated(self) -> list[str]:
        """Names of the collections whose index has the mapping of an earlier version."""
        return [name for name, mapping in (await self._versions.collections()).items() if mapping < MAPPING]

    async def documents(self, doc_ids: Iterable[str]) -> set[str]:
        """Those of the documents that have an active generation."""
        return {doc_id for doc_id, versions in (await self._versions.read(doc_ids)).items() if versions.active}

    # --- begin ------------------------------------------------------------------------------------

    async def begin(self, collection: str, embedder: Embedder | None, *, roll_back: bool = False) -> Build:
        """Starts a build. An earlier one that was not finished is discarded. `embedder`: the collection's."""
        alias, upcoming = self._names.chunks(collection), self._names.upcoming(collection)
        record = await self._repaired(collection)
        there = await self._indexes(collection)
        if roll_back:
            new = await self._kept(record, there)
        else:
            new = f"{alias}-g{1 + max(int(index.rpartition('-g')[2]) for index in there):04}"
            await self._client.request("PUT", f"/{new}", CHUNKS, timeout_s=WRITE_TIMEOUT_S)
        moves = [{"remove": {"index": index, "alias": upcoming, "must_exist": False}} for index in there]
        await self._alias([*moves, {"add": {"index": new, "alias": upcoming}}])
        length = embedder.dimension if embedder else 0
        while True:
            embedders = record["_source"]["embedders"]
            for each in {*embedders.values(), length} - {0}:
                await self._client.request("PUT", f"/{new}/_mapping", vector_mapping(each), timeout_s=WRITE_TIMEOUT_S)
            if await self._versions.change_record(record, upcoming={"index": new, "mapping": MAPPING}):
                break
            record = await self._copying.record(collection)
        source = record["_source"]
        for index in set(there) - {source["index"], source.get("previous"), new}:
            await self._client.request("DELETE", f"/{index}", timeout_s=WRITE_TIMEOUT_S)
        return _build(collection, source, new, embedder, kept=roll_back)

    async def go_on(self, collection: str, embedder: Embedder | None) -> Build:
        """Goes on with a build that was interrupted; without one, as `begin`."""
        source = (await self._repaired(collection))["_source"]
        upcoming = source.get("upcoming")
        if upcoming and upcoming["mapping"] == MAPPING and upcoming["index"] in await self._indexes(collection):
            return _build(collection, source, upcoming["index"], embedder, kept=False)
        return await self.begin(collection, embedder)

    async def _kept(self, record: Json, there: list[str]) -> str:
        new = record["_source"].get("previous")
        if new not in there:
            raise NotFound("There is no previous index to roll back to.")
        if await self._mapping_of(new) != MAPPING:
            raise Conflict("The previous index was created by another version of Footnote. Run this command with that version.")
        return str(new)

    async def _repaired(self, collection: str) -> Json:
        """The collection's record; updated first if a swap was interrupted after it moved the aliases."""
        alias, record = self._names.chunks(collection), await self._copying.record(collection)
        (answering,) = await self._client.request("GET", f"/{alias}/_alias")
        while record["_source"]["index"] != answering:
            changes = {"index": answering, "previous": record["_source"]["index"], "mapping": await self._mapping_of(answering)}
            await self._versions.change_record(record, **changes, upcoming=None)
            record = await self._copying.record(collection)
        return record

    async def _mapping_of(self, index: str) -> int:
        return int((await self._client.request("GET", f"/{index}/_mapping"))[index]["mappings"]["_meta"]["mapping"])

    async def fill(self, build: Build, progress: Progress) -> None:
        """Copies until both indexes are equal."""
        await self._copying.fill(build, progress)

    # --- swap -------------------------------------------------------------------------------------

    async def swap(self, build: Build, embedder: Embedder | None) -> None:
        """Makes the new index answer. The old one is kept, its predecessor is deleted."""
        await self._copying.check(build)
        alias, upcoming = self._names.chunks(build.collection), self._names.upcoming(build.collection)
        both = (alias, self._names.all_chunks)
        moves = [{verb: {"index": index, "alias": name}} for verb, index in (("remove", build.old), ("add", build.new)) for name in both]
        await self._alias(moves)
        changes = {"index": build.new, "mapping": MAPPING, "previous": build.old, "upcoming": None}
        while True:
            record = await self._copying.record(build.collection)
            source = record["_source"]
            embedders = dict(source["embedders"])
            if embedder is not None and embedder.name in embedders:
                embedders[embedder.name] = embedder.dimension
            if await self._versions.change_record(record, **changes, version=source["version"] + 1, embedders=embedders):
                break
        await self._copying.catch_up(build)
        await self._alias([{"remove": {"index": build.new, "alias": upcoming, "must_exist": False}}])
        for index in set(await self._indexes(build.collection)) - {build.old, build.new}:
            await self._client.request("DELETE", f"/{index}", timeout_s=WRITE_TIMEOUT_S)

    async def abandon(self, build: Build) -> None:
        """Ends the build; only the old index stays in use."""
        while True:
            record = await self._repaired(build.collection)  # after an interrupted swap the new one may answer already
            if (record["_source"].get("upcoming") or {}).get("index") != build.new:
                return
            if await self._versions.change_record(record, upcoming=None):
                break
        await self._alias([{"remove": {"index": build.new, "alias": self._names.upcoming(build.collection), "must_exist": False}}])
        if not build.kept:
            await self._client.request("DELETE", f"/{build.new}", timeout_s=WRITE_TIMEOUT_S)

    # --- requests --------------------------------------------------------------

    async def sizes(self, build: Build) -> tuple[Size, Size]:
        """Sizes of the old and the new index."""
        await self._client.refresh(f"{build.old},{build.new}")
        return await self._copying.count(build, build.old), await self._copying.count(build, build.new)

    async def _indexes(self, collection: str) -> list[str]:
        return sorted(await self._client.request("GET", f"/{self._names.chunks(collection)}-g*"))

    async def _alias(self, actions: list[Json]) -> None:
        await self._client.request("POST", "/_aliases", {"actions": actions}, timeout_s=WRITE_TIMEOUT_S)

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()


def _build(collection: str, source: Json, new: str, embedder: Embedder | None, *, kept: bool) -> Build:
    """`source`: the collection's record. Vectors of another length than the embedder's now are not copied."""
    name, length = (embedder.name, embedder.dimension) if embedder else (None, 0)
    return Build(collection, source["index"], new, kept, NO_EMBEDDER if source["embedders"].get(name, length) != length else name)


async def delete_indexes(settings: OpenSearch) -> None:
    """Deletes all indexes of this prefix, by name: a cluster may forbid to delete by pattern."""
    client = OpenSearchClient(settings)
    try:
        if names := sorted(await client.request("GET", f"/{settings.prefix}-*")):
            await client.request("DELETE", f"/{','.join(names)}", timeout_s=WRITE_TIMEOUT_S)
    finally:
        await client.close()
