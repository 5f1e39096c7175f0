"""What every ledger does with documents whose id the client chose."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import Conflict, Forbidden, NotFound
from footnote.ports import NewFile
from footnote.types import Caller, Document
from tests.footnote.ledger.test_accepting import make_ready

STAFF, LAW = frozenset({"staff"}), frozenset({"law"})
LAWYER = Caller("lena", frozenset({"law"}))
BOTH = Caller("bo", frozenset({"law", "staff"}))


async def insert(books: Any, me: Caller, content_hash: str = "h1", doc_id: str = "A1", **given: Any) -> tuple[Document, bool]:
    given = {"collection": "default", "permission_groups": STAFF, "size": 7, **given}
    file = NewFile(file_name=f"{doc_id}.json", content_hash=content_hash, doc_id=doc_id, chosen_id=True, **given)
    found: tuple[Document, bool] = await books.lifecycle.accept(me, file)
    return found


async def test_a_document_gets_the_chosen_id(books: Any, me: Caller) -> None:
    document, work = await insert(books, me, title="One")
    assert (document.doc_id, document.generation, document.state, document.title, work) == ("A1", 1, "RECEIVED", "One", True)
    assert await books.ledger.get(me, "A1") == document


async def test_the_same_id_with_other_content_is_the_next_generation(books: Any, me: Caller) -> None:
    first, _ = await insert(books, me)
    await make_ready(books, first)
    assert (await insert(books, me))[1] is False
    second, work = await insert(books, me, "h2", title="Two")
    assert (second.doc_id, second.generation, second.active_generation, second.title, work) == ("A1", 2, 1, "Two", True)


async def test_the_same_content_under_two_ids_is_two_documents(books: Any, me: Caller) -> None:
    await insert(books, me)
    other, work = await insert(books, me, doc_id="B2")
    assert (other.doc_id, work) == ("B2", True)


async def test_other_groups_end_what_earlier_generations_may_answer(books: Any) -> None:
    first, _ = await insert(books, BOTH)
    await make_ready(books, first)
    moved, work = await insert(books, BOTH, permission_groups=LAW)
    assert (moved.generation, moved.active_generation, moved.permission_groups, work) == (2, 0, LAW, True)
    with pytest.raises(NotFound):
        await books.ledger.get(Caller("sam", STAFF), "A1")
    assert [document.doc_id for document in (await books.ledger.list(LAWYER)).data] == ["A1"]
    assert (await books.ledger.list(Caller("sam", STAFF))).data == ()
    await make_ready(books, moved)
    assert await books.ledger.collections(LAWYER) == {"default": 1}
    assert await books.ledger.collections(Caller("sam", STAFF)) == {}


async def test_a_document_of_others_cannot_be_overwritten(books: Any, me: Caller) -> None:
    await insert(books, LAWYER, permission_groups=LAW)
    with pytest.raises(NotFound):
        await insert(books, Caller("sam", STAFF), "h2")
    await books.ledger.delete(LAWYER, "A1")
    with pytest.raises(NotFound):
        await insert(books, Caller("sam", STAFF), "h2")
    assert (await insert(books, LAWYER, "h1", permission_groups=LAW))[0].generation == 2


async def test_overwriting_needs_every_group_of_the_document(books: Any) -> None:
    await insert(books, BOTH, permission_groups=STAFF | LAW)
    with pytest.raises(Forbidden):
        await insert(books, LAWYER, "h2", permission_groups=LAW)


async def test_a_deleted_document_can_be_inserted_again(books: Any, me: Caller) -> None:
    first, _ = await insert(books, me)
    await make_ready(books, first)
    await books.ledger.delete(me, "A1")
    again, work = await insert(books, me)
    assert (again.doc_id, again.generation, again.active_generation, again.state, work) == ("A1", 2, 0, "RECEIVED", True)
    await books.lifecycle.purge("A1")  # of the deletion, late
    assert (await books.ledger.get(me, "A1")).state == "RECEIVED"
    assert await books.lifecycle.of_kind("unburied") == []
    assert (await books.lifecycle.counts())["RECEIVED"] == 1


async def test_a_document_made_from_a_file_is_not_overwritten_by_its_id(books: Any, me: Caller) -> None:
    given: dict[str, Any] = {"collection": "default", "permission_groups": STAFF, "content_hash": "h1", "size": 7}
    document, _ = await books.lifecycle.accept(me, NewFile(file_name="a.txt", **given))
    with pytest.raises(Conflict):
        await insert(books, me, "h2", document.doc_id)
    reserved = await books.lifecycle.reserve(me, file_name="b.txt", collection="default", permission_groups=STAFF)
    await books.lifecycle.accept(me, NewFile(file_name="b.txt", doc_id=reserved, **given))
    with pytest.raises(Conflict):
        await insert(books, me, "h2", reserved)


async def test_an_id_is_used_in_one_collection(books: Any, me: Caller) -> None:
    await insert(books, me)
    with pytest.raises(Conflict):
        await insert(books, me, collection="other")
    await books.ledger.delete(me, "A1")
    assert (await insert(books, me, collection="other"))[0].collection == "other"
