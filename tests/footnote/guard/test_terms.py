"""Terms are stored, copied into each process, and not trusted for too long."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.cache import SqliteCache
from footnote.adapters.sqlite.records import SqliteRecords
from footnote.adapters.sqlite.store import open_store
from footnote.errors import BadRequest, NotFound, StoreUnavailable
from footnote.guard.audit import read_audit
from footnote.guard.terms import Terms
from tests.conftest import HandClock
from tests.fakes import FakeEmbedder
from tests.turns import ME

HOUR = 3600.0


class Cache(SqliteCache):
    """Is down while `down` is set."""

    down = False

    async def get(self, key: str) -> Any:
        if self.down:
            raise StoreUnavailable("down")
        return await super().get(key)

    async def put(self, key: str, value: Any, ttl_s: float) -> None:
        if self.down:
            raise StoreUnavailable("down")
        await super().put(key, value, ttl_s)

    async def delete(self, key: str) -> None:
        if self.down:
            raise StoreUnavailable("down")
        await super().delete(key)


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
async def cache(tmp_path: Path, clock: HandClock) -> AsyncIterator[Cache]:
    """Of another store than the records', as in AWS."""
    database = open_store(tmp_path / "cache")
    yield Cache(database, clock)
    database.close()


@pytest.fixture
def terms(records: Any, cache: Cache, clock: HandClock) -> Terms:
    return Terms(records, cache, None, clock)


async def texts(terms: Terms) -> list[str]:
    return [term.text for term in (await terms.current()).terms]


async def test_a_change_holds_at_once_here_and_within_five_seconds_elsewhere(
    terms: Terms, records: Any, cache: Cache, clock: HandClock
) -> None:
    elsewhere = Terms(records, cache, None, clock)
    assert await texts(terms) == await texts(elsewhere) == []
    await terms.save(ME, "임원", "synonym", "인사")
    assert await texts(terms) == ["임원"]
    clock.advance(4.9)
    assert await texts(elsewhere) == []
    clock.advance(0.1)
    assert await texts(elsewhere) == ["임원"]
    await terms.remove(ME, "임원")
    assert await texts(terms) == []


async def test_a_change_elsewhere_that_is_known_of_holds_at_once(terms: Terms, records: Any, cache: Cache, clock: HandClock) -> None:
    elsewhere = Terms(records, cache, None, clock)
    assert await texts(elsewhere) == []
    await terms.save(ME, "salary")
    elsewhere.expire()
    assert await texts(elsewhere) == ["salary"]


async def test_a_fresh_copy_costs_no_read_and_a_stale_one_a_single_small_one(terms: Terms, records: Any, clock: HandClock) -> None:
    for _ in range(100):
        await terms.current()
    assert records.reads == 2  # once more after the cache got its copy
    clock.advance(5)
    await terms.current()
    await terms.current()
    assert records.reads == 3


# --- the records are down --------------------------------------------------------------------------


async def test_without_either_store_terms_are_known_for_a_minute_then_checks_fail(
    terms: Terms, records: Any, cache: Cache, clock: HandClock
) -> None:
    await terms.save(ME, "salary")
    await terms.current()
    records.down = cache.down = True
    for _ in range(11):
        clock.advance(5)
        assert await texts(terms) == ["salary"]
    clock.advance(5)
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            await terms.current()
    records.down = False
    assert await texts(terms) == ["salary"]


async def test_that_there_are_no_terms_is_known_for_a_week_without_either_store(
    terms: Terms, records: Any, cache: Cache, clock: HandClock
) -> None:
    assert await texts(terms) == []
    records.down = cache.down = True
    clock.advance(7 * 24 * HOUR - 1)
    assert await texts(terms) == []
    clock.advance(1)
    with pytest.raises(StoreUnavailable):
        await terms.current()


@pytest.mark.parametrize(("saved", "days"), [(["board", "salary"], 1), ([], 7)])
async def test_a_new_process_has_terms_from_the_cache_for_a_day_and_no_terms_for_a_week(
    saved: list[str], days: int, terms: Terms, records: Any, cache: Cache, clock: HandClock
) -> None:
    for term in saved:
        await terms.save(ME, term, "exact", "Pay")
    await terms.current()
    records.down = True
    for _ in range(days):
        cold = Terms(records, cache, None, clock)
        assert [(term.text, term.match, term.topic) for term in (await cold.current()).terms] == [(term, "exact", "Pay") for term in saved]
        assert await texts(terms) == saved
        clock.advance(24 * HOUR)
    for process in (terms, Terms(records, cache, None, clock)):
        with pytest.raises(StoreUnavailable):
            await process.current()


async def test_vectors_of_terms_are_in_the_cache_and_made_where_another_embedder_is_used(
    records: Any, cache: Cache, clock: HandClock
) -> None:
    first, second = FakeEmbedder("first"), FakeEmbedder("second")
    await Terms(records, cache, first, clock).save(ME, "salary")
    records.down = True
    for embedder, made in ((first, ["salary"]), (second, ["salary"])):
        copy = await Terms(records, cache, embedder, clock).current()
        assert copy.vectors[0] @ embedder.vector("salary") == pytest.approx(1, abs=1e-3)
        assert embedder.embedded == made  # by the first when the term was saved, and not again


