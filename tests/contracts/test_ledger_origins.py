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


async def drop(ledger: Any, origin: str, content_hash: str, **given: Any) -> tuple[Document, bool]:
    given = {"file_name": "a.txt", "collection": "default", "permission_groups": STAFF, "size": 7, **given}
    file = NewFile(content_hash=content_hash, origin=origin, version=f"v-{content_hash}", **given)
    dropped: tuple[Document, bool] = await ledger.accept(Caller("s3", sees_all=True), file)
    return dropped


async def upload(ledger: Any, file_name: str, content_hash: str) -> tuple[Document, bool]:
    file = NewFile(file_name=file_name, collection="default", permission_groups=STAFF, content_hash=content_hash, size=7)
    uploaded: tuple[Document, bool] = await ledger.accept(Caller("me"), file)
    return uploaded


def ids(documents: list[Document]) -> list[str]:
    return [document.doc_id for document in documents]


# --- origins -----------------------------------------------------------------------------------


async def test_a_file_with_an_origin_is_identified_by_it_and_its_name_is_only_displayed(ledger: Any) -> None:
    first, work = await drop(ledger, HERE, "h1")
    assert (first.file_name, first.title, work) == ("a.txt", "a.txt", True)
    assert first.doc_id.startswith("a-")
    second, work = await drop(ledger, HERE, "h2")
    assert (second.doc_id, second.generation, work) == (first.doc_id, 2, True)
    elsewhere, work = await drop(ledger, THERE, "h3")
    assert (elsewhere.generation, work) == (1, True)
    uploaded, work = await upload(ledger, "a.txt", "h4")
    assert (uploaded.generation, work) == (1, True)
    assert len({first.doc_id, elsewhere.doc_id, uploaded.doc_id}) == 3


@pytest.mark.engine
async def test_an_origin_holds_the_version_that_was_accepted_last(ledger: Any) -> None:
    assert await ledger.held(HERE) is None
    document, _ = await drop(ledger, HERE, "h1")
    assert await ledger.held(HERE) == Held(document.doc_id, "v-h1")
    await drop(ledger, HERE, "h2")
    assert await ledger.held(HERE) == Held(document.doc_id, "v-h2")
    await upload(ledger, "a.txt", "h3")
    assert await ledger.held("a.txt") is None


async def test_the_same_bytes_in_a_new_version_need_no_work_and_the_version_is_stored(ledger: Any) -> None:
    document, _ = await drop(ledger, HERE, "h1")
    file = NewFile(file_name="a.txt", collection="default", permission_groups=STAFF, content_hash="h1", size=7, origin=HERE, version="v9")
    again, work = await ledger.accept(Caller("s3"), file)
    assert (again, work) == (document, False)
    assert await ledger.held(HERE) == Held(document.doc_id, "v9")


@pytest.mark.engine
async def test_origins_are_found_by_how_they_begin(ledger: Any) -> None:
    places = ["s3://a/x", "s3://b/%_", "s3://b/über.txt", "s3://b/보고서.pdf", "s3://b/" + "길" * 400, "s3://bb/x"]
    held = {place: Held((await drop(ledger, place, f"h{number}"))[0].doc_id, f"v-h{number}") for number, place in enumerate(places)}
    await upload(ledger, "s3", "h9")
    assert await ledger.origins("s3://b/") == {place: held[place] for place in sorted(places[1:5])}
    assert await ledger.origins("") == held
    assert await ledger.origins(places[4][:-1]) == {places[4]: held[places[4]]}
    assert await ledger.origins("s3://b/_") == {}


@pytest.mark.engine
async def test_the_same_content_in_two_places_is_one_document_until_both_are_released(ledger: Any) -> None:
    document, _ = await drop(ledger, HERE, "h1")
    assert await drop(ledger, THERE, "h1", file_name="copy.txt") == (document, False)
    assert await ledger.release(HERE) == []
    kept = await ledger.get(Caller("me", STAFF), document.doc_id)
    assert (kept.state, kept.file_name) == ("RECEIVED", "copy.txt")
    assert await ledger.origins("") == {THERE: Held(document.doc_id, "v-h1")}
    assert ids(await ledger.release(THERE)) == [document.doc_id]
    assert await ledger.origins("") == {}


@pytest.mark.engine
async def test_a_released_document_is_deleted_and_its_name_and_content_are_free(ledger: Any, clock: Any) -> None:
    document, _ = await drop(ledger, HERE, "h1")
    clock.advance(5)
    (gone,) = await ledger.release(HERE)
    assert (gone.doc_id, gone.state, gone.file_name, gone.updated_at) == (document.doc_id, "DELETED", "a.txt", clock.now)
    assert await ledger.release(HERE) == []
    assert await ledger.held(HERE) is None
    with pytest.raises(NotFound):
        await ledger.get(Caller("me", STAFF), document.doc_id)
    again, work = await drop(ledger, HERE, "h1")
    assert (again.generation, work) == (1, True)
    assert again.doc_id != document.doc_id


