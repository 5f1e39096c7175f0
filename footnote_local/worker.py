"""The worker of a data folder: processes jobs from the queue, then computes vectors.

A file lock prevents a second worker. The operating system releases it when the process ends, however it ends.
"""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
from contextlib import suppress
from pathlib import Path

from footnote.bootstrap import Core
from footnote.errors import Conflict, FootnoteError, StoreUnavailable

log = logging.getLogger("footnote.worker")

IDLE_S = 0.2
"""Polling interval while the queue is empty."""
TROUBLE_S = 5.0
"""Pause after a backend's error."""
VECTORS_AT_ONCE = 8
"""Chunks embedded between two checks of the queue, so that new files do not wait for the vectors of old ones."""


class Lock:
    """The exclusive lock of a data folder's worker."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "worker.lock"
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
            holder = os.read(descriptor, 32).decode() or "unknown"
            os.close(descriptor)
            raise Conflict(
                f"Another Footnote process ({holder}) is using {self._path.parent.resolve()}."
                " Stop it, or choose another folder with --data."
            ) from exc
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        self._descriptor = descriptor

    def release(self) -> None:
        """Releases the lock if it is held."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


class Worker:
    """Runs the work of a data folder as a background task."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._task: asyncio.Task[None] | None = None
        self.trouble: str | None = None
        """Why the worker is pausing; None = it is not."""

    async def start(self) -> None:
        """Recovers interrupted jobs, then starts working."""
        await self._core.ingestor.recover()
        self._task = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Cancels the work; `start` resumes an interrupted job."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _run(self) -> None:
        while True:
            try:
                busy = await self._core.ingestor.work_one(self._core.bucket.take) or await self._core.ingestor.embed_some(VECTORS_AT_ONCE)
            except FootnoteError as exc:
                log.warning("worker paused", extra={"reason": exc.detail})
                self.trouble = exc.detail
                await asyncio.sleep(TROUBLE_S)
            except Exception as exc:
                log.error("worker paused", exc_info=exc)
                self.trouble = FootnoteError.title
                await asyncio.sleep(TROUBLE_S)
            else:
                self.trouble = None
                if not busy:
                    await asyncio.sleep(IDLE_S)
