"""One DynamoDB table behind an adapter: the client, its retries, and what goes wrong.

Calls block; they run in worker threads. Retries are here and nowhere else: what is throttled, failed inside
DynamoDB or lost its connection is tried TRIES times with full jitter, pause = random(0, BACKOFF_S · 2^n), inside the
table's limit. A time-out is not tried again: its time is spent.
"""

from __future__ import annotations

import asyncio
import functools
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from footnote.errors import StoreUnavailable

if TYPE_CHECKING:
    from boto3.session import Session
    from mypy_boto3_dynamodb import DynamoDBClient

TRIES = 3
BACKOFF_S = 0.025
BATCH = 100
"""Keys in one BatchGetItem, and writes in one transaction."""
LONGEST_KEY = 2048
"""Bytes. Asked for a longer one, DynamoDB does not say that there is none: it refuses."""
CONNECTIONS = 32

THROTTLED = frozenset(
    {
        "ProvisionedThroughputExceeded",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ThrottlingError",
        "ThrottlingException",
    }
)
RETRIED = THROTTLED | {"InternalServerError", "ServiceUnavailable", "TransactionConflictException", "TransactionInProgressException"}
OVERTAKEN = frozenset({"ConditionalCheckFailed", "TransactionConflict"})
REFUSED = frozenset(
    {
        "AccessDeniedException",
        "ExpiredTokenException",
        "IncompleteSignatureException",
        "InvalidSignatureException",
        "MissingAuthenticationTokenException",
        "UnrecognizedClientException",
    }
)

UNREACHABLE = "DynamoDB cannot be reached or does not answer in time. Check the network and the region."

_making = threading.Lock()  # a session is no place for two threads at once

P = ParamSpec("P")
R = TypeVar("R")

Item = dict[str, Any]
"""Attributes in DynamoDB's own notation, e.g. {"pk": {"S": "…"}}."""


class Overtaken(Exception):
    """A condition did not hold, or somebody else is changing the same items at this moment. Nothing was written."""


def make_client(timeout_s: float, **given: Any) -> DynamoDBClient:
    """Region, credentials and a different endpoint (AWS_ENDPOINT_URL_DYNAMODB) are the SDK's own business."""
    from botocore.config import Config

    config = Config(
        connect_timeout=timeout_s,
        read_timeout=timeout_s,
        retries={"total_max_attempts": 1, "mode": "standard"},
        max_pool_connections=CONNECTIONS,
    )
    with _making:
        return _session().client("dynamodb", config=config, **given)


@functools.cache
def _session() -> Session:
    """One for both tables: it reads the SDK's description of DynamoDB, which takes longest, once."""
    import boto3

    return boto3.session.Session()


