"""Work in an SQS queue. What is taken too often goes where the queue's redrive policy says."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from footnote.adapters.aws.client import Client, Ours
from footnote.errors import NotFound, StoreUnavailable, TooLarge
from footnote.ports import Job

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

log = logging.getLogger(__name__)

MOST_BYTES = 2**20
MOST_S = 12 * 3600
"""Longest time that SQS hides a message, in seconds."""

SIZES: tuple[QueueAttributeNameType, ...] = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)

# Handles that are no longer, or never were, those of a taken message; no other parameter of ours can be invalid.
LAPSED: dict[str, Ours] = dict.fromkeys(
    ("ReceiptHandleIsInvalid", "MessageNotInflight", "AWS.SimpleQueueService.MessageNotInflight", "InvalidParameterValue"),
    (NotFound, "There is no such job."),
)


class SqsQueue:
    """At least once, in no order. A job's id is its receipt handle: `finish` and `retry` want the one of the last `take`."""

    def __init__(self, queue_url: str) -> None:
        self._url = queue_url
        self._sqs: Client[SQSClient] = Client(
            "sqs", (StoreUnavailable, "The queue of files to read cannot be used. Check AWS__QUEUE_URL and the function's permissions.")
        )

    async def put(self, body: Mapping[str, Any]) -> str:
        """TooLarge above 1 MiB of JSON."""
        text = json.dumps(dict(body))  # ASCII: SQS refuses some characters
        if len(text) > MOST_BYTES:
            raise TooLarge("A job is larger than 1 MiB. Keep what it is about in a file and send the file's key.")
        sent = await self._sqs.call(lambda sqs: sqs.send_message(QueueUrl=self._url, MessageBody=text))
        return sent["MessageId"]

    async def take(self, lease_s: float) -> Job | None:
        """Asks some of SQS's servers and does not wait: of few messages it may miss one, which the next call finds."""
        taken = await self._sqs.call(
            lambda sqs: sqs.receive_message(
                QueueUrl=self._url,
                MaxNumberOfMessages=1,
                VisibilityTimeout=_seconds(lease_s),
                WaitTimeSeconds=0,
                MessageSystemAttributeNames=["ApproximateReceiveCount"],
            )
        )
        for message in taken.get("Messages", ()):
            with suppress(ValueError):
                body = json.loads(message["Body"])
                if isinstance(body, dict):
                    return Job(message["ReceiptHandle"], body, int(message["Attributes"]["ApproximateReceiveCount"]), message["MessageId"])
            log.warning("a message that is no job is left to the dead letters", extra={"message_id": message["MessageId"]})
        return None

    async def finish(self, job_id: str) -> None:
        """The job is done and gone. Unknown ids are fine."""
        with suppress(NotFound):
            await self._sqs.call(lambda sqs: sqs.delete_message(QueueUrl=self._url, ReceiptHandle=job_id), LAPSED)

    async def retry(self, job_id: str, delay_s: float) -> None:
        """The job comes back after `delay_s`. Unknown ids are fine."""
        with suppress(NotFound):
            await self._sqs.call(
                lambda sqs: sqs.change_message_visibility(QueueUrl=self._url, ReceiptHandle=job_id, VisibilityTimeout=_seconds(delay_s)),
                LAPSED,
            )

    async def size(self) -> int:
        """About how many jobs are not finished, taken ones included."""
        found = await self._sqs.call(lambda sqs: sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=SIZES))
        return sum(int(found["Attributes"].get(name, "0")) for name in SIZES)

    async def close(self) -> None:
        await self._sqs.close()


def _seconds(wanted: float) -> int:
    """SQS counts whole seconds: never fewer than wanted."""
    return min(math.ceil(wanted), MOST_S)
