"""Deleted documents are restored from their files, or purged after an hour."""

from __future__ import annotations

import asyncio
import itertools
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.collections import RESTORABLE_S
from footnote.errors import Conflict, NotFound, StoreUnavailable
from footnote.ingest.integrity import ABANDONED_S, verify
from footnote.ingest.keys import source_key
from footnote.ingest.purge import purge_deleted
from footnote.ingest.restoring import purge_expired, restore
from footnote.ports import VectorScope
from footnote.types import Caller, Document
from tests.conftest import HandClock
from tests.footnote.ingest.spies import FailOnce, Killed, Spied
from tests.footnote.ingest.test_ingestor import (
    FIRST_CALLS,
    LOCAL,
    NEW,
    OLD,
    PORTS,
    HereParser,
    accept,
    answering,
    finish,
    found,
    open_core,
    state,
    work,
)


async def add_and_delete(core: Core, **given: Any) -> Document:
    document = await accept(core, **given)
    await work(core)
    return await core.ingestor.delete(LOCAL, document.doc_id, keep=True)


async def files_of(core: Core) -> list[str]:
    return [key async for key in core.files.keys("")]


async def test_a_deleted_document_is_gone_at_once_and_answers_again_after_it_was_restored(core: Core) -> None:
    gone = await add_and_delete(core, groups=["eng"])
    assert (await answering(core), await found(core, "lighthouse"), await core.vectors.progress(VectorScope("fake-embedder"))) == (
        [],
        [],
        (0, 0),
    )
    for read in (core.ledger.get(LOCAL, gone.doc_id), core.sources.original(LOCAL, gone.doc_id), core.sources.text(LOCAL, gone.doc_id)):
        with pytest.raises(NotFound):
            await read
    back = await restore(core.ingestor, LOCAL, gone.doc_id)
    assert (back.doc_id, back.state, back.generation, back.permission_groups) == (gone.doc_id, "RECEIVED", 2, frozenset({"eng"}))
    assert await answering(core) == []
    await work(core)
    assert (await answering(core), await state(core, gone)) == ([OLD], "READY")
    assert await core.index.read(Caller("ann", frozenset({"hr"})), [f"{gone.doc_id}|2|0"]) == []
    assert (await core.sources.original(LOCAL, gone.doc_id))[1] == OLD
    assert sorted(await files_of(core)) == [f"parsed/{gone.doc_id}/2", f"sources/{gone.doc_id}/2"]


async def test_it_is_restored_by_its_readers_only_and_once(core: Core) -> None:
    gone = await add_and_delete(core, groups=["hr"])
    with pytest.raises(NotFound):
        await restore(core.ingestor, Caller("ann", frozenset({"eng"})), gone.doc_id)
    bob = Caller("bob", frozenset({"hr"}))
    both = await asyncio.gather(*(restore(core.ingestor, bob, gone.doc_id) for _ in range(2)))
    assert [document.generation for document in both] == [2, 2]
    await work(core)
    assert (await restore(core.ingestor, bob, gone.doc_id)).state == "READY"  # repeated later: it is there
    assert (await answering(core), await core.queue.size()) == ([OLD], 0)


async def test_after_an_hour_it_is_purged_and_cannot_be_restored(core: Core, clock: HandClock) -> None:
    gone = await add_and_delete(core)
    clock.advance(RESTORABLE_S - 1)
    assert (await purge_expired(core.ingestor), len(await files_of(core))) == (0, 2)
    clock.advance(1)
    with pytest.raises(NotFound):
        await restore(core.ingestor, LOCAL, gone.doc_id)
    assert await purge_deleted(core.ingestor, core.records) == []
    assert (await files_of(core), await core.lifecycle.of_kind("kept"), await core.lifecycle.of_kind("unburied")) == ([], [], [])
    again = await accept(core)
    await work(core)
    assert (again.doc_id == gone.doc_id, await answering(core)) == (False, [OLD])


async def test_of_a_purge_and_a_restore_at_the_same_time_one_happens(core: Core, clock: HandClock) -> None:
    gone = await add_and_delete(core)
    clock.advance(RESTORABLE_S)

    async def as_it_was(call: str, after: bool) -> None:
        if call == "files.get" and after:  # the bytes are read; meanwhile the hour ends
            clock.advance(1)
            await purge_expired(core.ingestor)

    slow: Any = Spied("files", core.files, as_it_was)
    clock.advance(-1)
    with pytest.raises(NotFound):
        await restore(replace(core.ingestor, files=slow), LOCAL, gone.doc_id)
    assert (await files_of(core), await core.lifecycle.of_kind("unburied"), await core.queue.size()) == ([], [], 0)


async def test_the_same_file_added_meanwhile_stays_alone(core: Core) -> None:
    gone = await add_and_delete(core)
    new = await accept(core)
    await work(core)
    with pytest.raises(NotFound):
        await restore(core.ingestor, LOCAL, gone.doc_id)
    await purge_expired(core.ingestor)
    assert await answering(core) == [OLD]
    assert sorted(await files_of(core)) == [f"parsed/{new.doc_id}/1", f"sources/{new.doc_id}/1"]
    other = await core.ingestor.delete(LOCAL, new.doc_id, keep=True)
    await accept(core, name="other.txt")
    with pytest.raises(Conflict):
        await restore(core.ingestor, LOCAL, other.doc_id)