class Table:
    """`setting`: the name that errors tell to check. `timeout_s`: longest wait for one call, in seconds."""

    def __init__(self, name: str, setting: str, timeout_s: float, client: DynamoDBClient | None = None) -> None:
        self.name = name
        self._setting = setting
        self._timeout_s = timeout_s
        self._client = client
        self._lock = threading.Lock()

    async def run(self, work: Callable[Concatenate[Table, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """`work(table, …)` in a worker thread."""
        return await asyncio.to_thread(work, self, *args, **kwargs)

    def close(self) -> None:
        if self._client is not None:
            self._client.close()

    def get(self, key: str) -> Item | None:
        """As it is now, not as it may have been a moment ago."""
        if len(key.encode(errors="surrogatepass")) > LONGEST_KEY:
            return None
        found: Item | None = self.call("get_item", TableName=self.name, Key=_key(key), ConsistentRead=True).get("Item")
        return found

    def get_many(self, keys: list[str]) -> dict[str, Item]:
        """The same for many keys; those that do not exist are missing."""
        found: dict[str, Item] = {}
        for start in range(0, len(keys), BATCH):
            wanted: Any = {self.name: {"Keys": [_key(key) for key in keys[start : start + BATCH]], "ConsistentRead": True}}
            until, pause_s = time.monotonic() + self._timeout_s, BACKOFF_S
            while wanted:
                reply = self.call("batch_get_item", RequestItems=wanted)
                found |= {item["pk"]["S"]: item for item in reply["Responses"][self.name]}
                wanted = reply.get("UnprocessedKeys")
                if wanted:
                    if time.monotonic() > until:
                        raise StoreUnavailable("DynamoDB takes no more requests at the moment. Try again in a moment.")
                    pause_s *= 2
                    time.sleep(random.uniform(0, pause_s))  # noqa: S311 (no secret)
        return found

    def query(self, index: str, condition: str, values: Item, *, page: int | None = None) -> Iterator[Item]:
        """What an index holds, in its order, page by page as it is consumed. An index lags behind its table: what was
        written within the last moment may be missing, or be as it was before."""
        arguments: dict[str, Any] = {"IndexName": index, "KeyConditionExpression": condition, "ExpressionAttributeValues": values}
        if page is not None:
            arguments["Limit"] = page
        while True:
            reply = self.call("query", TableName=self.name, **arguments)
            yield from reply["Items"]
            if "LastEvaluatedKey" not in reply:
                return
            arguments["ExclusiveStartKey"] = reply["LastEvaluatedKey"]

    def call(self, operation: str, **arguments: Any) -> Any:
        """One operation of the client. `Overtaken` where a condition does not hold."""
        from botocore.exceptions import BotoCoreError, ClientError, NoCredentialsError, NoRegionError
        from botocore.exceptions import ConnectionClosedError as Closed
        from botocore.exceptions import EndpointConnectionError as Unreachable

        until = time.monotonic() + self._timeout_s
        for attempt in range(1, TRIES + 1):
            pause_s = random.uniform(0, BACKOFF_S * 2**attempt)  # noqa: S311 (no secret)
            try:
                return getattr(self._connected(), operation)(**arguments)
            except ClientError as exc:
                code = _code(exc.response)
                if code in OVERTAKEN:
                    raise Overtaken from exc
                passes = code in RETRIED or exc.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500
                if not passes or attempt == TRIES or time.monotonic() + pause_s > until:
                    raise self._error(code) from exc
            except (NoCredentialsError, NoRegionError) as exc:
                raise StoreUnavailable(
                    "No region or no credentials are known for DynamoDB. Set AWS_DEFAULT_REGION and give the process a role."
                ) from exc
            except BotoCoreError as exc:
                # It may have been done, and only its reply be lost: what has a condition of its own would then be in its own way.
                passes = isinstance(exc, Closed | Unreachable) and "ConditionExpression" not in arguments
                if not passes or attempt == TRIES or time.monotonic() + pause_s > until:
                    raise StoreUnavailable(UNREACHABLE) from exc
            time.sleep(pause_s)
        raise AssertionError("unreachable")

    def _connected(self) -> DynamoDBClient:
        with self._lock:
            if self._client is None:
                self._client = make_client(self._timeout_s)
            return self._client

    def _error(self, code: str) -> StoreUnavailable:
        if code == "ResourceNotFoundException":
            return StoreUnavailable(f"There is no such table in DynamoDB. Check {self._setting} and the region.")
        if code in REFUSED:
            return StoreUnavailable(f"DynamoDB refuses access to the table of {self._setting}. Check the role and its policy.")
        if code in THROTTLED:
            return StoreUnavailable("DynamoDB takes no more requests at the moment. Try again in a moment.")
        return StoreUnavailable(
            f"DynamoDB did not do what it was asked ({code}). Try again; if it fails again, check the table of {self._setting}."
        )


def _key(key: str) -> Item:
    return {"pk": {"S": key}}


def _code(response: Any) -> str:
    """What went wrong. A cancelled transaction has a reason for each of its writes, mostly "None": what would fail
    again whatever is done comes first, then what was overtaken, then what can simply be sent again."""
    code = str(response["Error"]["Code"])
    if code == "ConditionalCheckFailedException":
        return "ConditionalCheckFailed"
    if code != "TransactionCanceledException":
        return code
    reasons = {reason["Code"] for reason in response.get("CancellationReasons", ())} - {"None"}
    return min(reasons, key=lambda reason: (reason in RETRIED, reason in OVERTAKEN), default=code)
