"""Deleted collections are purged, also by a run that was interrupted anywhere."""

from __future__ import annotations

import itertools
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.collections import RESTORABLE_S, Collections, Directory
from footnote.errors import StoreUnavailable
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.purge import purge_deleted
from footnote.types import SYSTEM, Collection, Document
from tests.conftest import HandClock
from tests.footnote.ingest.spies import FailOnce, Killed, Spied
from tests.footnote.ingest.test_ingestor import LOCAL, open_core, work
from tests.nightly import DEEP

PORTS = ("ledger", "lifecycle", "origins", "files", "index", "generations", "records")


async def fill(core: Core) -> None:
    for number in range(3):
        text = f"Tower {number} was painted in 1999.".encode()
        await core.ingestor.accept(LOCAL, text, file_name=f"{number}.txt", collection="town", permission_groups=[])
    await core.ingestor.accept(LOCAL, b"Ferries cross at noon.", file_name="f.txt", collection="default", permission_groups=[])
    await work(core)


async def left(core: Core) -> tuple[set[str], set[str], set[str]]:
    """The documents that are listed, in the index, and that have files."""
    listed = {document.doc_id for document in (await core.ledger.list(SYSTEM, limit=200)).data}
    indexed = {item.doc_id async for item in core.generations.inventory()}
    return listed, indexed, {key.split("/")[1] async for key in core.files.keys("")}


@pytest.mark.parametrize("error", [Killed, pytest.param(StoreUnavailable, marks=pytest.mark.nightly)])
async def test_a_purge_that_was_interrupted_is_finished_and_shows_nothing(
    error: type[BaseException], tmp_path: Path, clock: HandClock
) -> None:
    for at in itertools.count(step=1 if DEEP else 4):
        folder = tmp_path / str(at)
        core, fail_once = open_core(folder, clock), FailOnce(at, error)
        await fill(core)
        await core.collections.delete("town", by="ann")
        clock.advance(RESTORABLE_S)

        for name in PORTS:
            setattr(core, name, Spied(name, getattr(core, name), fail_once))
        core.__dict__.pop("ingestor", None)
        core.collections._records = core.records
        with suppress(Killed, StoreUnavailable):
            await purge_deleted(core.ingestor, core.records)
        await core.close()
        again = open_core(folder, clock)
        assert {document.collection for document in (await again.ledger.list(LOCAL)).data} == {"default"}
        assert await again.index.sample(LOCAL, "town", 9) == []
        await purge_deleted(again.ingestor, again.records)
        (kept,) = (await again.ledger.list(LOCAL)).data
        assert await left(again) == ({kept.doc_id},) * 3
        assert await again.lifecycle.of_kind("unburied") == []
        assert (await again.collections.load()).collections == {}
        await again.close()
        if fail_once.calls <= at:  # nothing was left to fail
            break
    assert at > 30


async def test_a_purge_and_a_restore_exclude_each_other(tmp_path: Path, clock: HandClock) -> None:
    core, other = open_core(tmp_path, clock), open_core(tmp_path, clock)
    await fill(core)
    await core.collections.delete("town", by="ann")
    clock.advance(RESTORABLE_S - 1)
    assert await purge_deleted(core.ingestor, core.records) == []
    restored = await other.collections.restore("town", by="ann")
    clock.advance(10)
    assert (restored.deleted_at, await purge_deleted(core.ingestor, core.records)) == (None, [])
    assert (await core.ledger.collections(LOCAL)) == {"town": 3, "default": 1}
    await core.close()
    await other.close()


@pytest.mark.parametrize("what", ["delete", "restore"])
async def test_deleting_or_restoring_again_changes_nothing(what: str, tmp_path: Path, clock: HandClock, monkeypatch: Any) -> None:
    """A process that died after its write left everything done."""
    core = open_core(tmp_path, clock)
    await fill(core)
    if what == "restore":
        await core.collections.delete("town", by="ann")
    put = core.records.put

    async def put_and_die(*args: Any, **options: Any) -> Any:
        await put(*args, **options)
        raise Killed("now")

    monkeypatch.setattr(core.records, "put", put_and_die)
    with pytest.raises(Killed):
        await getattr(core.collections, what)("town", by="ann")
    await core.close()
    again = open_core(tmp_path, clock)
    found = "town" in await again.ledger.collections(LOCAL)
    assert found == (what == "restore")
    if what == "delete":
        gone = await again.collections.delete("town", by="ann")
        assert gone.deleted_at == clock()
    await again.close()


async def test_a_document_that_cannot_be_purged_keeps_no_other_collection_waiting(
    tmp_path: Path, clock: HandClock, monkeypatch: Any
) -> None:
    core = open_core(tmp_path, clock)
    await fill(core)
    await core.ingestor.accept(LOCAL, b"Boats moor here.", file_name="b.txt", collection="harbour", permission_groups=[])
    await work(core)
    for name in ("town", "harbour"):
        await core.collections.delete(name, by="ann")
    clock.advance(RESTORABLE_S)
    purge = Ingestor.purge

    async def fail(self: Ingestor, document: Document) -> None:
        if document.collection == "town":
            raise StoreUnavailable("down")
        await purge(self, document)

    with monkeypatch.context() as patch:
        patch.setattr(Ingestor, "purge", fail)
        assert await purge_deleted(core.ingestor, core.records) == ["harbour"]
    assert await purge_deleted(core.ingestor, core.records) == ["town"]
    await core.close()


async def test_a_collection_that_is_restored_while_it_is_looked_for_keeps_no_other_waiting(
    tmp_path: Path, clock: HandClock, monkeypatch: Any
) -> None:
    core = open_core(tmp_path, clock)
    for name in ("harbour", "town"):
        await core.ingestor.accept(LOCAL, name.encode(), file_name="b.txt", collection=name, permission_groups=[])
        await core.collections.delete(name, by="ann")
    clock.advance(RESTORABLE_S)
    given_up = Collections._given_up

    def restored(self: Collections, now: Directory, stored: str) -> Collection:
        return given_up(self, now.without("harbour"), stored)

    monkeypatch.setattr(Collections, "_given_up", restored)
    assert await purge_deleted(core.ingestor, core.records) == ["town"]
    await core.close()
