"""What is peculiar to the ledger in DynamoDB: transactions that are overtaken, replies that are lost, indexes that lag.
The rest is in the contract."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.dynamodb import ledger_items
from footnote.adapters.dynamodb.ledger import DynamoLedger
from footnote.adapters.dynamodb.ledger_items import Record, Transaction, alias_key, change, table_definition
from footnote.adapters.dynamodb.table import Table
from footnote.adapters.sqlite.ledger import SqliteLedger
from footnote.adapters.sqlite.store import open_store
from footnote.errors import NotFound, StoreUnavailable, TooLarge
from footnote.ports import NewFile
from footnote.types import Caller, Document
from tests.contracts.backends_dynamodb import Faulty, losing_the_reply, make_ledger, open_table, refusing, table_name

pytestmark = pytest.mark.usefixtures("dynamodb_url")

ME = Caller("me", frozenset({"staff"}))
STAFF = frozenset({"staff"})
GUESTS = frozenset({"guests"})


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    async with open_table(table_definition(table_name(tmp_path, "ledger")), "AWS__LEDGER_TABLE") as table:
        yield table


@pytest.fixture
def client(table: Table) -> Faulty:
    return Faulty(table._client)


@pytest.fixture
def ledger(table: Table, client: Faulty, clock: Any) -> DynamoLedger:
    return DynamoLedger(Table(table.name, "AWS__LEDGER_TABLE", 5.0, client), clock)  # type: ignore[arg-type]


async def accept(ledger: Any, file_name: str, content_hash: str, **given: Any) -> tuple[Document, bool]:
    given = {"collection": "default", "permission_groups": STAFF, "size": 7, **given}
    accepted: tuple[Document, bool] = await ledger.accept(ME, NewFile(file_name=file_name, content_hash=content_hash, **given))
    return accepted


def items(table: Table) -> list[str]:
    found = table.call("scan", TableName=table.name, ConsistentRead=True)["Items"]
    return sorted(item["pk"]["S"].partition("#")[0] for item in found)


# --- several at once ---------------------------------------------------------------------------


async def test_twenty_that_bring_one_name_make_one_document(tmp_path: Path, clock: Any) -> None:
    async with make_ledger(tmp_path, clock) as one, make_ledger(tmp_path, clock) as two:
        results = await asyncio.gather(*(accept((one, two)[number % 2], "a.txt", f"h{number}") for number in range(20)))
        assert len({document.doc_id for document, _ in results}) == 1
        assert sorted(document.generation for document, _ in results) == list(range(1, 21))
        assert await one.counts() == {"RECEIVED": 1, "PROCESSING": 0, "READY": 0, "FAILED": 0, "DELETED": 0}


async def test_twenty_that_bring_one_content_make_one_document(tmp_path: Path, clock: Any) -> None:
    async with make_ledger(tmp_path, clock) as one, make_ledger(tmp_path, clock) as two:
        results = await asyncio.gather(*(accept((one, two)[number % 2], f"{number}.txt", "h1") for number in range(20)))
        assert len({document.doc_id for document, _ in results}) == 1
        assert sum(work for _, work in results) == 1
        assert len((await one.list(ME)).data) == 1


async def test_a_transaction_in_the_way_of_another_is_tried_again(ledger: DynamoLedger, client: Faulty) -> None:
    client.faults["transact_write_items"] = [refusing("TransactionCanceledException", ("None", "TransactionConflict", "None"))] * 5
    document, work = await accept(ledger, "a.txt", "h1")
    assert (document.generation, work) == (1, True)
    assert await ledger.counts() == {"RECEIVED": 1, "PROCESSING": 0, "READY": 0, "FAILED": 0, "DELETED": 0}


async def test_one_that_is_overtaken_for_too_long_gives_up(ledger: DynamoLedger, client: Faulty, monkeypatch: Any) -> None:
    monkeypatch.setattr(ledger_items, "RETRY_S", 0.1)
    client.faults["transact_write_items"] = [refusing("TransactionCanceledException", ("ConditionalCheckFailed",))] * 1000
    with pytest.raises(StoreUnavailable, match="Try again in a moment"):
        await accept(ledger, "a.txt", "h1")


async def test_a_document_that_is_being_written_at_this_moment_is_waited_for(ledger: DynamoLedger, client: Faulty) -> None:
    """Reads see the items of a transaction one after the other."""
    document, _ = await accept(ledger, "a.txt", "h1")
    client.faults["get_item"] = [lambda real, arguments: real(**arguments), lambda real, arguments: {}]
    assert await accept(ledger, "a.txt", "h1") == (document, False)


@pytest.mark.parametrize(("before", "after"), [(None, {"doc_id": "y"}), ({"doc_id": "x"}, {"doc_id": "y"}), ({"doc_id": "x"}, None)])
async def test_a_change_stands_on_what_it_only_read_too(table: Table, before: Record | None, after: Record | None) -> None:
    """What it read is changed by another before it writes: it starts again."""
    read: list[Record | None] = []

    def put(transaction: Transaction, key: str, record: Record | None) -> None:
        transaction.get(key)
        transaction.put(key, record)

    def copy(transaction: Transaction) -> None:
        read.append(transaction.get(alias_key("read")))
        if len(read) == 1:
            change(table, put, alias_key("read"), after)
        put(transaction, alias_key("written"), {"doc_id": str(read[-1])})

    change(table, put, alias_key("read"), before)
    change(table, copy)
    assert read == [before, after]
    assert change(table, lambda transaction: transaction.get(alias_key("written"))) == {"doc_id": str(after)}


async def test_a_reserved_id_that_was_taken_meanwhile_is_nobody_else_s(ledger: DynamoLedger, client: Faulty, tmp_path: Path) -> None:
    """Two bring a file under one reserved id: the other's ends in a known document, to which the id leads from then on."""
    known, _ = await accept(ledger, "a.txt", "h1")
    async with make_ledger(tmp_path, ledger._clock) as other:
        loop = asyncio.get_running_loop()

        def be_late(real: Any, arguments: dict[str, Any]) -> Any:
            taken = accept(other, "b.txt", "h1", doc_id="reserved-000001")
            assert asyncio.run_coroutine_threadsafe(taken, loop).result(20) == (known, False)
            return real(**arguments)

        client.faults["transact_write_items"] = [be_late]
        made, _ = await accept(ledger, "c.txt", "h2", doc_id="reserved-000001")
    assert made.doc_id != "reserved-000001"
    assert await ledger.get(ME, "reserved-000001") == known


