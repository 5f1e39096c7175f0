"""What the embedded queue promises beyond the contract: order, ids that stay, and a clock that is ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.sqlite.queue import SqliteQueue
from footnote.adapters.sqlite.store import open_store
from footnote.ports import Job


@pytest.fixture
def queue(tmp_path: Path, clock: Any) -> Iterator[SqliteQueue]:
    database = open_store(tmp_path)
    yield SqliteQueue(database, clock)
    database.close()


async def test_jobs_are_taken_oldest_first_by_the_ids_they_were_put_with(queue: SqliteQueue) -> None:
    first, second = await queue.put({"doc_id": "a"}), await queue.put({"doc_id": "b"})
    assert await queue.take(lease_s=60) == Job(first, {"doc_id": "a"}, attempt=1)
    assert await queue.take(lease_s=60) == Job(second, {"doc_id": "b"}, attempt=1)
    assert await queue.take(lease_s=60) is None


async def test_a_finished_job_does_not_come_back_when_its_lease_would_have_ended(queue: SqliteQueue, clock: Any) -> None:
    job_id = await queue.put({})
    await queue.take(lease_s=60)
    await queue.finish(job_id)
    clock.advance(1000)
    assert await queue.take(lease_s=60) is None


async def test_a_lease_ends_to_the_second(queue: SqliteQueue, clock: Any) -> None:
    job_id = await queue.put({"n": 1})
    await queue.take(lease_s=60)
    clock.advance(59)
    assert await queue.take(lease_s=60) is None
    clock.advance(1)
    assert await queue.take(lease_s=60) == Job(job_id, {"n": 1}, attempt=2)


async def test_a_job_to_retry_comes_back_after_its_delay(queue: SqliteQueue, clock: Any) -> None:
    job_id = await queue.put({})
    await queue.take(lease_s=600)
    await queue.retry(job_id, delay_s=10)
    clock.advance(9)
    assert await queue.take(lease_s=60) is None
    clock.advance(1)
    assert await queue.take(lease_s=60) == Job(job_id, {}, attempt=2)


async def test_recalled_jobs_are_due_at_once_and_keep_their_order_and_attempts(queue: SqliteQueue, clock: Any) -> None:
    ids = [await queue.put({"n": n}) for n in range(3)]
    await queue.take(lease_s=600)
    await queue.take(lease_s=600)
    await queue.retry(ids[1], delay_s=60)
    await queue.recall()
    assert [(job.job_id, job.attempt) for job in [await queue.take(60) for _ in range(3)] if job] == list(zip(ids, (2, 2, 1), strict=True))


async def test_a_job_that_waits_is_the_oldest_again_when_it_is_due(queue: SqliteQueue, clock: Any) -> None:
    first, second = await queue.put({"n": 1}), await queue.put({"n": 2})
    await queue.take(lease_s=60)
    await queue.retry(first, delay_s=30)
    assert await queue.take(lease_s=30) == Job(second, {"n": 2}, attempt=1)
    clock.advance(30)
    assert await queue.take(lease_s=60) == Job(first, {"n": 1}, attempt=2)


async def test_a_lease_ends_after_a_restart_too(queue: SqliteQueue, tmp_path: Path, clock: Any) -> None:
    job_id = await queue.put({"n": 1})
    await queue.take(lease_s=60)
    database = open_store(tmp_path)
    after = SqliteQueue(database, clock)
    assert await after.take(lease_s=60) is None
    clock.advance(60)
    assert await after.take(lease_s=60) == Job(job_id, {"n": 1}, attempt=2)
    database.close()
