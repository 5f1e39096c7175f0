"""What every ledger does when a document starts its next generation from the same content."""

from __future__ import annotations

from typing import Any

from footnote.types import Caller
from tests.footnote.ledger.test_accepting import accept, make_ready


async def test_the_next_generation_starts_while_the_active_one_answers(books: Any, me: Caller, clock: Any) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    assert await books.lifecycle.lease(document.doc_id, 1, "worker", 99)
    await make_ready(books, document)
    await books.lifecycle.update(document.doc_id, 1, reason="Pages are missing.", cut="structure-320-1")
    clock.advance(5)
    assert await books.lifecycle.renew(document.doc_id, 1)
    after = await books.ledger.get(me, document.doc_id)
    assert (after.state, after.generation, after.active_generation, after.reason) == ("RECEIVED", 2, 1, None)
    assert (after.content_hash, after.chunks, after.cut, after.updated_at) == ("h1", 3, "structure-320-1", clock.now)
    assert [each.doc_id for each in await books.lifecycle.of_kind("unfinished")] == [document.doc_id]
    assert await books.lifecycle.lease(document.doc_id, 2, "another", 9)


async def test_it_starts_once_and_only_for_a_ready_document(books: Any, me: Caller) -> None:
    document, _ = await accept(books, me, "a.txt", "h1")
    assert not await books.lifecycle.renew(document.doc_id, 1)
    await make_ready(books, document)
    assert not await books.lifecycle.renew(document.doc_id, 2)
    assert [await books.lifecycle.renew(document.doc_id, 1) for _ in range(2)] == [True, False]
    await books.ledger.delete(me, document.doc_id)
    assert not await books.lifecycle.renew(document.doc_id, 2)
    assert not await books.lifecycle.renew("nobody", 1)
