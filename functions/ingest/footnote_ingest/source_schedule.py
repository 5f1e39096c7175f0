"""The schedule of sources: syncs those that were synced or registered before and can be reached from here, the one that waited
longest first.

A run that lasts too long is cut off, and the next one goes on, as after a kill. More than 10 % deletions are left out, and the
page says so; what has other readers by now is removed all the same.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from footnote.bootstrap.sources import make_sync, open_source
from footnote.errors import Conflict, FootnoteError
from footnote.guard.audit import audit
from footnote.ingest.source_lease import leased
from footnote.ingest.sync import SYNC, Sync
from footnote.ingest.sync_plan import SyncPlan
from footnote.ingest.sync_record import LastRun, State, Wanted, choose_options, find_failed, read_record, run_of, save_run
from footnote.ingest.wiki_space import SpaceSync
from footnote.ports import read_all
from footnote.types import Document
from footnote_http.lambda_handler import use_loop

if TYPE_CHECKING:
    from footnote.bootstrap import Core

log = logging.getLogger(__name__)

LIMIT_S = 240.0
"""Limit of all runs of one event together; the function ends after 300 s."""
DEFECT = "An unexpected error occurred. The log says more; report it if it happens again."
REACHABLE = ("s3://", "http://", "https://")


def run_sources(event: dict[str, Any], core: Core) -> dict[str, int]:
    """Runs the syncs. → how they ended: count."""
    return use_loop().run_until_complete(sync_sources(core))


async def sync_sources(core: Core, limit_s: float = LIMIT_S) -> dict[str, int]:
    """Syncs sources until the time is over. → how they ended: count; "busy" = another sync of the source is running."""
    until = asyncio.get_running_loop().time() + limit_s
    records = await read_all(lambda after: core.records.list("source", limit=200, after=after))
    runs = {record.key: read_record(record.value).last_run for record in records if record.key.startswith(REACHABLE)}
    ended: Counter[str] = Counter()
    for address in sorted(runs, key=lambda address: (_ended(runs[address]), address)):
        if asyncio.get_running_loop().time() >= until:
            break
        try:
            async with leased(core.records, address, core.clock):
                run = await _sync(core, address, until)
                await save_run(core.records, core.ledger, address, run, by=SYNC.user_id, always=True)
        except Conflict:
            ended["busy"] += 1
            continue
        except Exception as exc:  # no source keeps the others waiting
            log.warning("the run of a source was not saved", exc_info=exc)
            ended["failed"] += 1
            continue
        ended[run.state] += 1
        log.info("a source was synced", extra={"state": run.state, "count": run.added + run.changed + run.removed})
    while core.settings.aws.queue_url is None and await core.ingestor.work_one(core.bucket.take):  # nothing else does it on one machine
        pass
    return dict(ended)


def _ended(run: LastRun | None) -> float:
    return 0.0 if run is None else run.at


async def _sync(core: Core, address: str, until: float) -> LastRun:
    try:
        source = open_source(address, core.wiki_pages)
        try:
            options = await choose_options(core.records, core.origins, core.collections, source, Wanted(), core.settings)
            return await _run(core, make_sync(source, core.ingestor, options), until)
        finally:
            await source.close()
    except FootnoteError as exc:
        return LastRun(core.clock(), "failed", exc.detail)
    except Exception as exc:  # the run is saved all the same, so that the other sources have their turn before this one has another
        log.error("a source was not synced", exc_info=exc)
        return LastRun(core.clock(), "failed", DEFECT)


async def _run(core: Core, sync: Sync | SpaceSync, until: float) -> LastRun:
    plan, taken = SyncPlan(), dict[str, Document]()
    state: State = "done"

    async def take(key: str, document: Document) -> None:
        taken[key] = document

    try:
        async with asyncio.timeout_at(until):
            plan = await sync.plan()
            await sync.finish()
            if plan.is_drastic:
                state = "needs_consent"
                sync.spare(plan)
            await sync.apply(plan, take, note=partial(_note, core))
    except TimeoutError:
        done = SyncPlan(
            added=[key for key in plan.added if key in taken], changed=[key for key in plan.changed if key in taken],
            unchanged=plan.unchanged, skipped=plan.skipped, refused=plan.refused, documents=plan.documents, lost=plan.lost, held=plan.held,
        )  # fmt: skip
        return run_of(sync, done, taken, await find_failed(core.lifecycle, done, taken), "unfinished", core.clock())
    return run_of(sync, plan, taken, await find_failed(core.lifecycle, plan, taken), state, core.clock())


async def _note(core: Core, document: Document) -> None:
    await audit(core.records, SYNC, "document.delete", document.doc_id, now=core.clock(), collection=document.collection)
