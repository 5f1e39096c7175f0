"""What every queue does. The order of jobs and leases under a manual clock are tested only with the embedded queue."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest


async def take_all(queue: Any) -> list[Any]:
    jobs = []
    while job := await queue.take(lease_s=60):
        jobs.append(job)
    return jobs


async def test_an_empty_queue_gives_nothing(queue: Any) -> None:
    assert await queue.take(lease_s=60) is None
    assert await queue.size() == 0


@pytest.mark.engine
async def test_every_job_is_taken_once_with_its_body(queue: Any) -> None:
    first = {"doc_id": "a", "generation": 1, "이름": ["가\n\x00", None]}
    assert await queue.put(first) != await queue.put({"doc_id": "b"})
    assert await queue.size() == 2
    jobs = await take_all(queue)
    assert sorted((dict(job.body) for job in jobs), key=str) == [first, {"doc_id": "b"}]
    assert [job.attempt for job in jobs] == [1, 1]
    assert len({job.job_id for job in jobs}) == 2


async def test_a_finished_job_is_gone_and_a_taken_one_still_counts(queue: Any) -> None:
    await queue.put({})
    job = await queue.take(lease_s=60)
    assert await queue.size() == 1
    await queue.finish(job.job_id)
    assert await queue.size() == 0
    assert await queue.take(lease_s=60) is None


@pytest.mark.engine
async def test_a_job_whose_lease_ended_comes_back_as_the_next_attempt(queue: Any) -> None:
    await queue.put({"n": 1})
    for attempt in (1, 2, 3):
        job = await queue.take(lease_s=0)
        assert (job.body, job.attempt) == ({"n": 1}, attempt)


@pytest.mark.engine
async def test_a_lease_may_be_shorter_than_a_second(queue: Any) -> None:
    await queue.put({})
    await queue.take(lease_s=0.5)
    assert await queue.take(lease_s=60) is None


@pytest.mark.engine
async def test_a_job_to_retry_comes_back_as_the_next_attempt(queue: Any) -> None:
    await queue.put({"n": 1})
    job = await queue.take(lease_s=600)
    await queue.retry(job.job_id, delay_s=0)
    again = await queue.take(lease_s=600)
    assert (again.body, again.attempt) == ({"n": 1}, 2)
    await queue.finish(again.job_id)
    assert await queue.size() == 0


async def test_a_waiting_job_does_not_block_others(queue: Any) -> None:
    await queue.put({"n": 1})
    job = await queue.take(lease_s=0)
    job = await queue.take(lease_s=60)
    await queue.retry(job.job_id, delay_s=30)
    await queue.put({"n": 2})
    assert [job.body for job in await take_all(queue)] == [{"n": 2}]
    assert await queue.size() == 2


@pytest.mark.engine
async def test_finishing_or_retrying_an_unknown_job_is_fine(queue: Any) -> None:
    await queue.put({})
    await queue.finish("unknown")
    await queue.retry("unknown", delay_s=10)
    assert await queue.size() == 1
    job = await queue.take(lease_s=60)
    await queue.finish(job.job_id)
    await queue.finish(job.job_id)
    await queue.retry(job.job_id, delay_s=0)
    assert await queue.take(lease_s=60) is None


async def test_jobs_and_leases_survive_a_restart(open_queue: Any) -> None:
    before = await open_queue()
    await before.put({"n": 1})
    taken = await before.take(lease_s=60)
    await before.put({"n": 2})
    after = await open_queue()
    assert [job.body for job in await take_all(after)] == [{"n": 2}]
    await after.finish(taken.job_id)
    assert await after.size() == 1


@pytest.mark.engine
async def test_two_consumers_never_take_the_same_job(open_queue: Any, request: pytest.FixtureRequest) -> None:
    clients = [await open_queue(), await open_queue()]
    for number in range(10):
        await clients[0].put({"n": number})
    taken = await asyncio.gather(*(clients[number % 2].take(lease_s=60) for number in range(14)))
    numbers = sorted(job.body["n"] for job in taken if job is not None)
    if "sqs" in request.node.name:  # promises at least once: two requests at the same moment may get the same job
        assert set(numbers) == set(range(10))
    else:
        assert numbers == list(range(10))
