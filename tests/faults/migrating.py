"""A process of a version that cuts documents otherwise: it makes all documents of a data folder again. `python -m tests.faults.migrating
FOLDER`; killed at any moment, the next one goes on."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from footnote.ingest import chunk
from footnote.library.worker import Worker
from tests.fakes import HereParser
from tests.footnote_local.conftest import open_core

chunk.RULES += 1


async def run(folder: Path) -> None:
    """Works until it is killed, or nothing is left to do."""
    from footnote.ingest.migrating import find_outdated

    core = open_core(folder, parser=HereParser())  # in this process, which has the other version
    worker = Worker(core)
    await worker.start()
    print("started", flush=True)
    while await core.lifecycle.of_kind("unfinished") or await find_outdated(core.ledger, core.generations):
        await asyncio.sleep(0.02)
    await worker.stop()
    await core.close()


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1])))
