"""`ports.Cache` in the memory of this process."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from footnote.ports import Amount, Clock


class MemoryCache:
    """`ports.Cache` for one process. What is over is removed when it is looked for."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._values: dict[str, tuple[str, float]] = {}

    async def get(self, key: str) -> Any | None:
        text, until = self._values.get(key, ("null", 0.0))
        if until <= self._clock():
            self._values.pop(key, None)
            return None
        return json.loads(text)

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        self._values[key] = (json.dumps(value), self._clock() + ttl_s)

    async def put_later(self, key: str, value: Any, ttl_s: float) -> None:
        await self.put(key, value, ttl_s)

    async def put_new(self, key: str, value: Any, ttl_s: float) -> bool:
        if self._values.get(key, ("", 0.0))[1] > self._clock():
            return False
        await self.put(key, value, ttl_s)
        return True

    async def add(self, key: str, amount: int, ttl_s: float) -> int:
        now = self._clock()
        text, until = self._values.get(key, ("0", 0.0))
        total, until = (int(text) + amount, until) if until > now else (amount, now + ttl_s)
        self._values[key] = (str(total), until)
        return total

    async def add_all(self, amounts: Sequence[Amount]) -> None:
        for each in amounts:
            await self.add(*each)

    async def delete(self, key: str) -> None:
        self._values.pop(key, None)
