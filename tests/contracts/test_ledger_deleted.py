"""What every ledger does with deleted documents that can be restored."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import Conflict, NotFound
from footnote.ports import Name, Target
from footnote.types import Caller
from tests.contracts.test_ledger import STAFF, accept, make_ready, reserve
from tests.contracts.test_ledger_origins import HERE, THERE

HOUR_S = 3600.0


def ids(documents: Any) -> list[str]:
    return [document.doc_id for document in getattr(documents, "data", documents)]


async def kept(ledger: Any, me: Caller, file_name: str = "a.txt", content_hash: str = "h1", **given: Any) -> Any:
    document, _ = await accept(ledger, me, file_name, content_hash, **given)
    await make_ready(ledger, document)
    return await ledger.delete(me, document.doc_id, keep=True)


async def test_a_kept_document_is_as_deleted_as_any_other(ledger: Any, me: Caller) -> None:
    gone = await kept(ledger, me)
    assert gone.state == "DELETED"
    for ask in (ledger.get(me, gone.doc_id), ledger.find_deleted(Caller("x", frozenset({"others"})), gone.doc_id)):
        with pytest.raises(NotFound):
            await ask
    assert (ids(await ledger.list(me)), await ledger.collections(me)) == ([], {})
    assert (await ledger.counts())["DELETED"] == 1
    assert not await ledger.update(gone.doc_id, gone.generation, state="READY")
    assert not await ledger.lease(gone.doc_id, gone.generation, "worker", 9)
    assert not await ledger.renew(gone.doc_id, gone.generation)
    assert (await ledger.unpurged(), ids(await ledger.kept())) == ([], [gone.doc_id])


@pytest.mark.engine
async def test_it_is_restored_as_its_next_generation_with_its_readers_and_names(ledger: Any, me: Caller, clock: Any) -> None:
    document, _ = await accept(ledger, me, "a.txt", "h1", metadata={"class": "a"}, title="A")
    await accept(ledger, me, "b.txt", "h1")
    await accept(ledger, me, "c.txt", "h1", origin=HERE, version="v1")
    await make_ready(ledger, document)
    await ledger.update(document.doc_id, 1, reason="Pages are missing.")
    await ledger.delete(me, document.doc_id, keep=True)
    clock.advance(HOUR_S - 1)
    found = await ledger.find_deleted(me, document.doc_id)
    assert (found.doc_id, found.generation, found.content_hash) == (document.doc_id, 1, "h1")
    assert await ledger.undelete(document.doc_id, 1)
    after = await ledger.get(me, document.doc_id)
    assert (after.state, after.generation, after.active_generation, after.reason) == ("RECEIVED", 2, 0, None)
    assert (after.title, after.metadata, after.permission_groups, after.created_at) == ("A", {"class": "a"}, STAFF, document.created_at)
    assert after.updated_at == clock.now
    assert sorted(await ledger.names(document.doc_id)) == [Name("a.txt"), Name("b.txt"), Name("c.txt", HERE, "v1")]
    assert (ids(await ledger.unfinished()), await ledger.kept(), (await ledger.counts())["DELETED"]) == ([document.doc_id], [], 0)
    assert await ledger.lease(document.doc_id, 2, "worker", 9)
    assert (await accept(ledger, me, "b.txt", "h1"))[0].doc_id == document.doc_id  # known by its name and its content again
    assert (await accept(ledger, me, "d.txt", "h1"))[0].doc_id == document.doc_id


@pytest.mark.engine
async def test_it_is_restored_once(ledger: Any, me: Caller) -> None:
    gone = await kept(ledger, me)
    assert not await ledger.undelete(gone.doc_id, gone.generation + 1)
    assert [await ledger.undelete(gone.doc_id, gone.generation) for _ in range(2)] == [True, False]
    assert not await ledger.undelete("nobody", 1)
    with pytest.raises(NotFound):
        await ledger.find_deleted(me, gone.doc_id)
    again = await ledger.delete(me, gone.doc_id, keep=True)
    assert (again.generation, ids(await ledger.kept())) == (2, [gone.doc_id])
    assert await ledger.undelete(gone.doc_id, 2)


@pytest.mark.engine
async def test_it_can_be_restored_for_an_hour_and_is_kept_until_that_is_given_up(ledger: Any, me: Caller, clock: Any) -> None:
    gone = await kept(ledger, me)
    clock.advance(HOUR_S)
    with pytest.raises(NotFound):
        await ledger.find_deleted(me, gone.doc_id)
    assert not await ledger.undelete(gone.doc_id, gone.generation)
    assert (ids(await ledger.deleted(me)), ids(await ledger.kept()), await ledger.unpurged()) == ([], [gone.doc_id], [])
    assert await ledger.give_up(gone.doc_id)
    assert (await ledger.kept(), ids(await ledger.unpurged())) == ([], [gone.doc_id])
    await ledger.purge(gone.doc_id)
    assert (await ledger.kept(), await ledger.unpurged()) == ([], [])
    with pytest.raises(NotFound):
        await ledger.delete(me, gone.doc_id)


async def test_what_is_given_up_is_not_restored_and_what_is_restored_is_not_given_up(ledger: Any, me: Caller) -> None:
    gone, other = await kept(ledger, me), await kept(ledger, me, "b.txt", "h2")
    assert await ledger.give_up(gone.doc_id)
    assert not await ledger.undelete(gone.doc_id, gone.generation)
    assert await ledger.undelete(other.doc_id, other.generation)
    assert not await ledger.give_up(other.doc_id)
    assert not await ledger.give_up("nobody")
    assert (await ledger.get(me, other.doc_id)).state == "RECEIVED"


async def test_a_delete_for_good_ends_the_time_to_restore(ledger: Any, me: Caller, stranger: Caller) -> None:
    gone = await kept(ledger, me)
    with pytest.raises(NotFound):
        await ledger.delete(stranger, gone.doc_id)
    assert (await ledger.delete(me, gone.doc_id, keep=True)).doc_id == gone.doc_id  # repeated
    assert ids(await ledger.kept()) == [gone.doc_id]
    assert (await ledger.delete(me, gone.doc_id)).doc_id == gone.doc_id
    assert (await ledger.kept(), ids(await ledger.unpurged())) == ([], [gone.doc_id])
    assert (await ledger.delete(me, gone.doc_id, keep=True)).doc_id == gone.doc_id
    assert not await ledger.undelete(gone.doc_id, gone.generation)


@pytest.mark.engine
async def test_the_list_holds_what_the_caller_may_restore_last_deleted_first(ledger: Any, me: Caller, stranger: Caller, clock: Any) -> None:
    first = await kept(ledger, me)
    clock.advance(1)
    second = await kept(ledger, me, "b.txt", "h2", collection="side")
    clock.advance(1)
    third = await kept(ledger, me, "c.txt", "h3")
    everyone, _ = await accept(ledger, me, "d.txt", "h4", permission_groups=frozenset({"*"}))
    await ledger.delete(me, everyone.doc_id)
    page = await ledger.deleted(me, limit=2)
    assert (ids(page), page.has_more, page.last_id) == ([third.doc_id, second.doc_id], True, second.doc_id)
    rest = await ledger.deleted(me, limit=2, after=page.last_id)
    assert (ids(rest), rest.has_more, rest.last_id) == ([first.doc_id], False, first.doc_id)
    assert ids(await ledger.deleted(me, collection="side")) == [second.doc_id]
    assert ids(await ledger.deleted(stranger)) == ids(await ledger.deleted(me, after="nobody")) == []


async def test_the_same_file_added_again_takes_its_place(ledger: Any, me: Caller) -> None:
    gone = await kept(ledger, me)
    again, work = await accept(ledger, me, "a.txt", "h1")
    assert (work, again.doc_id != gone.doc_id) == (True, True)
    assert not await ledger.undelete(gone.doc_id, gone.generation)
    assert (await ledger.kept(), ids(await ledger.unpurged())) == ([], [gone.doc_id])
    await ledger.purge(gone.doc_id)
    assert (await accept(ledger, me, "a.txt", "h2"))[0].doc_id == again.doc_id  # the name still leads to the new one


@pytest.mark.engine
async def test_a_new_version_added_meanwhile_takes_its_place_and_one_of_two_names_does_not(ledger: Any, me: Caller) -> None:
    gone, _ = await accept(ledger, me, "a.txt", "h1")
    await accept(ledger, me, "b.txt", "h1")
    await make_ready(ledger, gone)
    await ledger.delete(me, gone.doc_id, keep=True)
    new, _ = await accept(ledger, me, "a.txt", "h2")
    assert ids(await ledger.kept()) == [gone.doc_id]
    assert await ledger.undelete(gone.doc_id, 1)
    assert (await ledger.names(gone.doc_id), await ledger.names(new.doc_id)) == ([Name("b.txt")], [Name("a.txt")])


async def test_it_is_not_restored_beside_another_document_with_its_content(ledger: Any, me: Caller) -> None:
    gone = await kept(ledger, me)
    other, _ = await accept(ledger, me, "b.txt", "h1")
    with pytest.raises(Conflict, match="added again"):
        await ledger.undelete(gone.doc_id, gone.generation)
    await ledger.delete(me, other.doc_id)
    assert await ledger.undelete(gone.doc_id, gone.generation)


async def test_it_is_found_by_a_reserved_id_that_leads_to_it(ledger: Any, me: Caller) -> None:
    document, _ = await accept(ledger, me, "a.txt", "h1")
    reserved = await reserve(ledger, me, "b.txt")
    await accept(ledger, me, "b.txt", "h1", doc_id=reserved)
    await ledger.delete(me, reserved, keep=True)
    assert (await ledger.find_deleted(me, reserved)).doc_id == document.doc_id


async def test_one_with_a_chosen_id_is_restored_or_replaced(ledger: Any, me: Caller) -> None:
    for content_hash in ("h1", "h2"):
        document, _ = await accept(ledger, me, "x.json", content_hash, doc_id="x", chosen_id=True)
        await make_ready(ledger, document)
        await ledger.delete(me, "x", keep=True)
        assert await ledger.undelete("x", document.generation)
        await make_ready(ledger, await ledger.get(me, "x"))
        await ledger.delete(me, "x", keep=True)
    document, work = await accept(ledger, me, "x.json", "h2", doc_id="x", chosen_id=True)
    assert (document.state, work, await ledger.kept()) == ("RECEIVED", True, [])
    assert not await ledger.undelete("x", document.generation)


async def test_what_its_origin_lets_go_of_is_not_restored(ledger: Any, me: Caller) -> None:
    released = await kept(ledger, me, "a.txt", "h1", origin=HERE, version="v1")
    moved = await kept(ledger, me, "b.txt", "h2", origin=THERE, version="v1")
    assert ids(await ledger.release(HERE)) == [released.doc_id]
    assert not await ledger.undelete(released.doc_id, released.generation)
    assert ids(await ledger.redirect({THERE: None})) == [moved.doc_id]
    assert not await ledger.undelete(moved.doc_id, moved.generation)
    assert (await ledger.kept(), sorted(ids(await ledger.unpurged()))) == ([], sorted([released.doc_id, moved.doc_id]))


async def test_an_origin_still_leads_to_it_until_the_file_there_changes(ledger: Any, me: Caller) -> None:
    gone = await kept(ledger, me, "a.txt", "h1", origin=HERE, version="v1")
    assert (await ledger.held(HERE)).doc_id == gone.doc_id
    target, _ = await accept(ledger, me, "a.txt", "h2", origin=HERE, version="v2")
    assert (target.doc_id != gone.doc_id, await ledger.undelete(gone.doc_id, gone.generation)) == (True, False)
    other = await kept(ledger, me, "b.txt", "h3", origin=THERE, version="v1")
    assert ids(await ledger.redirect({THERE: Target(target.doc_id, "v3", "a.txt")})) == [other.doc_id]
