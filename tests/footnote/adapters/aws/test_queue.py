"""What is peculiar to SQS: its limits, its dead letters, and messages that are no jobs."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from footnote.adapters.aws.queue import SqsQueue
from footnote.errors import StoreUnavailable, TooLarge
from tests.contracts.backends_aws import at, name_of, queue_of

pytestmark = pytest.mark.usefixtures("aws_url")


@pytest.fixture
async def sqs(tmp_path: Path) -> AsyncIterator[tuple[str, Any]]:
    async with queue_of(name_of(tmp_path)) as found:
        yield found


@pytest.fixture
def queue(sqs: tuple[str, Any]) -> SqsQueue:
    return SqsQueue(sqs[0])


async def test_a_job_may_have_a_mebibyte_and_no_more(queue: SqsQueue) -> None:
    empty = len('{"text": ""}')
    await queue.put({"text": "x" * (2**20 - empty)})
    with pytest.raises(TooLarge, match="1 MiB"):
        await queue.put({"text": "x" * (2**20 - empty + 1)})
    assert await queue.size() == 1


async def test_a_job_that_is_taken_too_often_goes_to_the_dead_letters(queue: SqsQueue, sqs: tuple[str, Any], tmp_path: Path) -> None:
    async with queue_of(f"{name_of(tmp_path)}-dead") as (dead, client):
        arn = client.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
        policy = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 2})
        client.set_queue_attributes(QueueUrl=sqs[0], Attributes={"RedrivePolicy": policy})
        await queue.put({"doc_id": "poison"})
        taken = [await queue.take(lease_s=0) for _ in range(3)]
        assert [job and job.attempt for job in taken] == [1, 2, None]
        assert await queue.size() == 0
        job = await SqsQueue(dead).take(lease_s=0)
        assert job.body == {"doc_id": "poison"}


@pytest.mark.parametrize("body", ["poison", "[1]", '"text"', "{", "null"])
async def test_a_message_that_is_no_job_holds_up_no_other_and_is_not_logged(
    queue: SqsQueue, sqs: tuple[str, Any], body: str, caplog: pytest.LogCaptureFixture
) -> None:
    sqs[1].send_message(QueueUrl=sqs[0], MessageBody=body)
    await queue.put({"n": 1})
    with caplog.at_level(logging.INFO, "footnote"):
        taken = [await queue.take(lease_s=60) for _ in range(3)]
    assert [job.body for job in taken if job] == [{"n": 1}]
    assert caplog.messages == ["message is not a job, left for the dead-letter queue"]
    assert await queue.size() == 2


async def test_only_the_last_taker_s_handle_is_needed(queue: SqsQueue) -> None:
    await queue.put({"n": 1})
    await queue.take(lease_s=0)
    last = await queue.take(lease_s=60)
    await queue.finish(last.job_id)
    assert await queue.size() == 0


async def test_waiting_longer_than_sqs_can_hide_is_waiting_for_as_long_as_it_can(queue: SqsQueue) -> None:
    await queue.put({})
    job = await queue.take(lease_s=86_400)
    await queue.retry(job.job_id, delay_s=86_400)
    assert await queue.take(lease_s=60) is None
    assert await queue.size() == 1


async def test_a_queue_that_is_not_there_is_never_told_as_an_empty_one(queue: SqsQueue, sqs: tuple[str, Any]) -> None:
    with at():
        gone = SqsQueue(f"{sqs[0]}-gone")
        for call in (gone.take(60), gone.put({}), gone.size(), gone.finish("x"), gone.retry("x", 1)):
            with pytest.raises(StoreUnavailable, match="AWS__QUEUE_URL"):
                await call
