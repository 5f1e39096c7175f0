"""Turns and records in MongoDB or a compatible server."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from pymongo import AsyncMongoClient

from bench.statistics import Stores, on_mongodb
from footnote.adapters.mongodb.checkpoints import MongoCheckpoints
from footnote.adapters.mongodb.databases import Databases
from footnote.adapters.mongodb.records import MongoRecords
from footnote.ports import Clock
from tests.engines.fixtures import address


def database_names(folder: Path) -> tuple[str, str]:
    name = "footnote_" + hashlib.sha256(str(folder).encode()).hexdigest()[:16]
    return name, f"{name}_statistics"


@asynccontextmanager
async def databases_of(folder: Path) -> AsyncIterator[Databases]:
    """Databases that are dropped when a client of the folder is closed; a test closes its clients together, at its end."""
    names = database_names(folder)
    databases = Databases(address("mongodb"), *names)
    try:
        yield databases
    finally:
        await databases.close()
        async with AsyncMongoClient(address("mongodb")) as client:
            for name in names:
                await client.drop_database(name)


@asynccontextmanager
async def make(folder: Path, clock: Clock, keep_s: float | None = None) -> AsyncIterator[Stores]:
    async with databases_of(folder) as databases:
        yield on_mongodb(databases, clock, keep_s)


@asynccontextmanager
async def make_records(folder: Path, clock: Clock) -> AsyncIterator[MongoRecords]:
    async with databases_of(folder) as databases:
        yield MongoRecords(databases, clock)


@asynccontextmanager
async def make_checkpoints(folder: Path, clock: Clock) -> AsyncIterator[MongoCheckpoints]:
    async with databases_of(folder) as databases:
        yield MongoCheckpoints(databases, clock)
