"""One DynamoDB table: the client, its retries and its errors.

Calls block and run in worker threads. All retries are here; the SDK's are off, because they know neither the table's time
limit nor which writes may be repeated. Calls that were throttled, failed inside DynamoDB or lost their connection are tried
TRIES times with full jitter, pause = random(0, BACKOFF_S · 2^n), within the table's limit. A call that timed out is not
repeated: its time is spent.
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
from footnote.ports.ledger import Overtaken

if TYPE_CHECKING:
    from boto3.session import Session
    from mypy_boto3_dynamodb import DynamoDBClient

TRIES = 3
BACKOFF_S = 0.025
BATCH = 100
"""Most keys in one BatchGetItem, and writes in one transaction."""
MAX_KEY_BYTES = 2048
"""DynamoDB rejects a request for a longer key instead of returning no item."""
WRITES = 25
"""Most writes in one BatchWriteItem."""
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

UNREACHABLE = "DynamoDB cannot be reached or does not respond in time. Check the network and the region."

_making = threading.Lock()  # a session is not thread-safe

P = ParamSpec("P")
R = TypeVar("R")

Item = dict[str, Any]
"""Attributes in DynamoDB's own notation, e.g. {"pk": {"S": "…"}}."""


def make_client(timeout_s: float, **given: Any) -> DynamoDBClient:
    """A boto3 client. Region, credentials and another endpoint (AWS_ENDPOINT_URL_DYNAMODB) are read by the SDK."""
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
    """Shared by both tables, so that the SDK's description of DynamoDB, the slowest part, is read once."""
    import boto3

    return boto3.session.Session()


class Table:
    """A table. `setting`: the environment variable that error messages name. `timeout_s`: longest wait for one call."""

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
        """Closes the client's connections."""
        if self._client is not None:
            self._client.close()

    def get(self, key: str) -> Item | None:
        """The item under this key, read consistently; None if there is none."""
        if len(key.encode(errors="surrogatepass")) > MAX_KEY_BYTES:
            return None
        found: Item | None = self.call("get_item", TableName=self.name, Key=_key(key), ConsistentRead=True).get("Item")
        return found

    def get_many(self, keys: list[str], *, consistent: bool = True) -> dict[str, Item]:
        """Key → item. Keys without an item are left out. `consistent`: reads see every earlier write and cost twice as much."""
        found: dict[str, Item] = {}
        for start in range(0, len(keys), BATCH):
            wanted = {self.name: {"Keys": [_key(key) for key in keys[start : start + BATCH]], "ConsistentRead": consistent}}
            for reply in self._call_until_done("batch_get_item", "UnprocessedKeys", wanted):
                found |= {item["pk"]["S"]: item for item in reply["Responses"][self.name]}
        return found

    def write_many(self, writes: list[Item]) -> None:
        """Puts and deletes, each on its own, in the notation of BatchWriteItem."""
        for start in range(0, len(writes), WRITES):
            for _ in self._call_until_done("batch_write_item", "UnprocessedItems", {self.name: writes[start : start + WRITES]}):
                pass

    def _call_until_done(self, operation: str, left: str, wanted: Any) -> Iterator[Any]:
        """The replies of a batch that DynamoDB may split. `left`: where a reply says what was not done."""
        until, pause_s = time.monotonic() + self._timeout_s, BACKOFF_S
        while wanted:
            reply = self.call(operation, RequestItems=wanted)
            yield reply
            wanted = reply.get(left)
            if wanted:
                if time.monotonic() > until:
                    raise StoreUnavailable("DynamoDB is throttling requests. Try again in a moment.")
                pause_s *= 2
                time.sleep(random.uniform(0, pause_s))  # noqa: S311 (no secret)

    def query(self, index: str, condition: str, values: Item, *, page: int | None = None) -> Iterator[Item]:
        """The items of an index, in its order, fetched page by page while they are consumed. An index lags behind its table:
        very recent writes may be missing or show the old state."""
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
        """Calls one operation of the client. Raises `Overtaken` if a condition does not hold, else StoreUnavailable."""
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
                    "DynamoDB needs a region and credentials. Set AWS_DEFAULT_REGION and give the process a role."
                ) from exc
            except BotoCoreError as exc:
                # The write may have succeeded with only the reply lost. A conditional write would then fail on its own result.
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
            return StoreUnavailable(f"DynamoDB has no such table. Check {self._setting} and the region.")
        if code in REFUSED:
            return StoreUnavailable(f"DynamoDB denies access to the table of {self._setting}. Check the role and its policy.")
        if code in THROTTLED:
            return StoreUnavailable("DynamoDB is throttling requests. Try again in a moment.")
        return StoreUnavailable(f"DynamoDB rejected a request ({code}). Try again; if it fails again, check the table of {self._setting}.")


def _key(key: str) -> Item:
    return {"pk": {"S": key}}


def _code(response: Any) -> str:
    """The error code. A cancelled transaction has a reason for each of its writes, mostly "None"; of those, permanent
    failures come first, then conflicts, then failures that can be retried."""
    code = str(response["Error"]["Code"])
    if code == "ConditionalCheckFailedException":
        return "ConditionalCheckFailed"
    if code != "TransactionCanceledException":
        return code
    reasons = {reason["Code"] for reason in response.get("CancellationReasons", ())} - {"None"}
    return min(reasons, key=lambda reason: (reason in RETRIED, reason in OVERTAKEN), default=code)
