"""Runs what follows the parser in a child process: a text in a hostile shape must neither hang the server nor hold up other files.

Unlike a parser, the child reads only what a parser returned, by the same code as this process would run. So arguments and results are
pickled.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar

from footnote.errors import UnreadableFile
from footnote.ingest.child import APART, Children, cpu_limit_s

P = ParamSpec("P")
Result = TypeVar("Result")

SHARE = 0.055
"""The share of the time limit that a megabyte may take to be cut into passages: 3.3 seconds of 60, twice what tables take."""
_TOO_LARGE = UnreadableFile("Reading this file takes more memory than allowed.", "Split it into smaller files and add those.")


class Apart(Protocol):
    """Runs a function of a module on a document's text, where it does not block this process's event loop."""

    async def __call__(self, size: int, function: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Result:
        """`size`: of the file in bytes. UnreadableFile if it takes too long or too much memory."""


async def in_thread(size: int, function: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Result:
    """Without limits."""
    return await asyncio.to_thread(function, *args, **kwargs)


class InChildren:
    """`Apart` in child processes. `timeout_s`: seconds per file, of which a smaller one has a part; `memory_mb`: of each child."""

    def __init__(self, timeout_s: float = 60, memory_mb: int = 1024) -> None:
        self._timeout_s = timeout_s
        self._children = Children(APART, timeout_s, memory_mb)

    async def __call__(self, size: int, function: Callable[P, Result], /, *args: P.args, **kwargs: P.kwargs) -> Result:
        """Runs it. Unavailable after `close`."""
        data = await asyncio.to_thread(pickle.dumps, (function, args, kwargs))
        cpu_s = cpu_limit_s(self._timeout_s, SHARE, size)
        answer = await self._children.ask(data, "", size, cpu_s)
        result, failed = await asyncio.to_thread(pickle.loads, answer)
        if failed == MemoryError.__name__:
            raise _TOO_LARGE
        if failed:
            raise RuntimeError(f"{function.__name__} failed: {failed}")
        return result  # type: ignore[no-any-return]

    async def close(self) -> None:
        """Ends the children."""
        await self._children.close()


def answer(data: bytes) -> bytes:
    """Runs in the child: (the result, None), or (None, the name of an error); no message, which could hold the text."""
    result: Any = None
    try:
        function, args, kwargs = pickle.loads(data)  # noqa: S301 (written by `InChildren`)
        result = function(*args, **kwargs)
    except Exception as exc:
        return pickle.dumps((None, type(exc).__name__))
    return pickle.dumps((result, None))
