"""Rate limits: questions per minute by user and by address."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import Counter
from contextlib import suppress

from footnote.errors import StoreUnavailable, TooManyRequests
from footnote.ports import Cache, Clock
from footnote.settings import Limits

log = logging.getLogger(__name__)

WINDOW_S = 60
SIGN_INS = "rate:sign-in:"
"""Key prefix of failed sign-ins, which every function may write."""
TRY_WINDOW_S = 900
TRIES_BY_NAME, TRIES_BY_ADDRESS = 10, 60
"""Failed sign-ins with a password in TRY_WINDOW_S, for one name and from one address."""
OUTAGE_SHARE = 0.1
"""Share of a limit that applies while the counters are unreachable and each process counts for itself."""


class RateLimiter:
    """Counts per calendar minute, or quarter of an hour, in a store shared by all processes."""

    def __init__(self, cache: Cache, clock: Clock) -> None:
        self._cache = cache
        self._clock = clock
        self._own: Counter[str] = Counter()
        self._minute = 0

    async def check(self, user_id: str, address: str, limits: Limits) -> None:
        """Counts one question. Raises TooManyRequests, with the seconds to wait, if a limit is exceeded."""
        by_address, by_user = f"rate:address:{_short(address)}", f"rate:user:{_short(user_id)}"
        await asyncio.gather(
            self._check_one(by_address, limits.address_per_minute, "questions"),
            self._check_one(by_user, limits.user_per_minute, "questions"),
        )

    async def check_failed_sign_in(self, address: str, limits: Limits) -> None:
        """Counts one failed sign-in; raises like `check`."""
        await self._check_one(f"{SIGN_INS}{_short(address)}", limits.address_per_minute, "failed sign-ins")

    async def count_try(self, name: str, address: str) -> None:
        """Counts one try of a password or an invitation before it is checked, so that not even the right one is found by guessing; raises
        like `check`. `uncount_try` takes a successful one back."""
        for key, most in _tries(name, address):
            await self._check_one(key, most, "failed sign-ins", TRY_WINDOW_S)

    async def uncount_try(self, name: str, address: str) -> None:
        """Takes back a try that was successful. Nothing happens while the counters are unreachable."""
        with suppress(StoreUnavailable):
            for key, _ in _tries(name, address):
                await self._cache.add(f"{key}:{int(self._clock() // TRY_WINDOW_S)}", -1, 2 * TRY_WINDOW_S)

    async def _check_one(self, name: str, most: int, what: str, window_s: int = WINDOW_S) -> None:
        if not most:
            return
        now = self._clock()
        key = f"{name}:{int(now // window_s)}"
        try:
            seen = await self._cache.add(key, 1, 2 * window_s)
        except StoreUnavailable:
            log.warning("counter store is down; rate limits are counted per process")
            seen, most = self._count(key, int(now // WINDOW_S)), max(1, int(most * OUTAGE_SHARE))
        if seen > most:
            wait_s = window_s - now % window_s
            period = "a minute" if window_s == WINDOW_S else f"{window_s // 60} minutes"
            raise TooManyRequests(f"More than {most} {what} in {period}. Try again in {wait_s:.0f} s.", retry_after_s=wait_s)

    def _count(self, key: str, minute: int) -> int:
        if minute != self._minute:
            self._own.clear()
            self._minute = minute
        self._own[key] += 1
        return self._own[key]


def _tries(name: str, address: str) -> tuple[tuple[str, int], ...]:
    return (f"rate:try:name:{_short(name)}", TRIES_BY_NAME), (f"rate:try:address:{_short(address)}", TRIES_BY_ADDRESS)


def _short(name: str) -> str:
    """A hash, so that keys have a fixed length and no address is stored."""
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:24]
