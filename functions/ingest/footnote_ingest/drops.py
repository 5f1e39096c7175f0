"""Messages from the queue: S3 events and files to process. A message that fails is retried alone, with increasing delays; the
rest of its batch is done."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from footnote.errors import ModelUnavailable, Unavailable
from footnote.ingest.retries import retry_delay_s
from footnote.ports import Job
from footnote_http.lambda_handler import use_loop

if TYPE_CHECKING:
    from footnote.bootstrap import Core

log = logging.getLogger(__name__)

RESERVE_S = 20.0
"""Remaining time of the function below which no more vectors are computed."""
VECTORS_AT_ONCE = 32


def handle_batch(event: dict[str, Any], context: Any, core: Core) -> Any:
    """Processes a batch. → the partial batch response for SQS, with the failed messages."""
    from aws_lambda_powertools.utilities.batch import AsyncBatchProcessor, EventType, async_process_partial_response

    processor = AsyncBatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False, logger=log)

    def left_s() -> float:
        return float(context.get_remaining_time_in_millis()) / 1000

    async def take_message(record: Any) -> None:
        attempt = int(record.attributes.approximate_receive_count)
        try:
            await take(Job(record.receipt_handle, json.loads(record.body), attempt, record.message_id))
        except Exception:
            # If this fails, too, the message returns after its visibility timeout.
            with suppress(Unavailable):
                await core.queue.retry(record.receipt_handle, retry_delay_s(attempt))
            raise

    async def take(job: Job) -> None:
        await core.bucket.take(job)
        if "doc_id" in job.body:
            await embed(core, job, left_s)
        while not core.settings.aws.queue_url and await core.ingestor.work_one():
            pass  # on one machine nothing else consumes the queue

    use_loop()
    return async_process_partial_response(event, take_message, processor, context)


async def embed(core: Core, job: Job, left_s: Callable[[], float]) -> None:
    """Computes the vectors of a processed file until the time is used up or the embedder fails; the rest is queued as a new job."""
    made = 0
    while left_s() > RESERVE_S:
        try:
            some = await core.ingestor.embed_some(VECTORS_AT_ONCE, job.body["doc_id"])
        except ModelUnavailable as exc:
            if not made:
                raise
            log.warning("embedding stopped: %s", exc.detail, extra={"doc_id": job.body["doc_id"], "count": made})
            break
        if not some:
            return
        made += some
    await core.queue.put(job.body)
