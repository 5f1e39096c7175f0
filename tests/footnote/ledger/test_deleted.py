"""What every ledger does with deleted documents that can be restored."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import Conflict, NotFound
from footnote.ports import Name, Target
from footnote.types import Caller
from tests.footnote.ledger.test_accepting import STAFF, accept, make_ready, reserve
from tests.footnote.ledger.test_origins import HERE, THERE

HOUR_S = 3600.0


def ids(documents: Any) -> list[str]:
    return [document.doc_id for document in getattr(documents, "data", documents)]


async def kept(books: Any, me: Caller, file_name: str = "a.txt", content_hash: str = "h1", **given: Any) -> Any:
    document, _ = await accept(books, me, file_name, content_hash, **given)
    await make_ready(books, document)
    return await books.ledger.delete(me, document.doc_id, keep=True)


async def test_a_kept_document_is_as_deleted_as_any_other(books: Any, me: Caller) -> None:
    gone = await kept(books, me)
    assert gone.state == "DELETED"
    for ask in (books.ledger.get(me, gone.doc_id), books.ledger.find_deleted(Caller("x", frozenset({"others"})), gone.doc_id)):
        with pytest.raises(NotFound):
            await ask
    assert (ids(await books.ledger.list(me)), await books.ledger.collections(me)) == ([], {})
    assert (await books.lifecycle.counts())["DELETED"] == 1
    assert not await books.lifecycle.update(gone.doc_id, gone.generation, state="READY")
    assert not await books.lifecycle.lease(gone.doc_id, gone.generation, "worker", 9)
    assert not await books.lifecycle.renew(gone.doc_id, gone.generation)
    assert (await books.lifecycle.of_kind("unburied"), ids(await books.lifecycle.of_kind("kept"))) == ([], [gone.doc_id])


async def test_it_is_restored_as_its_next_generation_with_its_readers_and_names(books: Any, me: Caller, clock: Any) -> None:
    document, _ = await accept(books, me, "a.txt", "h1", metadata={"class": "a"}, title="A")
    await accept(books, me, "b.txt", "h1")
    await accept(books, me, "c.txt", "h1", origin=HERE, version="v1")
    await make_ready(books, document)
    await books.lifecycle.update(document.doc_id, 1, reason="Pages are missing.")
    await books.ledger.delete(me, document.doc_id, keep=True)
    clock.advance(HOUR_S - 1)
    found = await books.ledger.find_deleted(me, document.doc_id)
    assert (found.doc_id, found.generation, found.content_hash) == (document.doc_id, 1, "h1")
    assert await books.lifecycle.undelete(document.doc_id, 1)
    after = await books.ledger.get(me, document.doc_id)
    assert (after.state, after.generation, after.active_generation, after.reason) == ("RECEIVED", 2, 0, None)
    assert (after.title, after.metadata, after.permission_groups, after.created_at) == ("A", {"class": "a"}, STAFF, document.created_at)
    assert after.updated_at == clock.now
    assert sorted(await books.origins.names(document.doc_id)) == [Name("a.txt"), Name("b.txt"), Name("c.txt", HERE, "v1")]
    assert (
        ids(await books.lifecycle.of_kind("unfinished")),
        await books.lifecycle.of_kind("kept"),
        (await books.lifecycle.counts())["DELETED"],
    ) == ([document.doc_id], [], 0)
    assert await books.lifecycle.lease(document.doc_id, 2, "worker", 9)
    assert (await accept(books, me, "b.txt", "h1"))[0].doc_id == document.doc_id  # known by its name and its content again
    assert (await accept(books, me, "d.txt", "h1"))[0].doc_id == document.doc_id


async def test_it_is_restored_once(books: Any, me: Caller) -> None:
    gone = await kept(books, me)
    assert not await books.lifecycle.undelete(gone.doc_id, gone.generation + 1)
    assert [await books.lifecycle.undelete(gone.doc_id, gone.generation) for _ in range(2)] == [True, False]
    assert not await books.lifecycle.undelete("nobody", 1)
    with pytest.raises(NotFound):
        await books.ledger.find_deleted(me, gone.doc_id)
    again = await books.ledger.delete(me, gone.doc_id, keep=True)
    assert (again.generation, ids(await books.lifecycle.of_kind("kept"))) == (2, [gone.doc_id])
    assert await books.lifecycle.undelete(gone.doc_id, 2)


async def test_it_can_be_restored_for_an_hour_and_is_kept_until_that_is_given_up(books: Any, me: Caller, clock: Any) -> None:
    gone = await kept(books, me)
    clock.advance(HOUR_S)
    with pytest.raises(NotFound):
        await books.ledger.find_deleted(me, gone.doc_id)
    assert not await books.lifecycle.undelete(gone.doc_id, gone.generation)
    assert (ids(await books.ledger.deleted(me)), ids(await books.lifecycle.of_kind("kept")), await books.lifecycle.of_kind("unburied")) == (
        [],
        [gone.doc_id],
        [],
    )
    assert await books.lifecycle.expire(gone.doc_id)
    assert (await books.lifecycle.of_kind("kept"), ids(await books.lifecycle.of_kind("unburied"))) == ([], [gone.doc_id])
    await books.lifecycle.purge(gone.doc_id)
    assert (await books.lifecycle.of_kind("kept"), await books.lifecycle.of_kind("unburied")) == ([], [])
    with pytest.raises(NotFound):
        await books.ledger.delete(me, gone.doc_id)


async def test_what_is_given_up_is_not_restored_and_what_is_restored_is_not_given_up(books: Any, me: Caller) -> None:
    gone, other = await kept(books, me), await kept(books, me, "b.txt", "h2")
    assert await books.lifecycle.expire(gone.doc_id)
    assert not await books.lifecycle.undelete(gone.doc_id, gone.generation)
    assert await books.lifecycle.undelete(other.doc_id, other.generation)
    assert not await books.lifecycle.expire(other.doc_id)
    assert not await books.lifecycle.expire("nobody")
    assert (await books.ledger.get(me, other.doc_id)).state == "RECEIVED"


async def test_a_delete_for_good_ends_the_time_to_restore(books: Any, me: Caller, stranger: Caller) -> None:
    gone = await kept(books, me)
    with pytest.raises(NotFound):
        await books.ledger.delete(stranger, gone.doc_id)
    assert (await books.ledger.delete(me, gone.doc_id, keep=True)).doc_id == gone.doc_id  # repeated
    assert ids(await books.lifecycle.of_kind("kept")) == [gone.doc_id]
    assert (await books.ledger.delete(me, gone.doc_id)).doc_id == gone.doc_id
    assert (await books.lifecycle.of_kind("kept"), ids(await books.lifecycle.of_kind("unburied"))) == ([], [gone.doc_id])
    assert (await books.ledger.delete(me, gone.doc_id, keep=True)).doc_id == gone.doc_id
    assert not await books.lifecycle.undelete(gone.doc_id, gone.generation)


async def test_the_list_holds_what_the_caller_may_restore_last_deleted_first(books: Any, me: Caller, stranger: Caller, clock: Any) -> None:
    first = await kept(books, me)
    clock.advance(1)
    second = await kept(books, me, "b.txt", "h2", collection="side")
    clock.advance(1)
    third = await kept(books, me, "c.txt", "h3")
    everyone, _ = await accept(books, me, "d.txt", "h4", permission_groups=frozenset({"*"}))
    await books.ledger.delete(me, everyone.doc_id)
    page = await books.ledger.deleted(me, limit=2)
    assert (ids(page), page.has_more, page.last_id) == ([third.doc_id, second.doc_id], True, second.doc_id)
    rest = await books.ledger.deleted(me, limit=2, after=page.last_id)
    assert (ids(rest), rest.has_more, rest.last_id) == ([first.doc_id], False, first.doc_id)
    assert ids(await books.ledger.deleted(me, collection="side")) == [second.doc_id]
    assert ids(await books.ledger.deleted(stranger)) == ids(await books.ledger.deleted(me, after="nobody")) == []


async def test_the_same_file_added_again_takes_its_place(books: Any, me: Caller) -> None:
    gone = await kept(books, me)
    again, work = await accept(books, me, "a.txt", "h1")
    assert (work, again.doc_id != gone.doc_id) == (True, True)
    assert not await books.lifecycle.undelete(gone.doc_id, gone.generation)
    assert (await books.lifecycle.of_kind("kept"), ids(await books.lifecycle.of_kind("unburied"))) == ([], [gone.doc_id])
    await books.lifecycle.purge(gone.doc_id)
    assert (await accept(books, me, "a.txt", "h2"))[0].doc_id == again.doc_id  # the name still leads to the new one


async def test_a_new_version_added_meanwhile_takes_its_place_and_one_of_two_names_does_not(books: Any, me: Caller) -> None:
    gone, _ = await accept(books, me, "a.txt", "h1")
    await accept(books, me, "b.txt", "h1")
    await make_ready(books, gone)
    await books.ledger.delete(me, gone.doc_id, keep=True)
    new, _ = await accept(books, me, "a.txt", "h2")
    assert ids(await books.lifecycle.of_kind("kept")) == [gone.doc_id]
    assert await books.lifecycle.undelete(gone.doc_id, 1)
    assert (await books.origins.names(gone.doc_id), await books.origins.names(new.doc_id)) == ([Name("b.txt")], [Name("a.txt")])


async def test_it_is_not_restored_beside_another_document_with_its_content(books: Any, me: Caller) -> None:
    gone = await kept(books, me)
    other, _ = await accept(books, me, "b.txt", "h1")
    with pytest.raises(Conflict, match="added again"):
        await books.lifecycle.undelete(gone.doc_id, gone.generation)
    await books.ledger.delete(me, other.doc_id)
    assert await books.lifecycle.undelete(gone.doc_id, gone.generation)


async def test_it_is_found_by_a_reserved_id_that_leads_to_it(books: Any, me: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    reserved = await reserve(books, me, "b.txt")
    await accept(books, me, "b.txt", "h1", doc_id=reserved)
    await books.ledger.delete(me, reserved, keep=True)
    assert (await books.ledger.find_deleted(me, reserved)).doc_id == document.doc_id


async def test_one_with_a_chosen_id_is_restored_or_replaced(books: Any, me: Caller) -> None:
    for content_hash in ("h1", "h2"):
        document, _ = await accept(books, me, "x.json", content_hash, doc_id="x", chosen_id=True)
        await make_ready(books, document)
        await books.ledger.delete(me, "x", keep=True)
        assert await books.lifecycle.undelete("x", document.generation)
        await make_ready(books, await books.ledger.get(me, "x"))
        await books.ledger.delete(me, "x", keep=True)
    document, work = await accept(books, me, "x.json", "h2", doc_id="x", chosen_id=True)
    assert (document.state, work, await books.lifecycle.of_kind("kept")) == ("RECEIVED", True, [])
    assert not await books.lifecycle.undelete("x", document.generation)


async def test_what_its_origin_lets_go_of_is_not_restored(books: Any, me: Caller) -> None:
    released = await kept(books, me, "a.txt", "h1", origin=HERE, version="v1")
    moved = await kept(books, me, "b.txt", "h2", origin=THERE, version="v1")
    assert ids(await books.origins.release(HERE)) == [released.doc_id]
    assert not await books.lifecycle.undelete(released.doc_id, released.generation)
    assert ids(await books.origins.redirect({THERE: None})) == [moved.doc_id]
    assert not await books.lifecycle.undelete(moved.doc_id, moved.generation)
    assert (await books.lifecycle.of_kind("kept"), sorted(ids(await books.lifecycle.of_kind("unburied")))) == (
        [],
        sorted([released.doc_id, moved.doc_id]),
    )


async def test_an_origin_still_leads_to_it_until_the_file_there_changes(books: Any, me: Caller) -> None:
    gone = await kept(books, me, "a.txt", "h1", origin=HERE, version="v1")
    assert (await books.origins.held(HERE)).doc_id == gone.doc_id
    target, _ = await accept(books, me, "a.txt", "h2", origin=HERE, version="v2")
    assert (target.doc_id != gone.doc_id, await books.lifecycle.undelete(gone.doc_id, gone.generation)) == (True, False)
    other = await kept(books, me, "b.txt", "h3", origin=THERE, version="v1")
    assert ids(await books.origins.redirect({THERE: Target(target.doc_id, "v3", "a.txt")})) == [other.doc_id]