async def test_a_document_that_was_uploaded_as_well_stays_when_its_origin_is_released(ledger: Any) -> None:
    document, _ = await upload(ledger, "mine.txt", "h1")
    await drop(ledger, HERE, "h1")
    assert await ledger.release(HERE) == []
    assert await ledger.held(HERE) is None
    assert (await ledger.get(Caller("me", STAFF), document.doc_id)).state == "RECEIVED"
    again, work = await upload(ledger, "mine.txt", "h2")
    assert (again.doc_id, again.generation, work) == (document.doc_id, 2, True)


async def test_a_release_spares_the_document_that_is_to_be_kept(ledger: Any, clock: Any) -> None:
    """A file whose groups changed: its new document is in another scope."""
    before, _ = await drop(ledger, HERE, "h1")
    clock.advance(1)
    after, work = await drop(ledger, HERE, "h1", permission_groups=BOARD)
    assert work is True
    assert await ledger.held(HERE) == Held(after.doc_id, "v-h1")
    assert ids(await ledger.release(HERE, after.doc_id)) == [before.doc_id]
    assert await ledger.release(HERE, after.doc_id) == []
    assert await ledger.held(HERE) == Held(after.doc_id, "v-h1")
    assert (await ledger.get(Caller("b", BOARD), after.doc_id)).state == "RECEIVED"


async def test_releasing_an_unknown_origin_does_nothing(ledger: Any) -> None:
    assert await ledger.release(HERE) == []
    assert await ledger.release(HERE, "unknown") == []


async def test_an_origin_holds_its_deleted_document_until_a_new_file_arrives(ledger: Any, me: Caller) -> None:
    document, _ = await drop(ledger, HERE, "h1")
    await ledger.delete(me, document.doc_id)
    await ledger.purge(document.doc_id)
    assert await ledger.held(HERE) == Held(document.doc_id, "v-h1")
    assert await ledger.origins("s3://") == {HERE: Held(document.doc_id, "v-h1")}
    new, work = await drop(ledger, HERE, "h2")
    assert (new.generation, work) == (1, True)
    assert new.doc_id != document.doc_id
    assert await ledger.held(HERE) == Held(new.doc_id, "v-h2")


async def test_releasing_the_origin_of_a_deleted_document_does_not_delete_it_again(ledger: Any, me: Caller) -> None:
    document, _ = await drop(ledger, HERE, "h1")
    await ledger.delete(me, document.doc_id)
    await ledger.purge(document.doc_id)
    assert await ledger.release(HERE) == []
    assert (await ledger.held(HERE), await ledger.origins("")) == (None, {})
    assert await ledger.unpurged() == []


@pytest.mark.engine
async def test_concurrent_drops_and_releases_of_one_file_leave_at_most_one_document(open_ledger: Any) -> None:
    clients = [await open_ledger(), await open_ledger()]
    calls = [drop(clients[number % 2], HERE, f"h{number % 3}") if number % 3 else clients[number % 2].release(HERE) for number in range(12)]
    await asyncio.gather(*calls)
    alive = (await clients[0].list(Caller("me", STAFF))).data
    assert ids(alive) == [held.doc_id for held in (await clients[1].origins("")).values()]
    deleted = await clients[0].release(HERE)
    assert ids(deleted) == ids(alive)
    assert (await clients[0].list(Caller("me", STAFF))).data == ()


# --- leases ------------------------------------------------------------------------------------


@pytest.mark.engine
async def test_one_owner_works_on_a_document_at_a_time(ledger: Any, clock: Any) -> None:
    document, _ = await upload(ledger, "a.txt", "h1")
    assert await ledger.lease(document.doc_id, 1, "one", 60) is True
    assert await ledger.lease(document.doc_id, 1, "two", 60) is False
    clock.advance(30)
    assert await ledger.lease(document.doc_id, 1, "one", 60) is True
    clock.advance(59)
    assert await ledger.lease(document.doc_id, 1, "two", 60) is False
    clock.advance(1)
    assert await ledger.lease(document.doc_id, 1, "two", 60) is True
    assert await ledger.lease(document.doc_id, 1, "one", 60) is False
    assert await ledger.get(Caller("me", STAFF), document.doc_id) == document


@pytest.mark.engine
async def test_only_the_generation_that_is_being_made_can_be_leased(ledger: Any, me: Caller) -> None:
    document, _ = await upload(ledger, "a.txt", "h1")
    assert await ledger.lease(document.doc_id, 2, "one", 60) is False
    assert await ledger.lease("unknown", 1, "one", 60) is False
    await ledger.delete(me, document.doc_id)
    assert await ledger.lease(document.doc_id, 1, "one", 60) is False


