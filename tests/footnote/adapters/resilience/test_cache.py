"""A cache that hangs is not asked for a while."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from footnote.adapters.resilience.cache import OPEN_S, SLOW_S, CircuitBreakerCache
from footnote.errors import StoreUnavailable
from tests.conftest import HandClock


class Hanging:
    """A cache whose calls take `takes_s` and fail; None = they work."""

    def __init__(self, timer: HandClock) -> None:
        self.timer, self.takes_s, self.asked = timer, 0.0, 0
        self.error: type[BaseException] | None = StoreUnavailable

    async def get(self, key: str) -> Any:
        self.asked += 1
        self.timer.advance(self.takes_s)
        if self.error is not None:
            raise self.error("It is away.")
        return key


@pytest.mark.parametrize("error", [StoreUnavailable, asyncio.CancelledError])
async def test_after_a_long_wait_in_vain_nobody_waits_for_a_while(clock: HandClock, error: type[BaseException]) -> None:
    store = Hanging(clock)
    cache = CircuitBreakerCache(store, timer=clock)  # type: ignore[arg-type]
    store.takes_s, store.error = SLOW_S, error
    with pytest.raises(error):
        await cache.get("a")
    store.error = None
    clock.advance(OPEN_S - 0.01)
    with pytest.raises(StoreUnavailable, match="not used for a few seconds"):
        await cache.get("a")
    assert store.asked == 1
    clock.advance(0.01)
    assert await cache.get("a") == "a"


async def test_quick_failures_do_not_open_the_circuit(clock: HandClock) -> None:
    store = Hanging(clock)
    cache = CircuitBreakerCache(store, timer=clock)  # type: ignore[arg-type]
    store.takes_s = SLOW_S - 0.01
    for _ in range(2):
        with pytest.raises(StoreUnavailable, match="away"):
            await cache.get("a")
    store.takes_s, store.error = 10 * SLOW_S, None
    assert [await cache.get(key) for key in "ab"] == ["a", "b"]  # slow answers are answers
