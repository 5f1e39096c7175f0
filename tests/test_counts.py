"""The work of answers, searches, passages and imports stays within its bounds; and the counter sees what makes them slow."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bench.counts.counter import Counting, peak_bytes, top
from bench.counts.gate import VERSION, WRITE, compare, count, read_bounds


@pytest.mark.timeout(600)  # on a busy machine
@pytest.mark.slow("runs each scene and imports each entry point, in processes of their own")
def test_no_count_is_out_of_its_bounds() -> None:
    bounds = read_bounds()
    if bounds is None:
        pytest.skip(f"There are no bounds for Python {VERSION}: {WRITE}")
    found, _ = count()
    assert list(compare(found, bounds)) == []


@dataclass(frozen=True)
class Record:
    text: str


def helper() -> None:
    """Is called."""


@pytest.fixture
def counting() -> Iterator[Counting]:
    made = Counting()
    made.start()
    yield made
    made.stop()


async def totals(counting: Counting, work: Callable[[], Awaitable[object]]) -> dict[str, int]:
    with counting.during() as counted:
        await work()
    return {name: total for name, total in counted[0].totals().items() if name not in ("calls", "builtins")}


async def test_calls_are_counted_by_function_however_often_they_wait(counting: Counting) -> None:
    async def waits() -> None:
        for _ in range(3):
            await asyncio.sleep(0)

    with counting.during() as counted:
        await waits()
        helper()
        helper()
    assert {name.partition(":")[2].rpartition(".")[2]: calls for name, calls in top(counted[0].calls)}.items() >= {
        "waits": 1,
        "helper": 2,
    }.items()


async def test_each_item_of_a_generator_counts(counting: Counting) -> None:
    with counting.during() as counted:
        sum(number for number in (1, 2, 3))
    assert [calls for name, calls in top(counted[0].calls) if name.endswith("<genexpr>")] == [4]  # and its end


async def test_calls_in_other_threads_are_counted(counting: Counting) -> None:
    with ThreadPoolExecutor(1) as threads, counting.during() as counted:
        threads.submit(helper).result()
    assert [calls for name, calls in top(counted[0].calls) if name.endswith(":helper")] == [1]


async def test_a_copy_of_a_record_is_counted(counting: Counting) -> None:
    record = Record("one")

    async def work() -> None:
        replace(record, text="two")
        Record("three")

    assert await totals(counting, work) == {"replaced": 1, "records": 2, "hops": 0, "statements": 0, "sql_bytes": 0}


async def test_a_hop_to_a_thread_is_counted(counting: Counting) -> None:
    assert (await totals(counting, lambda: asyncio.to_thread(helper)))["hops"] == 1


async def test_statements_are_counted_with_their_values_and_without_those_of_an_index(counting: Counting, tmp_path: Path) -> None:
    with counting.during() as counted:
        connection = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
        connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        connection.executemany("INSERT INTO words VALUES (?)", [("one",), ("three",)])
        connection.close()
    sent = ("CREATE VIRTUAL TABLE words USING fts5(text)", "INSERT INTO words VALUES ('one')", "INSERT INTO words VALUES ('three')")
    assert (counted[0].statements, counted[0].sql_bytes) == (3, sum(map(len, sent)))


async def test_the_peak_of_memory_is_measured() -> None:
    async def work() -> None:
        bytearray(10_000_000)

    assert 10_000_000 <= await peak_bytes(work) < 10_100_000


COUNTED = {"answer": {"calls": 16_000, "hops": 15}, "import footnote_query.app": {"modules": 800}}


@pytest.mark.parametrize(
    ("scene", "counter", "value", "line"),
    [
        ("answer", "calls", 16_800, "answer: calls 16,000 → 16,800 (+5.0%). Win it back"),
        ("answer", "hops", 16, "answer: hops 15 → 16 (+6.7%). Win it back"),
        ("import footnote_query.app", "modules", 840, "import footnote_query.app: modules 800 → 840 (+5.0%). Win it back"),
        ("answer", "calls", 15_100, f"answer: calls 16,000 → 15,100 (-5.6%). Keep the gain: {WRITE}"),
        ("answer", "statements", 1, f"answer: statements has no bound. To change the bounds: {WRITE}"),
        ("search", "calls", 1, f"search: calls has no bound. To change the bounds: {WRITE}"),
    ],
)
def test_a_count_out_of_bounds_is_named_with_both_figures(scene: str, counter: str, value: int, line: str) -> None:
    found = COUNTED | {scene: {**COUNTED.get(scene, {}), counter: value}}
    (problem,) = compare(found, COUNTED)
    assert problem.startswith(line)


def test_a_count_within_its_bounds_is_no_problem() -> None:
    assert list(compare({**COUNTED, "answer": {"calls": 16_300, "hops": 15}}, COUNTED)) == []


def test_a_bound_without_a_count_is_a_problem() -> None:
    (problem,) = compare({name: COUNTED[name] for name in COUNTED if name != "answer"}, {**COUNTED, "answer": {"hops": 15}})
    assert problem.startswith("answer: hops is no longer counted.")
