"""What every ledger does when a document starts its next generation from the same content."""

from __future__ import annotations

from typing import Any

import pytest

from footnote.types import Caller
from tests.contracts.test_ledger import accept, make_ready

pytestmark = pytest.mark.engine


async def test_the_next_generation_starts_while_the_active_one_answers(ledger: Any, me: Caller, clock: Any) -> None:
    document, _ = await accept(ledger, me, "a.txt", "h1")
    assert await ledger.lease(document.doc_id, 1, "worker", 99)
    await make_ready(ledger, document)
    await ledger.update(document.doc_id, 1, reason="Pages are missing.", cut="structure-320-1")
    clock.advance(5)
    assert await ledger.renew(document.doc_id, 1)
    after = await ledger.get(me, document.doc_id)
    assert (after.state, after.generation, after.active_generation, after.reason) == ("RECEIVED", 2, 1, None)
    assert (after.content_hash, after.chunks, after.cut, after.updated_at) == ("h1", 3, "structure-320-1", clock.now)
    assert [each.doc_id for each in await ledger.unfinished()] == [document.doc_id]
    assert await ledger.lease(document.doc_id, 2, "another", 9)


async def test_it_starts_once_and_only_for_a_ready_document(ledger: Any, me: Caller) -> None:
    document, _ = await accept(ledger, me, "a.txt", "h1")
    assert not await ledger.renew(document.doc_id, 1)
    await make_ready(ledger, document)
    assert not await ledger.renew(document.doc_id, 2)
    assert [await ledger.renew(document.doc_id, 1) for _ in range(2)] == [True, False]
    await ledger.delete(me, document.doc_id)
    assert not await ledger.renew(document.doc_id, 2)
    assert not await ledger.renew("nobody", 1)
