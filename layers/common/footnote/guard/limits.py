"""Rate limits: questions per minute by user and by address."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import Counter

from footnote.errors import StoreUnavailable, TooManyRequests
from footnote.ports import Cache, Clock
from footnote.settings import Limits

log = logging.getLogger(__name__)

WINDOW_S = 60
SIGN_INS = "rate:sign-in:"
"""Key prefix of failed sign-ins, which every function may write."""
OUTAGE_SHARE = 0.1
"""Share of a limit that applies while the counters are unreachable and each process counts for itself."""


class RateLimiter:
    """Counts per calendar minute in a store shared by all processes."""

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

    async def _check_one(self, name: str, most: int, what: str) -> None:
        if not most:
            return
        now = self._clock()
        key = f"{name}:{int(now // WINDOW_S)}"
        try:
            seen = await self._cache.add(key, 1, 2 * WINDOW_S)
        except StoreUnavailable:
            log.warning("counter store is down; rate limits are counted per process")
            seen, most = self._count(key, int(now // WINDOW_S)), max(1, int(most * OUTAGE_SHARE))
        if seen > most:
            wait_s = WINDOW_S - now % WINDOW_S
            raise TooManyRequests(f"More than {most} {what} in a minute. Try again in {wait_s:.0f} s.", retry_after_s=wait_s)

    def _count(self, key: str, minute: int) -> int:
        if minute != self._minute:
            self._own.clear()
            self._minute = minute
        self._own[key] += 1
        return self._own[key]


def _short(name: str) -> str:
    """A hash, so that keys have a fixed length and no address is stored."""
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:24]