async def test_of_a_deleted_collection_nothing_is_restored_until_the_collection_is(core: Core) -> None:
    gone = await core.ingestor.accept(LOCAL, OLD, file_name="tower.txt", collection="town", permission_groups=[])
    await work(core)
    await core.ingestor.delete(LOCAL, gone.doc_id, keep=True)
    await core.collections.delete("town", by="ann")
    with pytest.raises(NotFound):
        await restore(core.ingestor, LOCAL, gone.doc_id)
    assert (await core.ledger.deleted(LOCAL)).data == ()
    await core.collections.restore("town", by="ann")
    await core.collections.edit("town", lambda now: replace(now, name="city"), by="ann")
    assert [(each.doc_id, each.collection) for each in (await core.ledger.deleted(LOCAL, collection="city")).data] == [
        (gone.doc_id, "city")
    ]
    assert (await restore(core.ingestor, LOCAL, gone.doc_id)).state == "RECEIVED"


@pytest.mark.parametrize("at", range(len(FIRST_CALLS[4:])), ids=lambda at: f"{at}-{FIRST_CALLS[4 + at]}")
async def test_a_document_deleted_at_any_moment_of_processing_can_be_restored(at: int, core: Core, clock: HandClock) -> None:
    document = await accept(core)
    deletes: list[Document] = []
    calls: list[str] = []

    async def tell(call: str, after: bool) -> None:
        if not after:
            calls.append(call)
        if not deletes and len(calls) == at + 2:  # the first one takes the job
            deletes.append(await plain.delete(LOCAL, document.doc_id, keep=True))

    plain = core.ingestor
    spies: dict[str, Any] = {name: Spied(name, getattr(plain, name), tell) for name in PORTS}
    assert await replace(plain, **spies).work_one()
    await finish(core, clock)
    assert (deletes[0].state, await answering(core)) == ("DELETED", [])
    await restore(core.ingestor, LOCAL, document.doc_id)
    await finish(core, clock)
    assert (await answering(core), await state(core, document)) == ([OLD], "READY")


@pytest.mark.parametrize("error", [Killed, StoreUnavailable])
async def test_a_restore_that_was_interrupted_anywhere_is_finished(error: type[BaseException], tmp_path: Path, clock: HandClock) -> None:
    for at in itertools.count():
        core, fail_once = open_core(tmp_path / str(at), clock), FailOnce(at, error)
        gone = await add_and_delete(core)

        spies: dict[str, Any] = {
            name: Spied(name, getattr(core.ingestor, name), fail_once)
            for name in ("ledger", "lifecycle", "origins", "files", "queue", "index")
        }
        with suppress(Killed, StoreUnavailable):
            await restore(replace(core.ingestor, **spies), LOCAL, gone.doc_id)
        assert await answering(core) == []
        await core.ingestor.recover()
        await restore(core.ingestor, LOCAL, gone.doc_id)
        await finish(core, clock)
        assert (await answering(core), await state(core, gone)) == ([OLD], "READY"), at
        await core.close()
        if fail_once.calls <= at:
            break
    assert at > 8


async def test_a_kept_document_that_was_left_in_the_index_is_removed_from_it(core: Core, clock: HandClock) -> None:
    for finish_it in ("recover", "verify", "restore"):
        document = await accept(core, name=f"{finish_it}.txt", data=finish_it.encode() + b" stands at the gate.")
        await work(core)
        await core.ledger.delete(LOCAL, document.doc_id, keep=True)
        assert len(await answering(core)) == 1  # interrupted here
        match finish_it:
            case "recover":
                await core.ingestor.recover()
            case "verify":
                assert (await verify(core.bucket, [], core.embedder, repair=True)).findings == ()  # perhaps at work
                clock.advance(ABANDONED_S)
                report = await verify(core.bucket, [], core.embedder, repair=True)
                assert [(each.kind, each.id) for each in report.findings] == [("half_deleted", document.doc_id)]
            case "restore":
                await restore(core.ingestor, LOCAL, document.doc_id)
        assert await answering(core) == []
        assert await core.files.get(source_key(document.doc_id, 1))
    assert (await verify(core.bucket, [], core.embedder, repair=True)).findings == ()


async def test_a_failed_document_is_tried_again_when_it_is_restored(core: Core) -> None:
    document = await accept(core, data=b"\x00\x01", name="a.bin")
    await work(core)
    assert await state(core, document) == "FAILED"
    await core.ingestor.delete(LOCAL, document.doc_id, keep=True)
    await restore(core.ingestor, LOCAL, document.doc_id)
    await work(core)
    assert await state(core, document) == "FAILED"


async def test_a_new_version_that_was_being_read_is_what_comes_back(tmp_path: Path, clock: HandClock) -> None:
    parser = HereParser()
    core = open_core(tmp_path / "data", clock, parser)
    document = await accept(core)
    await work(core)
    await accept(core, NEW)
    parser.reached.clear()
    parser.go_on.clear()
    working = asyncio.create_task(work(core))
    await parser.reached.wait()
    await core.ingestor.delete(LOCAL, document.doc_id, keep=True)
    parser.go_on.set()
    await working
    assert await answering(core) == []
    await restore(core.ingestor, LOCAL, document.doc_id)
    await work(core)
    assert await answering(core) == [NEW]
    await core.close()
