"""The cache and the ledger in DynamoDB. Every folder has its own tables."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from footnote.adapters.dynamodb import cache, ledger_store
from footnote.adapters.dynamodb.cache import DynamoCache
from footnote.adapters.dynamodb.ledger_store import DynamoLedgerStore
from footnote.adapters.dynamodb.table import Table, make_client
from footnote.adapters.dynamodb.vector_cache import DynamoVectorCache
from footnote.ports import Clock
from tests.engines.fixtures import address


def connect() -> Any:
    return make_client(
        5.0,
        endpoint_url=address("dynamodb"),
        region_name="eu-central-1",
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )


def table_name(folder: Path, kind: str) -> str:
    return f"footnote-{kind}-{hashlib.sha256(str(folder).encode()).hexdigest()[:20]}"


@asynccontextmanager
async def open_table(definition: dict[str, Any], setting: str) -> AsyncIterator[Table]:
    """Created by the first client, and deleted at the end."""
    client = connect()
    name = definition["TableName"]
    try:
        client.create_table(**definition)
        made = True
    except client.exceptions.ResourceInUseException:
        made = False
    try:
        yield Table(name, setting, 5.0, client)
    finally:
        if made:
            client.delete_table(TableName=name)
        client.close()


@asynccontextmanager
async def make_cache(folder: Path, clock: Clock) -> AsyncIterator[DynamoCache]:
    async with open_table(cache.table_definition(table_name(folder, "cache")), "AWS__CACHE_TABLE") as table:
        yield DynamoCache(table, clock)


@asynccontextmanager
async def make_vector_cache(folder: Path, clock: Clock) -> AsyncIterator[DynamoVectorCache]:
    async with open_table(cache.table_definition(table_name(folder, "vectors")), "AWS__CACHE_TABLE") as table:
        yield DynamoVectorCache(table, clock)


@asynccontextmanager
async def make_ledger_store(folder: Path, clock: Clock) -> AsyncIterator[DynamoLedgerStore]:
    async with open_table(ledger_store.table_definition(table_name(folder, "ledger")), "AWS__LEDGER_TABLE") as table:
        yield DynamoLedgerStore(table)


class Faulty:
    """Wraps a client. Calls of an operation with entries in `faults[operation]` use these instead, in order."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.faults: dict[str, list[Any]] = {}
        self.calls: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, operation: str) -> Any:
        def call(**arguments: Any) -> Any:
            self.calls.append((operation, arguments))
            waiting = self.faults.get(operation)
            real = getattr(self._client, operation)
            return waiting.pop(0)(real, arguments) if waiting else real(**arguments)

        return call


def refusing(code: str, reasons: tuple[str, ...] = ()) -> Any:
    """A call that has no effect but this error."""

    def refuse(real: Any, arguments: dict[str, Any]) -> Any:
        from botocore.exceptions import ClientError

        raise ClientError({"Error": {"Code": code, "Message": ""}, "CancellationReasons": [{"Code": reason} for reason in reasons]}, "Call")

    return refuse


def losing_the_reply(code: str) -> Any:
    """A call that has its effect and ends with this error."""

    def lose(real: Any, arguments: dict[str, Any]) -> Any:
        real(**arguments)
        return refusing(code)(real, arguments)

    return lose
