"""Runs syncs, once or whenever the source changes, and waits for the documents."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field

import typer

from footnote.bootstrap import Core
from footnote.bootstrap.sources import make_sync, open_source
from footnote.errors import BadRequest, Conflict, FootnoteError, NotFound, UnreadableFile
from footnote.guard.audit import audit
from footnote.guard.identity import LOCAL
from footnote.ingest.source_lease import leased
from footnote.ingest.sync import Sync
from footnote.ingest.sync_plan import MOST_REMOVED, SyncPlan
from footnote.ingest.sync_record import LastRun, Wanted, choose_options, find_failed, last_options, run_of, save_options, save_run
from footnote.ingest.sync_state import Options
from footnote.ingest.wiki_space import Space, SpaceSync
from footnote.library.files import MOST_WAITING, Report, poll
from footnote.library.worker import Lock, SharedWorker
from footnote.ports import Entry, Source, Unlisted
from footnote.types import Document
from footnote_local.terminal import printable, progress_bar, say

WATCH_S = 2.0
"""Time between two looks at a watched folder."""
SHOWN = 20
"""Number of files listed before the question whether to remove them."""


@dataclass(slots=True)
class Outcome:
    """The result of one sync. `done`: the plan was carried out. `refused`: its deletions were not confirmed."""

    address: str
    plan: SyncPlan
    done: bool = False
    refused: bool = False
    not_read: dict[str, str] = field(default_factory=dict)
    """Key → why the file was skipped."""
    failed: dict[str, Document] = field(default_factory=dict)
    """Key → the document of the source that is FAILED, whichever run added it."""

    @property
    def refused_pages(self) -> dict[str, UnreadableFile]:
        """Pages that only admins may read here, and that were FAILED before: key → why."""
        return {key: why for key, why in self.plan.refused.items() if key not in self.failed}


async def run_sync(
    core: Core, place: str, wanted: Wanted, *, dry_run: bool, yes: bool, watch: bool, show: Callable[[Outcome], None]
) -> Outcome:
    """Syncs a source and shows the outcome; with `watch` until it is stopped. Conflict if another sync of the source is running."""
    worker = SharedWorker(core) if core.settings.aws.queue_url is None else None  # in AWS the ingest function works
    lock, source, alone = None, None, AsyncExitStack()
    try:
        source = open_source(place, core.wiki_pages)
        if watch and not source.address.startswith("file:"):
            raise BadRequest("--watch works for folders and ZIP files. Sync other sources on a schedule, for example with cron.")
        options = await choose_options(core.records, core.origins, core.collections, source, wanted, core.settings)
        if dry_run:
            with progress_bar() as bar:
                plan = await make_sync(source, core.ingestor, options).plan(bar)
            outcome = Outcome(source.address, plan, not_read=plan.skipped)
            show(outcome)
            return outcome
        lock = _take_lock(core, source)
        if core.settings.aws.queue_url is not None:  # others share the deployment
            await alone.enter_async_context(leased(core.records, source.address, core.clock))
        if worker is not None and not await worker.start():
            say("Another Footnote process is using this data folder and will process the files.")
        watched = None if isinstance(source, Space) else source
        seen = await _listing(watched) if watch and watched else []
        if watch:  # each round reads them
            await save_options(core.records, source.address, options, by=LOCAL.user_id)
        outcome = await _run_once(core, source, options, worker, yes)
        show(outcome)
        reported = ""
        while watch and watched:
            listing = await _await_change(watched, seen)
            try:
                outcome = await _run_once(core, watched, None, worker, yes)
            except FootnoteError as exc:  # such as a folder that is away for a moment: the change is still to be synced
                if exc.detail != reported:
                    say(f"footnote: {exc.detail}")
                reported = exc.detail
            else:
                seen, reported = listing, ""
                show(outcome)
        return outcome
    except asyncio.CancelledError:
        say("Stopped. What was done is kept; run the same command to continue.")
        raise
    finally:
        if worker is not None:
            await worker.stop()
        await alone.aclose()
        if lock is not None:
            lock.release()
        if source is not None:
            await source.close()
        await core.close()


def _take_lock(core: Core, source: Source | Space) -> Lock:
    """One sync of a source at a time; syncs of different sources do not disturb each other."""
    lock = Lock(core.settings.data, f"sync-{hashlib.sha256(source.address.encode()).hexdigest()[:12]}.lock")
    try:
        lock.take()
    except Conflict as exc:
        raise Conflict("Another sync of this source is running on this data folder. Wait for it, or stop it.") from exc
    return lock


async def _run_once(core: Core, source: Source | Space, options: Options | None, worker: SharedWorker | None, yes: bool) -> Outcome:
    """A run; one that fails is recorded as well. `options`: None = those of the last sync."""
    try:
        if options is None:
            options = await last_options(core.records, core.origins, core.collections, source, core.settings)
        return await _run(core, make_sync(source, core.ingestor, options), worker, yes)
    except FootnoteError as exc:
        with suppress(FootnoteError):
            run = LastRun(core.clock(), "failed", exc.detail)
            await save_run(core.records, core.ledger, source.address, run, by=LOCAL.user_id)
        raise


async def _run(core: Core, sync: Sync | SpaceSync, worker: SharedWorker | None, yes: bool) -> Outcome:
    address, by = sync.source.address, LOCAL.user_id

    async def note(document: Document) -> None:
        await audit(core.records, LOCAL, "document.delete", document.doc_id, now=core.clock(), collection=document.collection)

    with progress_bar() as bar:
        plan = await sync.plan(bar)
    outcome = Outcome(address, plan, not_read=plan.skipped)
    if plan.is_drastic and not yes and not await _agreed(plan):
        await sync.withdraw(note)
        nothing = SyncPlan(
            unchanged=plan.unchanged, skipped=plan.skipped, refused=plan.refused, documents=plan.documents, lost=plan.lost, held=plan.held
        )  # fmt: skip
        outcome.failed = await find_failed(core.lifecycle, nothing, {})
        run = run_of(sync, nothing, {}, outcome.failed, "needs_consent", core.clock())
        await save_run(core.records, core.ledger, address, run, by=by)
        outcome.refused = True
        return outcome
    await sync.finish()
    report, waiting = Report(), await _unfinished(core, plan) if worker is not None else {}

    async def taken(key: str, document: Document) -> None:
        report.documents[key] = document
        if document.state in ("RECEIVED", "PROCESSING") and worker is not None:
            waiting[key] = document.doc_id
        while len(waiting) >= MOST_WAITING:
            await poll(core, report, waiting, worker)

    with progress_bar() as bar:
        if not plan.is_empty:
            await save_options(core.records, address, sync.options, by=by)
            await sync.apply(plan, taken, bar, note=note)
        total = len(waiting)
        while waiting:
            bar("waiting", total - len(waiting), total)
            await poll(core, report, waiting, worker)
        if worker is not None:
            await worker.wait_for_vectors(lambda done, total: bar("vectors", done, total))
        if worker is not None and worker.trouble is not None:
            say(f"Some passages have no vectors yet: {worker.trouble} Until then they are found by keyword only.")
    outcome.failed = await find_failed(core.lifecycle, plan, report.documents)
    run = run_of(sync, plan, report.documents, outcome.failed, "done", core.clock())
    await save_run(core.records, core.ledger, address, run, by=by)
    outcome.done = True
    outcome.not_read = plan.skipped | sync.skipped
    return outcome


async def _unfinished(core: Core, plan: SyncPlan) -> dict[str, str]:
    """Files that an earlier run stored and that are not processed yet: key → document id."""
    unfinished = {document.doc_id for document in await core.lifecycle.of_kind("unfinished")}
    return {key: origin.doc_id for key, origin in plan.known.items() if origin.doc_id in unfinished and origin.seen.stored}


async def _agreed(plan: SyncPlan) -> bool:
    """Whether somebody at a terminal confirms so many deletions."""
    what = f"{plan.lost} of the source's {plan.documents} documents would be deleted, more than {MOST_REMOVED:.0%}."
    if not sys.stdin.isatty():
        say(f"footnote: {what} If that is right, run the command with --yes.")
        return False
    for key in plan.removed[:SHOWN]:
        say(f"remove   {printable(plan.shown(key))}")
    if len(plan.removed) > SHOWN:
        say(f"… and {len(plan.removed) - SHOWN} more; `--dry-run` lists all.")
    say(what)
    typer.echo("Go on? [y/N]: ", err=True, nl=False)
    return (await _line()).strip().lower() in ("y", "yes")


async def _line() -> str:
    """The next line from the terminal. Meanwhile the worker continues, and Ctrl-C ends it."""
    loop, typed = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin, typed.set)
    try:
        await typed.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return sys.stdin.readline()


async def _listing(source: Source) -> list[Entry | Unlisted]:
    return [entry async for entry in source.entries()]


async def _await_change(source: Source, seen: list[Entry | Unlisted]) -> list[Entry | Unlisted]:
    """Waits until the source's files differ from those seen, and returns them. A source that is away for a while has not changed."""
    while True:
        await asyncio.sleep(WATCH_S)
        try:
            listing = await _listing(source)
        except BadRequest:
            continue
        if listing != seen:
            return listing


async def register(core: Core, place: str, wanted: Wanted) -> str:
    """Stores a source and its options, for the schedule to sync it; its address. Nothing is read."""
    source = open_source(place, core.wiki_pages)
    try:
        if source.address.startswith("file:"):
            raise BadRequest("A schedule reaches no folder or ZIP file. Use --watch, or cron.")
        options = await choose_options(core.records, core.origins, core.collections, source, wanted, core.settings)
        await save_options(core.records, source.address, options, by=LOCAL.user_id)
        return source.address
    finally:
        await source.close()
        await core.close()


async def forget(core: Core, place: str) -> str:
    """Forgets a source, which is not synced any more; its documents stay. NotFound if it is not known."""
    source = open_source(place, core.wiki_pages)
    try:
        if not await core.records.delete("source", source.address):
            raise NotFound("This source is not known.")
        return source.address
    finally:
        await source.close()
        await core.close()
