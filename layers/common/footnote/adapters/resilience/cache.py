"""A circuit breaker around a cache.

A store that hangs costs a question one wait instead of one in every step. It is for callers that can do without the cache;
sign-in asks the store itself. It is written by hand because circuit breaker libraries count failures, while here the time
that a failure took decides.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

from footnote.errors import StoreUnavailable
from footnote.ports import Amount, Cache

log = logging.getLogger(__name__)

SLOW_S, OPEN_S = 0.5, 5.0
"""A failure after SLOW_S opens the circuit for OPEN_S. A store that fails faster is still asked: that costs nothing."""

T = TypeVar("T")


class CircuitBreakerCache:
    """`ports.Cache`: the wrapped cache, or StoreUnavailable while the circuit is open."""

    def __init__(self, cache: Cache, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._cache = cache
        self._timer = timer
        self._open_until = 0.0

    async def get(self, key: str) -> Any | None:
        return await self._ask(lambda: self._cache.get(key))

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        await self._ask(lambda: self._cache.put(key, value, ttl_s))

    async def put_later(self, key: str, value: Any, ttl_s: float) -> None:
        await self._ask(lambda: self._cache.put_later(key, value, ttl_s))

    async def put_new(self, key: str, value: Any, ttl_s: float) -> bool:
        return await self._ask(lambda: self._cache.put_new(key, value, ttl_s))

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        return await self._ask(lambda: self._cache.add(key, amount, ttl_s))

    async def add_all(self, amounts: Sequence[Amount]) -> None:
        await self._ask(lambda: self._cache.add_all(amounts))

    async def delete(self, key: str) -> None:
        await self._ask(lambda: self._cache.delete(key))

    async def _ask(self, call: Callable[[], Awaitable[T]]) -> T:
        began = self._timer()
        if began < self._open_until:
            raise StoreUnavailable("The cache did not respond in time. It is not used for a few seconds.")
        try:
            return await call()
        except (StoreUnavailable, asyncio.CancelledError):  # a step that times out is cancelled
            now = self._timer()
            if now - began >= SLOW_S:
                log.warning("cache circuit open", extra={"seconds": OPEN_S})
                self._open_until = now + OPEN_S
            raise
