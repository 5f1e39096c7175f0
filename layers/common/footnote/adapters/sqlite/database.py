"""One SQLite file with a write-ahead log and one connection per worker thread.

Readers never wait for a writer; writers wait for each other for at most `BUSY_S`. Several
processes may open the same file. It is written by hand because aiosqlite has neither a pool that
prefers the least busy connection, nor a way to read in the calling thread (`glance`), nor
transactions shared by concurrent writes (`write`).
"""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from footnote.adapters.shared.disk import FAULTY, FULL, READ_ONLY, UNKNOWN, hindrance, remedy
from footnote.errors import StoreUnavailable, Unavailable

BUSY_S = 20.0
MAPPED_BYTES = 2**30
"""How much of a file is read through a memory map: a search reads thousands of pages, each otherwise by a call of the system."""
THREADS = 4
"""Most worker threads, and so connections, of one file."""
LATER_S = 1.0
"""Longest wait of a write that nobody waits for."""


RESTORE = "It is damaged. Stop Footnote, and restore a backup as docs/backup.md says."
REBUILD = "It is damaged. Stop Footnote, move it and its -wal and -shm files away, and run `footnote verify --repair`."
DELETE = "It is damaged. Stop Footnote, and delete it with its -wal and -shm files: it holds only copies."
LOCKED = "Another program has locked it. End that program, or try again."
REMEDIES = {sqlite3.SQLITE_BUSY: LOCKED, sqlite3.SQLITE_LOCKED: LOCKED, sqlite3.SQLITE_FULL: FULL}
HINDERED = {sqlite3.SQLITE_READONLY: READ_ONLY, sqlite3.SQLITE_IOERR: FAULTY, sqlite3.SQLITE_CANTOPEN: UNKNOWN}
"""Codes that have several causes → what to say if the folder shows none."""
AT_WORK = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL}
"""Codes of a statement that another process is in the way of."""
DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}

P = ParamSpec("P")
R = TypeVar("R")

Upgrade = str | Callable[[sqlite3.Connection], None]
"""A script, or what changes the file inside the transaction of the upgrade."""
NO_UPGRADES: Mapping[int, Upgrade] = {}


@dataclass(slots=True)
class _Worker:
    """One thread with its unfinished calls: it is busy until they end, even if their callers were cancelled."""

    thread: ThreadPoolExecutor
    calls: set[Future[Any]] = field(default_factory=set)


@dataclass(slots=True)
class _Write:
    """A change that is part of the next transaction, and what becomes of it."""

    work: Callable[[sqlite3.Connection], Any]
    result: Future[Any] = field(default_factory=Future)


_Ended = Callable[[], None]
"""Tells the caller of a write how it ended."""