# --- what goes wrong ---------------------------------------------------------------------------


async def test_a_transaction_whose_reply_was_lost_is_done_once(ledger: DynamoLedger, client: Faulty) -> None:
    client.faults["transact_write_items"] = [losing_the_reply("InternalServerError")]
    document, work = await accept(ledger, "a.txt", "h1")
    assert (document.generation, work) == (1, True)
    tokens = [arguments["ClientRequestToken"] for operation, arguments in client.calls if operation == "transact_write_items"]
    assert len(tokens) == 2
    assert len(set(tokens)) == 1


@pytest.mark.parametrize(
    ("code", "reasons", "sent"),
    [
        ("TransactionCanceledException", ("None", "ThrottlingError"), 3),
        ("ProvisionedThroughputExceededException", (), 3),
        ("TransactionCanceledException", ("ValidationError", "ConditionalCheckFailed"), 1),
        ("AccessDeniedException", (), 1),
    ],
)
async def test_what_cannot_be_written_leaves_nothing(
    ledger: DynamoLedger, client: Faulty, table: Table, code: str, reasons: tuple[str, ...], sent: int
) -> None:
    client.faults["transact_write_items"] = [refusing(code, reasons)] * 10
    with pytest.raises(StoreUnavailable):
        await accept(ledger, "a.txt", "h1")
    assert 10 - len(client.faults["transact_write_items"]) == sent
    assert items(table) == []