@pytest.mark.engine
@pytest.mark.parametrize(("state", "free"), [("RECEIVED", True), ("PROCESSING", False), ("READY", True), ("FAILED", True)])
async def test_a_lease_ends_with_the_work(ledger: Any, state: str, free: bool) -> None:
    document, _ = await upload(ledger, "a.txt", "h1")
    await ledger.lease(document.doc_id, 1, "one", 60)
    assert await ledger.update(document.doc_id, 1, state=state) is True
    assert await ledger.lease(document.doc_id, 1, "two", 60) is free


async def test_a_lease_ends_with_its_generation(ledger: Any) -> None:
    document, _ = await upload(ledger, "a.txt", "h1")
    await ledger.lease(document.doc_id, 1, "one", 60)
    await upload(ledger, "a.txt", "h2")
    assert await ledger.lease(document.doc_id, 1, "one", 60) is False
    assert await ledger.lease(document.doc_id, 2, "two", 60) is True


@pytest.mark.engine
async def test_one_of_many_concurrent_claims_of_a_lease_succeeds(open_ledger: Any) -> None:
    clients = [await open_ledger(), await open_ledger()]
    document, _ = await upload(clients[0], "a.txt", "h1")
    granted = await asyncio.gather(*(clients[number % 2].lease(document.doc_id, 1, f"owner-{number}", 60) for number in range(10)))
    assert sum(granted) == 1


# --- purging -----------------------------------------------------------------------------------


async def test_a_delete_can_be_repeated_until_the_purge(ledger: Any, me: Caller, stranger: Caller, clock: Any) -> None:
    document, _ = await upload(ledger, "a.txt", "h1")
    deleted = await ledger.delete(me, document.doc_id)
    clock.advance(5)
    assert await ledger.delete(me, document.doc_id) == deleted
    with pytest.raises(NotFound):
        await ledger.delete(stranger, document.doc_id)
    await ledger.purge(document.doc_id)
    with pytest.raises(NotFound):
        await ledger.delete(me, document.doc_id)


async def test_a_delete_by_a_reserved_id_can_be_asked_for_again_as_well(ledger: Any, me: Caller) -> None:
    document, _ = await upload(ledger, "a.txt", "h1")
    file = NewFile(file_name="b.txt", collection="default", permission_groups=STAFF, content_hash="h1", size=7, doc_id="b-000001")
    await ledger.accept(me, file)
    assert (await ledger.delete(me, "b-000001")).doc_id == document.doc_id
    assert (await ledger.delete(me, "b-000001")).doc_id == document.doc_id


@pytest.mark.engine
async def test_deleted_documents_wait_until_they_are_purged_oldest_first(ledger: Any, me: Caller, clock: Any) -> None:
    deleted, _ = await upload(ledger, "a.txt", "h1")
    clock.advance(1)
    released, _ = await drop(ledger, HERE, "h2")
    clock.advance(1)
    await upload(ledger, "b.txt", "h3")
    assert await ledger.unpurged() == []
    await ledger.release(HERE)
    await ledger.delete(me, deleted.doc_id)
    assert ids(await ledger.unpurged()) == [deleted.doc_id, released.doc_id]
    await ledger.purge(deleted.doc_id)
    await ledger.purge(deleted.doc_id)
    assert ids(await ledger.unpurged()) == [released.doc_id]
    assert (await ledger.counts())["DELETED"] == 2


@pytest.mark.engine
async def test_only_deleted_documents_are_purged(ledger: Any, me: Caller) -> None:
    document, _ = await upload(ledger, "a.txt", "h1")
    await ledger.purge(document.doc_id)
    await ledger.purge("unknown")
    assert await ledger.get(me, document.doc_id) == document
    await ledger.delete(me, document.doc_id)
    assert ids(await ledger.unpurged()) == [document.doc_id]


@pytest.mark.engine
async def test_a_purge_leaves_a_name_that_another_document_took(ledger: Any, me: Caller) -> None:
    document, _ = await upload(ledger, "a.txt", "h1")
    await ledger.delete(me, document.doc_id)
    again, _ = await upload(ledger, "a.txt", "h2")
    await ledger.purge(document.doc_id)
    third, _ = await upload(ledger, "a.txt", "h3")
    assert (third.doc_id, third.generation) == (again.doc_id, 2)


@pytest.mark.engine
async def test_a_document_with_very_many_names_is_deleted_and_all_its_names_are_free(ledger: Any, me: Caller) -> None:
    document, _ = await upload(ledger, "0.txt", "h1")
    for number in range(1, 45):
        assert await upload(ledger, f"{number}.txt", "h1") == (document, False)
    await ledger.delete(me, document.doc_id)
    first, _ = await upload(ledger, "7.txt", "h2")
    await ledger.purge(document.doc_id)
    assert await ledger.unpurged() == []
    second, work = await upload(ledger, "44.txt", "h2")
    assert (second, work) == (first, False)
