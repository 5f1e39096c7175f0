"""May this be asked now? How many questions a user, and an address, may send in a minute."""

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
"""How the keys of failed sign-ins begin; every function may write these."""
BLIND_SHARE = 0.1
"""Of a limit, while the counters cannot be reached: each process counts for itself then."""


class RateLimiter:
    """Counts by whole minutes, in the store that all processes share."""

    def __init__(self, cache: Cache, clock: Clock) -> None:
        self._cache = cache
        self._clock = clock
        self._own: Counter[str] = Counter()
        self._minute = 0

    async def check(self, user_id: str, address: str, limits: Limits) -> None:
        """Counts one question; TooManyRequests, with the time until the next minute, where there were too many."""
        by_address, by_user = f"rate:address:{_short(address)}", f"rate:user:{_short(user_id)}"
        await asyncio.gather(
            self._check_one(by_address, limits.address_per_minute, "questions"),
            self._check_one(by_user, limits.user_per_minute, "questions"),
        )

    async def check_failed_sign_in(self, address: str, limits: Limits) -> None:
        """The same for a token that is no good."""
        await self._check_one(f"{SIGN_INS}{_short(address)}", limits.address_per_minute, "failed sign-ins")

    async def _check_one(self, name: str, most: int, what: str) -> None:
        if not most:
            return
        now = self._clock()
        key = f"{name}:{int(now // WINDOW_S)}"
        try:
            seen = await self._cache.add(key, 1, 2 * WINDOW_S)
        except StoreUnavailable:
            log.warning("rate limits are counted by this process alone")
            seen, most = self._count(key, int(now // WINDOW_S)), max(1, int(most * BLIND_SHARE))
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
    """Of one length, and nobody's address in the store."""
    return hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:24]
