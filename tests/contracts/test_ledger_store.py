"""What every store of a ledger does. The rules that run on it are tested once, in `tests/footnote/ledger`."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from footnote.ports import NewFile
from footnote.ports.ledger import Body, DocumentScope, Position, Transaction
from footnote.types import Caller
from tests.books import Books

pytestmark = pytest.mark.engine

STAFF, GUESTS = DocumentScope("default", '["staff"]'), DocumentScope("hr", '["guests"]')
ME = Caller("me", frozenset({"staff"}))


def putting(key: str, body: Body | None, **given: Any) -> Any:
    def put(transaction: Transaction) -> None:
        transaction.put(key, body, **given)

    return put


# --- entries ---------------------------------------------------------------------------------------


async def test_an_entry_is_there_until_it_is_deleted(ledger_store: Any) -> None:
    body = {"text": "Über 길", "number": 1.5, "none": None, "list": [{"a": True}]}
    await ledger_store.change(putting("a", body))
    assert await ledger_store.get_many(["a", "unknown"]) == {"a": body}
    assert await ledger_store.get_many(["x" * 3000]) == await ledger_store.get_many([]) == {}
    await ledger_store.change(putting("a", None))
    assert await ledger_store.get_many(["a"]) == {}


async def test_a_rule_sees_what_it_has_written_and_its_copies_are_its_own(ledger_store: Any) -> None:
    def rule(transaction: Transaction) -> list[Body | None]:
        before = transaction.get("a")
        transaction.put("a", {"list": [1]})
        copy = transaction.get("a")
        assert copy is not None
        copy["list"].append(2)
        return [before, transaction.get("a")]

    assert await ledger_store.change(rule) == [None, {"list": [1]}]
    assert await ledger_store.get_many(["a"]) == {"a": {"list": [1]}}


async def test_what_a_rule_raises_takes_everything_back(ledger_store: Any) -> None:
    def rule(transaction: Transaction) -> None:
        transaction.put("a", {}, kind=Position("failed", "1"), counted={(STAFF, "READY"): 1})
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await ledger_store.change(rule)
    assert (await ledger_store.get_many(["a"]), await ledger_store.of_kind("failed"), await ledger_store.counts()) == ({}, [], {})


async def test_concurrent_rules_lose_no_change(open_ledger_store: Any) -> None:
    stores = [await open_ledger_store(), await open_ledger_store()]

    def add(transaction: Transaction) -> None:
        number = (transaction.get("a") or {"number": 0})["number"]
        transaction.put("a", {"number": number + 1}, counted={(STAFF, "READY"): 1})

    await asyncio.gather(*(stores[number % 2].change(add) for number in range(12)))
    assert await stores[0].get_many(["a"]) == {"a": {"number": 12}}
    assert (await stores[1].counts())[STAFF]["READY"] == 12


# --- lists and counters ----------------------------------------------------------------------------


async def test_lists_are_merged_by_position_and_cut_into_pages(ledger_store: Any) -> None:
    for number, scope in enumerate("abab"):
        await ledger_store.change(putting(f"key-{number}", {}, scope=Position(scope, f"at-{number}")))
    assert await ledger_store.newest(["a", "b", "unknown"], "", 3) == ["key-0", "key-1", "key-2"]
    assert await ledger_store.newest(["a", "b"], "at-1", 9) == ["key-2", "key-3"]
    assert await ledger_store.newest(["b"], "", 9) == ["key-1", "key-3"]
    await ledger_store.change(putting("key-1", {"n": 1}))
    await ledger_store.change(putting("key-3", None))
    assert await ledger_store.newest(["b"], "", 9) == await ledger_store.newest([], "", 9) == []


async def test_a_kind_is_listed_by_position_and_prefix(ledger_store: Any) -> None:
    places = ["a/x", "b/%_", "b/über", "b/보고서", "bb/x"]
    for place in reversed(places):
        await ledger_store.change(putting(place, {}, kind=Position("origin", place)))
    await ledger_store.change(putting("other", {}, kind=Position("failed", "b/y")))
    assert await ledger_store.of_kind("origin") == places
    assert await ledger_store.of_kind("origin", prefix="b/") == places[1:4]
    assert await ledger_store.of_kind("origin", limit=2) == places[:2]
    await ledger_store.change(putting("other", {"n": 1}, kind=Position("kept", "1")))
    assert (await ledger_store.of_kind("failed"), await ledger_store.of_kind("kept")) == ([], ["other"])


async def test_counters_add_up_by_scope_and_state(ledger_store: Any) -> None:
    for number in range(3):
        await ledger_store.change(putting(f"document#{number}", {}, counted={(STAFF, "RECEIVED"): 1}))
    await ledger_store.change(putting("document#0", {"n": 1}, counted={(STAFF, "RECEIVED"): -1, (GUESTS, "READY"): 1}))
    await ledger_store.change(putting("document#0", {"n": 1}, counted={(GUESTS, "READY"): 7}))  # nothing has changed
    assert {scope: dict(+numbers) for scope, numbers in (await ledger_store.counts()).items()} == {
        STAFF: {"RECEIVED": 2}, GUESTS: {"READY": 1},
    }  # fmt: skip
    assert (await ledger_store.counts("hr")).keys() == {GUESTS}


# --- whole journeys --------------------------------------------------------------------------------


def file(name: str, content_hash: str, **given: Any) -> NewFile:
    given = {"collection": "default", "permission_groups": frozenset({"staff"}), "size": 7, **given}
    return NewFile(file_name=name, content_hash=content_hash, **given)


@pytest.fixture
def books(ledger_store: Any, clock: Any) -> Books:
    return Books(ledger_store, clock)


async def test_a_document_goes_from_its_file_to_its_tombstone(books: Books, clock: Any) -> None:
    ledger, lifecycle, origins = books.ledger, books.lifecycle, books.origins
    document, _ = await lifecycle.accept(ME, file("a.txt", "h1", origin="s3://b/a.txt", version="v1"))
    assert (await lifecycle.accept(ME, file("b.txt", "h1")))[0] == document
    assert await ledger.readable_states(ME, "default") == {"RECEIVED": 1}
    assert await lifecycle.lease(document.doc_id, 1, "worker", 60)
    assert await lifecycle.update(document.doc_id, 1, state="READY", active_generation=1)
    ready = await ledger.get(ME, document.doc_id)
    assert ((await ledger.list(ME)).data, await ledger.collections(ME)) == ((ready,), {"default": 1})
    assert await lifecycle.move(document.doc_id, 1, collection="hr", permission_groups=frozenset({"staff"}))
    assert sorted(name.file_name for name in await origins.names(document.doc_id)) == ["a.txt", "b.txt"]
    await ledger.delete(ME, document.doc_id, keep=True)
    clock.advance(1)
    assert await lifecycle.undelete(document.doc_id, 2)
    assert [each.generation for each in await lifecycle.of_kind("unfinished")] == [3]
    await ledger.delete(ME, document.doc_id)
    await lifecycle.purge(document.doc_id)
    assert (await lifecycle.of_kind("unburied"), (await lifecycle.counts())["DELETED"]) == ([], 1)
    assert list(await origins.under("s3://")) == ["s3://b/a.txt"]
    assert await origins.release("s3://b/a.txt") == []


async def test_more_names_and_scopes_than_a_transaction_has_room_for_are_removed(books: Books) -> None:
    document, _ = await books.lifecycle.accept(ME, file("0.txt", "h1"))
    for number in range(1, 45):
        await books.lifecycle.accept(ME, file(f"{number}.txt", "h1"))
    await books.ledger.delete(ME, document.doc_id)
    await books.lifecycle.purge(document.doc_id)
    assert await books.lifecycle.of_kind("unburied") == []
    for number in range(25):
        given = {"origin": "s3://b/x", "version": "v", "permission_groups": frozenset({f"g{number}"})}
        await books.lifecycle.accept(ME, file("x.txt", "h2", **given))
    assert len(await books.origins.release("s3://b/x")) == 25
    assert await books.origins.held("s3://b/x") is None


async def test_concurrent_files_of_one_name_or_content_make_one_document(open_ledger_store: Any, clock: Any) -> None:
    sides = [Books(await open_ledger_store(), clock) for _ in range(2)]
    named = await asyncio.gather(*(sides[number % 2].lifecycle.accept(ME, file("a.txt", f"h{number}")) for number in range(8)))
    assert sorted(document.generation for document, _ in named) == [1, 2, 3, 4, 5, 6, 7, 8]
    same = await asyncio.gather(*(sides[number % 2].lifecycle.accept(ME, file(f"{number}.txt", "same")) for number in range(8)))
    assert (len({document.doc_id for document, _ in (*named, *same)}), sum(work for _, work in same)) == (2, 1)
    leased = await asyncio.gather(*(sides[n % 2].lifecycle.lease(same[0][0].doc_id, 1, f"owner-{n}", 60) for n in range(8)))
    assert sum(leased) == 1
