"""What is peculiar to the ledger in DynamoDB: transactions that are overtaken, replies that are lost, indexes that lag.
The rest is in the contract."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.dynamodb import ledger_store
from footnote.adapters.dynamodb.ledger_store import DynamoLedgerStore, table_definition
from footnote.adapters.dynamodb.table import Table
from footnote.errors import NotFound, StoreUnavailable, TooLarge
from footnote.ports import NewFile
from footnote.ports.ledger import Body, Transaction
from footnote.types import Caller, Document
from tests.books import Books
from tests.contracts.backends_dynamodb import Faulty, losing_the_reply, make_ledger_store, open_table, refusing, table_name

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
def books(table: Table, client: Faulty, clock: Any) -> Books:
    return Books(DynamoLedgerStore(Table(table.name, "AWS__LEDGER_TABLE", 5.0, client)), clock)  # type: ignore[arg-type]


async def accept(books: Any, file_name: str, content_hash: str, **given: Any) -> tuple[Document, bool]:
    given = {"collection": "default", "permission_groups": STAFF, "size": 7, **given}
    accepted: tuple[Document, bool] = await books.lifecycle.accept(ME, NewFile(file_name=file_name, content_hash=content_hash, **given))
    return accepted


def items(table: Table) -> list[str]:
    found = table.call("scan", TableName=table.name, ConsistentRead=True)["Items"]
    return sorted(item["pk"]["S"].partition("#")[0] for item in found)


# --- several at once ---------------------------------------------------------------------------


async def test_a_transaction_in_the_way_of_another_is_tried_again(books: Books, client: Faulty) -> None:
    client.faults["transact_write_items"] = [refusing("TransactionCanceledException", ("None", "TransactionConflict", "None"))] * 5
    document, work = await accept(books, "a.txt", "h1")
    assert (document.generation, work) == (1, True)
    assert await books.lifecycle.counts() == {"RECEIVED": 1, "PROCESSING": 0, "READY": 0, "FAILED": 0, "DELETED": 0}


async def test_one_that_is_overtaken_for_too_long_gives_up(books: Books, client: Faulty, monkeypatch: Any) -> None:
    monkeypatch.setattr(ledger_store, "RETRY_S", 0.1)
    client.faults["transact_write_items"] = [refusing("TransactionCanceledException", ("ConditionalCheckFailed",))] * 1000
    with pytest.raises(StoreUnavailable, match="Try again in a moment"):
        await accept(books, "a.txt", "h1")


async def test_a_document_that_is_being_written_at_this_moment_is_waited_for(books: Books, client: Faulty) -> None:
    """Reads see the items of a transaction one after the other."""
    document, _ = await accept(books, "a.txt", "h1")
    client.faults["get_item"] = [lambda real, arguments: real(**arguments), lambda real, arguments: {}]
    assert await accept(books, "a.txt", "h1") == (document, False)


@pytest.mark.parametrize(("before", "after"), [(None, {"doc_id": "y"}), ({"doc_id": "x"}, {"doc_id": "y"}), ({"doc_id": "x"}, None)])
async def test_a_change_stands_on_what_it_only_read_too(books: Books, table: Table, before: Body | None, after: Body | None) -> None:
    """What it read is changed by another before it writes: it starts again."""
    read: list[Body | None] = []

    def copy(transaction: Transaction) -> None:
        read.append(transaction.get("read"))
        if len(read) == 1:
            ledger_store._change(table, lambda other: other.put("read", after))
        transaction.put("written", {"doc_id": str(read[-1])})

    await books.store.change(lambda transaction: transaction.put("read", before))
    await books.store.change(copy)
    assert read == [before, after]
    assert await books.store.get_many(["written"]) == {"written": {"doc_id": str(after)}}


async def test_a_reserved_id_that_was_taken_meanwhile_is_nobody_else_s(books: Books, client: Faulty, clock: Any, tmp_path: Path) -> None:
    """Two bring a file under one reserved id: the other's ends in a known document, to which the id leads from then on."""
    known, _ = await accept(books, "a.txt", "h1")
    async with make_ledger_store(tmp_path, clock) as store:
        other = Books(store, clock)
        loop = asyncio.get_running_loop()

        def be_late(real: Any, arguments: dict[str, Any]) -> Any:
            taken = accept(other, "b.txt", "h1", doc_id="reserved-000001")
            assert asyncio.run_coroutine_threadsafe(taken, loop).result(20) == (known, False)
            return real(**arguments)

        client.faults["transact_write_items"] = [be_late]
        made, _ = await accept(books, "c.txt", "h2", doc_id="reserved-000001")
    assert made.doc_id != "reserved-000001"
    assert await books.ledger.get(ME, "reserved-000001") == known


# --- what goes wrong ---------------------------------------------------------------------------


async def test_a_transaction_whose_reply_was_lost_is_done_once(books: Books, client: Faulty) -> None:
    client.faults["transact_write_items"] = [losing_the_reply("InternalServerError")]
    document, work = await accept(books, "a.txt", "h1")
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
    books: Books, client: Faulty, table: Table, code: str, reasons: tuple[str, ...], sent: int
) -> None:
    client.faults["transact_write_items"] = [refusing(code, reasons)] * 10
    with pytest.raises(StoreUnavailable):
        await accept(books, "a.txt", "h1")
    assert 10 - len(client.faults["transact_write_items"]) == sent
    assert items(table) == []


