"""A document gets other readers or another collection: who may not read it any more does not from then on, whatever fails."""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from footnote.bootstrap import Core
from footnote.errors import BadRequest, Conflict, Forbidden, NotFound, StoreUnavailable
from footnote.ingest.moving import move
from footnote.ports import VectorScope
from footnote.types import Caller, Document
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder
from tests.footnote.ingest.spies import FailOnce, Killed, Spied
from tests.footnote.ingest.test_ingestor import LOCAL, NEW, OLD, accept, answering, finish, open_core, work

HR, ENG = Caller("ann", frozenset({"hr"})), Caller("bob", frozenset({"eng"}))


async def add(core: Core, **given: Any) -> Document:
    document = await accept(core, groups=["hr"], **given)
    await work(core)
    return document


async def read_by(core: Core, caller: Caller, collection: str = "default") -> list[bytes]:
    return [chunk.text.encode() for chunk in await core.index.sample(caller, collection, 100)]


async def test_former_readers_read_nothing_from_then_on_and_new_ones_once_it_was_read(core: Core) -> None:
    document = await add(core)
    moved = await move(core.ingestor, LOCAL, document.doc_id, permission_groups=["eng"])
    assert (moved.state, moved.permission_groups) == ("RECEIVED", frozenset({"eng"}))
    assert (await read_by(core, HR), await read_by(core, ENG)) == ([], [])
    for read in (core.ledger.get(HR, document.doc_id), core.sources.original(HR, document.doc_id), core.sources.text(HR, document.doc_id)):
        with pytest.raises(NotFound):
            await read
    assert (await core.sources.original(ENG, document.doc_id))[1] == OLD
    await work(core)
    assert (await read_by(core, HR), await read_by(core, ENG)) == ([], [OLD])
    assert sorted([key async for key in core.files.keys("")]) == [f"parsed/{document.doc_id}/2", f"sources/{document.doc_id}/2"]


async def test_a_document_is_moved_and_nothing_is_embedded_again(core: Core, monkeypatch: pytest.MonkeyPatch) -> None:
    document = await add(core)
    asked: list[list[str]] = []
    embed = FakeEmbedder.embed

    async def counted(self: FakeEmbedder, texts: Any) -> Any:
        asked.append(list(texts))
        return await embed(self, texts)

    monkeypatch.setattr(FakeEmbedder, "embed", counted)
    await move(core.ingestor, LOCAL, document.doc_id, collection="town")
    assert (await answering(core), await read_by(core, HR, "town")) == ([], [])
    await work(core)
    assert (await answering(core), await read_by(core, HR, "town"), await read_by(core, ENG, "town")) == ([], [OLD], [])
    assert (asked, await core.vectors.progress(VectorScope("fake-embedder"))) == ([], (1, 1))
    new = await accept(core, NEW, groups=["hr"])
    assert new.doc_id != document.doc_id  # the name is free here


async def test_refused_changes_give_the_reason(core: Core) -> None:
    document = await add(core)
    for caller, groups, error in ((ENG, ["eng"], NotFound), (HR, ["eng"], Forbidden), (LOCAL, ["a b"], BadRequest)):
        with pytest.raises(error):
            await move(core.ingestor, caller, document.doc_id, permission_groups=groups)
    synced = await core.ingestor.accept(
        LOCAL, NEW, file_name="n.txt", collection="default", permission_groups=["hr"], origin="s3://b/n.txt", version="1"
    )
    with pytest.raises(Conflict, match="in sync with a source"):
        await move(core.ingestor, LOCAL, synced.doc_id, permission_groups=["eng"])
    await core.collections.delete("default", by="ann")
    with pytest.raises(NotFound):
        await move(core.ingestor, LOCAL, document.doc_id, collection="town")


async def test_a_document_that_is_being_read_answers_its_former_readers_never(core: Core) -> None:
    document = await accept(core, groups=["hr"])
    await move(core.ingestor, LOCAL, document.doc_id, permission_groups=["eng"])
    await work(core)
    assert (await read_by(core, HR), await read_by(core, ENG), await core.queue.size()) == ([], [OLD], 0)


@pytest.mark.parametrize("error", [Killed, StoreUnavailable])
async def test_a_change_that_was_interrupted_anywhere_is_finished_when_it_is_repeated(
    error: type[BaseException], tmp_path: Path, clock: HandClock
) -> None:
    for at in itertools.count():
        core, fail_once = open_core(tmp_path / str(at), clock), FailOnce(at, error)
        document = await add(core)

        spies: dict[str, Any] = {
            name: Spied(name, getattr(core.ingestor, name), fail_once)
            for name in ("ledger", "lifecycle", "origins", "files", "queue", "index")
        }
        with suppress(Killed, StoreUnavailable):
            await move(replace(core.ingestor, **spies), LOCAL, document.doc_id, collection="town", permission_groups=["eng"])
        await move(core.ingestor, LOCAL, document.doc_id, collection="town", permission_groups=["eng"])
        assert (await read_by(core, HR), await read_by(core, HR, "town")) == ([], [])
        await finish(core, clock)
        assert (await answering(core), await read_by(core, HR, "town"), await read_by(core, ENG, "town")) == ([], [], [OLD]), at
        await core.close()
        if fail_once.calls <= at:
            break
    assert at > 12
