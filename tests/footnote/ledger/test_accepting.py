"""What every ledger does."""

from __future__ import annotations

import asyncio
import re
from typing import Any

import pytest

from footnote.errors import NotFound
from footnote.ports import NewFile
from footnote.types import Caller

STAFF = frozenset({"staff"})


async def accept(books: Any, me: Caller, file_name: str, content_hash: str, **given: Any) -> Any:
    given = {"collection": "default", "permission_groups": STAFF, "size": 7, **given}
    return await books.lifecycle.accept(me, NewFile(file_name=file_name, content_hash=content_hash, **given))


async def make_ready(books: Any, document: Any) -> None:
    assert await books.lifecycle.update(
        document.doc_id, document.generation, state="READY", active_generation=document.generation, chunks=3
    )


async def test_a_new_file_is_received_as_generation_one(books: Any, me: Caller, clock: Any) -> None:
    clock.now = 100.0
    document, work = await accept(books, me, "Report 2024.pdf", "h1", size=42, metadata={"class": "a"})
    assert work is True
    assert re.fullmatch(r"report-2024-[0-9a-f]{6}", document.doc_id)
    assert (document.state, document.generation, document.active_generation) == ("RECEIVED", 1, 0)
    assert (document.title, document.file_name, document.collection) == ("Report 2024.pdf", "Report 2024.pdf", "default")
    assert (document.content_hash, document.size, document.permission_groups) == ("h1", 42, STAFF)
    assert document.metadata == {"class": "a"}
    assert (document.created_at, document.updated_at) == (100.0, 100.0)
    assert await books.ledger.get(me, document.doc_id) == document


