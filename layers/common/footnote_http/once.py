"""Work of a schedule, done once for each of its times, however often the event comes.

Schedules deliver at least once, and Lambda repeats an event that failed. What was done is remembered in the cache's
table, under keys that no cached value has. Not exactly once: what is killed before its end is run again, so the work
itself must bear that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from footnote.errors import Conflict, StoreUnavailable

KEPT_S = 24 * 3600
WAIT_S = 2.0
"""Longest wait for one call of DynamoDB."""


def once(event: dict[str, Any], context: Any, run: Callable[[], Any], *, name: str, table: str | None) -> Any:
    """What `run` returned for this event's source and time, now or when it came before; that must be JSON.

    `name` tells the works apart that one schedule starts. Conflict while another process does it; without a table it is just run."""
    if table is None:
        return run()
    from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer, IdempotencyConfig, idempotent_function
    from aws_lambda_powertools.utilities.idempotency import exceptions as known

    from footnote.adapters.dynamodb.cache import TTL_ATTRIBUTE
    from footnote.adapters.dynamodb.table import make_client

    # The context tells how long a run can last: whoever finds one older than that knows that it was killed.
    config = IdempotencyConfig(lambda_context=context, expires_after_seconds=KEPT_S)
    done = DynamoDBPersistenceLayer(table, key_attr="pk", expiry_attr=TTL_ATTRIBUTE, boto3_client=make_client(WAIT_S))

    work: Callable[..., Any] = idempotent_function(
        lambda at: run(), data_keyword_argument="at", persistence_store=done, config=config, key_prefix=f"once:{name}"
    )
    try:
        return work(at={"source": event["source"], "time": event["time"]})
    except known.IdempotencyAlreadyInProgressError as exc:
        raise Conflict("This event is being handled already.") from exc
    except known.IdempotencyPersistenceLayerError as exc:
        raise StoreUnavailable(
            "The table of AWS__CACHE_TABLE does not tell whether this was done before. Check its role and policy."
        ) from exc
