"""The worker of a data folder: processes jobs from the queue, makes documents of earlier versions again, computes vectors, lets a model
describe documents, purges deleted collections and ended attachments, rolls up statistics, learns weights from feedback.

A file lock prevents a second worker. The operating system releases it when the process ends, however it ends.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from footnote.bootstrap import Core
from footnote.errors import Conflict, FootnoteError, StoreUnavailable
from footnote.guard.identity import LOCAL
from footnote.ingest.attachments import purge_attachments
from footnote.ingest.migrating import Migration, receive_lost
from footnote.ingest.purge import purge_deleted
from footnote.ingest.vectors import total_progress
from footnote.learn.experiment_results import follow_ratings
from footnote.learn.rollups import store_rollups
from footnote.learn.weigh import learn_weights
from footnote.types import Caller

log = logging.getLogger("footnote.worker")

POLL_S = 0.1
"""Time between two looks at documents or vectors that are waited for."""
IDLE_S = 0.2
"""Polling interval while the queue is empty."""
TROUBLE_S = 5.0
"""Pause after a backend's error."""
LONG_S, MOST_LONG = 0.3, 8
"""A job that takes longer is left running while the next one is taken; at most so many are."""
VECTORS_AT_ONCE = 8
"""Chunks embedded between two checks of the queue, so that new files do not wait for the vectors of old ones."""
QUIET_S = 3.0
"""How long there must have been no question and no work before a model describes documents: it would keep the model, and on one machine the
processors, from questions and files. Their arrival cancels the description in progress."""
PURGE_S = 600.0
"""Time between two checks for deleted collections that cannot be restored any more, for attachments that have ended, and for shares of
experiments that are due."""
ROLL_UP_S = 3600.0
"""Time between two roll-ups of statistics, after each of which weights are learned."""
ROLLER = Caller("worker", role="admin")


MOST_READ = 512
"""Bytes of a lock's file: the number of the process that holds it, and the address where it serves."""


class Lock:
    """An exclusive lock of a data folder, by default the one of its worker."""

    def __init__(self, folder: Path, name: str = "worker.lock") -> None:
        self._path = folder / name
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._descriptor is not None

    def take(self) -> None:
        """Conflict, naming the process that holds the lock; StoreUnavailable if the folder cannot be used."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as exc:
            raise StoreUnavailable(f"The data folder {self._path.parent} cannot be used ({exc.strerror}). Is it writable?") from exc
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            holder = os.read(descriptor, MOST_READ).decode().partition("\n")[0] or "unknown"
            os.close(descriptor)
            raise Conflict(
                f"Another Footnote process ({holder}) is using {self._path.parent.resolve()}."
                " Stop it, or choose another folder with --data."
            ) from exc
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        self._descriptor = descriptor

    def announce(self, address: str) -> None:
        """Tells `served_at` where the holder serves. The lock must be held."""
        os.pwrite(self.fileno(), f"{os.getpid()}\n{address}".encode(), 0)

    def fileno(self) -> int:
        """The descriptor that holds the lock. A process that inherits it holds the lock, too, until it ends."""
        if self._descriptor is None:
            raise ValueError("The lock is not held.")
        return self._descriptor

    def release(self) -> None:
        """Releases the lock if it is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def served_at(folder: Path, name: str = "worker.lock") -> str | None:
    """The address of the server that uses this data folder now; None = there is none."""
    try:
        descriptor = os.open(folder / name, os.O_RDONLY)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:  # somebody holds it: what it says is true
        return os.read(descriptor, MOST_READ).decode().partition("\n")[2] or None
    finally:
        os.close(descriptor)
    return None


