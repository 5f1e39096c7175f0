"""What was embedded once is not embedded again."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest

from footnote.bootstrap import Core
from footnote.errors import StoreUnavailable
from footnote.guard.identity import LOCAL
from footnote.ingest.vector_cache import READ_AT_ONCE, passage_key
from footnote.ingest.vectors import embed_chunks
from footnote.ports import ChunkVectors, PendingVector
from footnote.text.embedded_texts import passage_of
from footnote.types import Chunk, Document, make_chunk_id
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder, FakeVectorCache
from tests.footnote_local.conftest import open_core

LANGUAGES = frozenset({"en", "de", "ko"})
FILE = f"""# Care

## Feeding

Cats are fed twice a day. {"The bowl is cleaned every evening. " * 60}

## Rest

Cats sleep for sixteen hours. They like a warm place near the window.
"""
CHANGED = FILE.replace("sixteen hours", "fifteen hours")


class DownCache:
    """`ports.VectorCache` whose engine does not reply."""

    async def get(self, embedder: str, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        raise StoreUnavailable("It does not reply.")

    async def put(self, embedder: str, vectors: Mapping[bytes, bytes]) -> None:
        raise AssertionError("what cannot be read is not written")

    async def delete(self, keys: Sequence[bytes]) -> None:
        raise StoreUnavailable("It does not reply.")

    async def close(self) -> None:
        pass


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder(languages=LANGUAGES)


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock, embedder: FakeEmbedder) -> AsyncIterator[Core]:
    made = open_core(tmp_path / "data", clock=clock)
    made.embedder = embedder
    yield made
    await made.close()


async def work(core: Core) -> None:
    while await core.ingestor.work_one() or await core.ingestor.embed_some():
        pass


async def add(core: Core, text: str = FILE, name: str = "cats.md", collection: str = "default") -> Document:
    document = await core.ingestor.accept(LOCAL, text.encode(), file_name=name, collection=collection, permission_groups=[])
    await work(core)
    return await core.ledger.get(LOCAL, document.doc_id)


async def vectors(core: Core, document: Document) -> list[tuple[bytes, bytes]]:
    """(vector, sentence vectors) of each passage that has them, in order."""
    ids = [make_chunk_id(document.doc_id, document.active_generation, at) for at in range(READ_AT_ONCE)]
    found = await core.index.sentences(LOCAL, ids, "fake-embedder")
    made = [found[each] for each in ids if each in found]
    return [(each.passage.tobytes(), each.vectors.tobytes()) for each in made if each.passage is not None and each.vectors is not None]


async def entries(core: Core, document: Document) -> int:
    """How many passages of the document the cache knows."""
    ids = [make_chunk_id(document.doc_id, document.active_generation, at) for at in range(READ_AT_ONCE)]
    keys = await keys_of(core, await core.index.read(LOCAL, ids))
    return len(await core.vector_cache.get("fake-embedder", keys))


async def keys_of(core: Core, chunks: Sequence[Chunk]) -> list[bytes]:
    """The keys of these passages."""
    found = await core.index.sentences(LOCAL, [c.chunk_id for c in chunks], "")
    return [passage_key(passage_of(c.title, c.headings, c.text, found[c.chunk_id].bounds)) for c in chunks]


async def test_the_same_file_processed_again_is_not_embedded_and_gets_the_same_vectors(core: Core, embedder: FakeEmbedder) -> None:
    document = await add(core)
    before, embedder.embedded[:] = await vectors(core, document), []
    assert before
    await core.ingestor.requeue(document)
    await work(core)
    assert (embedder.embedded, await vectors(core, document)) == ([], before)


async def test_a_file_under_another_name_in_another_collection_is_not_embedded(core: Core, embedder: FakeEmbedder) -> None:
    first = await add(core)
    before, embedder.embedded[:] = await vectors(core, first), []
    moved = await add(core, name="pets.md", collection="archive")
    assert moved.doc_id != first.doc_id
    await core.ingestor.delete(LOCAL, first.doc_id)
    assert (embedder.embedded, await vectors(core, moved)) == ([], before)


async def test_of_a_changed_file_only_the_passages_that_changed_are_embedded(core: Core, embedder: FakeEmbedder) -> None:
    await add(core)
    embedder.embedded.clear()
    changed = await add(core, CHANGED)
    assert changed.active_generation == 2
    assert embedder.embedded
    assert [text for text in embedder.embedded if "bowl" in text] == []


async def test_a_text_that_comes_twice_is_embedded_once() -> None:
    embedder = FakeEmbedder()
    twice = [PendingVector(f"a|1|{at}", "Cats", "They sleep.", "en", ((0, 11),)) for at in range(2)]
    first, second = await embed_chunks(embedder, twice, FakeVectorCache())
    assert sorted(embedder.embedded) == ["Cats They sleep.", "Cats: They sleep."]
    np.testing.assert_array_equal(first.vector, second.vector)


async def test_a_text_that_is_a_passage_and_a_sentence_has_a_vector_for_each() -> None:
    embedder, cache = FakeEmbedder(), FakeVectorCache()
    waiting = [PendingVector("a|1|0", "", "They sleep.", "en", ((0, 11),))]
    (made,), (again,) = [await embed_chunks(embedder, waiting, cache) for _ in range(2)]
    assert embedder.embedded == ["They sleep."]
    assert same(made, again)
    np.testing.assert_array_equal(made.vector, embedder.vector("They sleep."))


async def test_vectors_of_another_length_are_made_anew() -> None:
    cache = FakeVectorCache()
    waiting = [PendingVector("a|1|0", "Cats", "They sleep.", "en", ((0, 11),))]
    await embed_chunks(FakeEmbedder(dimension=32), waiting, cache)
    embedder = FakeEmbedder(dimension=16)
    (made,) = await embed_chunks(embedder, waiting, cache)
    assert (len(embedder.embedded), made.vector.shape) == (2, (16,))


async def test_the_vectors_of_a_deleted_document_leave_the_cache(core: Core) -> None:
    document = await add(core)
    known = await keys_of(core, await core.index.sample(LOCAL, "default", 9))
    assert await entries(core, document) == len(known) > 0
    await core.ingestor.delete(LOCAL, document.doc_id)
    assert await core.vector_cache.get("fake-embedder", known) == {}


async def test_the_vectors_of_what_a_new_version_does_not_contain_leave_the_cache(core: Core) -> None:
    first = await add(core)
    old = await core.index.sample(LOCAL, "default", 9)
    keys = dict(zip(("sixteen" in c.text for c in old), await keys_of(core, old), strict=True))
    await add(core, CHANGED)
    kept = await core.vector_cache.get("fake-embedder", list(keys.values()))
    assert {changed: key in kept for changed, key in keys.items()} == {changed: not changed for changed in keys}
    assert first.active_generation == 1


async def test_without_its_engine_everything_is_embedded_and_logged_without_texts(
    core: Core, embedder: FakeEmbedder, caplog: pytest.LogCaptureFixture
) -> None:
    core.vector_cache = DownCache()
    with caplog.at_level(logging.WARNING, "footnote"):
        document = await add(core)
        assert await vectors(core, document)
        await core.ingestor.delete(LOCAL, document.doc_id)
    assert {record.message for record in caplog.records} == {"vector cache not read", "vectors not deleted from the cache"}
    assert "sleep" not in caplog.text + repr([vars(record) for record in caplog.records])


def same(one: ChunkVectors, other: ChunkVectors) -> bool:
    return (
        one.vector.tobytes() == other.vector.tobytes()
        and one.sentences is not None
        and other.sentences is not None
        and one.sentences.tobytes() == other.sentences.tobytes()
    )
