"""Jobs in an SQS queue. Jobs that fail too often are moved by the queue's redrive policy."""

from __future__ import annotations

import json
import logging
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from footnote.adapters.aws.client import Client, Failure
from footnote.errors import NotFound, StoreUnavailable, TooLarge
from footnote.ports import Job

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_sqs.literals import QueueAttributeNameType

log = logging.getLogger(__name__)

MAX_BYTES = 2**20
MAX_HIDDEN_S = 12 * 3600
"""Longest time for which SQS can hide a message."""

SIZES: tuple[QueueAttributeNameType, ...] = (
    "ApproximateNumberOfMessages",
    "ApproximateNumberOfMessagesNotVisible",
    "ApproximateNumberOfMessagesDelayed",
)

# Receipt handles that expired or never existed; no other parameter that is sent can be invalid.
LAPSED: dict[str, Failure] = dict.fromkeys(
    ("ReceiptHandleIsInvalid", "MessageNotInflight", "AWS.SimpleQueueService.MessageNotInflight", "InvalidParameterValue"),
    (NotFound, "There is no such job."),
)


class SqsQueue:
    """`ports.Queue` on SQS: at-least-once delivery, unordered. A job's id is its receipt handle, so `finish` and `retry` need
    the id of the last `take`."""

    def __init__(self, queue_url: str) -> None:
        self._url = queue_url
        self._sqs: Client[SQSClient] = Client(
            "sqs", (StoreUnavailable, "The queue of files to ingest cannot be used. Check AWS__QUEUE_URL and the function's permissions.")
        )

    async def put(self, body: Mapping[str, Any]) -> str:
        """TooLarge above 1 MiB of JSON."""
        text = json.dumps(dict(body))  # ASCII: SQS rejects some characters
        if len(text) > MAX_BYTES:
            raise TooLarge("A job is larger than 1 MiB. Store its content in a file and send the file's key.")
        sent = await self._sqs.call(lambda sqs: sqs.send_message(QueueUrl=self._url, MessageBody=text))
        return sent["MessageId"]

    async def take(self, lease_s: float) -> Job | None:
        """Short polling asks only some of SQS's servers: it may miss a message that the next call finds."""
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
            log.warning("message is not a job, left for the dead-letter queue", extra={"message_id": message["MessageId"]})
        return None

    async def finish(self, job_id: str) -> None:
        with suppress(NotFound):
            await self._sqs.call(lambda sqs: sqs.delete_message(QueueUrl=self._url, ReceiptHandle=job_id), LAPSED)

    async def retry(self, job_id: str, delay_s: float) -> None:
        with suppress(NotFound):
            await self._sqs.call(
                lambda sqs: sqs.change_message_visibility(QueueUrl=self._url, ReceiptHandle=job_id, VisibilityTimeout=_seconds(delay_s)),
                LAPSED,
            )

    async def recall(self) -> None:
        """Does nothing: SQS shows a taken message again only to those who have its receipt handle."""

    async def size(self) -> int:
        """Approximate: SQS counts only roughly."""
        found = await self._sqs.call(lambda sqs: sqs.get_queue_attributes(QueueUrl=self._url, AttributeNames=SIZES))
        return sum(int(found["Attributes"].get(name, "0")) for name in SIZES)

    async def close(self) -> None:
        """Closes the connections."""
        await self._sqs.close()


def _seconds(wanted: float) -> int:
    """Rounded up, since SQS counts whole seconds."""
    return min(math.ceil(wanted), MAX_HIDDEN_S)
