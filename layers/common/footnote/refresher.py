"""Keeps copies of what a store holds fresh, without delaying requests."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from footnote.errors import FootnoteError
from footnote.ports import Clock

log = logging.getLogger(__name__)


class Pace(NamedTuple):
    """When a copy in memory is refreshed, in seconds. From the age `soon_s` on this happens in the background, from `latest_s` on requests
    wait for it: `wait_s` at most, `first_wait_s` for the first copy. If the store is slow or down, the copy stays in use."""

    soon_s: float = 2.5
    latest_s: float = 5.0
    wait_s: float = 0.25
    first_wait_s: float = 2.0


PACE = Pace()


class Refresher:
    """Keeps a copy in memory fresh by calling `load`: requests see a copy of at most `pace.latest_s` and rarely wait for a refresh.
    `what`: what the copy holds, for the log."""

    def __init__(self, load: Callable[[], Awaitable[None]], clock: Clock, pace: Pace = PACE, what: str = "settings and prompts") -> None:
        self._load = load
        self._clock = clock
        self._pace = pace
        self._what = what
        self._checked_at: float | None = None
        self._checking: asyncio.Task[None] | None = None
        self._wait_until = 0.0
        self._edition = 0

    async def refresh(self) -> None:
        """Refreshes the copy if it is due; waits for that only if the copy is too old to use."""
        for _ in range(2):  # the first to end may have begun before the process was suspended, and brought an old copy
            if self.start() or self._checking is None:
                return
            await asyncio.wait({self._checking}, timeout=max(self._wait_until - asyncio.get_running_loop().time(), 0))

    def start(self) -> bool:
        """Starts a refresh in the background if it is due. Returns whether the copy may be used meanwhile."""
        age = None if self._checked_at is None else self._clock() - self._checked_at
        if age is not None and 0 <= age < self._pace.soon_s:
            return True
        loop, task = asyncio.get_running_loop(), self._checking
        if task is None or task.done() or task.get_loop() is not loop:
            self._checking = asyncio.create_task(self._check())
            # One deadline for all requests: they do not each wait in turn for a refresh that hangs.
            self._wait_until = loop.time() + (self._pace.first_wait_s if age is None else self._pace.wait_s)
        return age is not None and 0 <= age < self._pace.latest_s

    def expire(self) -> None:
        """What the store holds has changed: the next request waits for a refresh that begins after this."""
        self._checked_at = None
        self._edition += 1

    def renewed(self, at: float) -> None:
        """The copy was made anew by other means than a refresh, as of then."""
        self._checked_at = at

    async def _check(self) -> None:
        checked_at, edition = self._clock(), self._edition
        try:
            await self._load()
        except FootnoteError as exc:
            checked_at = self._clock()
            log.warning("%s stay as they were: %s", self._what, exc.detail)
        finally:
            if edition == self._edition:
                self._checked_at = checked_at

    async def close(self) -> None:
        """Cancels a refresh that is still running."""
        if self._checking is not None and not self._checking.done() and self._checking.get_loop() is asyncio.get_running_loop():
            self._checking.cancel()
            await asyncio.wait({self._checking})