class Worker:
    """Runs the work of a data folder as a background task."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._tasks: list[asyncio.Task[None]] = []
        self._long: set[asyncio.Task[bool]] = set()
        self._paused = asyncio.Event()
        self._is_busy, self._busy_at = True, time.monotonic()
        self.trouble: str | None = None
        """Why the worker is pausing; None = it is not."""

    async def start(self) -> None:
        """Recovers interrupted jobs, an index that was made anew and damaged copies of vectors, then starts working."""
        await self._core.ingestor.recover()
        await receive_lost(self._core.ingestor)
        try:
            await self._core.vectors.check_copies(repair=True)
        except FootnoteError as exc:  # searches read the vectors themselves until the copies can be written
            log.warning("vector files not written", extra={"reason": exc.detail})
        self._tasks = [asyncio.create_task(work()) for work in (self._run, self._roll_up, self._describe)]

    async def stop(self) -> None:
        """Cancels the work; `start` resumes an interrupted job."""
        for task in (*self._tasks, *self._long):
            task.cancel()
        await asyncio.gather(*self._tasks, *self._long, return_exceptions=True)
        self._tasks, self._long = [], set()

    async def finish_jobs(self) -> None:
        """Waits until no job is due, or there is trouble: the files of a document's old version are deleted after the new one is READY."""
        self._paused.clear()
        await self._paused.wait()

    async def _run(self) -> None:
        purge_at, migration = 0.0, Migration(self._core.ingestor, self._core.cache)
        builder = self._core.knowledge_builder
        while True:
            try:
                if time.monotonic() >= purge_at:
                    purge_at = time.monotonic() + PURGE_S
                    await purge_deleted(self._core.ingestor, self._core.records)
                    await purge_attachments(self._core.ingestor, self._core.turns)
                    await follow_ratings(LOCAL, records=self._core.records, statistics=self._core.statistics, clock=self._core.clock)
                ingestor = self._core.ingestor
                if not (busy := await self._work_one()):
                    if not self._long:
                        self._paused.set()
                    busy = await migration.step() or bool(await ingestor.embed_some(VECTORS_AT_ONCE) or await builder.build_some("rules"))
                    if not busy:
                        await builder.tidy()
                self._note_busy(busy or bool(self._long))
            except FootnoteError as exc:
                log.warning("worker paused", extra={"reason": exc.detail})
                await self._pause(exc.detail)
            except Exception as exc:
                log.error("worker paused", exc_info=exc)
                await self._pause(FootnoteError.title)
            else:
                self.trouble = None
                if not busy:
                    await asyncio.sleep(IDLE_S)

    async def _work_one(self) -> bool:
        """Processes a job, as `Ingestor.work_one`; a long job continues beside the next ones, so that it does not delay them."""
        for task in [long for long in self._long if long.done()]:
            self._long.discard(task)
            task.result()
        task = asyncio.create_task(self._core.ingestor.work_one(self._core.bucket.take))
        self._long.add(task)
        await asyncio.wait({task}, timeout=LONG_S)
        if len(self._long) >= MOST_LONG:
            await asyncio.wait(self._long, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            return True
        self._long.discard(task)
        return task.result()

    async def _pause(self, trouble: str) -> None:
        self.trouble = trouble
        self._note_busy(True)
        self._paused.set()
        await asyncio.sleep(TROUBLE_S)

    def _note_busy(self, is_busy: bool) -> None:
        """Notes whether the last look for work found any; if so, more is expected until a look finds none."""
        if is_busy or self._is_busy:
            self._busy_at = time.monotonic()
        self._is_busy = is_busy

    @property
    def _is_quiet(self) -> bool:
        """Whether a model may describe documents now."""
        if self._core.is_asked or self._core.is_asked_elsewhere():
            self._busy_at = time.monotonic()
        return not self._is_busy and time.monotonic() >= self._busy_at + QUIET_S

    async def _ask_model(self) -> bool:
        """Describes a document, or builds knowledge by a model; False if nothing is left."""
        return await self._core.descriptions.describe_next() or bool(await self._core.knowledge_builder.build_some("model"))

    async def _describe(self) -> None:
        """Describes documents while it is quiet."""
        while True:
            await asyncio.sleep(IDLE_S)
            if not self._is_quiet:
                continue
            task = asyncio.create_task(self._ask_model())
            try:
                while not task.done() and self._is_quiet:
                    await asyncio.wait({task}, timeout=IDLE_S)
            finally:
                task.cancel()  # also if the worker is stopped
                (done,) = await asyncio.gather(task, return_exceptions=True)
            if isinstance(done, Exception):
                log.warning("descriptions wait", extra={"reason": type(done).__name__})
            if done is not True:
                await asyncio.sleep(QUIET_S)

    async def _roll_up(self) -> None:
        """Beside the work, as the first roll-up of many turns takes long."""
        while True:
            try:
                await store_rollups(ROLLER, self._core.clock(), statistics=self._core.statistics)
            except Exception as exc:  # statistics read the turns themselves until the next time
                log.warning("turns not rolled up", exc_info=exc)
            try:
                core = self._core
                await learn_weights(
                    feedback=core.feedback, ledger=core.ledger, records=core.records, collections=core.collections, clock=core.clock
                )
            except Exception as exc:  # the weights stay as they were until the next time
                log.warning("no weights learned", exc_info=exc)
            await asyncio.sleep(ROLL_UP_S)


class SharedWorker:
    """The worker of a data folder that several processes use: it works while no other process does, and takes over when that one stops.
    So whoever waits for documents calls `start` again and again."""

    def __init__(self, core: Core) -> None:
        self._core, self._lock, self._worker = core, Lock(core.settings.data), Worker(core)

    async def start(self) -> bool:
        """Starts or resumes work; False if another process works."""
        if not self._lock.is_held:
            with suppress(Conflict):
                self._lock.take()
                await self._worker.start()
        return self._lock.is_held

    @property
    def trouble(self) -> str | None:
        """As in `Worker`."""
        return self._worker.trouble

    async def wait_for_vectors(self, progress: Callable[[int, int], None]) -> None:
        """Waits for the vectors if they are computed here."""
        if self._lock.is_held:
            await wait_for_vectors(self._core, self._worker, progress)

    async def stop(self) -> None:
        """Stops if it works; another process may then work."""
        await self._worker.stop()
        self._lock.release()


async def wait_for_vectors(core: Core, worker: Worker, progress: Callable[[int, int], None]) -> None:
    """Waits until all passages have vectors, or the worker reports trouble. Passages without vectors are found by keyword."""
    await worker.finish_jobs()
    while True:
        done, total = await total_progress(core.vectors, core.embedders)
        progress(done, total)
        if done >= total or worker.trouble is not None:
            return
        await asyncio.sleep(POLL_S)
