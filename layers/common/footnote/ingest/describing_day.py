"""How long a model may work on descriptions in a day, and whether it is too slow for them. Counted in a store that all processes share."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from footnote.errors import StoreUnavailable
from footnote.ports import Cache, Clock

log = logging.getLogger(__name__)

DAY_S = 86_400
SLOW_S, MEASURED = 20.0, 3
"""A model whose last MEASURED calls took SLOW_S seconds on average is left alone for the rest of the day: on a machine that also answers
questions it would be busy with descriptions for days."""


@dataclass(slots=True)
class DescribingDay:
    """`describe_by_model.Day`. `minutes`: the limit of a day; 0 = none. `model`: which model is asked, in words that change with it."""

    cache: Cache
    clock: Clock
    minutes: Callable[[], float]
    model: Callable[[], str]

    async def obstacle(self) -> Literal["slow", "time"] | None:
        """“slow” and “time” as long as they hold; “time” if the store is down, because nothing can be counted then."""
        try:
            if len(last := await self._last()) == MEASURED and sum(last) >= MEASURED * SLOW_S:
                return "slow"
            return "time" if self.limit_s() and await self.used_s() >= self.limit_s() else None
        except StoreUnavailable:
            return "time"

    async def add(self, seconds: float, *, ended: bool) -> None:
        """Counts a call."""
        await self.cache.add(self._key("used"), round(seconds * 1000), 2 * DAY_S)
        if not ended:
            return
        last = [*await self._last(), round(seconds, 1)][-MEASURED:]
        await self.cache.put(self._speed_key, last, DAY_S - self.clock() % DAY_S)
        if len(last) == MEASURED and sum(last) >= MEASURED * SLOW_S:
            log.warning("descriptions stopped: the model is slow", extra={"ms": round(sum(last) / MEASURED * 1000)})

    async def used_s(self) -> float:
        """Seconds of today's calls."""
        return (await self.cache.get(self._key("used")) or 0) / 1000

    def limit_s(self) -> float:
        """The limit of a day; 0 = none."""
        return self.minutes() * 60

    async def seconds_per_call(self) -> float | None:
        """Of the last calls on average."""
        last = await self._last()
        return sum(last) / len(last) if last else None

    async def _last(self) -> list[float]:
        return await self.cache.get(self._speed_key) or []

    @property
    def _speed_key(self) -> str:
        return self._key("speed:" + hashlib.sha256(self.model().encode()).hexdigest()[:16])

    def _key(self, what: str) -> str:
        return f"describing:{what}:{int(self.clock() // DAY_S)}"
