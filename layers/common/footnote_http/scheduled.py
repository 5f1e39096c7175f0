"""Idempotency for scheduled events: each run of a schedule is done once, however often its event is delivered.

Schedules deliver at least once, and Lambda retries failed events. Results are stored in the cache's table under keys of their
own. This is not exactly-once: a run that is killed is repeated, so the work itself must be idempotent.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from footnote.errors import Conflict, StoreUnavailable

KEPT_S = 24 * 3600
WAIT_S = 2.0
"""Timeout of one DynamoDB call."""


def once(event: dict[str, Any], context: Any, run: Callable[[], Any], *, name: str, table: str | None) -> Any:
    """Returns the JSON result of `run` for this event's source and time, from now or from an earlier delivery.

    `name` distinguishes the jobs of one schedule. Conflict while another process runs it. Without a table it always runs."""
    if table is None:
        return run()
    from aws_lambda_powertools.utilities.idempotency import DynamoDBPersistenceLayer, IdempotencyConfig, idempotent_function
    from aws_lambda_powertools.utilities.idempotency import exceptions as known

    from footnote.adapters.dynamodb.cache import TTL_ATTRIBUTE
    from footnote.adapters.dynamodb.table import make_client

    # The context contains the function's timeout, after which an unfinished run counts as killed.
    config = IdempotencyConfig(lambda_context=context, expires_after_seconds=KEPT_S)
    done = DynamoDBPersistenceLayer(table, key_attr="pk", expiry_attr=TTL_ATTRIBUTE, boto3_client=make_client(WAIT_S))

    work: Callable[..., Any] = idempotent_function(
        lambda at: run(), data_keyword_argument="at", persistence_store=done, config=config, key_prefix=f"once:{name}"
    )
    try:
        return work(at={"source": event["source"], "time": event["time"]})
    except known.IdempotencyAlreadyInProgressError as exc:
        raise Conflict("This event is already being processed.") from exc
    except known.IdempotencyPersistenceLayerError as exc:
        raise StoreUnavailable(
            "The table AWS__CACHE_TABLE cannot be used to check whether this was done before. Check the function's role and policy."
        ) from exc
