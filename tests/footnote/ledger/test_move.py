"""What every ledger does when a document gets other readers or another collection."""

from __future__ import annotations

from typing import Any

from footnote.ports import Name
from footnote.types import Caller
from tests.footnote.ledger.test_accepting import STAFF, accept, make_ready

HR = frozenset({"hr"})


async def test_it_starts_its_next_generation_there_and_nowhere_else(books: Any, me: Caller, stranger: Caller, clock: Any) -> None:
    document, _ = await accept(books, me, "a.txt", "h1", metadata={"class": "a"})
    await accept(books, me, "b.txt", "h1")
    await make_ready(books, document)
    clock.advance(5)
    assert await books.lifecycle.move(document.doc_id, 1, collection="side", permission_groups=HR)
    all_seeing = Caller("root", sees_all=True)
    after = await books.ledger.get(all_seeing, document.doc_id)
    assert (after.collection, after.permission_groups, after.state) == ("side", HR, "RECEIVED")
    assert (after.generation, after.active_generation, after.updated_at) == (2, 0, clock.now)
    assert (after.content_hash, after.metadata, after.created_at) == ("h1", {"class": "a"}, document.created_at)
    assert sorted(await books.origins.names(document.doc_id)) == [Name("a.txt"), Name("b.txt")]
    assert ([each.doc_id for each in (await books.ledger.list(me)).data], await books.ledger.collections(me)) == ([], {})
    assert [each.doc_id for each in (await books.ledger.list(Caller("ann", HR))).data] == [document.doc_id]
    assert (await books.ledger.collections(Caller("ann", HR)), (await books.lifecycle.counts())["RECEIVED"]) == ({"side": 0}, 1)
    there, work = await accept(books, Caller("ann", HR), "a.txt", "h2", collection="side", permission_groups=HR)
    assert (there.doc_id != document.doc_id, work) == (True, True)  # one of two names takes the new content
    here, _ = await accept(books, me, "b.txt", "h1")
    assert here.doc_id not in (document.doc_id, there.doc_id)


async def test_its_only_name_leads_to_it_there_and_is_free_here(books: Any, me: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    assert await books.lifecycle.lease(document.doc_id, 1, "worker", 9)
    assert await books.lifecycle.move(document.doc_id, 1, collection="default", permission_groups=HR)
    assert await books.lifecycle.lease(document.doc_id, 2, "another", 9)
    new, _ = await accept(books, me, "a.txt", "h1", permission_groups=HR)
    assert (new.doc_id, new.generation) == (document.doc_id, 2)
    newer, _ = await accept(books, me, "a.txt", "h2", permission_groups=HR)
    assert (newer.doc_id, newer.generation) == (document.doc_id, 3)
    assert (await accept(books, me, "a.txt", "h1"))[0].doc_id != document.doc_id


async def test_a_name_that_leads_elsewhere_there_keeps_leading_there(books: Any, me: Caller) -> None:
    other, _ = await accept(books, me, "a.txt", "h2", permission_groups=HR)
    document, _ = await accept(books, me, "a.txt", "h1")
    assert await books.lifecycle.move(document.doc_id, 1, collection="default", permission_groups=HR)
    assert (await books.origins.names(document.doc_id), await books.origins.names(other.doc_id)) == ([], [Name("a.txt")])
    assert (await accept(books, me, "a.txt", "h3", permission_groups=HR))[0].doc_id == other.doc_id


async def test_only_the_generation_that_was_meant_is_moved(books: Any, me: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    assert not await books.lifecycle.move(document.doc_id, 2, collection="side", permission_groups=HR)
    assert [await books.lifecycle.move(document.doc_id, 1, collection="side", permission_groups=STAFF) for _ in range(2)] == [True, False]
    await books.ledger.delete(me, document.doc_id, keep=True)
    assert not await books.lifecycle.move(document.doc_id, 2, collection="default", permission_groups=HR)
    assert not await books.lifecycle.move("nobody", 1, collection="default", permission_groups=HR)
    assert await books.lifecycle.undelete(document.doc_id, 2)
    assert (await books.ledger.get(me, document.doc_id)).permission_groups == STAFF
