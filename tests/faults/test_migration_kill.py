"""kill -9, twice, while documents of an earlier version are made again: each answers all the time, in the end each is made once."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import pytest

from footnote.bootstrap import Core
from footnote.ingest.chunk import RULES
from footnote.ingest.integrity import verify
from footnote.ingest.migrating import find_outdated
from footnote.types import Caller, Search
from tests.fakes import HereParser
from tests.footnote_local.conftest import open_core

LOCAL, OTHER = Caller("local", sees_all=True), Caller("other", groups=frozenset({"others"}))
FILES, KILLS = 90, 2


async def fill(core: Core) -> str:
    """→ the id of a document that is deleted and can be restored."""
    for number in range(FILES):
        data = f"# Tower {number}\n\nTower number{number} is {number} metres high. It still stands.\n".encode()
        name, groups = f"{number}.md", ["others" if number % 2 else "staff"]
        last = await core.ingestor.accept(LOCAL, data, file_name=name, collection="default", permission_groups=groups)
    while await core.ingestor.work_one():
        pass
    return (await core.ingestor.delete(LOCAL, last.doc_id, keep=True)).doc_id


async def found(core: Core, caller: Caller, number: int) -> set[str]:
    ids = [entry.chunk_id for entry in (await core.index.candidates(caller, Search("default", f"number{number}"))).lexical]
    return {chunk.text.partition("\n")[0] for chunk in await core.index.read(caller, ids) if chunk.level == 2}


async def ask(core: Core, number: int) -> None:
    deleted = number == FILES - 1
    assert await found(core, LOCAL, number) == (set() if deleted else {f"Tower {number}"})
    assert await found(core, OTHER, number) == ({f"Tower {number}"} if number % 2 and not deleted else set())


async def ask_all(core: Core) -> None:
    for number in range(FILES):
        await ask(core, number)


def made_again(folder: Path) -> int:
    with sqlite3.connect(folder / "store.db") as store:
        made = "SELECT count(*) FROM ledger WHERE body ->> 'cut' LIKE ? AND body ->> 'state' <> 'DELETED'"
        return int(store.execute(made, (f"%-{RULES + 1}",)).fetchone()[0])


async def kill_at(folder: Path, is_time: Callable[[], bool], while_it_runs: Core | None) -> int:
    """→ how many documents had been made again by a process that was killed; all, if it ended by itself."""
    command = [sys.executable, "-m", "tests.faults.migrating", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True)
    assert process.stdout is not None
    try:
        assert await asyncio.to_thread(process.stdout.readline) == b"started\n"
        numbers = cycle(range(FILES))
        while process.poll() is None and not is_time():
            if while_it_runs is not None:
                await ask(while_it_runs, next(numbers))
            await asyncio.sleep(0.001)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return made_again(folder)


@pytest.mark.slow("starts a process for each kill")
@pytest.mark.parametrize("layout", ["known", pytest.param("unknown", marks=pytest.mark.nightly)])
async def test_killed_twice_every_document_is_made_again_and_answers_all_the_time(tmp_path: Path, layout: str) -> None:
    core = open_core(tmp_path, parser=HereParser())
    deleted = await fill(core)
    await ask_all(core)
    if layout == "unknown":
        await core.close()
        with sqlite3.connect(tmp_path / "index.db") as index:
            index.executescript("ALTER TABLE chunks RENAME COLUMN text TO words; PRAGMA user_version = 3;")
    asking = core if layout == "known" else None
    before = made_again(tmp_path)
    for _ in range(KILLS):
        more = before + 5
        after = await kill_at(tmp_path, lambda more=more: made_again(tmp_path) >= more, asking)  # type: ignore[misc]
        assert before < after < FILES - 1
        before = after
    assert await kill_at(tmp_path, lambda: False, asking) == FILES - 1
    if layout == "unknown":
        core = open_core(tmp_path, parser=HereParser())
    await ask_all(core)
    assert await find_outdated(core.ledger, core.generations) == []
    assert (await core.ledger.find_deleted(LOCAL, deleted)).state == "DELETED"
    assert (await verify(core.bucket, [], None, repair=False, abandoned_s=0)).findings == ()
    await core.close()
