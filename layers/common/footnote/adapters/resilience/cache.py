"""A cache that is left alone for a while after somebody waited for it in vain.

A store that hangs costs a question one wait then, and not one in every step. It is for what can do without: who signs in
asks the store itself.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from footnote.errors import StoreUnavailable
from footnote.ports import Cache

log = logging.getLogger(__name__)

SLOW_S, REST_S = 0.5, 5.0
"""A failure that took so long is followed by a rest. What fails at once is asked every time: it costs nothing."""

T = TypeVar("T")


class CircuitBreakerCache:
    """`ports.Cache`."""

    def __init__(self, cache: Cache, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._cache = cache
        self._timer = timer
        self._rests_until = 0.0

    async def get(self, key: str) -> Any | None:
        return await self._ask(lambda: self._cache.get(key))

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        await self._ask(lambda: self._cache.put(key, value, ttl_s))

    async def put_new(self, key: str, value: Any, ttl_s: float) -> bool:
        return await self._ask(lambda: self._cache.put_new(key, value, ttl_s))

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        return await self._ask(lambda: self._cache.add(key, amount, ttl_s))

    async def delete(self, key: str) -> None:
        await self._ask(lambda: self._cache.delete(key))

    async def _ask(self, call: Callable[[], Awaitable[T]]) -> T:
        began = self._timer()
        if began < self._rests_until:
            raise StoreUnavailable("The cache did not answer in time and is left alone for a few seconds.")
        try:
            return await call()
        except (StoreUnavailable, asyncio.CancelledError):  # a step that ran out of time is cancelled
            now = self._timer()
            if now - began >= SLOW_S:
                log.warning("cache left alone", extra={"seconds": REST_S})
                self._rests_until = now + REST_S
            raise
