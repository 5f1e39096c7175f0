"""A process that rolls up days again and again and may be killed at any moment."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from bench.statistics import ADMIN
from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.mongodb.turn_store import MongoTurnStore
from footnote.adapters.sqlite.turn_store import SqliteTurnStore, open_store
from footnote.learn.rollups import store_rollups


@dataclass(frozen=True)
class Place:
    """Where the turns are, and the time there. `mongodb`: (address, database, database of the roll-ups)."""

    folder: Path
    now: float
    mongodb: tuple[str, str, str] | None = None

    def open(self) -> Any:
        """The store, and what closes it."""
        if self.mongodb is None:
            database = open_store(self.folder)

            async def close() -> None:
                database.close()

            return SqliteTurnStore(database, lambda: self.now), close
        store = MongoTurnStore(Databases(*self.mongodb), lambda: self.now)
        return store, store.close


def roll_up(place: Place, replies: Connection) -> None:
    """Sends "begins", then the days that were rolled up."""
    asyncio.run(_roll_up(place, replies))


async def _roll_up(place: Place, replies: Connection) -> None:
    store, close = place.open()
    await store.rolled_days(ADMIN, "2025-01-01", "2025-01-01")  # opens the connection
    replies.send("begins")
    replies.send(await store_rollups(ADMIN, place.now, turns=store))
    await close()
