"""Documents that an earlier version made are made again from what was parsed, while they answer."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import UnreadableFile
from footnote.ingest import chunk
from footnote.ingest.fixed_size import DEFAULT
from footnote.ingest.inserted import Inserted, pack_inserted
from footnote.ingest.keys import parsed_key, source_key
from footnote.ingest.migrating import Migration, documents_left, find_outdated, migrate, queue_outdated
from footnote.ingest.reprocess import Reprocessed, reprocess
from footnote.ports import VectorScope
from footnote.text import tokens
from footnote.types import Caller, CollectionSettings, Document, StoredName
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder
from tests.footnote.ingest.spies import Killed, dying
from tests.footnote.ingest.test_ingestor import LOCAL, NEW, OLD, HereParser, accept, answering, finish, found

READER = Caller("someone", groups=frozenset({"staff"}))


def upgrade(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that writes other words."""
    monkeypatch.setattr(chunk, "RULES", chunk.RULES + 1)
    made = tokens.index_tokens
    for module in ("sqlite.index_writes", "opensearch.mapping"):
        monkeypatch.setattr(f"footnote.adapters.{module}.index_tokens", lambda text, lang: [*made(text, lang), "quux"])


def cut_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """A version that cuts every text into short passages."""
    monkeypatch.setattr(chunk, "RULES", chunk.RULES + 1)
    made = chunk.by_size

    def by_words(sections: Any, cutting: Any) -> Any:
        return made(sections, chunk.Cutting(cutting.max_tokens, cutting.lang, chunk.FixedSize(12, 0, " ")))

    monkeypatch.setattr(chunk, "CUTTERS", {**chunk.CUTTERS, "structure": by_words})


async def migrate_all(core: Core, clock: HandClock) -> None:
    migration = Migration(core.ingestor, core.cache)
    while await migration.step():
        await finish(core, clock)


@pytest.fixture
async def document(core: Core, clock: HandClock) -> Document:
    """A READY one, of this version."""
    made = await accept(core)
    await finish(core, clock)
    return made


def test_names_say_by_which_rules_a_document_was_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    korean = CollectionSettings(languages=("ko",))
    old = [chunk.cut_name("structure", 320, korean), chunk.cut_name("fixed_size", 90, CollectionSettings())]
    old += [chunk.sent_cut_name(CollectionSettings()), chunk.sent_cut_name(korean)]
    assert old[2] == "sent-6"
    assert [chunk.rules_of(name) for name in old] == [6, 6, 6, 6]
    assert chunk.rules_of("structure-320-2") == 2
    assert chunk.rules_of("sent-12345678") == 3
    monkeypatch.setattr(chunk, "RULES", 12)
    new = [chunk.cut_name("structure", 320, korean), chunk.sent_cut_name(CollectionSettings()), chunk.sent_cut_name(korean)]
    assert [chunk.rules_of(name) for name in new] == [12, 12, 12]


