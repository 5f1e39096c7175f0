"""What every ledger does when files are renamed: origins lead to other documents, all at once."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.errors import NotFound
from footnote.ports import MOST_REDIRECTED, Held, Target
from footnote.types import Caller
from tests.footnote.ledger.test_origins import BOARD, HERE, STAFF, THERE, drop, ids, upload

ME = Caller("me", STAFF | BOARD)


async def test_a_renamed_file_keeps_its_document_which_is_read_again_under_the_new_name(books: Any, clock: Any) -> None:
    before, _ = await drop(books, HERE, "h1")
    await books.lifecycle.update(before.doc_id, 1, state="READY", active_generation=1)
    clock.advance(5)
    assert await books.origins.redirect({HERE: None, THERE: Target(before.doc_id, "v2", "b.txt")}) == []
    assert await books.origins.under("") == {THERE: Held(before.doc_id, "v2")}
    after = await books.ledger.get(ME, before.doc_id)
    assert (after.file_name, after.title, after.state) == ("b.txt", "b.txt", "RECEIVED")
    assert (after.generation, after.active_generation, after.updated_at) == (2, 1, clock.now)
    assert await books.lifecycle.lease(before.doc_id, 2, "worker", 9)
    again, work = await drop(books, THERE, "h1", file_name="b.txt")
    assert (again, work) == (after, False)


async def test_a_title_of_its_own_stays(books: Any) -> None:
    document, _ = await drop(books, HERE, "h1")
    await books.lifecycle.update(document.doc_id, 1, state="READY", title="Towers")
    await books.origins.redirect({HERE: None, THERE: Target(document.doc_id, "v2", "b.txt")})
    assert (await books.ledger.get(ME, document.doc_id)).title == "Towers"


@pytest.mark.parametrize("many", [2, MOST_REDIRECTED])
async def test_files_that_swap_names_keep_their_documents(books: Any, many: int) -> None:
    places = [f"s3://b/{number:02d}" for number in range(many)]
    made = [(await drop(books, place, f"h{place}", file_name=place[-2:]))[0] for place in places]
    moved = dict(zip(places, made[1:] + made[:1], strict=True))
    assert await books.origins.redirect({place: Target(document.doc_id, "v2", place[-2:]) for place, document in moved.items()}) == []
    assert await books.origins.under("") == {place: Held(document.doc_id, "v2") for place, document in moved.items()}
    for place, document in moved.items():
        assert (await books.ledger.get(ME, document.doc_id)).file_name == place[-2:]


async def test_a_new_version_of_the_same_file_changes_nothing_else(books: Any, clock: Any) -> None:
    document, _ = await drop(books, HERE, "h1")
    clock.advance(5)
    assert await books.origins.redirect({HERE: Target(document.doc_id, "v2", "a.txt")}) == []
    assert await books.origins.held(HERE) == Held(document.doc_id, "v2")
    assert await books.ledger.get(ME, document.doc_id) == document


async def test_a_document_whose_name_goes_to_another_is_deleted(books: Any) -> None:
    first, _ = await drop(books, HERE, "h1")
    second, _ = await drop(books, THERE, "h2")
    assert ids(await books.origins.redirect({HERE: None, THERE: Target(first.doc_id, "v2", "a.txt")})) == [second.doc_id]
    assert await books.origins.under("") == {THERE: Held(first.doc_id, "v2")}
    with pytest.raises(NotFound):
        await books.ledger.get(ME, second.doc_id)
    again, work = await drop(books, HERE, "h2")
    assert (again.generation, work) == (1, True)


async def test_removed_files_leave_documents_that_have_another_name(books: Any) -> None:
    uploaded, _ = await upload(books, "mine.txt", "h1")
    await drop(books, HERE, "h1")
    alone, _ = await drop(books, THERE, "h2")
    assert ids(await books.origins.redirect({HERE: None, THERE: None})) == [alone.doc_id]
    assert await books.origins.redirect({HERE: None, "s3://b/unknown": None}) == []
    assert (await books.ledger.get(ME, uploaded.doc_id)).generation == 1
    assert ids(await books.lifecycle.of_kind("unburied")) == [alone.doc_id]
    assert await books.lifecycle.counts() == {"RECEIVED": 1, "PROCESSING": 0, "READY": 0, "FAILED": 0, "DELETED": 1}


async def test_an_origin_in_several_scopes_leads_to_this_document_alone(books: Any) -> None:
    before, _ = await drop(books, HERE, "h1")
    after, _ = await drop(books, HERE, "h1", permission_groups=BOARD)
    assert ids(await books.origins.redirect({HERE: Target(after.doc_id, "v2", "a.txt")})) == [before.doc_id]
    assert await books.origins.held(HERE) == Held(after.doc_id, "v2")
    assert (await books.ledger.get(ME, after.doc_id)).generation == 1


async def test_a_document_that_a_user_deleted_stays_deleted(books: Any) -> None:
    document, _ = await drop(books, HERE, "h1")
    await books.ledger.delete(ME, document.doc_id)
    assert await books.origins.redirect({HERE: None, THERE: Target(document.doc_id, "v2", "b.txt")}) == []
    assert await books.origins.under("") == {THERE: Held(document.doc_id, "v2")}
    with pytest.raises(NotFound):
        await books.ledger.get(ME, document.doc_id)


async def test_too_many_origins_at_once_are_a_defect_of_the_caller(books: Any) -> None:
    with pytest.raises(ValueError, match="too many"):
        await books.origins.redirect({f"s3://b/{number}": None for number in range(MOST_REDIRECTED + 1)})
