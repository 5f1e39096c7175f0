"""Counts what a piece of work does, in all threads: calls, records, hand-overs to threads, statements of SQLite, blocks of memory.

`calls`        functions of Python, and items of generators. A coroutine counts once, however often it waits
`builtins`     functions of C that these call
`replaced`     a record is copied, by `types.copies.replace` or that of dataclasses; one with slots by both
`records`      dataclasses made, by that of dataclasses too
`hops`         work handed to a thread
`statements`   statements of SQLite, each row of `executemany` by itself
`sql_bytes`    the length of these, with their values
`peak_bytes`   the most memory that it held at once, beyond what was held before

The machinery of the event loop and of threads is left out: how often it turns depends on how fast threads are. So are the counting
modules themselves.
"""

from __future__ import annotations

import dataclasses
import gc
import inspect
import sqlite3
import sys
import threading
import tracemalloc
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from footnote.types import copies

LIBRARY = Path(dataclasses.__file__).parent
LEFT_OUT = (
    str(Path(__file__).parent),
    *(str(LIBRARY / name) for name in ("asyncio/", "concurrent/", "selectors.py", "threading.py", "socket.py", "_weakrefset.py")),
)
INTERNAL = ("--", "PRAGMA")
"""How statements begin that SQLite runs by itself: a trigger's, for example."""
SHADOW = "'main'."
"""So SQLite's full-text search names its own tables."""

Calls = Counter[CodeType]


class Counted:
    """What was counted between two moments. `calls`, `builtins`: by function; the latter by the function that calls them."""

    def __init__(self, calls: Calls, builtins: Calls, statements: int, sql_bytes: int) -> None:
        self.calls = Counter({code: count for code, count in calls.items() if not code.co_filename.startswith(LEFT_OUT)})
        self.builtins = Counter({code: count for code, count in builtins.items() if not code.co_filename.startswith(LEFT_OUT)})
        self._every = calls
        self.statements, self.sql_bytes = statements, sql_bytes

    def totals(self) -> dict[str, int]:
        """By the names above."""
        return {
            "calls": self.calls.total(),
            "builtins": self.builtins.total(),
            "replaced": self._every[_code(dataclasses.replace)] + self._every[_code(copies.replace)],
            "records": sum(count for code, count in self.calls.items() if code.co_name == "__init__" and code.co_filename == "<string>"),
            "hops": self._every[_code(ThreadPoolExecutor.submit)],
            "statements": self.statements,
            "sql_bytes": self.sql_bytes,
        }


class Counting:
    """Counts from `start` on, in this thread and in those that begin later; connections that exist already are not seen."""

    def __init__(self) -> None:
        self._threads: list[tuple[dict[tuple[CodeType, int], int], dict[CodeType, int]]] = []
        self._statements: list[int] = []
        self._connect: Callable[..., sqlite3.Connection] = sqlite3.connect

    def start(self) -> None:
        vars(sqlite3)["connect"] = self._connected
        threading.setprofile(self._begin_thread)
        sys.setprofile(self._hook())

    def stop(self) -> None:
        """In this thread and in those that begin later."""
        vars(sqlite3)["connect"] = self._connect
        threading.setprofile(None)
        sys.setprofile(None)

    @contextmanager
    def during(self) -> Iterator[list[Counted]]:
        """Appends what was counted to the list when the block ends."""
        made: list[Counted] = []
        calls, builtins, statements = self._now()
        yield made
        later, later_builtins, later_statements = self._now()
        new = later_statements[len(statements) :]
        made.append(Counted(later - calls, later_builtins - builtins, len(new), sum(new)))

    def _now(self) -> tuple[Calls, Calls, list[int]]:
        """What was counted so far; adding it up is not counted itself, since what there is to add varies with the threads."""
        hook = sys.getprofile()
        sys.setprofile(None)
        try:
            return self._added_up()
        finally:
            sys.setprofile(hook)

    def _added_up(self) -> tuple[Calls, Calls, list[int]]:
        events: Counter[tuple[CodeType, int]] = Counter()
        builtins: Calls = Counter()
        for mine, of_c in [*self._threads]:
            events.update(mine.copy())
            builtins.update(of_c.copy())
        begins: dict[CodeType, int] = {}
        for code, at in events:
            begins[code] = min(at, begins.get(code, at))
        calls: Calls = Counter()
        for (code, at), count in events.items():
            if at == begins[code] or code.co_flags & inspect.CO_GENERATOR:  # else it goes on after it waited
                calls[code] += count
        return calls, builtins, self._statements.copy()

    def _begin_thread(self, frame: FrameType, event: str, arg: Any) -> None:
        hook = self._hook()
        sys.setprofile(hook)
        hook(frame, event, arg)

    def _hook(self) -> Callable[[FrameType, str, Any], None]:
        """For one thread, since two that count together would lose some."""
        calls: dict[tuple[CodeType, int], int] = {}
        builtins: dict[CodeType, int] = {}
        self._threads.append((calls, builtins))

        def hook(frame: FrameType, event: str, arg: Any) -> None:
            if event == "call":
                key = frame.f_code, frame.f_lasti
                calls[key] = calls.get(key, 0) + 1
            elif event == "c_call":
                builtins[frame.f_code] = builtins.get(frame.f_code, 0) + 1

        return hook

    def _connected(self, *args: Any, **options: Any) -> sqlite3.Connection:
        connection = self._connect(*args, **options)
        connection.set_trace_callback(self._trace)
        return connection

    def _trace(self, statement: str) -> None:
        if not statement.startswith(INTERNAL) and SHADOW not in statement:
            self._statements.append(len(statement))


async def peak_bytes(work: Callable[[], Awaitable[object]]) -> int:
    """The most memory that the work held at once, beyond what was held before; garbage collections do not come between."""
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        await work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        gc.enable()


def top(calls: Mapping[CodeType, int], most: int = 10) -> list[tuple[str, int]]:
    """The functions that are called most, as (place:function, count)."""
    named: Counter[str] = Counter()
    for code, count in calls.items():
        place = code.co_filename
        for folder in (*sys.path, str(LIBRARY)):
            if folder and place.startswith(folder + "/"):
                place = place.removeprefix(folder + "/")
                break
        named[f"{place}:{code.co_qualname}"] += count
    return named.most_common(most)


def _code(function: Any) -> CodeType:
    code: CodeType = inspect.unwrap(function).__code__
    return code