async def test_a_change_is_one_transaction(ledger: DynamoLedger, client: Faulty, table: Table) -> None:
    document, _ = await accept(ledger, "a.txt", "h1", doc_id="a-000001")
    await accept(ledger, "b.txt", "h1", doc_id="b-000001", origin="s3://b/b.txt", version="v1")
    assert items(table) == ["alias", "content", "document", "name", "origin", "scope"]
    await ledger.lease(document.doc_id, 1, "one", 60)
    await ledger.update(document.doc_id, 1, state="READY")
    await accept(ledger, "a.txt", "h2")
    await ledger.delete(ME, document.doc_id)
    await ledger.purge(document.doc_id)
    await ledger.release("s3://b/b.txt")
    writes = [operation for operation, _ in client.calls if operation not in ("get_item", "query", "batch_get_item")]
    assert writes == ["transact_write_items"] * 8


async def test_what_does_not_fit_into_an_item_is_told_and_nothing_is_written(ledger: DynamoLedger, table: Table) -> None:
    with pytest.raises(TooLarge, match="Shorten its metadata"):
        await accept(ledger, "a.txt", "h1", metadata={"text": "x" * 400_000})
    assert items(table) == []
    document, _ = await accept(ledger, "a.txt", "h1")
    with pytest.raises(TooLarge):
        await ledger.update(document.doc_id, 1, metadata={"text": "x" * 400_000})
    assert await ledger.get(ME, document.doc_id) == document


async def test_what_a_batch_leaves_undone_is_asked_for_again(ledger: DynamoLedger, client: Faulty, table: Table) -> None:
    def half(real: Any, arguments: dict[str, Any]) -> Any:
        keys = arguments["RequestItems"][table.name]["Keys"]
        reply = real(RequestItems={table.name: {"Keys": keys[:1], "ConsistentRead": True}})
        return {**reply, "UnprocessedKeys": {table.name: {"Keys": keys[1:], "ConsistentRead": True}}}

    ids = sorted([(await accept(ledger, f"{number}.txt", f"h{number}"))[0].doc_id for number in range(4)])
    client.faults["batch_get_item"] = [half, half]
    assert [document.doc_id for document in (await ledger.list(ME)).data] == ids


# --- indexes -----------------------------------------------------------------------------------


async def test_an_index_that_lags_shows_nothing_that_is_gone(ledger: DynamoLedger, client: Faulty, clock: Any) -> None:
    gone, _ = await accept(ledger, "a.txt", "h1", origin="s3://b/a", version="v1")
    clock.advance(1)
    here, _ = await accept(ledger, "b.txt", "h2", origin="s3://b/b", version="v2")
    stale: list[Any] = []
    for call in (ledger.list(ME), ledger.unfinished(), ledger.origins("s3://")):
        client.faults["query"] = [lambda real, arguments: stale.append(real(**arguments)) or stale[-1]] * 2
        await call
    await ledger.release("s3://b/a")
    await ledger.update(here.doc_id, 1, state="READY")
    client.faults["query"] = [lambda real, arguments: stale.pop(0)] * len(stale)
    assert [document.doc_id for document in (await ledger.list(ME)).data] == [here.doc_id]
    assert await ledger.unfinished() == []
    assert list(await ledger.origins("s3://")) == ["s3://b/b"]
    assert stale == []
    assert gone.doc_id != here.doc_id


async def test_what_must_be_exact_asks_no_index(ledger: DynamoLedger, client: Faulty) -> None:
    document, _ = await accept(ledger, "a.txt", "h1", origin="s3://b/a", version="v1")
    await ledger.get(ME, document.doc_id)
    await ledger.lease(document.doc_id, 1, "one", 60)
    await ledger.update(document.doc_id, 1, state="READY")
    await ledger.held("s3://b/a")
    await ledger.reserve(ME, file_name="a.txt", collection="default", permission_groups=STAFF)
    await ledger.release("s3://b/a")
    await ledger.purge(document.doc_id)
    assert {operation for operation, _ in client.calls} == {"get_item", "transact_write_items"}
    assert all(arguments["ConsistentRead"] for operation, arguments in client.calls if operation == "get_item")


async def test_a_list_reads_no_documents_of_others(ledger: DynamoLedger, client: Faulty, table: Table) -> None:
    for number in range(10):
        await accept(ledger, f"{number}.txt", f"h{number}", permission_groups=GUESTS)
    mine, _ = await accept(ledger, "mine.txt", "h1")
    client.calls.clear()
    assert [document.doc_id for document in (await ledger.list(ME)).data] == [mine.doc_id]
    assert await ledger.collections(ME) == {"default": 0}
    read = [arguments["RequestItems"][table.name]["Keys"] for operation, arguments in client.calls if operation == "batch_get_item"]
    assert read == [[{"pk": {"S": f"document#{mine.doc_id}"}}]]


