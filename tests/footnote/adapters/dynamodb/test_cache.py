"""What is peculiar to the cache in DynamoDB: its errors, its retries, and items that outlive their time. The rest is in the contract."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.dynamodb.cache import DynamoCache, table_definition
from footnote.adapters.dynamodb.table import Table, make_client
from footnote.errors import StoreUnavailable, TooLarge
from tests.contracts.backends_dynamodb import Faulty, connect, open_table, refusing, table_name

pytestmark = pytest.mark.usefixtures("dynamodb_url")

NOWHERE = {"region_name": "eu-central-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    async with open_table(table_definition(table_name(tmp_path, "cache")), "AWS__CACHE_TABLE") as table:
        yield table


@pytest.fixture
def client(table: Table) -> Faulty:
    return Faulty(table._client)


@pytest.fixture
def cache(table: Table, client: Faulty, clock: Any) -> DynamoCache:
    return DynamoCache(Table(table.name, "AWS__CACHE_TABLE", 2.0, client), clock)  # type: ignore[arg-type]


async def test_an_item_outlives_its_value_and_says_when_it_may_be_removed(cache: DynamoCache, table: Table, clock: Any) -> None:
    clock.now = 1000.25
    await cache.put("k", "값", ttl_s=10)
    await cache.add("n", 2, ttl_s=10)
    clock.advance(10)
    assert (await cache.get("k"), await cache.get("n")) == (None, None)
    assert table.get("k") == {
        "pk": {"S": "k"},
        "value": {"S": '"\\uac12"'},
        "lives_until": {"N": "1010.25"},
        "expires_at": {"N": "1011"},
    }
    assert await cache.put_new("k", 1, ttl_s=10) is True
    assert await cache.add("n", 5, ttl_s=10) == 5


async def test_a_value_that_is_too_large_is_not_kept_nor_the_one_before(cache: DynamoCache, caplog: Any) -> None:
    await cache.put("k", "old", ttl_s=60)
    await cache.put("k", "x" * 350 * 1024, ttl_s=60)
    assert await cache.get("k") is None
    assert [(record.getMessage(), record.size) for record in caplog.records] == [("value too large for the cache", 358_402)]
    await cache.put("k", "x" * (350 * 1024 - 2), ttl_s=60)
    assert len(await cache.get("k")) == 358_398
    with pytest.raises(TooLarge):
        await cache.put_new("other", "x" * 350 * 1024, ttl_s=60)


@pytest.mark.parametrize(
    "code", ["ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded", "InternalServerError"]
)
async def test_transient_errors_are_tried_three_times(cache: DynamoCache, client: Faulty, code: str) -> None:
    client.faults["put_item"] = [refusing(code)] * 2
    await cache.put("k", 1, ttl_s=60)
    assert await cache.get("k") == 1
    client.faults["put_item"] = [refusing(code)] * 4
    with pytest.raises(StoreUnavailable):
        await cache.put("k", 2, ttl_s=60)
    assert len(client.faults["put_item"]) == 1
    assert await cache.get("k") == 1


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        ("AccessDeniedException", "Check the role and its policy."),
        ("UnrecognizedClientException", "Check the role and its policy."),
        ("ResourceNotFoundException", "DynamoDB has no such table. Check AWS__CACHE_TABLE and the region."),
        ("ValidationException", "(ValidationException)"),
    ],
)
async def test_permanent_errors_are_raised_at_once(cache: DynamoCache, client: Faulty, code: str, remedy: str) -> None:
    client.faults["get_item"] = [refusing(code)] * 2
    with pytest.raises(StoreUnavailable) as raised:
        await cache.get("k")
    assert remedy in raised.value.detail
    assert len(client.faults["get_item"]) == 1


async def test_a_table_that_does_not_exist_is_told(clock: Any) -> None:
    client = connect()
    with pytest.raises(StoreUnavailable) as raised:
        await DynamoCache(Table("no-such-table", "AWS__CACHE_TABLE", 2.0, client), clock).get("k")
    client.close()
    assert raised.value.detail == "DynamoDB has no such table. Check AWS__CACHE_TABLE and the region."


async def test_where_nobody_listens_it_is_told_without_the_address(clock: Any) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    client = make_client(2.0, endpoint_url=f"http://127.0.0.1:{port}", **NOWHERE)
    with pytest.raises(StoreUnavailable) as raised:
        await DynamoCache(Table("t", "AWS__CACHE_TABLE", 2.0, client), clock).get("k")
    client.close()
    assert raised.value.detail == "DynamoDB cannot be reached or does not respond in time. Check the network and the region."


@pytest.mark.timeout(40)  # the client's own limits are 60 seconds
async def test_one_that_never_answers_is_asked_once(clock: Any) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        client = make_client(0.3, endpoint_url=f"http://127.0.0.1:{silent.getsockname()[1]}", **NOWHERE)
        with pytest.raises(StoreUnavailable, match="does not respond in time"):
            await DynamoCache(Table("t", "AWS__CACHE_TABLE", 0.3, client), clock).get("k")
        client.close()
        silent.setblocking(False)
        silent.accept()[0].close()
        with pytest.raises(BlockingIOError):
            silent.accept()


async def test_without_a_region_it_is_told(clock: Any, monkeypatch: Any, tmp_path: Path) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(StoreUnavailable, match="Set AWS_DEFAULT_REGION"):
        await DynamoCache(Table("t", "AWS__CACHE_TABLE", 2.0), clock).get("k")
