"""Documents are cut again from their stored files, while their earlier passages answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from footnote.bootstrap import Core
from footnote.ingest.aids import FAILED
from footnote.ingest.fixed_size import DEFAULT
from footnote.ingest.inserted import Inserted, pack_inserted
from footnote.ingest.reprocess import Reprocessed, reprocess
from footnote.types import Chunker, Collection, CollectionSettings, StoredName
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder
from tests.footnote.ingest.spies import Killed, dying
from tests.footnote.ingest.test_chunkers import DownEmbedder
from tests.footnote.ingest.test_ingestor import LOCAL, accept, finish

STORED = StoredName("default")
ROWS = "\n".join(["Room,Fee", *(f"Room {n},{n}" for n in range(30))]).encode()


async def choose(core: Core, chunker: Chunker) -> None:
    await core.collections.create("default", CollectionSettings(chunker), title="", description="", by="me")


async def cut_again(core: Core) -> None:
    await reprocess(core.ingestor, STORED)
    await core.ingestor.work_one()


async def passages(core: Core) -> int:
    return sum(chunk.level == 2 for chunk in await core.index.sample(LOCAL, "default", 100))


async def test_the_earlier_passages_answer_until_the_new_ones_are_ready(core: Core, clock: HandClock) -> None:
    document = await accept(core, ROWS, "fees.csv")
    await finish(core, clock)
    before = await passages(core)
    assert await reprocess(core.ingestor, STORED) == Reprocessed(current=1)
    await choose(core, "table")
    assert await reprocess(core.ingestor, STORED) == Reprocessed(queued=1)
    waiting = await core.ledger.get(LOCAL, document.doc_id)
    assert (waiting.state, waiting.generation, waiting.active_generation, await passages(core)) == ("RECEIVED", 2, 1, before)
    await finish(core, clock)
    ready = await core.ledger.get(LOCAL, document.doc_id)
    assert (ready.state, ready.generation, ready.chunks, await passages(core)) == ("READY", 2, 3, 3)
    assert before != 3
    assert (await core.sources.original(LOCAL, document.doc_id))[1] == ROWS
    assert await reprocess(core.ingestor, STORED) == Reprocessed(current=1)


@pytest.mark.parametrize("port", ["lifecycle.renew", "queue.put", "files.put", "generations.stage"])
async def test_a_run_that_was_killed_goes_on_when_it_is_repeated(core: Core, clock: HandClock, port: str) -> None:
    document = await accept(core, ROWS, "fees.csv")
    await finish(core, clock)
    await choose(core, "table")
    with dying(core.ingestor, port), pytest.raises(Killed):
        await cut_again(core)
    clock.advance(400)
    await reprocess(core.ingestor, STORED)
    await finish(core, clock)
    ready = await core.ledger.get(LOCAL, document.doc_id)
    assert (ready.state, ready.chunks, await passages(core)) == ("READY", 3, 3)
    assert await reprocess(core.ingestor, STORED) == Reprocessed(current=1)


async def test_documents_of_other_collections_and_inserted_ones_are_left_alone(core: Core, clock: HandClock) -> None:
    await core.ingestor.accept(LOCAL, ROWS, file_name="fees.csv", collection="other", permission_groups=[])
    sent = pack_inserted(Inserted("note", "Note", "The hall opens at nine.", DEFAULT))
    await core.ingestor.accept(LOCAL, sent, file_name="note", collection="default", permission_groups=[], doc_id="note", chosen_id=True)
    await accept(core, b"", "empty.txt")
    await finish(core, clock)
    await choose(core, "table")
    assert await reprocess(core.ingestor, STORED) == Reprocessed(current=1, failed=1)


@pytest.mark.parametrize("text", ["Die Halle öffnet um neun. Wir freuen uns auf Sie.", "Preisliste 2024: Gebühr, Saal, Kaution"])
async def test_an_inserted_document_is_read_again_when_its_collections_languages_change(core: Core, clock: HandClock, text: str) -> None:
    sent = pack_inserted(Inserted("note", "Note", text, DEFAULT))
    await core.ingestor.accept(LOCAL, sent, file_name="note", collection="default", permission_groups=[], doc_id="note", chosen_id=True)
    await finish(core, clock)
    before = await core.index.sample(LOCAL, "default", 9)
    await core.collections.create("default", CollectionSettings(languages=("ko",)), title="", description="", by="me")
    assert await reprocess(core.ingestor, STORED) == Reprocessed(queued=1)
    assert await core.index.sample(LOCAL, "default", 9) == before
    await finish(core, clock)
    ready = await core.ledger.get(LOCAL, "note")
    assert (ready.state, ready.generation, ready.lang) == ("READY", 2, "ko")
    after = await core.index.sample(LOCAL, "default", 9)
    assert [(chunk.text, chunk.lang) for chunk in after] == [(chunk.text, "ko") for chunk in before]
    assert await reprocess(core.ingestor, STORED) == Reprocessed(current=1)

    def anything(collection: Collection) -> Collection:
        return replace(collection, settings=replace(collection.settings, languages=()))

    await core.collections.edit("default", anything, by="me")
    assert await reprocess(core.ingestor, STORED) == Reprocessed(queued=1)
    await finish(core, clock)
    assert [chunk.lang for chunk in await core.index.sample(LOCAL, "default", 9)] == [chunk.lang for chunk in before]


async def test_semantic_chunking_follows_once_the_embedder_is_back(core: Core, clock: HandClock) -> None:
    await choose(core, "semantic")
    core.ingestor.embedder = DownEmbedder()
    document = await accept(core, b"The engine needs oil. The engine needs fuel. Roses bloom in May.")
    await core.ingestor.work_one()
    noted = await core.ledger.get(LOCAL, document.doc_id)
    assert str(noted.reason).endswith(FAILED)
    core.ingestor.embedder = FakeEmbedder()
    assert await reprocess(core.ingestor, STORED) == Reprocessed(queued=1)
    await finish(core, clock)
    again = await core.ledger.get(LOCAL, document.doc_id)
    assert (again.state, again.reason) == ("READY", None)
    assert await reprocess(core.ingestor, STORED) == Reprocessed(current=1)


async def test_a_changed_size_of_passages_counts_as_well(core: Core, clock: HandClock) -> None:
    await accept(core, ROWS, "fees.csv")
    await finish(core, clock)
    core.ingestor.settings = replace_tokens(core, 100)
    assert await reprocess(core.ingestor, STORED) == Reprocessed(queued=1)


async def test_changed_languages_and_columns_count_as_well(core: Core, clock: HandClock) -> None:
    await choose(core, "voices")
    rows = b"when,kommentar,stars\n2024-01-02,Hotel Service Bonus Club,3\n2024-02-02,Hotel Bonus Ferry Club,5\n"
    document = await accept(core, rows, "voices.csv")
    await finish(core, clock)
    assert await reprocess(core.ingestor, STORED) == Reprocessed(current=1)
    for changes in ({"columns": {"date": "when", "text": "kommentar", "rating": "stars"}}, {"languages": ("de",)}):
        await core.collections.edit("default", lambda now, to=changes: replace(now, settings=replace(now.settings, **to)), by="me")  # type: ignore[misc]
        assert await reprocess(core.ingestor, STORED) == Reprocessed(queued=1)
        await finish(core, clock)
        assert await reprocess(core.ingestor, STORED) == Reprocessed(current=1)
    assert (await core.ledger.get(LOCAL, document.doc_id)).lang == "de"


async def test_columns_count_for_voices_alone(core: Core, clock: HandClock) -> None:
    await choose(core, "table")
    await accept(core, ROWS, "fees.csv")
    await finish(core, clock)
    await core.collections.edit("default", lambda now: replace(now, settings=replace(now.settings, columns={"text": "Room"})), by="me")
    assert await reprocess(core.ingestor, STORED) == Reprocessed(current=1)


def replace_tokens(core: Core, tokens: int) -> object:
    return core.settings.ingest.model_copy(update={"chunk_tokens": tokens})
