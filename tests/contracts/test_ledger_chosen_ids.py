"""What every ledger does with documents whose id the client chose."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import Conflict, Forbidden, NotFound
from footnote.ports import NewFile
from footnote.types import Caller, Document

STAFF, LAW = frozenset({"staff"}), frozenset({"law"})
LAWYER = Caller("lena", frozenset({"law"}))
BOTH = Caller("bo", frozenset({"law", "staff"}))


async def insert(ledger: Any, me: Caller, content_hash: str = "h1", doc_id: str = "A1", **given: Any) -> tuple[Document, bool]:
    given = {"collection": "default", "permission_groups": STAFF, "size": 7, **given}
    file = NewFile(file_name=f"{doc_id}.json", content_hash=content_hash, doc_id=doc_id, chosen_id=True, **given)
    found: tuple[Document, bool] = await ledger.accept(me, file)
    return found


async def make_ready(ledger: Any, document: Document) -> None:
    assert await ledger.update(document.doc_id, document.generation, state="READY", active_generation=document.generation, chunks=3)


@pytest.mark.engine
async def test_a_document_gets_the_chosen_id(ledger: Any, me: Caller) -> None:
    document, work = await insert(ledger, me, title="One")
    assert (document.doc_id, document.generation, document.state, document.title, work) == ("A1", 1, "RECEIVED", "One", True)
    assert await ledger.get(me, "A1") == document


async def test_the_same_id_with_other_content_is_the_next_generation(ledger: Any, me: Caller) -> None:
    first, _ = await insert(ledger, me)
    await make_ready(ledger, first)
    assert (await insert(ledger, me))[1] is False
    second, work = await insert(ledger, me, "h2", title="Two")
    assert (second.doc_id, second.generation, second.active_generation, second.title, work) == ("A1", 2, 1, "Two", True)


async def test_the_same_content_under_two_ids_is_two_documents(ledger: Any, me: Caller) -> None:
    await insert(ledger, me)
    other, work = await insert(ledger, me, doc_id="B2")
    assert (other.doc_id, work) == ("B2", True)


async def test_other_groups_end_what_earlier_generations_may_answer(ledger: Any) -> None:
    first, _ = await insert(ledger, BOTH)
    await make_ready(ledger, first)
    moved, work = await insert(ledger, BOTH, permission_groups=LAW)
    assert (moved.generation, moved.active_generation, moved.permission_groups, work) == (2, 0, LAW, True)
    with pytest.raises(NotFound):
        await ledger.get(Caller("sam", STAFF), "A1")
    assert [document.doc_id for document in (await ledger.list(LAWYER)).data] == ["A1"]
    assert (await ledger.list(Caller("sam", STAFF))).data == ()
    await make_ready(ledger, moved)
    assert await ledger.collections(LAWYER) == {"default": 1}
    assert await ledger.collections(Caller("sam", STAFF)) == {}


@pytest.mark.engine
async def test_a_document_of_others_cannot_be_overwritten(ledger: Any, me: Caller) -> None:
    await insert(ledger, LAWYER, permission_groups=LAW)
    with pytest.raises(NotFound):
        await insert(ledger, Caller("sam", STAFF), "h2")
    await ledger.delete(LAWYER, "A1")
    with pytest.raises(NotFound):
        await insert(ledger, Caller("sam", STAFF), "h2")
    assert (await insert(ledger, LAWYER, "h1", permission_groups=LAW))[0].generation == 2


async def test_overwriting_needs_every_group_of_the_document(ledger: Any) -> None:
    await insert(ledger, BOTH, permission_groups=STAFF | LAW)
    with pytest.raises(Forbidden):
        await insert(ledger, LAWYER, "h2", permission_groups=LAW)


@pytest.mark.engine
async def test_a_deleted_document_can_be_inserted_again(ledger: Any, me: Caller) -> None:
    first, _ = await insert(ledger, me)
    await make_ready(ledger, first)
    await ledger.delete(me, "A1")
    again, work = await insert(ledger, me)
    assert (again.doc_id, again.generation, again.active_generation, again.state, work) == ("A1", 2, 0, "RECEIVED", True)
    await ledger.purge("A1")  # of the deletion, late
    assert (await ledger.get(me, "A1")).state == "RECEIVED"
    assert await ledger.unpurged() == []
    assert (await ledger.counts())["RECEIVED"] == 1


async def test_a_document_made_from_a_file_is_not_overwritten_by_its_id(ledger: Any, me: Caller) -> None:
    given: dict[str, Any] = {"collection": "default", "permission_groups": STAFF, "content_hash": "h1", "size": 7}
    document, _ = await ledger.accept(me, NewFile(file_name="a.txt", **given))
    with pytest.raises(Conflict):
        await insert(ledger, me, "h2", document.doc_id)
    reserved = await ledger.reserve(me, file_name="b.txt", collection="default", permission_groups=STAFF)
    await ledger.accept(me, NewFile(file_name="b.txt", doc_id=reserved, **given))
    with pytest.raises(Conflict):
        await insert(ledger, me, "h2", reserved)


async def test_an_id_is_used_in_one_collection(ledger: Any, me: Caller) -> None:
    await insert(ledger, me)
    with pytest.raises(Conflict):
        await insert(ledger, me, collection="other")
    await ledger.delete(me, "A1")
    assert (await insert(ledger, me, collection="other"))[0].collection == "other"