# --- the same as the embedded one --------------------------------------------------------------


async def test_whatever_is_done_both_ledgers_end_alike(ledger: DynamoLedger, clock: Any, tmp_path: Path) -> None:
    database = open_store(tmp_path)
    twins = (SqliteLedger(database, clock), ledger)
    chance = random.Random(11)
    ids: list[tuple[str, str]] = []
    """The embedded ledger's id of a document, and this one's."""

    async def both(method: str, *args: Any, **given: Any) -> list[Any]:
        """What both say; an argument that is a pair of ids is one for each."""
        said: list[Any] = []
        for side, twin in enumerate(twins):
            try:
                said.append(await getattr(twin, method)(*(arg[side] if isinstance(arg, tuple) else arg for arg in args), **given))
            except NotFound:
                said.append("not found")
        return said

    def known(side: int, value: Any) -> Any:
        """With a document's number in place of its id."""
        numbers = {pair[side]: str(number) for number, pair in enumerate(ids)}
        if isinstance(value, Document):
            fields = {name: getattr(value, name) for name in Document.__slots__}
            return {**fields, "doc_id": numbers[value.doc_id]}
        if isinstance(value, dict):
            return {key: known(side, held) for key, held in value.items()}
        if isinstance(value, list | tuple):
            return [known(side, one) for one in value]
        return numbers.get(value, value) if isinstance(value, str) else value

    for step in range(120):
        clock.advance(1)
        pair = chance.choice(ids) if ids else ("none", "none")
        generation, origin = chance.randint(1, 3), chance.choice(["s3://b/x", "s3://b/y", "s3://c/x"])
        match chance.choice(["accept"] * 4 + ["drop"] * 4 + ["update", "update", "delete", "release", "keep", "purge", "lease"]):
            case "accept" | "drop" as how:
                lying = {"origin": origin, "version": str(chance.randint(1, 9))} if how == "drop" else {}
                file = NewFile(
                    file_name=chance.choice(["a.txt", "b.txt", "c.txt"]), collection=chance.choice(["default", "hr"]),
                    permission_groups=chance.choice([STAFF, STAFF, GUESTS]), content_hash=f"h{chance.randint(1, 4)}", size=7, **lying,
                )  # fmt: skip
                said = await both("accept", ME, file)
                made = (said[0][0].doc_id, said[1][0].doc_id)
                if made not in ids:
                    ids.append(made)
            case "update":
                state = chance.choice(["PROCESSING", "READY", "FAILED", "RECEIVED"])
                said = await both("update", pair, generation, state=state, chunks=generation)
            case "delete":
                said = await both("delete", ME, pair)
            case "release":
                said = await both("release", origin)
            case "keep":
                said = await both("release", origin, pair)
            case "purge":
                said = await both("purge", pair)
            case _:
                said = await both("lease", pair, generation, chance.choice(["one", "two"]), 3)
        if isinstance(said[0], list):
            said = [sorted(deleted, key=lambda document: document.created_at) for deleted in said]
        assert known(0, said[0]) == known(1, said[1])
        if step % 6 == 0:
            for method in ("unfinished", "failed", "unpurged", "counts"):
                said = await both(method)
                assert known(0, said[0]) == known(1, said[1])
            said = [await twin.collections(Caller("all", sees_all=True)) for twin in twins]
            assert said[0] == said[1]
            said = [await twin.list(Caller("all", sees_all=True), limit=100) for twin in twins]
            assert known(0, said[0].data) == known(1, said[1].data)
    assert len(ids) > 15
    database.close()


async def test_an_id_longer_than_any_key_is_not_found(ledger: DynamoLedger, client: Faulty) -> None:
    client.faults["get_item"] = [refusing("ValidationException")]  # as AWS says of a key of more than 2,048 bytes
    with pytest.raises(NotFound):
        await ledger.get(ME, "x" * 2048)