async def test_other_words_are_written_where_the_passages_are(
    core: Core, clock: HandClock, parser: HereParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = await accept(core, groups=["staff"])
    await finish(core, clock)
    await core.generations.amend(document.doc_id, 1, {"topics": ["written by a model"]})
    before, embedder = await core.index.sample(LOCAL, "default", 9), core.embedder
    assert isinstance(embedder, FakeEmbedder)
    embedder.embedded.clear()
    upgrade(monkeypatch)
    assert await found(core, "quux") == []
    await migrate_all(core, clock)
    after = await core.ledger.get(LOCAL, document.doc_id)
    assert (after.state, after.generation, after.cut) == ("READY", 1, "structure-320-7")
    assert await core.index.sample(LOCAL, "default", 9) == before
    assert before[0].metadata["topics"] == ["written by a model"]
    assert await found(core, "quux") == [before[0].chunk_id]
    assert await core.index.read(READER, [before[0].chunk_id]) == before
    assert await core.index.read(Caller("other"), [before[0].chunk_id]) == []
    assert (await core.vectors.progress(VectorScope("fake-embedder")), embedder.embedded) == ((1, 1), [])
    assert (parser.parsed, await find_outdated(core.ledger, core.generations)) == (["tower.txt"], [])


async def test_other_passages_are_the_next_generation_from_what_was_parsed(
    core: Core, document: Document, clock: HandClock, parser: HereParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_smaller(monkeypatch)
    migration = Migration(core.ingestor, core.cache)
    assert await migration.step()
    waiting = await core.ledger.get(LOCAL, document.doc_id)
    assert (waiting.state, waiting.generation, waiting.active_generation, await answering(core)) == ("RECEIVED", 2, 1, [OLD])
    await finish(core, clock)
    ready = await core.ledger.get(LOCAL, document.doc_id)
    assert (ready.state, ready.active_generation, ready.cut, len(await answering(core))) == ("READY", 2, "structure-320-7", 4)
    assert (parser.parsed, await migration.step(), await find_outdated(core.ledger, core.generations)) == (["tower.txt"], False, [])
    assert (await core.sources.original(LOCAL, document.doc_id))[1] == OLD


async def test_settings_that_changed_are_no_reason(core: Core, clock: HandClock) -> None:
    await accept(core)
    await finish(core, clock)
    await core.collections.create("default", CollectionSettings("table", languages=("de",)), title="", description="", by="me")
    assert await find_outdated(core.ledger, core.generations) == []
    assert await reprocess(core.ingestor, StoredName("default")) == Reprocessed(queued=1)


async def test_a_text_with_sizes_of_its_sender_keeps_them(core: Core, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    data = pack_inserted(Inserted("d1", "Tower", OLD.decode(), DEFAULT))
    options: dict[str, Any] = {"file_name": "d1", "collection": "default", "permission_groups": [], "doc_id": "d1", "chosen_id": True}
    await core.ingestor.accept(LOCAL, data, **options)
    await finish(core, clock)
    upgrade(monkeypatch)
    assert await find_outdated(core.ledger) == ["d1"]
    await migrate_all(core, clock)
    assert (await core.ledger.get(LOCAL, "d1")).cut == "sent-7"
    assert await find_outdated(core.ledger, core.generations) == []
    assert await reprocess(core.ingestor, StoredName("default")) == Reprocessed(current=1)


async def test_the_passages_that_answer_are_made_again_when_the_newest_file_has_failed(
    core: Core, document: Document, clock: HandClock, parser: HereParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    parser.error = UnreadableFile("It is broken.", "Mend it.")
    await accept(core, NEW)
    await finish(core, clock)
    cut_smaller(monkeypatch)
    await migrate_all(core, clock)
    after = await core.ledger.get(LOCAL, document.doc_id)
    assert (after.state, after.reason, after.generation, after.active_generation) == ("FAILED", "It is broken.", 2, 1)
    assert (len(await answering(core)), await find_outdated(core.ledger, core.generations)) == (4, [])


async def test_a_deleted_document_stays_deleted(core: Core, document: Document, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    upgrade(monkeypatch)
    stage = core.generations.stage

    async def stage_late(*args: Any) -> None:
        await core.ingestor.delete(LOCAL, document.doc_id)
        await stage(*args)

    monkeypatch.setattr(core.generations, "stage", stage_late)
    await migrate(core.ingestor, document.doc_id)
    await migrate(core.ingestor, document.doc_id)
    assert ([item async for item in core.generations.inventory()], await answering(core)) == ([], [])


async def test_a_lost_result_of_parsing_is_made_again_from_the_file(
    core: Core, document: Document, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await core.files.delete(parsed_key(document.doc_id, 1))
    upgrade(monkeypatch)
    await migrate_all(core, clock)
    assert await find_outdated(core.ledger, core.generations) == []


async def test_a_document_whose_files_are_lost_keeps_answering(
    core: Core, document: Document, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await core.files.delete(parsed_key(document.doc_id, 1))
    await core.files.delete(source_key(document.doc_id, 1))
    upgrade(monkeypatch)
    await migrate_all(core, clock)
    assert ((await core.ledger.get(LOCAL, document.doc_id)).state, await answering(core)) == ("READY", [OLD])


async def test_a_document_that_somebody_else_works_on_is_tried_again(core: Core, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    leased = await accept(core)
    await accept(core, NEW, "other.txt")
    await finish(core, clock)
    upgrade(monkeypatch)
    assert await core.lifecycle.lease(leased.doc_id, 1, "describing", 300)
    migration = Migration(core.ingestor, core.cache)
    assert sorted([await migration.step() for _ in range(3)]) == [False, False, True]
    assert (await find_outdated(core.ledger), await documents_left(core.cache)) == ([leased.doc_id], 1)
    clock.advance(301)
    assert (await migration.step(), await find_outdated(core.ledger), await documents_left(core.cache)) == (True, [], 0)


@pytest.mark.parametrize(
    "port", ["lifecycle.renew", "lifecycle.lease", "queue.put", "generations.stage", "generations.activate", "lifecycle.update"]
)
@pytest.mark.parametrize("version", [upgrade, cut_smaller])
async def test_a_migration_that_was_killed_twice_goes_on(
    core: Core, document: Document, clock: HandClock, monkeypatch: pytest.MonkeyPatch, port: str, version: Any
) -> None:
    version(monkeypatch)
    for _ in range(2):
        with dying(core.ingestor, port), suppress(Killed):
            await Migration(core.ingestor, core.cache).step()
            await core.ingestor.work_one()
        assert await answering(core)
    await core.ingestor.recover()
    await finish(core, clock)
    await migrate_all(core, clock)
    ready = await core.ledger.get(LOCAL, document.doc_id)
    assert (ready.state, ready.cut, await find_outdated(core.ledger, core.generations)) == ("READY", "structure-320-7", [])
    held = [(item.generation, item.active) async for item in core.generations.inventory()]
    assert held == [(ready.generation, True)]


async def test_the_hourly_check_queues_what_is_outdated_behind_everything_else(
    core: Core, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        await accept(core, OLD + str(number).encode(), f"{number}.txt")
    await finish(core, clock)
    assert await queue_outdated(core.ingestor, core.cache) == 0
    upgrade(monkeypatch)
    monkeypatch.setattr("footnote.ingest.migrating.MOST_QUEUED", 2)
    await accept(core, NEW, "new.txt")
    assert (await queue_outdated(core.ingestor, core.cache), await core.queue.size()) == (3, 1)
    await finish(core, clock)
    assert (await queue_outdated(core.ingestor, core.cache), await core.queue.size()) == (3, 2)
    assert await documents_left(core.cache) == 3
    while await core.ingestor.work_one(core.bucket.take):
        pass
    assert await queue_outdated(core.ingestor, core.cache) == 1
    while await core.ingestor.work_one(core.bucket.take):
        pass
    assert (await queue_outdated(core.ingestor, core.cache), await documents_left(core.cache)) == (0, 0)
