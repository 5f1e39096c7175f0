"""Runs the searches of a question's lists at once, and leaves out those that are late."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any, TypeVar

from footnote.errors import SearchTimeout

Reply = TypeVar("Reply")


async def leave_out_slow(
    searches: Mapping[str, Coroutine[Any, Any, Reply]], found_something: Callable[[Reply], bool], late_s: float
) -> tuple[dict[str, Reply], dict[str, float]]:
    """The replies by name, without those of late searches, and the milliseconds that each was waited for.

    All are waited for until one has found something; from then on, `late_s` seconds more. What is late is cancelled. Raises the error
    of a search that failed, SearchTimeout only if none has found something."""
    clock = asyncio.get_running_loop().time
    started, until = clock(), float("inf")
    names = {asyncio.create_task(search): name for name, search in searches.items()}
    pending: set[asyncio.Task[Reply]] = set(names)
    replies: dict[str, Reply] = {}
    ms = dict.fromkeys(searches, 0.0)
    late: SearchTimeout | None = None
    try:
        while pending and (left := until - clock()) > 0:
            wait_s = None if left == float("inf") else left
            done, pending = await asyncio.wait(pending, timeout=wait_s, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                ms[names[task]] = (clock() - started) * 1000
                try:
                    reply = replies[names[task]] = task.result()
                except SearchTimeout as exc:
                    late = exc
                    continue
                if found_something(reply):
                    until = min(until, clock() + late_s)
    finally:
        for task in pending:
            task.cancel()
        await asyncio.gather(*names, return_exceptions=True)
    if late is not None and until == float("inf"):
        raise late
    return replies, ms | {names[task]: (clock() - started) * 1000 for task in pending}
