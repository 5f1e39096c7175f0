"""A document of one ledger is added to another as it was."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from footnote.errors import NotFound
from footnote.ports import Held, Name
from footnote.types import Caller
from tests.fakes import make_document
from tests.footnote.ledger.test_accepting import accept

DOCUMENT = make_document(
    "plan", generation=7, title="The plan", active_generation=7, state="READY", reason="One page is empty.", pages=3, chunks=2, lang="ko",
    format="pdf", digest="2:abc", metadata={"year": 2024, "tags": ["a"]}, created_at=12.5, updated_at=20.25, content_hash="f" * 64,
)  # fmt: skip


async def test_every_field_is_kept(books: Any, me: Caller, stranger: Caller) -> None:
    assert await books.lifecycle.restore(DOCUMENT, [])
    assert await books.ledger.get(me, "plan") == DOCUMENT
    assert (await books.ledger.list(me, collection="default")).data == (DOCUMENT,)
    assert await books.ledger.collections(me) == {"default": 1}
    with pytest.raises(NotFound):
        await books.ledger.get(stranger, "plan")


async def test_the_names_that_a_ledger_lists_can_be_restored(books: Any, me: Caller) -> None:
    names = [Name("plan.txt"), Name("q/plan.pdf", "s3://bucket/q/plan.pdf", "v2")]
    assert await books.lifecycle.restore(DOCUMENT, names)
    assert sorted(await books.origins.names("plan"), key=lambda name: name.file_name) == names
    assert await books.origins.held("s3://bucket/q/plan.pdf") == Held("plan", "v2")
    document, work = await accept(books, me, "plan.txt", "e" * 64)
    assert (document.doc_id == "plan", work) == (False, True)  # of two names, one gets the new content
    assert [name.file_name for name in await books.origins.names("plan")] == ["q/plan.pdf"]


async def test_the_same_file_sent_again_is_the_restored_document(books: Any, me: Caller) -> None:
    await books.lifecycle.restore(DOCUMENT, [Name("plan.txt")])
    document, work = await accept(books, me, "plan.txt", "f" * 64)
    assert (document.doc_id, document.generation, work) == ("plan", 7, False)
    document, work = await accept(books, me, "plan.txt", "e" * 64)
    assert (document.doc_id, document.generation, document.active_generation, work) == ("plan", 8, 7, True)


async def test_an_id_that_is_or_was_in_use_is_left_alone(books: Any, me: Caller) -> None:
    await books.lifecycle.restore(DOCUMENT, [])
    assert not await books.lifecycle.restore(replace(DOCUMENT, title="Another"), [Name("other.txt")])
    assert (await books.ledger.get(me, "plan"), await books.origins.names("plan")) == (DOCUMENT, [])
    await books.ledger.delete(me, "plan")
    assert not await books.lifecycle.restore(DOCUMENT, [])


async def test_a_name_that_leads_elsewhere_stays_there(books: Any, me: Caller) -> None:
    first, _ = await accept(books, me, "plan.txt", "a" * 64)
    assert await books.lifecycle.restore(DOCUMENT, [Name("plan.txt")])
    assert (await books.origins.names("plan"), await books.origins.names(first.doc_id)) == ([], [Name("plan.txt")])


async def test_a_document_may_have_very_many_names(books: Any) -> None:
    names = [Name(f"{number}.txt", f"folder:/{number}.txt", str(number)) for number in range(120)]
    assert await books.lifecycle.restore(DOCUMENT, names)
    assert sorted(await books.origins.names("plan")) == sorted(names)


async def test_an_unknown_document_has_no_names(books: Any) -> None:
    assert await books.origins.names("nowhere") == []
