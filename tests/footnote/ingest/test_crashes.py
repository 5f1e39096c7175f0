"""Ingest is interrupted at any point: the process dies, or a call fails. An accepted file is not lost."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.errors import StoreUnavailable
from footnote.ingest.ingestor import LEASE_S
from footnote.ports import VectorScope
from tests.conftest import HandClock
from tests.footnote.ingest.spies import Killed
from tests.footnote.ingest.test_ingestor import (
    CALLS,
    LOCAL,
    NEW,
    OLD,
    HereParser,
    accept,
    answering,
    finish,
    found,
    open_core,
    spy,
    state,
    work,
)


@pytest.fixture(scope="module")
def one_document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder in which the old file is READY and has its vectors."""
    folder = tmp_path_factory.mktemp("one") / "data"

    async def fill() -> None:
        core = open_core(folder, HandClock())
        await accept(core)
        await work(core)
        await core.close()

    with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
        runner.run(fill())
    return folder


@pytest.mark.sample
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("error", [Killed, StoreUnavailable])
@pytest.mark.parametrize("at", range(len(CALLS)), ids=lambda at: f"{at}-{CALLS[at]}")
async def test_whichever_call_fails_the_changed_file_becomes_ready_exactly_once(
    at: int, error: type[BaseException], after: bool, one_document: Path, tmp_path: Path, clock: HandClock
) -> None:
    folder = tmp_path / "data"
    shutil.copytree(one_document, folder)
    core, calls = open_core(folder, clock), []

    async def fail_once(call: str, is_after: bool) -> None:
        if is_after == after:
            calls.append(call)
            if len(calls) == at + 1:
                raise error("now")

    spy(core, fail_once)
    accepted = False
    try:
        await accept(core, NEW)
        accepted = True
        await work(core)
    except (Killed, StoreUnavailable):
        pass
    assert calls[: at + 1] == CALLS[: at + 1]
    if error is Killed:
        await core.close()
        core = open_core(folder, clock)
        await core.ingestor.recover()
    if not accepted:  # the sender got an error, and sends it again
        await finish(core, clock)
        await accept(core, NEW)
    await finish(core, clock)
    (document,) = (await core.ledger.list(LOCAL)).data
    assert (document.state, document.active_generation, document.reason) == ("READY", document.generation, None)
    assert await answering(core) == [NEW]
    assert ([len(await found(core, word)) for word in ("1874", "1999")], await core.lifecycle.of_kind("unfinished")) == ([0, 1], [])
    assert await core.vectors.progress(VectorScope("fake-embedder")) == (1, 1)
    await core.close()


async def test_a_file_accepted_before_a_crash_is_processed_after_it(core: Core) -> None:
    document = await accept(core)
    job = await core.queue.take(LEASE_S)  # by a worker that then dies
    assert job is not None
    assert not await core.ingestor.work_one()
    assert await core.ingestor.recover() == 1
    await work(core)
    assert await state(core, document) == "READY"


async def test_a_job_is_delivered_again_after_its_lease_and_does_no_harm(core: Core, clock: HandClock, parser: HereParser) -> None:
    document = await accept(core)
    assert await core.queue.take(LEASE_S) is not None
    clock.advance(LEASE_S - 1)
    assert not await core.ingestor.work_one()
    clock.advance(1)
    assert await core.ingestor.work_one()
    assert (await state(core, document), await core.queue.size()) == ("READY", 0)
    for _ in range(3):
        await core.queue.put({"doc_id": document.doc_id, "generation": 1})
    await work(core)
    assert (parser.parsed, await core.queue.size(), await answering(core)) == (["tower.txt"], 0, [OLD])


async def test_old_files_left_by_a_dead_worker_are_deleted_by_the_next_one(core: Core) -> None:
    doc_id = (await accept(core)).doc_id
    await work(core)
    await accept(core, NEW)

    async def die(job_id: str) -> None:
        raise Killed

    finish, core.queue.finish = core.queue.finish, die  # type: ignore[method-assign]
    with pytest.raises(Killed):
        await core.ingestor.work_one()
    core.queue.finish = finish  # type: ignore[method-assign]
    await core.files.put(f"parsed/{doc_id}/1", b"left")
    assert await core.ingestor.recover() == 0
    await work(core)
    assert {key async for key in core.files.keys("")} == {f"sources/{doc_id}/2", f"parsed/{doc_id}/2"}
    assert await core.queue.size() == 0


async def test_old_files_left_by_a_dead_worker_are_deleted_when_its_job_is_delivered_again(core: Core) -> None:
    doc_id = (await accept(core)).doc_id
    await work(core)
    await accept(core, NEW)
    await work(core)
    await core.files.put(f"parsed/{doc_id}/1", b"left")
    await core.queue.put({"doc_id": doc_id, "generation": 2})
    await work(core)
    assert {key async for key in core.files.keys("")} == {f"sources/{doc_id}/2", f"parsed/{doc_id}/2"}
    assert (await core.queue.size(), await answering(core)) == (0, [NEW])


async def test_after_a_crash_before_the_bytes_were_stored_the_file_can_be_added_again(core: Core) -> None:
    async def fail(key: str, data: bytes) -> None:
        raise Killed

    put, core.files.put = core.files.put, fail  # type: ignore[method-assign]
    with pytest.raises(Killed):
        await accept(core)
    core.files.put = put  # type: ignore[method-assign]
    await core.ingestor.recover()
    await work(core)
    (document,) = (await core.ledger.list(LOCAL)).data
    assert (document.state, document.reason, document.remedy) == ("FAILED", "The upload did not arrive.", "Add the file again.")
    assert (await accept(core)).doc_id == document.doc_id
    await work(core)
    assert await answering(core) == [OLD]