class Database:
    """`schema` runs when the file is new. A file with another `user_version` than `version` comes from another version of Footnote:
    an older one is brought up to date by `upgrades` (version → what leads to the next one) if they lead here; any other
    is refused, or, if it is older and with `is_copy`, emptied and made anew: what it held can be made again. SQLite's errors become
    `error`, with a remedy; `damaged`: that of a damaged file. `durable`: commits survive a power failure; otherwise only the end of the
    process."""

    def __init__(
        self,
        path: Path,
        schema: str,
        version: int = 1,
        *,
        upgrades: Mapping[int, Upgrade] = NO_UPGRADES,
        is_copy: bool = False,
        error: type[Unavailable] = StoreUnavailable,
        damaged: str = RESTORE,
        durable: bool = True,
    ) -> None:
        self.path = path
        self._schema = schema
        self._version = version
        self._upgrades = upgrades
        self._is_copy = is_copy
        self._error = error
        self._damaged = damaged
        self._durable = durable
        self._local = threading.local()
        self._opened: list[sqlite3.Connection] = []
        self._lock = threading.Lock()
        self._workers: list[_Worker] = []
        self._waiting: list[_Write] = []
        self._is_writing = False
        self._flush: tuple[asyncio.AbstractEventLoop, asyncio.Handle] | None = None
        self._later: tuple[asyncio.AbstractEventLoop, asyncio.Handle] | None = None

    async def run(self, work: Callable[Concatenate[sqlite3.Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs `work(connection, …)` in a worker thread."""
        return await asyncio.wrap_future(self._submit(partial(self.call, work, *args, **kwargs), self._least_busy()))

    def _submit(self, call: Callable[[], R], worker: _Worker) -> Future[R]:
        submitted = worker.thread.submit(call)
        worker.calls.add(submitted)
        submitted.add_done_callback(worker.calls.discard)
        return submitted

    def _least_busy(self) -> _Worker:
        """The first of the workers with the fewest calls. It is the same one as long as it keeps up, so that the page
        cache of its connection stays warm; round robin would find every connection cold."""
        worker = min(self._workers, key=lambda worker: len(worker.calls), default=None)
        if worker is None or (worker.calls and len(self._workers) < THREADS):
            worker = _Worker(ThreadPoolExecutor(1, thread_name_prefix=self.path.stem))
            self._workers.append(worker)
        return worker

    async def glance(self, work: Callable[Concatenate[sqlite3.Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Like `run` but in this thread, for a row that is surely in memory: the hand-over to a thread takes ten times as
        long as the read. It doesn't block: the file is open, and readers of a write-ahead log never wait."""
        return self.call(work, *args, **kwargs) if self._opened else await self.run(work, *args, **kwargs)

    def call(self, work: Callable[Concatenate[sqlite3.Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Like `run` but in this thread."""
        try:
            return work(self._connection(), *args, **kwargs)
        except (sqlite3.Error, OSError) as exc:  # OSError: from the files beside the database
            raise self._error(f"The database {self.path.name} cannot be used ({_reason(exc)})." + f" {self._remedy(exc)}") from exc

    async def write(self, work: Callable[Concatenate[sqlite3.Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Runs `work(connection, …)` in a transaction, in a worker thread, and returns when it is committed. All that wait at the same
        moment share one transaction, in the order of their calls, and so one wait for the disk. If one of them fails, each runs again
        in a transaction of its own, so `work` changes nothing but the database."""
        write = _Write(lambda connection: work(connection, *args, **kwargs))
        loop = asyncio.get_running_loop()
        with self._lock:
            self._waiting.append(write)
        if self._flush is None or self._flush[0] is not loop:  # a loop that has ended runs nothing any more
            self._flush = loop, loop.call_soon(self._begin_writing)  # what else is ready to run may write, too
        return await asyncio.wrap_future(write.result)

    def write_later(self, work: Callable[Concatenate[sqlite3.Connection, P], R], *args: P.args, **kwargs: P.kwargs) -> Future[R]:
        """Like `write` for what may be lost: it becomes part of the next transaction, or of one of its own after LATER_S."""
        write = _Write(lambda connection: work(connection, *args, **kwargs))
        loop = asyncio.get_running_loop()
        with self._lock:
            self._waiting.append(write)
        if self._later is None or self._later[0] is not loop:
            self._later = loop, loop.call_later(LATER_S, self._begin_writing)
        return write.result

    def _begin_writing(self) -> None:
        if self._later is not None:
            self._later[1].cancel()
        self._flush = self._later = None
        with self._lock:
            if self._is_writing or not self._waiting:  # else what is waiting is the next transaction
                return
            self._is_writing = True
        self._write_on(self._least_busy())

    def _write_on(self, worker: _Worker) -> None:
        try:
            ended = self._submit(self._write_waiting, worker)
        except RuntimeError:  # the thread is to end
            ended = Future()
            ended.set_result(self._write_waiting())
        ended.add_done_callback(lambda ended: self._have_written(ended.result(), worker))

    def _have_written(self, ended: Sequence[_Ended], worker: _Worker) -> None:
        """The worker is free when callers learn that their writes are committed, so their next call runs on it, too."""
        for end in ended:
            end()
        with self._lock:
            self._is_writing = bool(self._waiting)
        if self._is_writing:
            self._write_on(worker)

    def _write_waiting(self) -> list[_Ended]:
        """Commits what is waiting, in this thread. Returns what tells the callers."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        writes = [write for write in waiting if write.result.set_running_or_notify_cancel()]
        return self._commit(writes) if writes else []

    def _commit(self, writes: Sequence[_Write]) -> list[_Ended]:
        try:
            results = self.call(_together, writes)
        except BaseException as exc:
            if len(writes) > 1 and not _is_locked(exc):
                return [end for write in writes for end in self._commit([write])]
            return [partial(write.result.set_exception, exc) for write in writes]
        return [partial(write.result.set_result, result) for write, result in zip(writes, results, strict=True)]

    async def check_writable(self) -> None:
        """`error` if the disk is full, or the folder or the file may not be written."""
        if why := await asyncio.to_thread(hindrance, self.path):
            raise self._error(f"The database {self.path.name} cannot be written." + f" {why}")

    def close(self) -> None:
        """Waits for the calls under way, writes what is waiting, and closes every connection."""
        for worker in self._workers:
            worker.thread.shutdown(wait=True)
        self._workers.clear()
        for end in self._write_waiting():
            end()
        with self._lock:
            for connection in self._opened:
                connection.close()
            self._opened.clear()
        self._local = threading.local()

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._open()
            self._local.connection = connection
            with self._lock:
                self._opened.append(connection)
        return connection

    def _open(self) -> sqlite3.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as exc:
            raise self._error(f"The folder {self.path.parent} cannot be created ({exc.strerror}). Choose another data folder.") from exc
        connection = sqlite3.connect(self.path, timeout=BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            connection.row_factory = sqlite3.Row
            _use_write_ahead_log(connection)
            connection.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
            connection.execute("PRAGMA cache_size = -16384")
            connection.execute(f"PRAGMA mmap_size = {MAPPED_BYTES}")
            self._prepare(connection)
            connection.execute("PRAGMA foreign_keys = ON")
        except BaseException:
            connection.close()
            raise
        return connection

    def _remedy(self, exc: sqlite3.Error | OSError) -> str:
        if isinstance(exc, OSError):
            return remedy(exc)
        code = getattr(exc, "sqlite_errorcode", 0)
        kind = code & 0xFF
        if kind in DAMAGED or code == sqlite3.SQLITE_IOERR_SHORT_READ or _is_no_text(exc):
            return self._damaged
        if known := REMEDIES.get(kind):
            return known
        return (hindrance(self.path) or HINDERED[kind]) if kind in HINDERED else UNKNOWN

    def _prepare(self, connection: sqlite3.Connection) -> None:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found > self._version:
            raise self._error(f"The data in {self.path.parent} was made by a newer Footnote. Upgrade, or choose another data folder.")
        if found == self._version:
            return
        with writing(connection):
            found = connection.execute("PRAGMA user_version").fetchone()[0]  # another process may have been faster
            missing = range(found, self._version)
            leads_here = all(version in self._upgrades for version in missing)
            if found and not leads_here and self._is_copy:
                _empty(connection)
                found = 0
            elif found and not leads_here:
                raise self._error(
                    f"The data in {self.path.parent} was made by an older Footnote. Move that folder away and add the documents again,"
                    " or choose another data folder."
                )
            if found != self._version:
                for upgrade in [self._upgrades[version] for version in missing] if found else [self._schema]:
                    if isinstance(upgrade, str):
                        run_script(connection, upgrade)
                    else:
                        upgrade(connection)
                connection.execute(f"PRAGMA user_version = {self._version}")


def run_script(connection: sqlite3.Connection, script: str) -> None:
    """Executes statements, each of which ends a line, inside the caller's transaction."""
    for statement in script.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def _empty(connection: sqlite3.Connection) -> None:
    """Drops all tables. Virtual ones first, the last made before those that they read; their own tables go with them."""
    for kind in ("CREATE VIRTUAL %", "%"):
        tables = connection.execute(
            r"""SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE ? AND name NOT LIKE 'sqlite\_%' ESCAPE '\'
                ORDER BY rowid DESC""",
            (kind,),
        ).fetchall()
        for (name,) in tables:
            connection.execute(f'DROP TABLE "{name}"')


def _use_write_ahead_log(connection: sqlite3.Connection) -> None:
    """While another process creates the file, this statement fails at once instead of waiting; it is repeated."""
    until = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as exc:
            if exc.sqlite_errorcode & 0xFF not in AT_WORK or time.monotonic() > until:
                raise
            time.sleep(0.01)


@contextmanager
def writing(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """A write transaction: all or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # SQLite itself takes the transaction back where the disk is full or fails
            connection.execute("ROLLBACK")
        raise


def _together(connection: sqlite3.Connection, writes: Sequence[_Write]) -> list[Any]:
    with writing(connection):
        return [write.work(connection) for write in writes]


def _is_locked(exc: BaseException) -> bool:
    """Whether another process did not let go of the file: the next transaction would wait as long."""
    return getattr(exc.__cause__, "sqlite_errorcode", 0) & 0xFF in AT_WORK


def check_pages(connection: sqlite3.Connection) -> None:
    """Reads the whole file, in worker threads. DatabaseError if it is damaged."""
    found = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    if found != "ok":
        error = sqlite3.DatabaseError(found.rpartition("***")[2].strip())
        error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
        raise error


def _is_no_text(exc: Exception) -> bool:
    """Whether a text of the database is not UTF-8. Python's error quotes it."""
    return str(exc).startswith("Could not decode to UTF-8")


def _reason(exc: sqlite3.Error | OSError) -> str:
    if isinstance(exc, OSError):
        return exc.strerror or type(exc).__name__
    return "a text is not UTF-8" if _is_no_text(exc) else str(exc)
