"""A bucket and a bus on this machine, with methods for tests to fill the bucket and read the bus."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from footnote.adapters.local.bus import LocalBus
from footnote.adapters.local.drops import LocalDrops
from footnote.ports import Bus, Clock, Drops


@dataclass(frozen=True, slots=True)
class Bucket:
    """`put`: writes key and bytes without the port, as users do."""

    drops: Drops
    name: str
    put: Callable[[str, bytes], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Heard:
    """`told`: the events so far as (detail type, source, detail)."""

    bus: Bus
    told: Callable[[], Awaitable[list[tuple[str, str, Any]]]]


@asynccontextmanager
async def make_drops(folder: Path, clock: Clock) -> AsyncIterator[Bucket]:
    async def put(key: str, data: bytes) -> None:
        path = folder / "drops" / "bucket" / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    yield Bucket(LocalDrops(folder / "drops"), "bucket", put)


@asynccontextmanager
async def make_bus(folder: Path, clock: Clock) -> AsyncIterator[Heard]:
    async def told() -> list[tuple[str, str, Any]]:
        lines = (folder / "events.jsonl").read_text().splitlines()
        return [(event["detail-type"], event["source"], event["detail"]) for event in map(json.loads, lines)]

    yield Heard(LocalBus(folder, clock), told)
