"""`footnote reprocess`: cuts the documents of a collection again, after its chunker or the size of passages has changed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from footnote_local.terminal import Exit, leave, progress_bar, run, say, show_json
from footnote_local.with_core import DataOption, JsonOption, make_core

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.library.worker import Worker
    from footnote_local.terminal import Bar

POLL_S = 0.2


def reprocess(
    collection: Annotated[str, typer.Argument(help="Collection whose documents are cut again.", metavar="COLLECTION")],
    data: DataOption = None,
    as_json: JsonOption = False,
) -> None:
    """Cut documents again from what was parsed, as their collection's chunker says now."""
    report = run(_reprocess(make_core(data), collection))
    if as_json:
        show_json(report)
    else:
        say(f"{report['queued']} cut again, {report['current']} up to date, {report['failed']} failed.")
    leave(Exit.BAD if report["failed"] else Exit.OK)


async def _reprocess(core: Core, collection: str) -> dict[str, Any]:
    from footnote.errors import Conflict, NotFound
    from footnote.ingest.reprocess import reprocess as queue_all
    from footnote.library.worker import Lock, Worker

    lock, worker, mine = Lock(core.settings.data), Worker(core), True
    try:
        lock.take()
    except Conflict:
        mine = False
    try:
        stored = await core.collections.resolve(collection)
        queued = await queue_all(core.ingestor, stored)
        if not queued.queued + queued.current + queued.failed:
            raise NotFound(f"There are no documents in “{collection}”.")
        if mine and queued.queued:
            await worker.start()
            with progress_bar() as bar:
                await _wait(core, worker, queued.queued, bar)
        elif queued.queued:
            say("A Footnote server is using this data folder and cuts the documents in the background.")
        return {"collection": collection, "queued": queued.queued, "current": queued.current, "failed": queued.failed}
    finally:
        await worker.stop()
        lock.release()
        await core.close()


async def _wait(core: Core, worker: Worker, queued: int, bar: Bar) -> None:
    """Until all documents are cut and have their vectors, or the worker reports trouble."""
    from footnote.library.worker import wait_for_vectors

    while worker.trouble is None:
        counts = await core.lifecycle.counts()
        left = counts["RECEIVED"] + counts["PROCESSING"]
        bar("reading", max(queued - left, 0), queued)
        if not left:
            break
        await asyncio.sleep(POLL_S)
    await wait_for_vectors(core, worker, lambda done, total: bar("vectors", done, total))
    if worker.trouble is not None:
        say(f"It has stopped: {worker.trouble} Run the same command again to continue.")