async def test_a_first_term_that_somebody_else_adds_counts_where_only_the_cache_is_reached(
    terms: Terms, records: Any, cache: Cache, clock: HandClock
) -> None:
    apart = Failing(records)
    here = Terms(apart, cache, None, clock)
    assert await texts(here) == []
    apart.down = True
    clock.advance(HOUR)
    assert await texts(here) == []
    await terms.save(ME, "salary")
    clock.advance(5)
    assert await texts(here) == ["salary"]


async def test_no_change_is_made_while_the_cache_is_down(terms: Terms, records: Any, cache: Cache) -> None:
    await terms.save(ME, "salary")
    cache.down = True
    with pytest.raises(StoreUnavailable):
        await terms.save(ME, "board")
    with pytest.raises(StoreUnavailable):
        await terms.remove(ME, "salary")
    cache.down = False
    assert await texts(terms) == ["salary"]


async def test_a_change_that_stopped_half_way_leaves_copies_good_for_a_minute(
    terms: Terms, records: Any, cache: Cache, clock: HandClock
) -> None:
    """The cache has lost its copy, and the records cannot be read."""

    class Stopped(Failing):
        async def put(self, kind: Any, *args: Any, **options: Any) -> Any:
            if kind == "term":
                raise StoreUnavailable("down")
            return await self._records.put(kind, *args, **options)

    assert await texts(terms) == []
    with pytest.raises(StoreUnavailable):
        await Terms(Stopped(records), cache, None, clock).save(ME, "salary")
    records.down = True
    clock.advance(59)
    assert await texts(terms) == []
    clock.advance(1)
    with pytest.raises(StoreUnavailable):
        await terms.current()


async def test_a_copy_that_is_overtaken_while_it_is_written_is_written_again(records: Any, cache: Cache, clock: HandClock) -> None:
    class Late(Cache):
        async def put(self, key: str, value: Any, ttl_s: float) -> None:
            if key == "terms" and not value["pages"]:
                await elsewhere.save(ME, "salary")
            await super().put(key, value, ttl_s)

    elsewhere = Terms(records, cache, None, clock)
    late = Late(cache._database, clock)
    assert await texts(Terms(records, late, None, clock)) == ["salary"]
    records.down = True
    assert await texts(Terms(records, cache, None, clock)) == ["salary"]


async def test_a_copy_is_compared_by_everybody_and_written_once_a_minute(records: Any, cache: Cache, clock: HandClock) -> None:
    written: list[str] = []

    class Counting(Cache):
        async def put(self, key: str, value: Any, ttl_s: float) -> None:
            written.append(key.partition(":")[0])
            await super().put(key, value, ttl_s)

    counting = Counting(cache._database, clock)
    await Terms(records, counting, None, clock).save(ME, "salary")
    processes = [Terms(records, counting, None, clock) for _ in range(3)]
    written.clear()
    for _ in range(24):
        for terms in processes:
            await terms.current()
        clock.advance(5)
    assert written == ["terms"] * 1  # the second minute's; the first one's was written with the term


async def test_many_terms_are_copied_in_pages_that_fit_into_an_item(terms: Terms, records: Any, cache: Cache, clock: HandClock) -> None:
    names = [f"용어{number:03d}{'가' * 90}" for number in range(70)]
    for name in names:
        await records.put("term", name, {"term": name, "topic": name}, by="ann")
    await terms.current()
    records.down = True
    assert await texts(Terms(records, cache, None, clock)) == names


async def test_without_any_copy_records_that_are_down_are_an_error_at_once(terms: Terms, records: Any) -> None:
    records.down = True
    with pytest.raises(StoreUnavailable):
        await terms.current()


# --- what a copy holds -----------------------------------------------------------------------------


async def test_changes_during_a_read_of_the_terms_are_in_the_copy(records: Any, cache: Cache, clock: HandClock) -> None:
    class Interrupted(Failing):
        async def list(self, kind: Any, **options: Any) -> Any:
            page = await self._records.list(kind, **options)
            if self.reads == 1:
                await terms.save(ME, "late")
            return page

    terms = Terms(Interrupted(records), cache, None, clock)
    assert await texts(terms) == ["late"]


async def test_vectors_are_made_when_a_term_is_saved_and_again_for_another_embedder(records: Any, cache: Cache, clock: HandClock) -> None:
    first, second = FakeEmbedder("first"), FakeEmbedder("second")
    await Terms(records, cache, first, clock).save(ME, "salary")
    await Terms(records, cache, first, clock).current()
    assert first.embedded == ["salary"]
    for _ in range(2):
        copy = await Terms(records, cache, second, clock).current()
        assert copy.vectors[0] @ second.vector("salary") == pytest.approx(1, abs=1e-3)
    assert second.embedded == ["salary"]
    await Terms(records, cache, first, clock).current()
    assert first.embedded == ["salary"]


async def test_a_term_in_a_language_that_the_embedder_does_not_speak_has_no_vector(records: Any, cache: Cache, clock: HandClock) -> None:
    embedder = FakeEmbedder()
    terms = Terms(records, cache, embedder, clock)
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


@pytest.mark.parametrize("text", ["sal\u200bary", "\ufeffsalary", "sal\u00adary"])
async def test_a_term_that_was_copied_with_characters_nobody_sees_is_the_term(terms: Terms, text: str) -> None:
    assert (await terms.save(ME, text)).text == "salary"


@pytest.mark.parametrize("text", ["", "  ", "?!", "\u200b", "\uff9e", "x" * 101, "a\x00b", "\ud800a"])
async def test_invalid_terms_are_refused(terms: Terms, text: str) -> None:
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