async def test_a_document_keeps_the_owner_who_added_it_first(books: Any, me: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1", owner="ann")
    assert document.owner == "ann"
    for content in ("h1", "h2"):
        again, _ = await accept(books, me, "a.txt", content, owner="ben")
        assert (again.doc_id, again.owner) == (document.doc_id, "ann")
    assert (await books.ledger.get(me, document.doc_id)).owner == "ann"
    nobody, _ = await accept(books, me, "b.txt", "h3")
    assert nobody.owner == ""


@pytest.mark.parametrize(
    ("file_name", "slug"),
    [
        ("Über uns.html", "uber-uns"),
        ("보고서 2024.pdf", "doc"),
        ("2024.csv", "doc"),
        ("plan–für 팀a.txt", "plan-fur-a"),
        ("../../etc/passwd", "passwd"),
        ("..\\secret|a#b.txt", "secret-a-b"),
        ("x" * 60 + ".md", "x" * 40),
        ("", "doc"),
        (b"caf\xe9.txt".decode(errors="surrogateescape"), "caf-udce9"),
    ],
)
async def test_an_id_is_readable_and_safe_whatever_the_name(books: Any, me: Caller, file_name: str, slug: str) -> None:
    document, _ = await accept(books, me, file_name, "h1")
    assert re.fullmatch(slug + "-[0-9a-f]{6}", document.doc_id)


async def test_names_that_are_not_valid_text_stay_distinct(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, b"\xff.txt".decode(errors="surrogateescape"), "h1")
    second, work = await accept(books, me, b"\xfe.txt".decode(errors="surrogateescape"), "h2")
    assert work is True
    assert second.doc_id != first.doc_id


async def test_the_same_name_in_another_unicode_form_is_the_same_name(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "\u00fc.txt", "h1")
    second, _ = await accept(books, me, "u\u0308.txt", "h2")
    assert (second.doc_id, second.generation) == (first.doc_id, 2)


async def test_the_same_file_again_needs_no_work(books: Any, me: Caller, clock: Any) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    clock.advance(5)
    assert await accept(books, me, "a.txt", "h1", title="other") == (first, False)
    await books.lifecycle.update(first.doc_id, 1, state="PROCESSING")
    assert (await accept(books, me, "a.txt", "h1"))[1] is False
    await make_ready(books, first)
    again, work = await accept(books, me, "a.txt", "h1")
    assert (again.doc_id, again.generation, again.state, work) == (first.doc_id, 1, "READY", False)


async def test_the_same_file_with_other_metadata_is_its_next_generation(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1", metadata={"class": "Law", "topics": ["a"]})
    await make_ready(books, first)
    for metadata in (None, {"topics": ["a"], "class": "Law"}):
        known, work = await accept(books, me, "a.txt", "h1", metadata=metadata)
        assert (known.generation, known.metadata, work) == (1, {"class": "Law", "topics": ["a"]}, False)
    for generation, changed in ((2, {"class": "Tax"}), (3, {})):
        again, work = await accept(books, me, "a.txt", "h1", metadata=changed)
        assert (again.doc_id, again.generation, again.metadata, work) == (first.doc_id, generation, changed, True)


async def test_the_same_content_under_another_name_is_the_same_document(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    assert await accept(books, me, "b.txt", "h1") == (first, False)
    assert [document.doc_id for document in (await books.ledger.list(me)).data] == [first.doc_id]
    assert await accept(books, me, "b.txt", "h1") == (first, False)


async def test_new_content_under_a_documents_only_name_is_its_next_generation(books: Any, me: Caller, clock: Any) -> None:
    first, _ = await accept(books, me, "a.txt", "h1", metadata={"x": 1}, title="A")
    await make_ready(books, first)
    clock.advance(5)
    second, work = await accept(books, me, "a.txt", "h2", size=9)
    assert work is True
    assert (second.doc_id, second.generation, second.content_hash, second.size) == (first.doc_id, 2, "h2", 9)
    assert (second.state, second.active_generation) == ("RECEIVED", 1)
    assert (second.title, second.metadata, second.chunks) == ("A", {"x": 1}, 3)
    assert (second.created_at, second.updated_at) == (first.created_at, clock.now)
    third, _ = await accept(books, me, "a.txt", "h3", metadata={}, title="B")
    assert (third.generation, third.metadata, third.title) == (3, {}, "B")


async def test_new_content_under_one_of_several_names_is_new_and_the_old_document_stays(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    await accept(books, me, "b.txt", "h1")
    await make_ready(books, first)
    second, work = await accept(books, me, "a.txt", "h2")
    assert work is True
    assert second.doc_id != first.doc_id
    assert second.generation == 1
    kept = await books.ledger.get(me, first.doc_id)
    assert (kept.state, kept.generation, kept.content_hash, kept.file_name) == ("READY", 1, "h1", "b.txt")
    third, _ = await accept(books, me, "b.txt", "h3")
    assert (third.doc_id, third.generation) == (first.doc_id, 2)


async def test_one_of_several_names_moves_to_the_document_that_has_its_new_content(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    await accept(books, me, "b.txt", "h1")
    second, _ = await accept(books, me, "c.txt", "h2")
    assert await accept(books, me, "b.txt", "h2") == (second, False)
    assert (await accept(books, me, "a.txt", "h3"))[0].doc_id == first.doc_id


async def test_an_only_name_that_takes_anothers_content_leaves_no_old_content_answering(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    second, _ = await accept(books, me, "b.txt", "h2")
    third, work = await accept(books, me, "a.txt", "h2")
    assert (third.doc_id, third.generation, third.content_hash, work) == (first.doc_id, 2, "h2", True)
    assert await accept(books, me, "a.txt", "h2") == (third, False)
    assert await accept(books, me, "b.txt", "h2") == (second, False)


async def test_a_failed_file_is_retried(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    await books.lifecycle.update(first.doc_id, 1, state="FAILED", reason="It is encrypted.", remedy="Remove the password.")
    again, work = await accept(books, me, "b.txt", "h1")
    assert work is True
    assert (again.doc_id, again.generation, again.state, again.reason, again.remedy) == (first.doc_id, 2, "RECEIVED", None, None)


async def test_a_generation_that_fails_leaves_the_one_before_answering(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    await make_ready(books, first)
    await accept(books, me, "a.txt", "h2")
    assert await books.lifecycle.update(first.doc_id, 2, state="FAILED", reason="It is empty.")
    failed = await books.ledger.get(me, first.doc_id)
    assert (failed.state, failed.reason, failed.active_generation) == ("FAILED", "It is empty.", 1)


async def test_collections_and_groups_keep_equal_content_apart(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    other_collection, _ = await accept(books, me, "a.txt", "h1", collection="hr")
    other_groups, work = await accept(books, me, "a.txt", "h1", permission_groups=frozenset({"staff", "guests"}))
    assert work is True
    assert len({first.doc_id, other_collection.doc_id, other_groups.doc_id}) == 3


async def test_the_order_of_groups_makes_no_difference(books: Any, me: Caller) -> None:
    names = [f"group-{number}" for number in range(50)]
    first, _ = await accept(books, me, "a.txt", "h1", permission_groups=frozenset(names))
    assert await accept(books, me, "a.txt", "h1", permission_groups=frozenset(reversed(names))) == (first, False)


# --- reserved ids ------------------------------------------------------------------------------


async def reserve(books: Any, caller: Caller, file_name: str) -> str:
    doc_id: str = await books.lifecycle.reserve(caller, file_name=file_name, collection="default", permission_groups=STAFF)
    return doc_id


async def test_a_reserved_id_becomes_the_new_documents_id(books: Any, me: Caller) -> None:
    reserved = await reserve(books, me, "Plan.md")
    assert re.fullmatch(r"plan-[0-9a-f]{6}", reserved)
    with pytest.raises(NotFound):
        await books.ledger.get(me, reserved)
    document, work = await accept(books, me, "Plan.md", "h1", doc_id=reserved)
    assert (document.doc_id, work) == (reserved, True)


async def test_a_reserved_id_leads_to_the_document_that_has_the_content_already(books: Any, me: Caller, stranger: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    assert await accept(books, me, "b.txt", "h1", doc_id="b-000001") == (first, False)
    assert await books.ledger.get(me, "b-000001") == first
    with pytest.raises(NotFound):
        await books.ledger.get(stranger, "b-000001")
    assert (await books.ledger.delete(me, "b-000001")).doc_id == first.doc_id
    with pytest.raises(NotFound):
        await books.ledger.get(me, "b-000001")


async def test_two_uploads_of_one_new_name_are_found_under_both_reserved_ids(books: Any, me: Caller) -> None:
    first, second = await reserve(books, me, "a.txt"), await reserve(books, me, "a.txt")
    assert first != second
    await accept(books, me, "a.txt", "h1", doc_id=first)
    document, work = await accept(books, me, "a.txt", "h2", doc_id=second)
    assert (document.doc_id, document.generation, work) == (first, 2, True)
    assert (await books.ledger.get(me, second)).doc_id == first


async def test_a_known_name_is_reserved_under_its_documents_id(books: Any, me: Caller, stranger: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    assert await reserve(books, me, "a.txt") == document.doc_id
    assert await reserve(books, stranger, "a.txt") != document.doc_id
    elsewhere = await books.lifecycle.reserve(me, file_name="a.txt", collection="hr", permission_groups=STAFF)
    assert elsewhere != document.doc_id


async def test_one_of_several_names_is_reserved_under_an_id_of_its_own(books: Any, me: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    await accept(books, me, "b.txt", "h1")
    reserved = await reserve(books, me, "a.txt")
    assert reserved != document.doc_id
    assert (await accept(books, me, "a.txt", "h2", doc_id=reserved))[0].doc_id == reserved


async def test_a_given_id_never_takes_over_another_document(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "a.txt", "h1")
    second, work = await accept(books, me, "b.txt", "h2", doc_id=first.doc_id)
    assert work is True
    assert second.doc_id != first.doc_id
    assert await books.ledger.get(me, first.doc_id) == first
    await books.ledger.delete(me, first.doc_id)
    third, _ = await accept(books, me, "c.txt", "h3", doc_id=first.doc_id)
    assert third.doc_id != first.doc_id


# --- reading -----------------------------------------------------------------------------------


async def test_an_unreadable_document_is_not_found(books: Any, me: Caller, stranger: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    for call in (
        books.ledger.get(stranger, document.doc_id),
        books.ledger.delete(stranger, document.doc_id),
        books.ledger.get(me, "unknown"),
    ):
        with pytest.raises(NotFound):
            await call
    assert (await books.ledger.get(me, document.doc_id)).state == "RECEIVED"
    assert (await books.ledger.list(stranger)).data == ()
    assert await books.ledger.collections(stranger) == {}


async def test_public_documents_are_visible_to_all_and_documents_without_groups_to_no_one(books: Any, stranger: Caller) -> None:
    everyones, _ = await accept(books, stranger, "a.txt", "h1", permission_groups=frozenset({"*"}))
    nobodys, _ = await accept(books, stranger, "b.txt", "h2", permission_groups=frozenset())
    local = Caller("local", sees_all=True)
    for caller in (stranger, local):
        assert [document.doc_id for document in (await books.ledger.list(caller)).data] == [everyones.doc_id]
        with pytest.raises(NotFound):
            await books.ledger.get(caller, nobodys.doc_id)


async def test_a_list_is_cut_into_pages_newest_first(books: Any, me: Caller, clock: Any) -> None:
    ids = []
    for number in range(5):
        clock.advance(1)
        ids.append((await accept(books, me, f"{number}.txt", f"h{number}"))[0].doc_id)
    newest = ids[::-1]
    first = await books.ledger.list(me, limit=2)
    assert ([document.doc_id for document in first.data], first.has_more, first.last_id) == (newest[:2], True, newest[1])
    second = await books.ledger.list(me, limit=2, after=first.last_id)
    assert ([document.doc_id for document in second.data], second.has_more) == (newest[2:4], True)
    third = await books.ledger.list(me, limit=2, after=second.last_id)
    assert ([document.doc_id for document in third.data], third.has_more, third.last_id) == (newest[4:], False, newest[4])
    after_the_end = await books.ledger.list(me, limit=2, after=third.last_id)
    assert (after_the_end.data, after_the_end.has_more, after_the_end.last_id) == ((), False, None)


async def test_documents_of_the_same_moment_are_listed_by_id_and_none_is_skipped(books: Any, me: Caller) -> None:
    ids = sorted([(await accept(books, me, f"{number}.txt", f"h{number}"))[0].doc_id for number in range(4)])
    first = await books.ledger.list(me, limit=3)
    second = await books.ledger.list(me, limit=3, after=first.last_id)
    assert [document.doc_id for document in (*first.data, *second.data)] == ids


async def test_pages_are_full_although_documents_between_are_invisible(books: Any, me: Caller, stranger: Caller, clock: Any) -> None:
    mine = []
    for number in range(6):
        clock.advance(1)
        groups = STAFF if number % 2 else frozenset({"guests"})
        document, _ = await accept(books, me, f"{number}.txt", f"h{number}", permission_groups=groups)
        if number % 2:
            mine.append(document.doc_id)
    page = await books.ledger.list(me, limit=3)
    assert ([document.doc_id for document in page.data], page.has_more) == (mine[::-1], False)
    with pytest.raises(NotFound):
        await books.ledger.list(stranger, after=mine[0])


async def test_a_list_goes_on_after_a_document_that_was_deleted_meanwhile(books: Any, me: Caller, clock: Any) -> None:
    old, _ = await accept(books, me, "old.txt", "h1")
    clock.advance(1)
    new, _ = await accept(books, me, "new.txt", "h2")
    page = await books.ledger.list(me, limit=1)
    await books.ledger.delete(me, new.doc_id)
    assert [document.doc_id for document in (await books.ledger.list(me, after=page.last_id)).data] == [old.doc_id]


async def test_a_list_can_be_of_one_collection(books: Any, me: Caller) -> None:
    await accept(books, me, "a.txt", "h1")
    other, _ = await accept(books, me, "b.txt", "h2", collection="hr")
    assert [document.doc_id for document in (await books.ledger.list(me, collection="hr")).data] == [other.doc_id]
    assert (await books.ledger.list(me, collection="unknown")).data == ()


async def test_collections_count_what_is_visible_and_ready(books: Any, me: Caller) -> None:
    ready, _ = await accept(books, me, "a.txt", "h1")
    await make_ready(books, ready)
    await accept(books, me, "b.txt", "h2")
    await accept(books, me, "c.txt", "h3", collection="hr")
    hidden, _ = await accept(books, me, "d.txt", "h4", permission_groups=frozenset({"guests"}))
    await make_ready(books, hidden)
    assert await books.ledger.collections(me) == {"default": 1, "hr": 0}


async def test_unfinished_documents_of_all_are_found_oldest_first(books: Any, me: Caller, clock: Any) -> None:
    async def accept_at(second: float, name: str, **given: Any) -> Any:
        clock.now = second
        return (await accept(books, me, name, name, **given))[0]

    changed = await accept_at(1, "a")
    ready = await accept_at(2, "b")
    await make_ready(books, ready)
    failed = await accept_at(3, "c")
    await books.lifecycle.update(failed.doc_id, 1, state="FAILED")
    await books.ledger.delete(me, (await accept_at(4, "d")).doc_id)
    nobodys = await accept_at(5, "e", permission_groups=frozenset())
    received = await accept_at(6, "f", collection="hr")
    await books.lifecycle.update(changed.doc_id, 1, state="PROCESSING")
    assert [document.doc_id for document in await books.lifecycle.of_kind("unfinished")] == [
        changed.doc_id,
        nobodys.doc_id,
        received.doc_id,
    ]


async def test_failed_documents_of_all_are_found_oldest_first_until_they_are_tried_again(books: Any, me: Caller, clock: Any) -> None:
    doc_ids = []
    for second, name, groups in ((1, "a", ["*"]), (2, "b", []), (3, "c", ["*"]), (4, "d", ["*"])):
        clock.now = second
        document, _ = await accept(books, me, name, name, permission_groups=frozenset(groups))
        await books.lifecycle.update(document.doc_id, 1, state="FAILED", reason="It is locked.")
        doc_ids.append(document.doc_id)
    assert [(each.doc_id, each.reason) for each in await books.lifecycle.of_kind("failed")] == [
        (doc_id, "It is locked.") for doc_id in doc_ids
    ]
    await books.ledger.delete(me, doc_ids[2])
    await books.lifecycle.update(doc_ids[3], 1, state="RECEIVED")
    assert [each.doc_id for each in await books.lifecycle.of_kind("failed")] == doc_ids[:2]


async def test_counts_name_every_state(books: Any, me: Caller) -> None:
    ready, _ = await accept(books, me, "a.txt", "h1")
    await make_ready(books, ready)
    await accept(books, me, "b.txt", "h2", permission_groups=frozenset({"guests"}))
    gone, _ = await accept(books, me, "c.txt", "h3")
    await books.ledger.delete(me, gone.doc_id)
    assert await books.lifecycle.counts() == {"RECEIVED": 1, "PROCESSING": 0, "READY": 1, "FAILED": 0, "DELETED": 1}


# --- updating and deleting ---------------------------------------------------------------------


async def test_an_update_writes_its_fields_and_the_time(books: Any, me: Caller, clock: Any) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    clock.advance(5)
    assert await books.lifecycle.update(document.doc_id, 1, title="A", pages=12, chunks=30, lang="ko", metadata={"author": "Kim"}) is True
    changed = await books.ledger.get(me, document.doc_id)
    assert (changed.title, changed.pages, changed.chunks, changed.lang, changed.metadata) == ("A", 12, 30, "ko", {"author": "Kim"})
    assert (changed.state, changed.updated_at) == ("RECEIVED", clock.now)


async def test_an_update_of_a_generation_that_was_overtaken_changes_nothing(books: Any, me: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    overtaken, _ = await accept(books, me, "a.txt", "h2")
    assert await books.lifecycle.update(document.doc_id, 1, state="READY", active_generation=1) is False
    assert await books.ledger.get(me, document.doc_id) == overtaken
    assert await books.lifecycle.update("unknown", 1, state="READY") is False


@pytest.mark.parametrize("field", ["content_hash", "permission_groups", "collection", "created_at", "nonsense"])
async def test_an_update_cannot_change_what_a_document_is(books: Any, me: Caller, field: str) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    with pytest.raises(TypeError):
        await books.lifecycle.update(document.doc_id, 1, **{field: "x"})


async def test_a_deleted_document_is_gone_and_its_name_and_content_are_free(books: Any, me: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    await make_ready(books, document)
    deleted = await books.ledger.delete(me, document.doc_id)
    assert (deleted.doc_id, deleted.state, deleted.file_name) == (document.doc_id, "DELETED", "a.txt")
    with pytest.raises(NotFound):
        await books.ledger.get(me, document.doc_id)
    assert (await books.ledger.list(me)).data == ()
    assert await books.ledger.collections(me) == {}
    assert await books.lifecycle.update(document.doc_id, 1, state="READY") is False
    again, work = await accept(books, me, "a.txt", "h1")
    assert work is True
    assert again.doc_id != document.doc_id
    assert again.generation == 1


# --- concurrency -------------------------------------------------------------------------------


async def test_exactly_one_of_many_concurrent_uploads_of_the_same_content_has_work(open_books: Any, me: Caller) -> None:
    clients = [await open_books(), await open_books()]
    results = await asyncio.gather(*(accept(clients[number % 2], me, f"{number}.txt", "h1") for number in range(12)))
    assert sum(work for _, work in results) == 1
    assert len({document.doc_id for document, _ in results}) == 1


async def test_each_of_many_concurrent_changes_of_one_name_makes_a_generation(open_books: Any, me: Caller) -> None:
    clients = [await open_books(), await open_books()]
    results = await asyncio.gather(*(accept(clients[number % 2], me, "a.txt", f"h{number}") for number in range(8)))
    assert sorted(document.generation for document, _ in results) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len({document.doc_id for document, _ in results}) == 1


async def test_the_ledger_is_the_same_after_it_was_opened_again(open_books: Any, me: Caller) -> None:
    document, _ = await accept(await open_books(), me, "a.txt", "h1", metadata={"n": [1, 2]})
    assert await (await open_books()).ledger.get(me, document.doc_id) == document


# --- what is not READY, and what a model is to describe -------------------------------------------


async def test_states_and_failed_documents_are_those_that_the_caller_may_read(books: Any, me: Caller, stranger: Caller) -> None:
    theirs, _ = await accept(books, me, "a", "h1")
    assert await books.ledger.readable_states(me, "default") == {"RECEIVED": 1}
    assert await books.ledger.readable_states(stranger, "default") == {}
    await make_ready(books, theirs)
    assert await books.ledger.readable_states(me, "default") == {}
    read, _ = await accept(books, me, "b", "h2")
    await books.lifecycle.update(read.doc_id, 1, state="PROCESSING")
    failed, _ = await accept(books, me, "c", "h3")
    await books.lifecycle.update(failed.doc_id, 1, state="FAILED", reason="It is encrypted.", remedy="Remove the password.")
    await books.ledger.delete(me, (await accept(books, me, "d", "h4"))[0].doc_id)
    await accept(books, me, "e", "h5", permission_groups=frozenset())
    await accept(books, me, "f", "h6", collection="hr")
    assert await books.ledger.readable_states(me, "default") == {"READY": 1, "PROCESSING": 1, "FAILED": 1}
    assert [each.remedy for each in await books.ledger.unreadable(me, "default", 9)] == ["Remove the password."]
    assert await books.ledger.unreadable(me, "default", 0) == await books.ledger.unreadable(me, "hr", 9) == []
    await make_ready(books, read)
    assert await books.ledger.readable_states(me, "default") == {"FAILED": 1}
    assert await books.ledger.readable_states(stranger, "default") == {}
    assert await books.ledger.unreadable(stranger, "default", 9) == []


async def test_documents_to_be_described_are_listed_while_they_are_ready(books: Any, me: Caller, clock: Any) -> None:
    documents = []
    for name in ("a", "b", "c", "d"):
        clock.advance(1)
        document, _ = await accept(books, me, name, name)
        await make_ready(books, document)
        await books.lifecycle.update(document.doc_id, 1, described_by="waiting")
        documents.append(document.doc_id)
    assert [each.doc_id for each in await books.lifecycle.of_kind("undescribed", 9)] == documents
    assert [each.doc_id for each in await books.lifecycle.of_kind("undescribed", 2)] == documents[:2]
    await books.lifecycle.update(documents[0], 1, described_by="model")
    await books.lifecycle.renew(documents[1], 1)
    await books.ledger.delete(me, documents[2])
    assert [(each.doc_id, each.described_by) for each in await books.lifecycle.of_kind("undescribed", 9)] == [(documents[3], "waiting")]
