"""Disagreements between bucket, ledger, index and files are found and repaired, and a second run finds nothing.

Only ports are used, except by `forget`, which loses a document from the index.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.database import writing
from footnote.adapters.sqlite.index_writes import _delete_generations
from footnote.bootstrap import Core
from footnote.errors import Conflict, NotFound
from footnote.ingest.drops import upload_cache_key
from footnote.ingest.ingestor import LEASE_S, SYSTEM
from footnote.ingest.integrity import ABANDONED_S, QUEUED_S, verify
from footnote.ingest.keys import parsed_key, source_key
from footnote.ports import NewFile, VectorScope
from footnote.types import Caller, Chunk, Document, chunks_digest, make_chunk_id
from footnote_ingest.drops import embed
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder
from tests.footnote.ingest.spies import Killed, Spied
from tests.footnote.ingest.test_drops import KEY, FakeDrops, open_core
from tests.footnote.ingest.test_ingestor import LOCAL, NEW, OLD, PORTS, HereParser, accept, answering, work
from tests.nightly import sampled

LONG = "\n\n".join(
    f"# Part {part}\n\n" + " ".join(f"The lamp of tower {part}.{number} was lit in {1800 + number}." for number in range(40))
    for part in range(3)
).encode()
"""A text of several passages with an outline."""

Found = list[tuple[str, str, bool]]


async def forget(core: Core, doc_id: str) -> None:
    """Makes the index lose a document."""

    def run(connection: Any) -> None:
        with writing(connection):
            _delete_generations(connection, "doc_id = ?", (doc_id,))

    await core.engine._database.run(run)  # type: ignore[attr-defined]


@pytest.fixture
def drops() -> FakeDrops:
    return FakeDrops()


@pytest.fixture
async def core(tmp_path: Path, clock: HandClock, drops: FakeDrops) -> AsyncIterator[Core]:
    made = open_core(tmp_path / "data", clock, drops)
    made.embedder = FakeEmbedder()
    yield made
    await made.close()


async def check(core: Core, *, repair: bool = False, **options: Any) -> Found:
    report = await verify(core.bucket, ["b"], core.embedder, repair=repair, **options)
    return sorted((finding.kind, finding.id, finding.repaired) for finding in report.findings)


async def expect_repaired(core: Core, expected: Found) -> None:
    """Checks that a run without repair finds this and changes nothing, and that nothing is left after a repair."""
    for _ in range(2):
        assert await check(core) == sorted((kind, what, False) for kind, what, _ in expected)
    assert await check(core, repair=True) == sorted(expected)
    await work(core)
    assert await check(core) == sorted((kind, what, False) for kind, what, repaired in expected if not repaired)


async def add(core: Core, clock: HandClock, data: bytes = LONG, name: str = "tower.md") -> Document:
    """Adds a document that has been READY so long that no worker processes it any more."""
    document = await accept(core, data, name)
    await work(core)
    clock.advance(ABANDONED_S)
    return await core.ledger.get(LOCAL, document.doc_id)


async def chunks_of(core: Core, document: Document) -> list[Chunk]:
    ids = [make_chunk_id(document.doc_id, document.generation, ordinal) for ordinal in range(20)]
    return await core.index.read(SYSTEM, ids)


async def stage(core: Core, document: Document, chunks: list[Chunk]) -> None:
    await core.generations.stage(document, chunks, [((0, len(chunk.text)),) for chunk in chunks])


async def lose_chunk(core: Core, document: Document) -> None:
    await stage(core, document, (await chunks_of(core, document))[:-1])


async def alter_text(core: Core, document: Document) -> None:
    first, *rest = await chunks_of(core, document)
    await stage(core, document, [replace(first, text=first.text + " Not."), *rest])


async def stage_other(core: Core, document: Document, doc_id: str, generation: int, *, active: bool) -> None:
    other = replace(document, doc_id=doc_id, generation=generation)
    chunks = [
        replace(chunk, doc_id=doc_id, generation=generation, chunk_id=make_chunk_id(doc_id, generation, chunk.ordinal))
        for chunk in await chunks_of(core, document)
    ]
    await stage(core, other, chunks)
    if active:
        assert await core.generations.activate(doc_id, generation)


# --- no findings ---------------------------------------------------------------------------


async def test_consistent_documents_have_no_findings(core: Core, clock: HandClock, drops: FakeDrops) -> None:
    drops.put(KEY, OLD)
    await core.bucket.converge("b", KEY)
    for data in (LONG, NEW, LONG):
        await add(core, clock, data)
    await core.ingestor.delete(LOCAL, (await add(core, clock, b"Ferries cross at noon.", "ferry.txt")).doc_id)
    await accept(core, b"", "empty.txt")
    await work(core)
    clock.advance(QUEUED_S)
    report = await verify(core.bucket, ["b"], core.embedder, repair=True)
    assert (report.documents, report.findings, report.wrong) == (3, (), 0)


async def test_the_digest_of_a_document_covers_all_its_chunks(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    chunks = await chunks_of(core, document)
    assert len(chunks) > document.chunks
    assert document.digest == f"{len(chunks)}:{chunks_digest((chunk.chunk_id, chunk.text) for chunk in chunks)}"


async def test_changes_and_deletes_in_progress_are_not_reported(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    moments: list[str] = []
    found: list[tuple[str, Found]] = []

    async def look(call: str, after: bool) -> None:
        moments.append(call)
        if findings := await check(plain, repair=True):
            found.append((call, findings))

    plain = open_core(core.settings.data, clock, FakeDrops())
    plain.embedder = FakeEmbedder()
    for name in PORTS:
        setattr(core, name, Spied(name, getattr(core, name), look))
    for made in ("ingestor", "bucket"):
        core.__dict__.pop(made, None)
    await accept(core, NEW, "tower.md")
    await work(core)
    await core.ingestor.delete(LOCAL, document.doc_id)
    assert found == []
    assert {"queue.put", "generations.activate", "vectors.put_vectors", "generations.remove", "lifecycle.purge"} <= set(moments)
    assert (await answering(plain), (await plain.lifecycle.counts())["DELETED"]) == ([], 1)
    await plain.close()


async def test_work_in_progress_is_not_disturbed(core: Core, clock: HandClock) -> None:
    parser: HereParser = core.parser  # type: ignore[assignment]
    document = await accept(core)
    parser.go_on.clear()
    working = asyncio.create_task(core.ingestor.work_one())
    await parser.reached.wait()
    clock.advance(LEASE_S - 1)
    queue, core.ingestor.queue = core.ingestor.queue, EmptyQueue()  # type: ignore[assignment]
    assert await check(core, repair=True, abandoned_s=0) == []
    core.ingestor.queue = queue
    parser.go_on.set()
    await working
    assert (await core.ledger.get(LOCAL, document.doc_id)).state == "READY"
    assert len(parser.parsed) == 1


class EmptyQueue:
    async def size(self) -> int:
        return 0


# --- ledger and index --------------------------------------------------------------------------


async def test_a_document_that_is_missing_from_the_index_is_queued_again(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    await forget(core, document.doc_id)
    await expect_repaired(core, [("missing", document.doc_id, True)])
    assert len(await chunks_of(core, document)) == int(document.digest.partition(":")[0])


async def test_a_complete_but_inactive_document_is_queued_again(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    chunks = await chunks_of(core, document)
    await forget(core, document.doc_id)
    await stage(core, document, chunks)
    await expect_repaired(core, [("missing", document.doc_id, True)])
    assert await chunks_of(core, document) == chunks


@pytest.mark.parametrize("damage", [lose_chunk, alter_text])
async def test_a_document_that_differs_in_the_index_is_queued_again(damage: Any, core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    before = await chunks_of(core, document)
    await damage(core, document)
    await expect_repaired(core, [("damaged", document.doc_id, True)])
    assert await chunks_of(core, document) == before


async def test_a_document_that_is_lost_with_its_file_becomes_failed_and_can_be_added_again(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    await lose_chunk(core, document)
    await core.files.delete(source_key(document.doc_id, 1))
    await expect_repaired(core, [("lost", document.doc_id, True)])
    failed = await core.ledger.get(LOCAL, document.doc_id)
    assert (failed.state, failed.remedy, failed.active_generation) == ("FAILED", "Add the file again.", 0)
    assert failed.reason == "Its text is missing from the index, and its file is missing too."
    assert await answering(core) == []
    again = await add(core, clock)
    assert (again.doc_id, again.state, len(await chunks_of(core, again)) > 1) == (document.doc_id, "READY", True)
    assert await check(core) == []


@pytest.mark.parametrize("active", [True, False])
async def test_an_indexed_text_without_a_document_is_removed(active: bool, core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    await stage_other(core, document, "nobody-000000", 3, active=active)
    await core.files.put(source_key("nobody-000000", 3), OLD)
    await expect_repaired(core, [("left_file", "sources/nobody-000000/3", True), ("orphan", "nobody-000000", True)])
    assert len(await answering(core)) == document.chunks


async def test_a_text_under_an_alias_of_a_document_is_an_orphan(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    copy = NewFile(
        file_name="copy.md", collection="default", permission_groups=document.permission_groups,
        content_hash=document.content_hash, size=1, doc_id="copy-000000",
    )  # fmt: skip
    await core.lifecycle.accept(LOCAL, copy)
    assert (await core.ledger.get(LOCAL, "copy-000000")).doc_id == document.doc_id
    await stage_other(core, document, "copy-000000", 3, active=True)
    await expect_repaired(core, [("orphan", "copy-000000", True)])
    assert await core.ledger.get(LOCAL, document.doc_id) == document


async def test_a_stale_text_is_removed_while_the_next_generation_is_processed(core: Core, clock: HandClock) -> None:
    for data in (LONG, OLD, LONG):
        document = await add(core, clock, data)
    await stage_other(core, document, document.doc_id, 1, active=False)
    await accept(core, NEW, "tower.md")
    await expect_repaired(core, [("stale", document.doc_id, True)])
    assert await answering(core) == [NEW]


async def test_a_text_that_is_newer_than_the_ledger_is_removed_and_reported(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    await stage_other(core, document, document.doc_id, 5, active=True)
    await expect_repaired(core, [("ahead", document.doc_id, True)])
    failed = await core.ledger.get(LOCAL, document.doc_id)
    assert (failed.state, await answering(core)) == ("FAILED", [])
    assert failed.remedy == "The ledger may have been restored from a backup. Delete the document and add the file again."
    await core.ingestor.delete(LOCAL, document.doc_id)
    assert (await add(core, clock)).state == "READY"


async def test_a_failed_document_that_is_active_in_the_index_is_queued_again(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    await core.lifecycle.update(document.doc_id, 1, state="FAILED", active_generation=0, digest="", reason="The store was down.")
    await expect_repaired(core, [("unnoticed", document.doc_id, True)])
    assert await core.ledger.get(LOCAL, document.doc_id) == replace(document, updated_at=clock())


async def test_a_fault_in_the_old_version_of_a_failed_change_is_only_reported(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    await add(core, clock, b"", "tower.md")
    await alter_text(core, document)
    await expect_repaired(core, [("damaged", document.doc_id, False)])
    assert len(await answering(core)) == document.chunks


async def test_an_empty_ledger_is_refused(core: Core, clock: HandClock, tmp_path: Path, drops: FakeDrops) -> None:
    document = await add(core, clock)
    other = open_core(tmp_path / "other", clock, drops)
    other.index, other.files = core.index, core.files
    with pytest.raises(Conflict, match="The ledger is empty"):
        await check(other, repair=True)
    assert len(await answering(core)) == document.chunks
    assert await core.files.get(source_key(document.doc_id, 1)) == LONG
    await other.close()


@pytest.mark.parametrize("seed", [sampled(seed, seed < 1) for seed in range(8)])
async def test_of_many_documents_exactly_the_faulty_ones_are_repaired(seed: int, core: Core, clock: HandClock) -> None:
    chance = random.Random(seed)
    for text in (OLD, LONG):
        documents = [await add(core, clock, b"%d. %s" % (number, text), f"{number}.md") for number in range(12)]
    before = sorted(await answering(core))
    expected: Found = []
    for document in chance.sample(documents, 7):
        kind, what = chance.choice(["missing", "orphan", "stale", "damaged"]), document.doc_id
        match kind:
            case "missing":
                await forget(core, what)
            case "orphan":
                await stage_other(core, document, what := f"other-{what}", chance.randint(1, 4), active=chance.random() < 0.5)
            case "stale":
                await stage_other(core, document, what, 1, active=False)
            case "damaged":
                await chance.choice([lose_chunk, alter_text])(core, document)
        expected.append((kind, what, True))
    await expect_repaired(core, expected)
    assert sorted(await answering(core)) == before


# --- the ledger alone --------------------------------------------------------------------------


async def test_a_half_finished_delete_is_finished(core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    await core.ledger.delete(LOCAL, document.doc_id)
    assert await check(core, repair=True) == []  # another process may be working on it
    clock.advance(ABANDONED_S)
    await expect_repaired(core, [("half_deleted", document.doc_id, True)])
    assert (await answering(core), await core.lifecycle.of_kind("unburied")) == ([], [])
    with pytest.raises(NotFound):
        await core.files.get(source_key(document.doc_id, 1))


async def lose_job(core: Core, document: Document) -> None:
    job = await core.queue.take(LEASE_S)
    await core.queue.finish(job.job_id)


async def test_abandoned_work_is_queued_again_once(core: Core, clock: HandClock) -> None:
    document = await accept(core)
    clock.advance(ABANDONED_S)
    assert await check(core) == []  # its job is in the queue
    await lose_job(core, document)
    await core.lifecycle.lease(document.doc_id, 1, "dead", LEASE_S)
    await core.lifecycle.update(document.doc_id, 1, state="PROCESSING")
    assert await check(core) == []  # another process was working on it a moment ago
    clock.advance(ABANDONED_S)
    for expected in ([("abandoned", document.doc_id, True)], []):
        assert await check(core, repair=True) == expected
        assert await core.queue.size() == 1
    await work(core)
    assert await answering(core) == [OLD]


async def lose_work(core: Core, clock: HandClock) -> Document:
    """Makes a document that no worker processes any more."""
    document = await accept(core)
    await lose_job(core, document)
    await core.lifecycle.update(document.doc_id, 1, state="PROCESSING")
    clock.advance(ABANDONED_S)
    return document


async def test_looking_for_abandoned_work_does_not_block_it(core: Core, clock: HandClock) -> None:
    document = await lose_work(core, clock)
    assert await check(core) == [("abandoned", document.doc_id, False)]
    assert await core.lifecycle.lease(document.doc_id, 1, "worker", LEASE_S)


async def test_abandoned_work_is_not_started_while_it_is_queued_again(core: Core, clock: HandClock) -> None:
    document = await lose_work(core, clock)
    granted: list[bool] = []
    real = core.ledger.get

    async def get(caller: Caller, doc_id: str) -> Document:
        if not granted:
            granted.append(await core.lifecycle.lease(doc_id, 1, "worker", LEASE_S))
        return await real(caller, doc_id)

    core.ledger.get = get  # type: ignore[method-assign]
    assert await check(core, repair=True) == [("abandoned", document.doc_id, True)]
    assert granted == [False]
    assert await core.lifecycle.lease(document.doc_id, 1, "worker", LEASE_S)


async def test_after_a_day_work_is_abandoned_even_if_the_queue_is_full(core: Core, clock: HandClock) -> None:
    document = await accept(core)
    await lose_job(core, document)
    await core.queue.put({"doc_id": "other", "generation": 1})
    clock.advance(QUEUED_S - 1)
    assert await check(core) == []
    clock.advance(1)
    await expect_repaired(core, [("abandoned", document.doc_id, True)])


async def test_a_drop_whose_bytes_were_never_stored_is_read_from_the_bucket_again(core: Core, clock: HandClock, drops: FakeDrops) -> None:
    async def die(*args: Any) -> None:
        raise Killed

    drops.put(KEY, OLD)
    put, core.files.put = core.files.put, die  # type: ignore[method-assign]
    with pytest.raises(Killed):
        await core.bucket.converge("b", KEY)
    core.files.put = put  # type: ignore[method-assign]
    clock.advance(ABANDONED_S)
    (document,) = await core.lifecycle.of_kind("unfinished")
    await expect_repaired(core, [("abandoned", document.doc_id, True)])
    assert await answering(core) == [OLD]


async def test_missing_vectors_are_requested_again(core: Core, clock: HandClock) -> None:
    document = await accept(core)
    assert await core.ingestor.work_one()
    clock.advance(ABANDONED_S)
    assert await check(core) == [("no_vectors", document.doc_id, False)]
    assert await check(core, repair=True) == [("no_vectors", document.doc_id, True)]
    assert await check(core) == []  # which is in the queue
    job = await core.queue.take(LEASE_S)
    assert job is not None
    await core.bucket.take(job)
    await embed(core, job, lambda: 60.0)
    await core.queue.finish(job.job_id)
    assert (await check(core), await core.vectors.progress(VectorScope("fake-embedder"))) == ([], (1, 1))


# --- the bucket --------------------------------------------------------------------------------


async def test_missing_events_are_compensated(core: Core, clock: HandClock, drops: FakeDrops) -> None:
    for key, data in (("handbooks/gone.txt", b"gone"), ("handbooks/changed.txt", b"before"), (KEY, OLD)):
        drops.put(key, data)
        await core.bucket.converge("b", key)
    await work(core)
    del drops.objects["handbooks/gone.txt"]
    drops.put("handbooks/changed.txt", b"after")
    drops.put("handbooks/new.txt", b"new")
    await expect_repaired(
        core, [("changed", "handbooks/changed.txt", True), ("gone", "handbooks/gone.txt", True), ("untaken", "handbooks/new.txt", True)]
    )
    assert sorted(await answering(core)) == sorted([OLD, b"after", b"new"])


async def test_a_key_that_is_not_valid_text_is_not_confused_with_another(core: Core, drops: FakeDrops) -> None:
    key = "handbooks/\udce4.txt"
    drops.put(key, OLD)
    assert await check(core, repair=True) == [("untaken", key, True)]
    await work(core)
    assert (await check(core, repair=True), await answering(core)) == ([], [OLD])


async def test_an_announced_upload_is_stored_and_another_is_reported(core: Core, drops: FakeDrops) -> None:
    announced = {"file_name": "a.txt", "collection": "default", "permission_groups": ["staff"], "doc_id": "a-0001"}
    await core.cache.put(upload_cache_key("a-0001"), announced, 60)
    drops.put("uploads/a-0001", OLD)
    drops.put("uploads/other", NEW)
    await expect_repaired(core, [("stray", "uploads/other", False), ("untaken", "uploads/a-0001", True)])
    assert (await answering(core), list(drops.objects)) == ([OLD], ["uploads/other"])


# --- the files ---------------------------------------------------------------------------------


async def test_leftover_files_are_deleted(core: Core, clock: HandClock) -> None:
    for data in (LONG, NEW):
        document = await add(core, clock, data)
    await core.ingestor.delete(LOCAL, (await add(core, clock, OLD, "gone.txt")).doc_id)
    for key in (parsed_key(document.doc_id, 1), source_key("gone-000000", 2)):
        await core.files.put(key, OLD)
    await core.files.put("sources/readme.txt", b"not ours")
    await expect_repaired(core, [("left_file", f"parsed/{document.doc_id}/1", True), ("left_file", "sources/gone-000000/2", True)])
    assert await core.files.get("sources/readme.txt") == b"not ours"


async def test_a_missing_text_is_rebuilt_and_a_missing_file_is_reported(core: Core, clock: HandClock) -> None:
    one, two = await add(core, clock), await add(core, clock, OLD, "two.txt")
    await core.files.delete(parsed_key(one.doc_id, 1))
    await core.files.delete(source_key(two.doc_id, 1))
    await expect_repaired(core, [("no_file", two.doc_id, False), ("no_text", one.doc_id, True)])
    assert await core.files.get(parsed_key(one.doc_id, 1))


# --- concurrent changes --------------------------------------------------------------------


@pytest.mark.sample
@pytest.mark.parametrize("moment", [("generations.inventory", 1), ("generations.inventory", 2), ("index.read", 1)], ids=str)
@pytest.mark.parametrize("happens", ["delete", "change"])
async def test_faults_repaired_by_others_are_not_counted(happens: str, moment: tuple[str, int], core: Core, clock: HandClock) -> None:
    document = await add(core, clock)
    await lose_chunk(core, document)
    calls: list[str] = []

    async def look(call: str, after: bool) -> None:
        if after:
            calls.append(call)
            if (call, calls.count(call)) == moment:
                await act[happens]()

    act: dict[str, Callable[[], Awaitable[Any]]] = {
        "delete": lambda: core.ingestor.delete(LOCAL, document.doc_id),
        "change": lambda: add(core, clock, NEW),
    }
    spies: dict[str, Any] = {name: Spied(name, getattr(core, name), look) for name in ("index", "generations")}
    spied = replace(core.ingestor, **spies)
    report = await verify(replace(core.bucket, ingestor=spied), [], core.embedder, repair=True)
    assert (calls.count(moment[0]) >= moment[1], report.findings) == (True, ())
    assert await answering(core) == ([] if happens == "delete" else [NEW])


async def test_of_very_many_documents_each_is_read_in_its_hour(core: Core, clock: HandClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.ingest.disagreements.MOST_TEXTS", 1)
    documents = [await add(core, clock, LONG + name.encode(), name) for name in ("a.md", "b.md", "c.md")]
    for document in documents:
        await alter_text(core, document)
    found = [what for hour in range(24) for kind, what, _ in await check(core, hour=hour) if kind == "damaged"]
    assert sorted(found) == sorted(document.doc_id for document in documents)
