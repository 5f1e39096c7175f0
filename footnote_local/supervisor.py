"""Serves a data folder by several processes: listens, starts them and replaces those that die. It serves nothing itself.

The first process is the writer, which runs the worker. The supervisor holds the lock of the data folder together with it, so the folder
stays locked while a writer is replaced, and until both have ended. The other processes start when the writer has added the documents of
`--ingest`, so that only one upgrades the databases, and `/ready` waits for these documents as with one process.

uvicorn's own supervisor was not used: its processes are all alike, they go on when the supervisor is killed, and it waits for them without
a limit.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import logging
import os
import signal
import socket
import sys
import tempfile
from asyncio.subprocess import DEVNULL, Process
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from footnote.library.worker import Lock
from footnote_local.server import address_here, open_port
from footnote_local.server_process import END_S, READY, Member

if TYPE_CHECKING:
    from footnote.settings import Settings

log = logging.getLogger("footnote.supervisor")

PAUSE_S = 1.0
"""Before a process is started again that died before it was ready."""
MANY_CORES = 4
PREFIX = "footnote-"
LONGEST_ADDRESS = 103
"""Bytes of a Unix socket's address, on every system."""
_BOOT = "import json, sys; sys.path[:] = json.loads(sys.argv[1]); from footnote_local.server_process import main; main(sys.argv[2])"


def usual_workers() -> int:
    """One process; with MANY_CORES or more, one for every two cores."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores // 2 if cores >= MANY_CORES else 1


class _Supervisor:
    """Keeps the processes running. `first`: what the first one is given; `lock`: the descriptor of the data folder's lock."""

    def __init__(self, first: Member, lock: int) -> None:
        self._first, self._lock = first, lock
        self._has_begun = self._is_ready = False
        self._running: set[Process] = set()
        self._keeping: set[asyncio.Task[None]] = set()
        self._stopping = asyncio.Event()
        self.interrupted_by: signal.Signals | None = None
        self.has_failed = False
        """Whether the writer could not start."""

    async def run(self) -> None:
        """Until a signal comes, or the writer cannot start."""
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, self._interrupt, number)
        self._keep(0)
        await self._stopping.wait()
        self._signal(signal.SIGTERM)
        await asyncio.wait(self._keeping, timeout=END_S)
        self._signal(signal.SIGKILL)
        await asyncio.gather(*self._keeping)

    def _interrupt(self, number: signal.Signals) -> None:
        if self._stopping.is_set():  # whoever sends a second signal does not want to wait
            self._signal(signal.SIGKILL)
        self.interrupted_by = number
        self._stopping.set()

    def _signal(self, number: signal.Signals) -> None:
        for process in self._running:
            with suppress(ProcessLookupError):
                process.send_signal(number)

    def _keep(self, number: int) -> None:
        self._keeping.add(asyncio.create_task(self._keep_running(number)))

    async def _keep_running(self, number: int) -> None:
        while not self._stopping.is_set():
            try:
                has_started = await self._run(number)
            except OSError as exc:  # there is no memory for it, or too many are open
                log.warning("a process could not be started", exc_info=exc, extra={"count": number})
                has_started = False
            if not has_started and not self._stopping.is_set():
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stopping.wait(), PAUSE_S)

    async def _run(self, number: int) -> bool:
        """Runs a process until it ends; → whether it became ready."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await self._start(number, theirs.fileno())
        self._running.add(process)
        if self._stopping.is_set():
            process.terminate()
        reader, writer = await asyncio.open_connection(sock=ours)
        try:
            has_started = await reader.read(1) == READY
            if has_started and number == 0 and not self._is_ready:
                self._is_ready = True
                for other in range(1, self._first.count):
                    self._keep(other)
            code = await process.wait()
        finally:
            self._running.discard(process)
            writer.close()
        if not self._stopping.is_set():
            if code > 0 and not self._is_ready:
                self.has_failed = True
                self._stopping.set()
            else:
                log.warning("a process has ended and is started again", extra={"count": number, "state": code})
        return has_started

    async def _start(self, number: int, line: int) -> Process:
        first = self._first
        member = replace(first, number=number, line=line, ingest=() if self._is_ready else first.ingest, is_first=not self._has_begun)
        self._has_begun = True
        return await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", _BOOT, json.dumps(sys.path), member.dump()),
            pass_fds=(first.listener, line, *([self._lock] if number == 0 else ())),
            stdin=DEVNULL,
            start_new_session=True,  # Ctrl-C reaches the supervisor only, which ends the others
        )


def _place() -> str | None:
    """Where the shared folder is: None = the temporary folder, unless the address of a socket in it would be too long."""
    return None if len(f"{tempfile.gettempdir()}/{PREFIX}12345678/999.sock") <= LONGEST_ADDRESS else "/tmp"  # noqa: S108


@contextmanager
def _kept(folder: Path) -> Iterator[None]:
    """Keeps systemd from removing what is old in a temporary folder, which it leaves alone while it is locked."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH)
        yield
    finally:
        os.close(descriptor)


def supervise(settings: Settings, count: int, *, host: str, port: int, ingest: Sequence[Path], names: Sequence[str], as_json: bool) -> bool:
    """Serves by `count` processes until interrupted; False if the writer could not start, which has said why. KeyboardInterrupt after
    SIGINT; SIGTERM ends this process when the others have ended. Otherwise as `serve`."""
    listener, lock = open_port(host, port), Lock(settings.data)
    try:
        lock.take()
        lock.announce(address_here(host, listener.getsockname()[1]))
        with tempfile.TemporaryDirectory(prefix=PREFIX, dir=_place(), ignore_cleanup_errors=True) as shared, _kept(Path(shared)):
            first = Member(
                number=0,
                count=count,
                data=str(settings.data),
                host=host,
                names=tuple(names),
                ingest=tuple(map(str, ingest)),
                is_first=True,
                as_json=as_json,
                shared=shared,
                listener=listener.fileno(),
                line=-1,
            )
            supervisor = _Supervisor(first, lock.fileno())
            asyncio.run(supervisor.run())
    finally:
        lock.release()
        listener.close()
    if supervisor.interrupted_by is not None:
        signal.raise_signal(supervisor.interrupted_by)
    return not supervisor.has_failed
