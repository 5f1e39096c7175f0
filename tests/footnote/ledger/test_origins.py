"""What every ledger does with origins of files, leases and the purge of deleted documents."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from footnote.errors import NotFound
from footnote.ports import Held, NewFile
from footnote.types import Caller, Document

STAFF = frozenset({"staff"})
BOARD = frozenset({"board"})
HERE = "s3://b/handbooks/a.txt"
THERE = "s3://b/other/a.txt"


async def drop(books: Any, origin: str, content_hash: str, **given: Any) -> tuple[Document, bool]:
    given = {"file_name": "a.txt", "collection": "default", "permission_groups": STAFF, "size": 7, **given}
    file = NewFile(content_hash=content_hash, origin=origin, version=f"v-{content_hash}", **given)
    dropped: tuple[Document, bool] = await books.lifecycle.accept(Caller("s3", sees_all=True), file)
    return dropped


async def upload(books: Any, file_name: str, content_hash: str) -> tuple[Document, bool]:
    file = NewFile(file_name=file_name, collection="default", permission_groups=STAFF, content_hash=content_hash, size=7)
    uploaded: tuple[Document, bool] = await books.lifecycle.accept(Caller("me"), file)
    return uploaded


def ids(documents: list[Document]) -> list[str]:
    return [document.doc_id for document in documents]


# --- origins -----------------------------------------------------------------------------------


async def test_a_file_with_an_origin_is_identified_by_it_and_its_name_is_only_displayed(books: Any) -> None:
    first, work = await drop(books, HERE, "h1")
    assert (first.file_name, first.title, work) == ("a.txt", "a.txt", True)
    assert first.doc_id.startswith("a-")
    second, work = await drop(books, HERE, "h2")
    assert (second.doc_id, second.generation, work) == (first.doc_id, 2, True)
    elsewhere, work = await drop(books, THERE, "h3")
    assert (elsewhere.generation, work) == (1, True)
    uploaded, work = await upload(books, "a.txt", "h4")
    assert (uploaded.generation, work) == (1, True)
    assert len({first.doc_id, elsewhere.doc_id, uploaded.doc_id}) == 3


async def test_an_origin_holds_the_version_that_was_accepted_last(books: Any) -> None:
    assert await books.origins.held(HERE) is None
    document, _ = await drop(books, HERE, "h1")
    assert await books.origins.held(HERE) == Held(document.doc_id, "v-h1")
    await drop(books, HERE, "h2")
    assert await books.origins.held(HERE) == Held(document.doc_id, "v-h2")
    await upload(books, "a.txt", "h3")
    assert await books.origins.held("a.txt") is None


async def test_the_same_bytes_in_a_new_version_need_no_work_and_the_version_is_stored(books: Any) -> None:
    document, _ = await drop(books, HERE, "h1")
    file = NewFile(file_name="a.txt", collection="default", permission_groups=STAFF, content_hash="h1", size=7, origin=HERE, version="v9")
    again, work = await books.lifecycle.accept(Caller("s3"), file)
    assert (again, work) == (document, False)
    assert await books.origins.held(HERE) == Held(document.doc_id, "v9")


async def test_origins_are_found_by_how_they_begin(books: Any) -> None:
    places = ["s3://a/x", "s3://b/%_", "s3://b/über.txt", "s3://b/보고서.pdf", "s3://b/" + "길" * 400, "s3://bb/x"]
    held = {place: Held((await drop(books, place, f"h{number}"))[0].doc_id, f"v-h{number}") for number, place in enumerate(places)}
    await upload(books, "s3", "h9")
    assert await books.origins.under("s3://b/") == {place: held[place] for place in sorted(places[1:5])}
    assert await books.origins.under("") == held
    assert await books.origins.under(places[4][:-1]) == {places[4]: held[places[4]]}
    assert await books.origins.under("s3://b/_") == {}


async def test_the_same_content_in_two_places_is_one_document_until_both_are_released(books: Any) -> None:
    document, _ = await drop(books, HERE, "h1")
    assert await drop(books, THERE, "h1", file_name="copy.txt") == (document, False)
    assert await books.origins.release(HERE) == []
    kept = await books.ledger.get(Caller("me", STAFF), document.doc_id)
    assert (kept.state, kept.file_name) == ("RECEIVED", "copy.txt")
    assert await books.origins.under("") == {THERE: Held(document.doc_id, "v-h1")}
    assert ids(await books.origins.release(THERE)) == [document.doc_id]
    assert await books.origins.under("") == {}


async def test_a_released_document_is_deleted_and_its_name_and_content_are_free(books: Any, clock: Any) -> None:
    document, _ = await drop(books, HERE, "h1")
    clock.advance(5)
    (gone,) = await books.origins.release(HERE)
    assert (gone.doc_id, gone.state, gone.file_name, gone.updated_at) == (document.doc_id, "DELETED", "a.txt", clock.now)
    assert await books.origins.release(HERE) == []
    assert await books.origins.held(HERE) is None
    with pytest.raises(NotFound):
        await books.ledger.get(Caller("me", STAFF), document.doc_id)
    again, work = await drop(books, HERE, "h1")
    assert (again.generation, work) == (1, True)
    assert again.doc_id != document.doc_id


async def test_a_document_that_was_uploaded_as_well_stays_when_its_origin_is_released(books: Any) -> None:
    document, _ = await upload(books, "mine.txt", "h1")
    await drop(books, HERE, "h1")
    assert await books.origins.release(HERE) == []
    assert await books.origins.held(HERE) is None
    assert (await books.ledger.get(Caller("me", STAFF), document.doc_id)).state == "RECEIVED"
    again, work = await upload(books, "mine.txt", "h2")
    assert (again.doc_id, again.generation, work) == (document.doc_id, 2, True)


async def test_a_release_spares_the_document_that_is_to_be_kept(books: Any, clock: Any) -> None:
    """A file whose groups changed: its new document is in another scope."""
    before, _ = await drop(books, HERE, "h1")
    clock.advance(1)
    after, work = await drop(books, HERE, "h1", permission_groups=BOARD)
    assert work is True
    assert await books.origins.held(HERE) == Held(after.doc_id, "v-h1")
    assert ids(await books.origins.release(HERE, after.doc_id)) == [before.doc_id]
    assert await books.origins.release(HERE, after.doc_id) == []
    assert await books.origins.held(HERE) == Held(after.doc_id, "v-h1")
    assert (await books.ledger.get(Caller("b", BOARD), after.doc_id)).state == "RECEIVED"


async def test_releasing_an_unknown_origin_does_nothing(books: Any) -> None:
    assert await books.origins.release(HERE) == []
    assert await books.origins.release(HERE, "unknown") == []


async def test_an_origin_holds_its_deleted_document_until_a_new_file_arrives(books: Any, me: Caller) -> None:
    document, _ = await drop(books, HERE, "h1")
    await books.ledger.delete(me, document.doc_id)
    await books.lifecycle.purge(document.doc_id)
    assert await books.origins.held(HERE) == Held(document.doc_id, "v-h1")
    assert await books.origins.under("s3://") == {HERE: Held(document.doc_id, "v-h1")}
    new, work = await drop(books, HERE, "h2")
    assert (new.generation, work) == (1, True)
    assert new.doc_id != document.doc_id
    assert await books.origins.held(HERE) == Held(new.doc_id, "v-h2")


async def test_releasing_the_origin_of_a_deleted_document_does_not_delete_it_again(books: Any, me: Caller) -> None:
    document, _ = await drop(books, HERE, "h1")
    await books.ledger.delete(me, document.doc_id)
    await books.lifecycle.purge(document.doc_id)
    assert await books.origins.release(HERE) == []
    assert (await books.origins.held(HERE), await books.origins.under("")) == (None, {})
    assert await books.lifecycle.of_kind("unburied") == []


async def test_concurrent_drops_and_releases_of_one_file_leave_at_most_one_document(open_books: Any) -> None:
    clients = [await open_books(), await open_books()]
    calls = [
        drop(clients[number % 2], HERE, f"h{number % 3}") if number % 3 else clients[number % 2].origins.release(HERE)
        for number in range(12)
    ]
    await asyncio.gather(*calls)
    alive = (await clients[0].ledger.list(Caller("me", STAFF))).data
    assert ids(alive) == [held.doc_id for held in (await clients[1].origins.under("")).values()]
    deleted = await clients[0].origins.release(HERE)
    assert ids(deleted) == ids(alive)
    assert (await clients[0].ledger.list(Caller("me", STAFF))).data == ()


# --- leases ------------------------------------------------------------------------------------


async def test_one_owner_works_on_a_document_at_a_time(books: Any, clock: Any) -> None:
    document, _ = await upload(books, "a.txt", "h1")
    assert await books.lifecycle.lease(document.doc_id, 1, "one", 60) is True
    assert await books.lifecycle.lease(document.doc_id, 1, "two", 60) is False
    clock.advance(30)
    assert await books.lifecycle.lease(document.doc_id, 1, "one", 60) is True
    clock.advance(59)
    assert await books.lifecycle.lease(document.doc_id, 1, "two", 60) is False
    clock.advance(1)
    assert await books.lifecycle.lease(document.doc_id, 1, "two", 60) is True
    assert await books.lifecycle.lease(document.doc_id, 1, "one", 60) is False
    assert await books.ledger.get(Caller("me", STAFF), document.doc_id) == document


async def test_only_the_generation_that_is_being_made_can_be_leased(books: Any, me: Caller) -> None:
    document, _ = await upload(books, "a.txt", "h1")
    assert await books.lifecycle.lease(document.doc_id, 2, "one", 60) is False
    assert await books.lifecycle.lease("unknown", 1, "one", 60) is False
    await books.ledger.delete(me, document.doc_id)
    assert await books.lifecycle.lease(document.doc_id, 1, "one", 60) is False


@pytest.mark.parametrize(("state", "free"), [("RECEIVED", True), ("PROCESSING", False), ("READY", True), ("FAILED", True)])
async def test_a_lease_ends_with_the_work(books: Any, state: str, free: bool) -> None:
    document, _ = await upload(books, "a.txt", "h1")
    await books.lifecycle.lease(document.doc_id, 1, "one", 60)
    assert await books.lifecycle.update(document.doc_id, 1, state=state) is True
    assert await books.lifecycle.lease(document.doc_id, 1, "two", 60) is free


async def test_a_lease_ends_with_its_generation(books: Any) -> None:
    document, _ = await upload(books, "a.txt", "h1")
    await books.lifecycle.lease(document.doc_id, 1, "one", 60)
    await upload(books, "a.txt", "h2")
    assert await books.lifecycle.lease(document.doc_id, 1, "one", 60) is False
    assert await books.lifecycle.lease(document.doc_id, 2, "two", 60) is True


async def test_one_of_many_concurrent_claims_of_a_lease_succeeds(open_books: Any) -> None:
    clients = [await open_books(), await open_books()]
    document, _ = await upload(clients[0], "a.txt", "h1")
    granted = await asyncio.gather(
        *(clients[number % 2].lifecycle.lease(document.doc_id, 1, f"owner-{number}", 60) for number in range(10))
    )
    assert sum(granted) == 1


# --- purging -----------------------------------------------------------------------------------


async def test_a_delete_can_be_repeated_until_the_purge(books: Any, me: Caller, stranger: Caller, clock: Any) -> None:
    document, _ = await upload(books, "a.txt", "h1")
    deleted = await books.ledger.delete(me, document.doc_id)
    clock.advance(5)
    assert await books.ledger.delete(me, document.doc_id) == deleted
    with pytest.raises(NotFound):
        await books.ledger.delete(stranger, document.doc_id)
    await books.lifecycle.purge(document.doc_id)
    with pytest.raises(NotFound):
        await books.ledger.delete(me, document.doc_id)


async def test_a_delete_by_a_reserved_id_can_be_asked_for_again_as_well(books: Any, me: Caller) -> None:
    document, _ = await upload(books, "a.txt", "h1")
    file = NewFile(file_name="b.txt", collection="default", permission_groups=STAFF, content_hash="h1", size=7, doc_id="b-000001")
    await books.lifecycle.accept(me, file)
    assert (await books.ledger.delete(me, "b-000001")).doc_id == document.doc_id
    assert (await books.ledger.delete(me, "b-000001")).doc_id == document.doc_id


async def test_deleted_documents_wait_until_they_are_purged_oldest_first(books: Any, me: Caller, clock: Any) -> None:
    deleted, _ = await upload(books, "a.txt", "h1")
    clock.advance(1)
    released, _ = await drop(books, HERE, "h2")
    clock.advance(1)
    await upload(books, "b.txt", "h3")
    assert await books.lifecycle.of_kind("unburied") == []
    await books.origins.release(HERE)
    await books.ledger.delete(me, deleted.doc_id)
    assert ids(await books.lifecycle.of_kind("unburied")) == [deleted.doc_id, released.doc_id]
    await books.lifecycle.purge(deleted.doc_id)
    await books.lifecycle.purge(deleted.doc_id)
    assert ids(await books.lifecycle.of_kind("unburied")) == [released.doc_id]
    assert (await books.lifecycle.counts())["DELETED"] == 2


async def test_only_deleted_documents_are_purged(books: Any, me: Caller) -> None:
    document, _ = await upload(books, "a.txt", "h1")
    await books.lifecycle.purge(document.doc_id)
    await books.lifecycle.purge("unknown")
    assert await books.ledger.get(me, document.doc_id) == document
    await books.ledger.delete(me, document.doc_id)
    assert ids(await books.lifecycle.of_kind("unburied")) == [document.doc_id]


async def test_a_purge_leaves_a_name_that_another_document_took(books: Any, me: Caller) -> None:
    document, _ = await upload(books, "a.txt", "h1")
    await books.ledger.delete(me, document.doc_id)
    again, _ = await upload(books, "a.txt", "h2")
    await books.lifecycle.purge(document.doc_id)
    third, _ = await upload(books, "a.txt", "h3")
    assert (third.doc_id, third.generation) == (again.doc_id, 2)


async def test_a_document_with_very_many_names_is_deleted_and_all_its_names_are_free(books: Any, me: Caller) -> None:
    document, _ = await upload(books, "0.txt", "h1")
    for number in range(1, 45):
        assert await upload(books, f"{number}.txt", "h1") == (document, False)
    await books.ledger.delete(me, document.doc_id)
    first, _ = await upload(books, "7.txt", "h2")
    await books.lifecycle.purge(document.doc_id)
    assert await books.lifecycle.of_kind("unburied") == []
    second, work = await upload(books, "44.txt", "h2")
    assert (second, work) == (first, False)