async def test_a_change_is_one_transaction(books: Books, client: Faulty, table: Table) -> None:
    document, _ = await accept(books, "a.txt", "h1", doc_id="a-000001")
    await accept(books, "b.txt", "h1", doc_id="b-000001", origin="s3://b/b.txt", version="v1")
    assert items(table) == ["alias", "content", "document", "name", "origin", "scope"]
    await books.lifecycle.lease(document.doc_id, 1, "one", 60)
    await books.lifecycle.update(document.doc_id, 1, state="READY")
    await accept(books, "a.txt", "h2")
    await books.ledger.delete(ME, document.doc_id)
    await books.lifecycle.purge(document.doc_id)
    await books.origins.release("s3://b/b.txt")
    writes = [operation for operation, _ in client.calls if operation not in ("get_item", "query", "batch_get_item")]
    assert writes == ["transact_write_items"] * 8


async def test_what_does_not_fit_into_an_item_is_told_and_nothing_is_written(books: Books, table: Table) -> None:
    with pytest.raises(TooLarge, match="Shorten its metadata"):
        await accept(books, "a.txt", "h1", metadata={"text": "x" * 400_000})
    assert items(table) == []
    document, _ = await accept(books, "a.txt", "h1")
    with pytest.raises(TooLarge):
        await books.lifecycle.update(document.doc_id, 1, metadata={"text": "x" * 400_000})
    assert await books.ledger.get(ME, document.doc_id) == document


async def test_what_a_batch_leaves_undone_is_asked_for_again(books: Books, client: Faulty, table: Table) -> None:
    def half(real: Any, arguments: dict[str, Any]) -> Any:
        keys = arguments["RequestItems"][table.name]["Keys"]
        reply = real(RequestItems={table.name: {"Keys": keys[:1], "ConsistentRead": True}})
        return {**reply, "UnprocessedKeys": {table.name: {"Keys": keys[1:], "ConsistentRead": True}}}

    ids = sorted([(await accept(books, f"{number}.txt", f"h{number}"))[0].doc_id for number in range(4)])
    client.faults["batch_get_item"] = [half, half]
    assert [document.doc_id for document in (await books.ledger.list(ME)).data] == ids


# --- indexes -----------------------------------------------------------------------------------


async def test_an_index_that_lags_shows_nothing_that_is_gone(books: Books, client: Faulty, clock: Any) -> None:
    gone, _ = await accept(books, "a.txt", "h1", origin="s3://b/a", version="v1")
    clock.advance(1)
    here, _ = await accept(books, "b.txt", "h2", origin="s3://b/b", version="v2")
    stale: list[Any] = []
    for call in (books.ledger.list(ME), books.lifecycle.of_kind("unfinished"), books.origins.under("s3://")):
        client.faults["query"] = [lambda real, arguments: stale.append(real(**arguments)) or stale[-1]] * 2
        await call
    await books.origins.release("s3://b/a")
    await books.lifecycle.update(here.doc_id, 1, state="READY")
    client.faults["query"] = [lambda real, arguments: stale.pop(0)] * len(stale)
    assert [document.doc_id for document in (await books.ledger.list(ME)).data] == [here.doc_id]
    assert await books.lifecycle.of_kind("unfinished") == []
    assert list(await books.origins.under("s3://")) == ["s3://b/b"]
    assert stale == []
    assert gone.doc_id != here.doc_id


async def test_what_must_be_exact_asks_no_index(books: Books, client: Faulty) -> None:
    document, _ = await accept(books, "a.txt", "h1", origin="s3://b/a", version="v1")
    await books.ledger.get(ME, document.doc_id)
    await books.lifecycle.lease(document.doc_id, 1, "one", 60)
    await books.lifecycle.update(document.doc_id, 1, state="READY")
    await books.origins.held("s3://b/a")
    await books.lifecycle.reserve(ME, file_name="a.txt", collection="default", permission_groups=STAFF)
    await books.origins.release("s3://b/a")
    await books.lifecycle.purge(document.doc_id)
    assert {operation for operation, _ in client.calls} == {"get_item", "transact_write_items"}
    assert all(arguments["ConsistentRead"] for operation, arguments in client.calls if operation == "get_item")


async def test_a_list_reads_no_documents_of_others(books: Books, client: Faulty) -> None:
    for number in range(10):
        await accept(books, f"{number}.txt", f"h{number}", permission_groups=GUESTS)
    mine, _ = await accept(books, "mine.txt", "h1")
    client.calls.clear()
    assert [document.doc_id for document in (await books.ledger.list(ME)).data] == [mine.doc_id]
    assert await books.ledger.collections(ME) == {"default": 0}
    assert [arguments["Key"] for operation, arguments in client.calls if operation != "query"] == [{"pk": {"S": f"document#{mine.doc_id}"}}]


async def test_an_id_longer_than_any_key_is_not_found(books: Books, client: Faulty) -> None:
    client.faults["get_item"] = [refusing("ValidationException")]  # as AWS says of a key of more than 2,048 bytes
    with pytest.raises(NotFound):
        await books.ledger.get(ME, "x" * 2048)
