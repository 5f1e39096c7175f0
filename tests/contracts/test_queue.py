"""What every queue does."""

from __future__ import annotations

import asyncio
from typing import Any

from footnote.ports import Job


async def test_an_empty_queue_gives_nothing(queue: Any) -> None:
    assert await queue.take(lease_s=60) is None
    assert await queue.size() == 0


async def test_jobs_are_taken_oldest_first_with_their_bodies(queue: Any) -> None:
    first = await queue.put({"doc_id": "a", "generation": 1, "이름": ["가", None]})
    second = await queue.put({"doc_id": "b"})
    assert first != second
    assert await queue.size() == 2
    assert await queue.take(lease_s=60) == Job(first, {"doc_id": "a", "generation": 1, "이름": ["가", None]}, attempt=1)
    assert await queue.take(lease_s=60) == Job(second, {"doc_id": "b"}, attempt=1)
    assert await queue.take(lease_s=60) is None


async def test_a_finished_job_is_gone_and_a_taken_one_still_counts(queue: Any, clock: Any) -> None:
    job_id = await queue.put({})
    await queue.take(lease_s=60)
    assert await queue.size() == 1
    await queue.finish(job_id)
    assert await queue.size() == 0
    clock.advance(1000)
    assert await queue.take(lease_s=60) is None


async def test_a_job_whose_lease_ended_comes_back_as_the_next_attempt(queue: Any, clock: Any) -> None:
    job_id = await queue.put({"n": 1})
    await queue.take(lease_s=60)
    clock.advance(59)
    assert await queue.take(lease_s=60) is None
    clock.advance(1)
    assert await queue.take(lease_s=60) == Job(job_id, {"n": 1}, attempt=2)


async def test_a_job_to_retry_comes_back_after_its_delay(queue: Any, clock: Any) -> None:
    job_id = await queue.put({})
    await queue.take(lease_s=600)
    await queue.retry(job_id, delay_s=10)
    clock.advance(9)
    assert await queue.take(lease_s=60) is None
    clock.advance(1)
    assert (await queue.take(lease_s=60)).attempt == 2


async def test_a_job_that_waits_holds_up_no_other(queue: Any, clock: Any) -> None:
    first, second = await queue.put({}), await queue.put({})
    await queue.take(lease_s=60)
    await queue.retry(first, delay_s=30)
    assert (await queue.take(lease_s=600)).job_id == second
    clock.advance(30)
    assert (await queue.take(lease_s=60)).job_id == first


async def test_finishing_or_retrying_an_unknown_job_is_fine(queue: Any) -> None:
    job_id = await queue.put({})
    await queue.finish("unknown")
    await queue.retry("unknown", delay_s=10)
    assert await queue.size() == 1
    assert (await queue.take(lease_s=60)).job_id == job_id


async def test_jobs_and_leases_survive_a_restart(open_queue: Any, clock: Any) -> None:
    before = await open_queue()
    first, second = await before.put({"n": 1}), await before.put({"n": 2})
    await before.take(lease_s=60)
    after = await open_queue()
    assert await after.take(lease_s=600) == Job(second, {"n": 2}, attempt=1)
    assert await after.take(lease_s=600) is None
    clock.advance(60)
    assert await after.take(lease_s=600) == Job(first, {"n": 1}, attempt=2)


async def test_two_consumers_never_take_the_same_job(open_queue: Any) -> None:
    clients = [await open_queue(), await open_queue()]
    jobs = [await clients[0].put({"n": number}) for number in range(10)]
    taken = await asyncio.gather(*(clients[number % 2].take(lease_s=60) for number in range(14)))
    assert sorted(job.job_id for job in taken if job is not None) == sorted(jobs)
    assert taken.count(None) == 4
