"""Rate limits with each store, and without one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from footnote.errors import StoreUnavailable, TooManyRequests
from footnote.guard.limits import RateLimiter
from footnote.settings import Limits
from tests.conftest import HandClock

THREE = Limits(user_per_minute=3, address_per_minute=5)


class Down:
    """A cache that is down."""

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        raise StoreUnavailable("down")


async def count(limiter: RateLimiter, user: str, address: str, limits: Limits = THREE, most: int = 20) -> int:
    """Number of questions that are accepted."""
    for number in range(most):
        try:
            await limiter.check(user, address, limits)
        except TooManyRequests:
            return number
    return most


async def test_a_user_may_ask_so_often_in_a_minute_wherever_they_are(cache: Any, clock: HandClock) -> None:
    limiter = RateLimiter(cache, clock)
    assert await count(limiter, "ann", "a") == 3
    assert await count(limiter, "ann", "b") == 0
    assert await count(limiter, "bob", "c") == 3
    clock.advance(60)
    assert await count(limiter, "ann", "a") == 3


async def test_an_address_is_limited_regardless_of_the_user(cache: Any, clock: HandClock) -> None:
    limiter = RateLimiter(cache, clock)
    assert [await count(limiter, user, "a", most=2) for user in ("ann", "bob", "eve")] == [2, 2, 1]
    assert await count(limiter, "ann", "b", most=1) == 1


async def test_failed_sign_ins_are_limited_without_blocking_questions(cache: Any, clock: HandClock) -> None:
    limiter = RateLimiter(cache, clock)
    for _ in range(5):
        await limiter.check_failed_sign_in("a", THREE)
    with pytest.raises(TooManyRequests, match="More than 5 failed sign-ins in a minute"):
        await limiter.check_failed_sign_in("a", THREE)
    await limiter.check_failed_sign_in("b", THREE)
    assert await count(limiter, "ann", "a") == 3


async def test_processes_count_together(cache: Any, clock: HandClock) -> None:
    assert [await count(RateLimiter(cache, clock), "ann", "a", most=2) for _ in range(2)] == [2, 1]


async def test_nought_is_no_limit(cache: Any, clock: HandClock) -> None:
    assert await count(RateLimiter(cache, clock), "ann", "a", Limits(user_per_minute=0, address_per_minute=0)) == 20


async def test_the_error_says_how_long_to_wait(cache: Any) -> None:
    limiter = RateLimiter(cache, HandClock(1_700_000_065.0))  # 25 s into a minute
    await count(limiter, "ann", "a")
    with pytest.raises(TooManyRequests) as refused:
        await limiter.check("ann", "a", THREE)
    assert refused.value.retry_after_s == 35.0


async def test_without_the_counters_each_process_lets_a_tenth_through(clock: HandClock) -> None:
    limiter = RateLimiter(Down(), clock)  # type: ignore[arg-type]
    limits = Limits(user_per_minute=40, address_per_minute=400)
    assert await count(limiter, "ann", "a", limits) == 4
    assert await count(limiter, "bob", "b", limits) == 4
    clock.advance(60)
    assert await count(limiter, "ann", "a", limits) == 4


async def test_the_store_contains_no_address(cache: Any, clock: HandClock, tmp_path: Path) -> None:
    await RateLimiter(cache, clock).check("ann", "192.0.2.7", THREE)
    assert not any(b"192.0.2.7" in path.read_bytes() for path in tmp_path.iterdir())


async def test_without_the_counters_a_small_limit_still_lets_one_question_through(clock: HandClock) -> None:
    limiter = RateLimiter(Down(), clock)  # type: ignore[arg-type]
    assert await count(limiter, "ann", "a", Limits(user_per_minute=3, address_per_minute=5)) == 1
