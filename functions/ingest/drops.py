"""S3 events from the queue → documents. A message that fails goes back alone; the rest of its batch is done."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_plus

from footnote.errors import NotFound
from footnote.types import Caller
from footnote_http.lambda_handler import use_loop

if TYPE_CHECKING:
    from footnote.bootstrap import Core

log = logging.getLogger(__name__)

DROPPER = Caller("s3", sees_all=True, role="admin")


@dataclass(frozen=True, slots=True)
class Drop:
    bucket: str
    key: str
    """As S3 has it, decoded from the event's URL form."""
    removed: bool


def drops_of(body: str) -> Iterator[Drop]:
    """The drops in one message; S3's test event and folder markers hold none."""
    for record in json.loads(body).get("Records", []):
        key = unquote_plus(record["s3"]["object"]["key"])
        if not key.endswith("/"):
            yield Drop(record["s3"]["bucket"]["name"], key, record["eventName"].startswith("ObjectRemoved"))


def handle_batch(event: dict[str, Any], context: Any, core: Core) -> Any:
    """Answers SQS with the messages to give back."""
    from aws_lambda_powertools.utilities.batch import AsyncBatchProcessor, EventType, async_process_partial_response

    processor = AsyncBatchProcessor(event_type=EventType.SQS, raise_on_entire_batch_failure=False)

    async def take_message(record: Any) -> None:
        for drop in drops_of(record.body):
            await take_drop(core, drop)

    use_loop()
    return async_process_partial_response(event, take_message, processor, context)


async def take_drop(core: Core, drop: Drop) -> None:
    if drop.removed:  # what was dropped is deleted like any document: by its id, with an audit trail
        return
    try:
        data = await core.drops.get(drop.bucket, drop.key)
    except NotFound:
        return  # deleted again before its turn came
    document = await core.ingestor.accept_drop(DROPPER, data, key=drop.key, collection=core.settings.index_name)
    while await core.ingestor.work_one():
        pass
    log.info("drop taken", extra={"doc_id": document.doc_id, "state": document.state})
