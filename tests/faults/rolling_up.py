"""A process that rolls up days again and again and may be killed at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from bench.statistics import ADMIN, Stores, on_mongodb, on_sqlite
from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.sqlite.store import open_store
from footnote.learn.rollups import store_rollups


@dataclass(frozen=True)
class Place:
    """Where the turns are, and the time there. `mongodb`: (address, database, database of the roll-ups)."""

    folder: Path
    now: float
    mongodb: tuple[str, str, str] | None = None

    def open(self) -> tuple[Stores, Callable[[], Awaitable[None]]]:
        """The stores, and what closes them."""
        if self.mongodb is None:
            database = open_store(self.folder)

            async def close() -> None:
                database.close()

            return on_sqlite(database, lambda: self.now), close
        databases = Databases(*self.mongodb)
        return on_mongodb(databases, lambda: self.now), databases.close


def roll_up(place: Place, replies: Connection) -> None:
    """Sends "begins", then the days that were rolled up."""
    asyncio.run(_roll_up(place, replies))


async def _roll_up(place: Place, replies: Connection) -> None:
    stores, close = place.open()
    await stores.statistics.rolled_days(ADMIN, "2025-01-01", "2025-01-01")  # opens the connection
    replies.send("begins")
    replies.send(await store_rollups(ADMIN, place.now, statistics=stores.statistics))
    await close()
