"""The index in OpenSearch made anew: what it takes over, and that nobody who reads or writes meanwhile notices."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from itertools import cycle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.adapters.opensearch.client import OpenSearchClient
from footnote.adapters.opensearch.index import OpenSearchIndex
from footnote.adapters.opensearch.mapping import Names
from footnote.adapters.opensearch.reindex import Reindex
from footnote.adapters.opensearch.reindex_copy import Build
from footnote.bootstrap import Core
from footnote.bootstrap.layouts import rebuild_layouts
from footnote.errors import Conflict, NotFound, SearchUnavailable
from footnote.ports import ChunkVectors, Embedder, Index, Indexed, VectorScope
from footnote.settings import LLM, Embedding, OpenSearch, Settings
from footnote.types import Candidate, Search
from tests.contracts.backends_opensearch import opensearch_index, opensearch_settings
from tests.fakes import FakeEmbedder, make_chunk, make_document, put_document
from tests.turns import ME

AXES = np.eye(16, dtype=np.float32)
EMBEDDER = FakeEmbedder("e")


@pytest.fixture
def settings(opensearch_url: str, tmp_path: Path) -> OpenSearch:
    return opensearch_settings(opensearch_url, tmp_path)


@pytest.fixture
async def index(settings: OpenSearch) -> AsyncIterator[OpenSearchIndex]:
    async with opensearch_index(settings) as index:
        yield index


@pytest.fixture
async def engine(settings: OpenSearch) -> AsyncIterator[OpenSearchClient]:
    client = OpenSearchClient(settings)
    yield client
    await client.close()


@pytest.fixture
async def reindex(settings: OpenSearch) -> AsyncIterator[Reindex]:
    reindex = Reindex(settings)
    yield reindex
    await reindex.close()


@pytest.fixture
def names(settings: OpenSearch) -> Names:
    return Names(settings.prefix)


def silent(what: str, done: int, total: int) -> None:
    assert 0 <= done <= total


async def renew(reindex: Reindex, embedder: Embedder | None = EMBEDDER, *, roll_back: bool = False) -> Build:
    build = await reindex.begin("default", embedder, roll_back=roll_back)
    await reindex.fill(build, silent)
    await reindex.swap(build, embedder)
    return build


async def found(index: Index, text: str = "bridge") -> list[str]:
    """Through the gate."""
    entries = (await index.candidates(ME, Search("default", text))).lexical
    return [chunk.chunk_id for chunk in await index.read(ME, [entry.chunk_id for entry in entries])]


async def stored(engine: OpenSearchClient, index: str, chunk_id: str) -> dict[str, Any] | None:
    (item,) = await engine.get([{"_index": index, "_id": chunk_id}])
    return None if item is None else item["_source"]


async def indexes(engine: OpenSearchClient, names: Names) -> dict[str, list[str]]:
    """Number of each → its aliases, without the prefix."""
    there = await engine.request("GET", f"/{names.chunks('default')}-g*/_alias")
    known = {names.chunks("default"): "answers", names.all_chunks: "all", names.upcoming("default"): "next"}
    return {name[-5:]: sorted(known[alias] for alias in described["aliases"]) for name, described in sorted(there.items())}


# --- what it takes over ------------------------------------------------------------------------


async def test_questions_of_passages_are_taken_over(index: OpenSearchIndex, reindex: Reindex) -> None:
    (chunk,) = await put_document(index, make_document(), ["The lamp burned oil."], questions=("Who brought petroleum?",))
    await renew(reindex)
    assert await found(index, "petroleum") == ["plan|1|0"]
    assert await index.read(ME, ["plan|1|0"]) == [replace(chunk, questions=())]


async def test_tokens_and_terms_are_made_anew_of_the_stored_text(
    index: OpenSearchIndex, engine: OpenSearchClient, names: Names, reindex: Reindex
) -> None:
    document = make_document(title="Sights", metadata={"city": "köln"}, groups=("staff", "guests"))
    (chunk,) = await put_document(index, document, ["The bridge is old."])
    alias = names.chunks("default")
    stale = {"doc": {"tokens": "zebra", "rest": {"terms": "zebra"}}}
    await engine.bulk([({"update": {"_index": alias, "_id": "plan|1|0"}}, stale)], refresh=True)
    before = await stored(engine, alias, "plan|1|0")
    assert before is not None
    await renew(reindex)
    rest = {**before["rest"], "terms": "sight\nbridg old"}
    assert await stored(engine, alias, "plan|1|0") == {**before, "tokens": "sight sight sight bridg old", "rest": rest}
    assert (await found(index), await found(index, "zebra")) == (["plan|1|0"], [])
    assert await index.read(ME, ["plan|1|0"]) == [chunk]
    assert await indexes(engine, names) == {"g0001": [], "g0002": ["all", "answers"]}


async def test_an_index_of_an_earlier_version_answers_and_is_rebuilt_by_the_hourly_check(
    index: OpenSearchIndex, engine: OpenSearchClient, names: Names, settings: OpenSearch, tmp_path: Path
) -> None:
    await put_document(index, make_document(), ["The bridge is old."])
    stale = ({"update": {"_index": names.chunks("default"), "_id": "plan|1|0"}}, {"doc": {"tokens": "zebra"}})
    earlier = ({"update": {"_index": names.versions, "_id": "collection|default"}}, {"doc": {"mapping": 4}})
    await engine.bulk([stale, earlier], refresh=True)
    core = Core(Settings(footnote_data=tmp_path, opensearch=settings, embedding=Embedding(builtin=False), llm=LLM(discover=False)))
    await put_document(core.engine, make_document("two"), ["The bridge is new."])
    assert (await found(core.engine, "zebra"), await found(core.engine)) == (["plan|1|0"], ["two|1|0"])
    for _ in range(2):  # killed
        reindex = Reindex(settings)
        assert (await reindex.go_on("default", None)).new.endswith("-g0002")
        await reindex.close()
    assert await rebuild_layouts(core) == ["default"]
    assert (await found(core.engine, "zebra"), sorted(await found(core.engine))) == ([], ["plan|1|0", "two|1|0"])
    assert await indexes(engine, names) == {"g0001": [], "g0002": ["all", "answers"]}
    assert await rebuild_layouts(core) == []
    await core.close()


async def test_vectors_of_the_configured_embedder_are_taken_over(index: OpenSearchIndex, reindex: Reindex) -> None:
    chunks = await put_document(index, make_document(), ["The bridge.", "A road.", "The tower."])
    sentences = np.arange(32, dtype=np.int8).reshape(2, 16)
    document = make_document("two")
    await index.stage(document, [make_chunk(document, "One. Two.")], [((0, 4), (5, 9))])
    await index.activate("two", 1)
    await index.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, AXES[0]), ChunkVectors("two|1|0", AXES[1], sentences)])
    await index.put_vectors("other", [ChunkVectors(chunks[1].chunk_id, AXES[2, :4])])
    await renew(reindex)
    near = await index.candidates(ME, Search("default", vector=AXES[0], embedder="e", limit=1))
    assert (near.dense, near.coverage) == ((Candidate("plan|1|0", 1.0),), 0.5)
    kept = (await index.sentences(ME, ["two|1|0"], "e"))["two|1|0"]
    assert (kept.vectors is not None and kept.vectors.tolist(), kept.passage is not None and kept.passage.tolist()) == (
        sentences.tolist(),
        AXES[1].tolist(),
    )
    assert [waiting.chunk_id for waiting in await index.pending(VectorScope("e"), 9)] == ["plan|1|1", "plan|1|2"]
    assert await index.progress(VectorScope("other")) == (0, 4)


async def test_where_no_embedder_is_configured_all_vectors_are_taken_over(index: OpenSearchIndex, settings: OpenSearch) -> None:
    chunks = await put_document(index, make_document(), ["The bridge.", "A road."])
    await index.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, AXES[0])])
    await index.put_vectors("other", [ChunkVectors(chunks[1].chunk_id, AXES[2, :4])])
    reindex = Reindex(settings)
    await renew(reindex, None)
    await reindex.close()
    assert (await index.progress(VectorScope("e")), await index.progress(VectorScope("other"))) == ((1, 2), (1, 2))


async def test_an_embedder_may_make_vectors_of_another_length_from_then_on(index: OpenSearchIndex, settings: OpenSearch) -> None:
    chunks = await put_document(index, make_document(), ["The bridge."])
    await index.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, AXES[0])])
    with pytest.raises(SearchUnavailable, match="footnote reindex"):
        await index.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, AXES[0, :4])])
    shorter: Embedder = FakeEmbedder("e", dimension=4)
    reindex = Reindex(settings)
    await renew(reindex, shorter)
    await reindex.close()
    assert [waiting.chunk_id for waiting in await index.pending(VectorScope("e"), 9)] == ["plan|1|0"]
    await index.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, AXES[0, :4])])
    asked = Search("default", vector=AXES[0, :4], embedder="e")
    assert (await index.candidates(ME, asked)).dense == (Candidate("plan|1|0", 1.0),)


async def test_staged_generations_and_floors_are_taken_over_and_what_no_head_names_is_not(
    index: OpenSearchIndex, engine: OpenSearchClient, names: Names, reindex: Reindex
) -> None:
    await put_document(index, make_document(), ["The bridge."])
    await put_document(index, make_document("gone"), ["The bridge."])
    late = await stored(engine, names.chunks("default"), "gone|1|0")
    assert late is not None
    await index.remove("gone", 1)
    await engine.bulk([({"index": {"_index": names.chunks("default"), "_id": "gone|1|0"}}, late)], refresh=True)
    document = make_document(generation=2)
    await index.stage(document, [make_chunk(document, "The new bridge.")], [()])
    await renew(reindex)
    assert [item async for item in index.inventory()] == [Indexed("plan", 1, "default", True, 1), Indexed("plan", 2, "default", False, 1)]
    assert await index.activate("plan", 2) is True
    assert await index.activate("gone", 1) is False
    assert await found(index) == ["plan|2|0"]


async def test_an_index_of_another_mapping_is_made_anew(
    index: OpenSearchIndex, engine: OpenSearchClient, names: Names, settings: OpenSearch, reindex: Reindex
) -> None:
    await put_document(index, make_document(), ["The bridge."])
    await engine.bulk([({"update": {"_index": names.versions, "_id": "collection|default"}}, {"doc": {"mapping": 0}})])
    other = OpenSearchIndex(settings)
    with pytest.raises(SearchUnavailable, match="footnote reindex"):
        await found(other)
    await renew(reindex)
    assert await found(other) == ["plan|1|0"]
    await other.close()


async def test_other_collections_are_left_alone(index: OpenSearchIndex, reindex: Reindex) -> None:
    await put_document(index, make_document(), ["The bridge."])
    await put_document(index, make_document("b", collection="notes"), ["The bridge."])
    assert await reindex.collections() == ["default", "notes"]
    before = await index.view(ME, "notes")
    await renew(reindex)
    assert await index.view(ME, "notes") == before
    with pytest.raises(NotFound):
        await reindex.begin("nowhere", EMBEDDER)


async def test_who_keeps_answers_by_version_is_told(index: OpenSearchIndex, reindex: Reindex) -> None:
    await put_document(index, make_document(), ["The bridge."])
    before = await index.view(ME, "default")
    await renew(reindex)
    after = await index.view(ME, "default")
    assert (sum(after.languages.values()), after.version) == (1, before.version + 1)


# --- back again --------------------------------------------------------------------------------


async def test_rolling_back_takes_along_what_happened_since(
    index: OpenSearchIndex, engine: OpenSearchClient, names: Names, reindex: Reindex
) -> None:
    for name in ("kept", "changed", "gone"):
        await put_document(index, make_document(name), ["The bridge."])
    await renew(reindex)
    await put_document(index, make_document("changed", generation=2), ["The new bridge."])
    await put_document(index, make_document("new"), ["The bridge."])
    await index.remove("gone", 1)
    await renew(reindex, roll_back=True)
    assert await indexes(engine, names) == {"g0001": ["all", "answers"], "g0002": []}
    assert sorted(await found(index)) == ["changed|2|0", "kept|1|0", "new|1|0"]
    await renew(reindex)
    assert await indexes(engine, names) == {"g0001": [], "g0003": ["all", "answers"]}
    assert sorted(await found(index)) == ["changed|2|0", "kept|1|0", "new|1|0"]


async def test_where_no_index_was_kept_there_is_no_way_back(index: OpenSearchIndex, reindex: Reindex) -> None:
    await put_document(index, make_document(), ["The bridge."])
    with pytest.raises(NotFound, match="no previous index"):
        await reindex.begin("default", EMBEDDER, roll_back=True)


# --- broken off --------------------------------------------------------------------------------


async def test_a_build_that_is_given_up_leaves_nothing(
    index: OpenSearchIndex, engine: OpenSearchClient, names: Names, reindex: Reindex
) -> None:
    await put_document(index, make_document(), ["The bridge."])
    build = await reindex.begin("default", EMBEDDER)
    await put_document(index, make_document("b"), ["The bridge."])  # from here on it writes into both
    await reindex.abandon(build)
    await put_document(index, make_document("c"), ["The bridge."])
    assert await found(index) == ["b|1|0", "c|1|0", "plan|1|0"]
    assert await indexes(engine, names) == {"g0001": ["all", "answers"]}


async def test_a_build_that_broke_off_is_thrown_away_by_the_next(
    index: OpenSearchIndex, engine: OpenSearchClient, names: Names, reindex: Reindex
) -> None:
    await put_document(index, make_document(), ["The bridge."])
    broken = await reindex.begin("default", EMBEDDER)
    await put_document(index, make_document("b"), ["The bridge."])
    await renew(reindex)
    assert await found(index) == ["b|1|0", "plan|1|0"]
    assert await indexes(engine, names) == {"g0001": [], "g0003": ["all", "answers"]}
    with pytest.raises(Conflict, match="Another"):
        await reindex.swap(broken, EMBEDDER)
    await reindex.abandon(broken)
    assert await indexes(engine, names) == {"g0001": [], "g0003": ["all", "answers"]}


@pytest.mark.parametrize("mended_by", ["abandon", "begin"])
async def test_a_swap_that_broke_off_in_the_middle_loses_nothing(
    mended_by: str, index: OpenSearchIndex, engine: OpenSearchClient, names: Names, reindex: Reindex
) -> None:
    await put_document(index, make_document(), ["The bridge."])
    build = await reindex.begin("default", EMBEDDER)
    await reindex.fill(build, silent)
    turns = [("remove", build.old), ("add", build.new)]
    actions = [{verb: {"index": at, "alias": alias}} for verb, at in turns for alias in (names.chunks("default"), names.all_chunks)]
    await engine.request("POST", "/_aliases", {"actions": actions})
    await put_document(index, make_document("b"), ["The bridge."])
    if mended_by == "abandon":
        await reindex.abandon(build)
    await renew(reindex)
    assert await found(index) == ["b|1|0", "plan|1|0"]
    assert await indexes(engine, names) == {"g0002": [], "g0003": ["all", "answers"]}


# --- meanwhile ---------------------------------------------------------------------------------


async def test_who_writes_notices_that_an_index_is_being_built(index: OpenSearchIndex, engine: OpenSearchClient, reindex: Reindex) -> None:
    chunks = await put_document(index, make_document(), ["The bridge."])
    build = await reindex.begin("default", EMBEDDER)
    await put_document(index, make_document("b"), ["The bridge."])
    assert await stored(engine, build.new, "b|1|0") == await stored(engine, build.old, "b|1|0")
    assert await stored(engine, build.new, "plan|1|0") is None
    await reindex.fill(build, silent)
    await index.put_vectors("new", [ChunkVectors(chunks[0].chunk_id, AXES[0, :4])])
    await index.remove("b", 1)
    await reindex.swap(build, EMBEDDER)
    assert await index.progress(VectorScope("new")) == (1, 1)
    assert await found(index) == ["plan|1|0"]


async def test_writes_to_the_old_index_only_arrive_after_the_swap(
    index: OpenSearchIndex, engine: OpenSearchClient, names: Names, reindex: Reindex
) -> None:
    await put_document(index, make_document(), ["The bridge."])
    record = {"_index": names.versions, "_id": "collection|default"}
    build = await reindex.begin("default", EMBEDDER)
    await reindex.fill(build, silent)
    await engine.bulk([({"update": record}, {"doc": {"upcoming": {"index": build.new, "mapping": 0}}})])
    await put_document(index, make_document("b"), ["The bridge."])
    await put_document(index, make_document(generation=2), ["The bridge."])
    assert await stored(engine, build.new, "b|1|0") is None
    await reindex.swap(build, EMBEDDER)
    assert await found(index) == ["b|1|0", "plan|2|0"]


@dataclass
class Library:
    """Documents that come, change and go, and questions about them all the while."""

    index: OpenSearchIndex
    answers: dict[str, int] = field(default_factory=dict)
    """doc_id → the generation that answers, 0 = it was deleted."""
    changed: dict[str, int] = field(default_factory=dict)
    """doc_id → how many changes were begun or ended."""
    wrong: list[str] = field(default_factory=list)
    asked: int = 0
    writing: set[str] = field(default_factory=set)
    done: bool = False

    @property
    def changes(self) -> int:
        return sum(self.changed.values())

    async def write(self, doc_id: str, generation: int) -> None:
        self.changed[doc_id] = self.changed.get(doc_id, 0) + 1
        if generation:
            chunks = await put_document(self.index, make_document(doc_id, generation=generation), [f"word{doc_id} bridge {generation}"] * 3)
            if generation % 2:
                await self.index.put_vectors("e", [ChunkVectors(chunk.chunk_id, AXES[0]) for chunk in chunks])
        else:
            await self.index.remove(doc_id, self.answers[doc_id])
        self.answers[doc_id] = generation
        self.changed[doc_id] += 1

    async def keep_writing(self, chance: random.Random, last: dict[str, int]) -> None:
        while not self.done:
            doc_id = f"new{len(last)}" if chance.random() < 0.2 else chance.choice(sorted(set(last) - self.writing))
            last.setdefault(doc_id, 0)
            self.writing.add(doc_id)
            if self.answers.get(doc_id) and chance.random() < 0.3:
                await self.write(doc_id, 0)
            else:
                last[doc_id] += 1
                await self.write(doc_id, last[doc_id])
            self.writing.discard(doc_id)

    async def keep_asking(self, chance: random.Random, reader: OpenSearchIndex) -> None:
        while not self.done:
            doc_id = chance.choice(sorted(self.answers))
            wanted, changes, quiet = self.answers[doc_id], self.changed[doc_id], doc_id not in self.writing
            generations = [int(chunk_id.split("|")[1]) for chunk_id in await found(reader, f"word{doc_id}")]
            quiet = quiet and self.changed[doc_id] == changes
            self.asked += 1
            if len(set(generations)) > 1 or (quiet and generations != [wanted] * (3 if wanted else 0)):
                self.wrong.append(f"{doc_id}: {generations}, not {wanted}")


@pytest.mark.nightly
async def test_documents_come_change_and_go_while_it_runs_and_no_question_notices(
    index: OpenSearchIndex, settings: OpenSearch, engine: OpenSearchClient, names: Names, reindex: Reindex, seed: str
) -> None:
    library, reader, second = Library(index), OpenSearchIndex(settings), OpenSearchIndex(settings)
    last = {f"d{number}": 1 for number in range(30)}
    for doc_id in last:
        await library.write(doc_id, 1)
    try:
        async with asyncio.TaskGroup() as tasks:
            for number in range(2):
                tasks.create_task(library.keep_writing(random.Random(f"{seed}{number}"), last))
                tasks.create_task(library.keep_asking(random.Random(f"{seed}{number}"), (reader, second)[number]))
            before = library.changes
            for roll_back in cycle((False, True, False)):
                await renew(reindex, roll_back=roll_back)
                if library.changes > before + 60 and not roll_back:
                    break
            library.done = True
    finally:
        await reader.close()
        await second.close()
    assert library.wrong == []
    assert library.asked > 50
    assert len(await indexes(engine, names)) == 2
    listed = {item.doc_id: (item.generation, item.active, item.chunks) async for item in index.inventory()}
    assert listed == {doc_id: (generation, True, 3) for doc_id, generation in library.answers.items() if generation}
