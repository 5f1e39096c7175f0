"""Limits on how many things somebody may have, which hold for additions at the same time, too.

Who only counts what is stored does not see what others are about to store. So a place is taken before, in a record that is replaced only
by who has read its last version, and given up when the thing is stored.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass

from footnote.errors import Conflict, StoreUnavailable
from footnote.ports import Clock, Records

log = logging.getLogger(__name__)

LOST_S = 60.0
"""Time after which a place is free whose process died before it stored anything."""
KEEPER = "places"
"""Stands for the user in the records of places, which name nobody."""


@dataclass(frozen=True, slots=True)
class Places:
    """Places of one kind. `most`: how many there are for each key; `full`: what is said where none is left."""

    records: Records
    clock: Clock
    most: int
    full: str

    @asynccontextmanager
    async def place(self, key: str, item: str, stored: Callable[[], Awaitable[Collection[str]]]) -> AsyncIterator[None]:
        """A place for what is stored inside this context; Conflict where none is left. `stored`: the items that are stored for this key.
        `key` and `item` are hashes or ids, as they are kept."""

        async def add(taken: dict[str, float]) -> None:
            if len({*taken, *await stored()} - {item}) >= self.most:  # read after `taken`: what leaves it is stored
                raise Conflict(self.full)
            taken[item] = self.clock()

        async def remove(taken: dict[str, float]) -> None:
            taken.pop(item, None)

        await self._change(key, add)
        try:
            yield
        finally:
            try:
                await self._change(key, remove)
            except StoreUnavailable:  # what was stored stays, and the place is free after LOST_S
                log.warning("a place was not given up")

    async def _change(self, key: str, change: Callable[[dict[str, float]], Awaitable[None]]) -> None:
        while True:  # each time that another one was faster, it has got on
            found = await self.records.get("places", key)
            taken = {item: at for item, at in found.value["taken"].items() if at + LOST_S > self.clock()} if found else {}
            await change(taken)
            try:
                await self.records.put("places", key, {"taken": taken}, by=KEEPER, expected=found.version if found else 0)
                return
            except Conflict:
                continue
