"""Terms are kept, copied into each process, and never trusted for too long."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.records_sqlite import SqliteRecords
from footnote.adapters.store_sqlite import open_store
from footnote.errors import BadRequest, NotFound, StoreUnavailable
from footnote.guard.audit import read_audit
from footnote.guard.terms import Terms
from tests.conftest import HandClock
from tests.fakes import ME, FakeEmbedder


class Failing:
    """Records that are down while `down` is set; counts the reads."""

    def __init__(self, records: Any) -> None:
        self._records, self.down, self.reads = records, False, 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._records, name)

    async def changes(self, kind: Any) -> int:
        self.reads += 1
        if self.down:
            raise StoreUnavailable("down")
        return int(await self._records.changes(kind))


@pytest.fixture
async def records(tmp_path: Path, clock: HandClock) -> AsyncIterator[Any]:
    database = open_store(tmp_path)
    yield Failing(SqliteRecords(database, clock))
    database.close()


@pytest.fixture
def terms(records: Any, clock: HandClock) -> Terms:
    return Terms(records, None, clock)


async def texts(terms: Terms) -> list[str]:
    return [term.text for term in (await terms.current()).terms]


async def test_a_change_holds_at_once_here_and_within_five_seconds_elsewhere(terms: Terms, records: Any, clock: HandClock) -> None:
    elsewhere = Terms(records, None, clock)
    assert await texts(terms) == await texts(elsewhere) == []
    await terms.save(ME, "임원", "synonym", "인사")
    assert await texts(terms) == ["임원"]
    clock.advance(4.9)
    assert await texts(elsewhere) == []
    clock.advance(0.1)
    assert await texts(elsewhere) == ["임원"]
    await terms.remove(ME, "임원")
    assert await texts(terms) == []


async def test_a_fresh_copy_costs_no_read_and_a_stale_one_a_single_small_one(terms: Terms, records: Any, clock: HandClock) -> None:
    for _ in range(100):
        await terms.current()
    assert records.reads == 1
    clock.advance(5)
    await terms.current()
    await terms.current()
    assert records.reads == 2


async def test_a_store_that_is_down_is_survived_for_a_minute_and_then_nothing_can_be_checked(
    terms: Terms, records: Any, clock: HandClock
) -> None:
    await terms.save(ME, "salary")
    await terms.current()
    records.down = True
    for _ in range(11):
        clock.advance(5)
        assert await texts(terms) == ["salary"]
    clock.advance(5)
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await terms.current()
    records.down = False
    assert await texts(terms) == ["salary"]


async def test_without_any_copy_a_store_that_is_down_is_an_error_at_once(terms: Terms, records: Any) -> None:
    records.down = True
    with pytest.raises(StoreUnavailable):
        await terms.current()


async def test_what_is_changed_while_the_terms_are_read_is_in_the_copy(records: Any, clock: HandClock) -> None:
    class Interrupted(Failing):
        async def list(self, kind: Any, **options: Any) -> Any:
            page = await self._records.list(kind, **options)
            if self.reads == 1:
                await terms.save(ME, "late")
            return page

    terms = Terms(Interrupted(records), None, clock)
    assert await texts(terms) == ["late"]


async def test_vectors_are_made_when_a_term_is_saved_and_again_for_another_embedder(records: Any, clock: HandClock) -> None:
    first, second = FakeEmbedder("first"), FakeEmbedder("second")
    await Terms(records, first, clock).save(ME, "salary")
    await Terms(records, first, clock).current()
    assert first.embedded == ["salary"]
    for _ in range(2):
        copy = await Terms(records, second, clock).current()
        assert copy.vectors[0] @ second.vector("salary") == pytest.approx(1, abs=1e-3)
    assert second.embedded == ["salary"]
    await Terms(records, first, clock).current()
    assert first.embedded == ["salary"]


async def test_a_term_in_a_language_that_the_embedder_does_not_speak_has_no_vector(records: Any, clock: HandClock) -> None:
    embedder = FakeEmbedder()
    terms = Terms(records, embedder, clock)
    await terms.save(ME, "임원")
    assert (await terms.current()).vectors == {}
    assert embedder.embedded == []


async def test_case_and_width_make_no_other_term(terms: Terms) -> None:
    await terms.save(ME, "Salary")
    await terms.save(ME, " ＳＡＬＡＲＹ ", topic="Pay")
    page = await terms.page(10)
    assert [(term.text, term.topic) for term in page.data] == [("ＳＡＬＡＲＹ", "Pay")]
    await terms.remove(ME, "salary")
    with pytest.raises(NotFound):
        await terms.remove(ME, "salary")


@pytest.mark.parametrize("text", ["", "  ", "?!", "\u200b", "\uff9e", "x" * 101, "a\x00b", "\ud800a"])
async def test_what_cannot_be_a_term_is_refused(terms: Terms, text: str) -> None:
    with pytest.raises(BadRequest):
        await terms.save(ME, text)


async def test_a_change_leaves_a_record_without_the_term(terms: Terms, records: Any) -> None:
    await terms.save(ME, "salary", "exact", "Pay")
    await terms.remove(ME, "salary")
    entries = (await read_audit(records, 10)).data
    assert sorted(entry.action for entry in entries) == ["term.delete", "term.set"]
    assert entries[0].object_id == entries[1].object_id
    assert "salary" not in str(entries)
    assert "Pay" not in str(entries)
