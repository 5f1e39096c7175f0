"""The one worker of a data folder."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from footnote.bootstrap import Core
from footnote.bootstrap.health import outdated
from footnote.errors import Conflict, SearchUnavailable, StoreUnavailable
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.migrating import Migration, find_outdated, receive_lost
from footnote.learn.feedback_weights import load_weights
from footnote.library.files import take_in
from footnote.library.worker import Lock, SharedWorker
from footnote.ports import ChunkVectors
from footnote.types import KNOWLEDGE, Caller, Feedback, Parsed, Request
from footnote_local.doctor import examine
from footnote_query.dialects.trd.ask import HELD
from tests.fakes import FakeTokenEmbedder, HereParser, make_document, put_document, switch_on, work_all
from tests.footnote_local.conftest import open_core, working

LOCAL = Caller("local", sees_all=True)


@pytest.fixture
def core(tmp_path: Path) -> Core:
    """`working` closes it."""
    return open_core(tmp_path)


def test_a_second_lock_on_a_folder_names_the_first_ones_process(tmp_path: Path) -> None:
    first, second = Lock(tmp_path / "data"), Lock(tmp_path / "data")
    first.take()
    with pytest.raises(Conflict, match=rf"process \({os.getpid()}\)") as caught:
        second.take()
    assert str((tmp_path / "data").resolve()) in caught.value.detail
    second.release()
    first.release()
    second.take()
    second.release()


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "worker.lock").mkdir()
    with pytest.raises(StoreUnavailable, match=r"cannot be used \(Is a directory\)\. Is it writable\?"):
        Lock(tmp_path).take()


async def test_a_worker_makes_wrong_files_of_vectors_again_before_the_first_search(tmp_path: Path, core: Core) -> None:
    chunks = await put_document(core.generations, make_document("bridge"), ["The bridge is long."])
    await core.vectors.put_vectors("e", [ChunkVectors(chunks[0].chunk_id, np.ones(4, np.float32))])
    await core.close()
    (file,) = tmp_path.glob("vectors-*.f32")
    file.write_bytes(bytes(16))
    core = open_core(tmp_path)
    async with working(core):
        (file,) = tmp_path.glob("vectors-*.f32")
        assert file.read_bytes() == np.ones(4, np.float32).tobytes()


async def test_a_worker_starts_although_files_of_vectors_cannot_be_written(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*, repair: bool) -> list[str]:
        raise SearchUnavailable("The disk is full.")

    monkeypatch.setattr(core.vectors, "check_copies", fail)
    async with working(core) as worker:
        await worker.finish_jobs()
        assert worker.trouble is None


def of_an_unknown_layout(folder: Path) -> None:
    index = sqlite3.connect(folder / "index.db")
    index.executescript("DROP TABLE vector_blocks; ALTER TABLE chunks RENAME COLUMN text TO words; PRAGMA user_version = 3;")
    index.close()


async def test_an_index_without_a_way_here_is_made_anew_and_says_so(tmp_path: Path, core: Core) -> None:
    options: dict[str, Any] = {"collection": "default", "permission_groups": ["staff"]}
    kept = await core.ingestor.accept(LOCAL, b"The bridge is long.", file_name="kept.txt", **options)
    gone = await core.ingestor.accept(LOCAL, b"The ferry is slow.", file_name="gone.txt", **options)
    await work_all(core)
    await core.ingestor.delete(LOCAL, gone.doc_id, keep=True)
    await core.close()
    of_an_unknown_layout(tmp_path)
    for _ in range(2):  # the second time it was killed before it had made anything
        core = open_core(tmp_path)
        assert await core.check() == {"store": "ok", "index": "ok"}
        await core.ingestor.recover()
        await receive_lost(core.ingestor)
        assert await core.ledger.readable_states(LOCAL, "default") == {"RECEIVED": 1}
        await core.close()
    core = open_core(tmp_path)
    async with working(core) as worker:
        await worker.finish_jobs()
        assert await core.ledger.readable_states(LOCAL, "default") == {}
        (passage,) = await core.index.sample(LOCAL, "default", 9)
        assert (passage.doc_id, passage.text, passage.generation) == (kept.doc_id, "The bridge is long.", 1)
        assert await core.index.sample(Caller("other"), "default", 9) == []


async def test_a_worker_makes_earlier_documents_again_and_says_how_many_are_left(
    tmp_path: Path, core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        data, name = f"Bridge {number} is long.".encode(), f"{number}.txt"
        await core.ingestor.accept(LOCAL, data, file_name=name, collection="default", permission_groups=[])
    await work_all(core)
    monkeypatch.setattr("footnote.ingest.chunk.RULES", 7)
    (documents,) = [finding.found for finding in await examine(open_core(tmp_path)) if finding.part == "documents"]
    assert documents == "3 READY, 3 of an earlier version, made again while the server runs"
    migration = Migration(core.ingestor, core.cache)
    assert (await migration.step(), await outdated(core)) == (True, 2)
    async with working(core):
        while await outdated(core):
            await asyncio.sleep(0.02)
        assert (await find_outdated(core.ledger, core.generations), len(await core.index.sample(LOCAL, "default", 9))) == ([], 3)


async def test_a_worker_processes_abandoned_and_new_jobs(core: Core) -> None:
    async def add(name: str) -> str:
        document = await core.ingestor.accept(LOCAL, name.encode(), file_name=name, collection="default", permission_groups=[])
        return document.doc_id

    ids = [await add("one.txt")]
    assert await core.queue.take(300) is not None  # left by a worker that died
    async with working(core) as worker:
        ids.append(await add("two.txt"))
        for _ in range(500):
            states = [(await core.ledger.get(LOCAL, doc_id)).state for doc_id in ids]
            if states == ["READY", "READY"]:
                break
            await asyncio.sleep(0.02)
        assert states == ["READY", "READY"]
        await worker.stop()


async def test_a_worker_builds_what_a_collection_switches_on_while_it_runs(core: Core) -> None:
    async def is_built() -> bool:
        states = await core.knowledge_builder.states("default")
        return {state.kind: state.built for state in states} == {"graph": 2, "late_interaction": 2, "summary_tree": 2}

    core.embedder = FakeTokenEmbedder()
    async with working(core) as worker:
        await put_document(core.generations, make_document("people"), ["Ann Mason runs the Acme Works.", "Bert Olsen left Elmby."])
        await worker.finish_jobs()
        assert not await is_built()
        await switch_on(core, *KNOWLEDGE)
        while not await is_built():
            await asyncio.sleep(0.05)
        assert worker.trouble is None


async def test_a_file_that_takes_long_does_not_hold_the_next_one_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.library.worker.LONG_S", 0.01)
    go_on = asyncio.Event()

    class SlowParser(HereParser):
        async def parse(self, data: bytes, file_name: str) -> Parsed:
            if file_name.startswith("slow"):
                await go_on.wait()
            return await super().parse(data, file_name)

    core = open_core(tmp_path, parser=SlowParser())
    names = ["slow-1.txt", "slow-2.txt", "small.txt"]
    ids = {
        name: (await core.ingestor.accept(LOCAL, name.encode(), file_name=name, collection="default", permission_groups=[])).doc_id
        for name in names
    }

    async def states() -> list[str]:
        return [(await core.ledger.get(LOCAL, ids[name])).state for name in names]

    async with working(core) as worker:
        async with asyncio.timeout(20):
            while (await states())[-1] != "READY":
                await asyncio.sleep(0.02)
        assert await states() == ["PROCESSING", "PROCESSING", "READY"]
        finished = asyncio.create_task(worker.finish_jobs())
        await asyncio.sleep(0.5)
        assert not finished.done()
        go_on.set()
        await finished
        assert await states() == ["READY"] * 3


async def test_stopping_leaves_a_file_that_takes_long_to_the_next_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footnote.library.worker.LONG_S", 0.01)
    begun = asyncio.Event()

    class Hanging(HereParser):
        async def parse(self, data: bytes, file_name: str) -> Parsed:
            if begun.is_set():
                return await super().parse(data, file_name)
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError

    core = open_core(tmp_path, parser=Hanging())
    document = await core.ingestor.accept(LOCAL, b"one", file_name="one.txt", collection="default", permission_groups=[])
    async with working(core) as worker:
        await begun.wait()
        await worker.stop()
        await worker.start()
        await worker.finish_jobs()
        assert (await core.ledger.get(LOCAL, document.doc_id)).state == "READY"


async def test_a_purge_that_fails_leaves_the_queue_working(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(ingestor: Ingestor) -> None:
        raise StoreUnavailable("down")

    monkeypatch.setattr("footnote.library.worker.purge_deleted", fail)
    monkeypatch.setattr("footnote.library.worker.TROUBLE_S", 0.01)
    document = await core.ingestor.accept(LOCAL, b"one", file_name="one.txt", collection="default", permission_groups=[])
    async with working(core):
        async with asyncio.timeout(10):
            while (await core.ledger.get(LOCAL, document.doc_id)).state != "READY":
                await asyncio.sleep(0.02)


async def test_a_worker_in_trouble_says_why_and_waits(core: Core, caplog: pytest.LogCaptureFixture) -> None:
    failed = asyncio.Event()

    async def fail(lease_s: float) -> None:
        failed.set()
        raise RuntimeError("a bug")

    core.queue.take = fail  # type: ignore[method-assign]
    async with working(core) as worker:
        await failed.wait()
        async with asyncio.timeout(10):
            while worker.trouble is None:
                await asyncio.sleep(0)
        assert (worker.trouble, [record.message for record in caplog.records]) == ("Something went wrong", ["worker paused"])


async def test_a_worker_learns_weights_from_feedback(core: Core) -> None:
    await core.ingestor.accept(
        LOCAL, b"The ferry to the island takes 40 minutes.", file_name="ferry.txt", collection="default", permission_groups=["*"]
    )
    await work_all(core)
    for number in range(6):
        caller = Caller(f"user {number}")
        turn = await core.answer.finish(core.new_turn(Request("How long does the ferry to the island take?", "default"), caller, HELD))
        await core.feedback.put(caller, Feedback(turn.trace_id, caller.user_id, "up", created_at=core.clock()))
    async with working(core):
        for _ in range(500):
            if (kept := await core.records.get("weights", "default")) is not None:
                break
            await asyncio.sleep(0.02)
        assert kept is not None
        assert [weight.users for weight in load_weights(kept).documents.values()] == [6]


async def test_who_waits_for_documents_takes_over_from_a_worker_that_stops(docs: Path, tmp_path: Path) -> None:
    core, other = open_core(tmp_path / "data"), Lock(tmp_path / "data")
    other.take()
    worker = SharedWorker(core)
    assert not await worker.start()
    taking = asyncio.create_task(take_in(core, [docs], collection="default", groups=[], progress=lambda *_: None, worker=worker))
    while (await core.lifecycle.counts())["RECEIVED"] < 2:
        await asyncio.sleep(0)
    assert not taking.done()
    other.release()
    async with asyncio.timeout(30):
        report = await taking
    assert {document.state for document in report.documents.values()} == {"READY"}
    assert await worker.start()
    await worker.stop()
    other.take()
    other.release()
    await core.close()
