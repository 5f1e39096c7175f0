"""boto3: clients created at first use, errors translated, and all retries.

boto3 blocks and takes 0.4 s to import, so every call runs in a thread. The SDK's own retries are off: they would wait in
that thread, repeat a request without the read of its body, and count every call alike. Region, credentials and endpoints
are read by the SDK (AWS_DEFAULT_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_S3, …).
"""

from __future__ import annotations

import asyncio
import random
import threading
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Generic, Literal, TypeVar

from footnote.errors import FootnoteError

Made = TypeVar("Made")
"""The SDK's client."""

T = TypeVar("T")

Service = Literal["bedrock-agent-runtime", "bedrock-runtime", "events", "s3", "sqs"]

Failure = tuple[type[FootnoteError], str]
"""One of Footnote's errors and its detail."""

NONE: Mapping[str, Failure] = MappingProxyType({})

TRIES = 3
WAIT_S, LONGEST_WAIT_S = 0.1, 8.0
"""Full jitter: the wait before try n + 1 is random between 0 and WAIT_S · 2ⁿ, at most LONGEST_WAIT_S."""

CONNECT_S = 2.0
READ_S = 5.0
"""Longest wait for the next bytes, not for a whole transfer."""

TRANSIENT = frozenset({"InternalException", "InternalFailure", "PriorRequestNotComplete", "RequestTimeout", "RequestTimeoutException"})
"""Error codes that are retried, besides throttling and every 5xx."""

_making = threading.Lock()  # the SDK's default session is not thread-safe


class Client(Generic[Made]):
    """A client of one service. `down` is raised for every error that `call` is not given a translation for."""

    def __init__(self, service: Service, down: Failure) -> None:
        self._service: Service = service
        self._down = down
        self._made: Made | None = None

    async def call(self, operation: Callable[[Made], T], known: Mapping[str, Failure] = NONE, *, throttled_tries: int = TRIES) -> T:
        """Runs `operation(client)` in a thread. It may run up to three times, even after it took effect.

        `known`: the SDK's error code → the error to raise. `throttled_tries`: most tries while the service throttles."""
        tried = 0
        while True:
            try:
                return await asyncio.to_thread(self._run, operation)
            except Exception as exc:
                tried += 1
                failure = self._failure(exc, known)
                if failure is None:
                    raise
                if tried >= (throttled_tries if _is_throttled(exc) else TRIES) or not _is_transient(exc):
                    error, detail = failure
                    raise error(detail) from exc
            await asyncio.sleep(random.uniform(0, min(WAIT_S * 2**tried, LONGEST_WAIT_S)))  # noqa: S311 - spreads load, keeps no secret

    async def close(self) -> None:
        """Closes the connections."""
        if self._made is not None:
            await asyncio.to_thread(self._made.close)  # type: ignore[attr-defined]  # every client of the SDK has it

    def _run(self, operation: Callable[[Made], T]) -> T:
        with _making:
            if self._made is None:
                self._made = _connect(self._service)
        return operation(self._made)

    def _failure(self, exc: Exception, known: Mapping[str, Failure]) -> Failure | None:
        """None: not an error of the SDK."""
        from botocore.exceptions import BotoCoreError, ClientError

        if isinstance(exc, ClientError):
            return known.get(code_of(exc), self._down)
        return self._down if isinstance(exc, BotoCoreError) else None


def code_of(exc: Any) -> str:
    """The error code of the SDK's ClientError; for a HEAD request it is the HTTP status."""
    return str(exc.response.get("Error", {}).get("Code", ""))


def _is_transient(exc: Exception) -> bool:
    from botocore.exceptions import ClientError, ConnectionError, FlexibleChecksumError, HTTPClientError, IncompleteReadError

    if isinstance(exc, ClientError):
        return _is_throttled(exc) or code_of(exc) in TRANSIENT or _status_of(exc) >= 500
    return isinstance(exc, ConnectionError | HTTPClientError | IncompleteReadError | FlexibleChecksumError)


def _is_throttled(exc: Any) -> bool:
    from botocore.exceptions import ClientError

    return isinstance(exc, ClientError) and ("Throttl" in code_of(exc) or _status_of(exc) == 429)


def _status_of(exc: Any) -> int:
    return int(exc.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def _connect(service: Service) -> Any:
    import boto3
    from botocore.config import Config

    config = Config(connect_timeout=CONNECT_S, read_timeout=READ_S, retries={"total_max_attempts": 1, "mode": "standard"})
    if service == "s3":
        # Otherwise signed URLs name the global host, which redirects to the region of a new bucket, and browsers lose the form.
        config = config.merge(Config(signature_version="s3v4", s3={"addressing_style": "virtual"}))
    return boto3.client(service, config=config)
