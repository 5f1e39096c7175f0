"""Searches that run at once, of which late ones are left out."""

from __future__ import annotations

import asyncio

import pytest

from footnote.adapters.opensearch.slow_lists import leave_out_slow
from footnote.errors import SearchTimeout, SearchUnavailable

LATE_S = 0.05


class Searches:
    """Searches that reply with their hits, fail, or wait for ever."""

    def __init__(self) -> None:
        self.cancelled = False

    async def finds(self, *hits: str, after_s: float = 0) -> list[str]:
        await asyncio.sleep(after_s)
        return list(hits)

    async def fails(self, error: Exception, after_s: float = 0) -> list[str]:
        await asyncio.sleep(after_s)
        raise error

    async def hangs(self) -> list[str]:
        try:
            return await asyncio.Event().wait()  # type: ignore[return-value]
        except asyncio.CancelledError:
            self.cancelled = True
            raise


async def test_late_lists_are_cancelled_and_left_out() -> None:
    made = Searches()
    replies, ms = await leave_out_slow({"bm25": made.finds("a"), "cosine": made.hangs()}, bool, LATE_S)
    assert (replies, made.cancelled) == ({"bm25": ["a"]}, True)
    assert ms["bm25"] + LATE_S * 1000 <= ms["cosine"] + 1


async def test_a_list_soon_after_the_first_is_kept() -> None:
    made = Searches()
    replies, ms = await leave_out_slow({"bm25": made.finds("a", after_s=0.01), "cosine": made.finds("b")}, bool, 30)
    assert replies == {"bm25": ["a"], "cosine": ["b"]}
    assert ms["cosine"] < ms["bm25"]


async def test_a_search_that_finds_nothing_hurries_no_other() -> None:
    made = Searches()
    replies, _ = await leave_out_slow({"bm25": made.finds(), "cosine": made.finds("b", after_s=3 * LATE_S)}, bool, LATE_S)
    assert replies == {"bm25": [], "cosine": ["b"]}


async def test_one_that_gives_up_by_itself_is_left_out_if_another_found_something() -> None:
    made = Searches()
    replies, _ = await leave_out_slow({"bm25": made.fails(SearchTimeout()), "cosine": made.finds("b", after_s=0.01)}, bool, 30)
    assert replies == {"cosine": ["b"]}


@pytest.mark.parametrize("other", ["nothing", "late"])
async def test_where_none_found_anything_the_search_is_late(other: str) -> None:
    made = Searches()
    second = made.finds() if other == "nothing" else made.fails(SearchTimeout())
    with pytest.raises(SearchTimeout):
        await leave_out_slow({"bm25": made.fails(SearchTimeout()), "cosine": second}, bool, 30)


async def test_a_search_that_fails_is_an_error_and_the_other_is_cancelled() -> None:
    made = Searches()
    with pytest.raises(SearchUnavailable, match="down"):
        await leave_out_slow({"bm25": made.fails(SearchUnavailable("It is down."), after_s=0.01), "cosine": made.hangs()}, bool, 30)
    assert made.cancelled


async def test_whoever_gives_up_waiting_cancels_all() -> None:
    made = Searches()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(LATE_S):
            await leave_out_slow({"bm25": made.finds(), "cosine": made.hangs()}, bool, 30)
    assert made.cancelled
