"""AWS's SDK: clients made at first use, its errors as ours, and the only retries there are.

boto3 blocks and takes 0.4 s to import: every call runs in a thread. Region, credentials and addresses
are the SDK's own (AWS_DEFAULT_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_S3, …).
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

Service = Literal["bedrock-runtime", "events", "s3", "sqs"]

Ours = tuple[type[FootnoteError], str]
"""An error of ours and its detail."""

NONE: Mapping[str, Ours] = MappingProxyType({})

TRIES = 3
WAIT_S, LONGEST_WAIT_S = 0.1, 8.0
"""Full jitter: before try n + 1 we wait a random part of WAIT_S · 2ⁿ, or of the longest wait."""

CONNECT_S = 2.0
READ_S = 5.0
"""Longest silence of a server, not of a whole transfer."""

PASSING = frozenset({"InternalException", "InternalFailure", "PriorRequestNotComplete", "RequestTimeout", "RequestTimeoutException"})
"""Codes that are worth another try, besides those of throttling and every 5xx."""

_making = threading.Lock()  # the SDK's default session is no place for two threads at once


class Client(Generic[Made]):
    """One service. `down` is raised for whatever the caller of `call` does not know."""

    def __init__(self, service: Service, down: Ours) -> None:
        self._service: Service = service
        self._down = down
        self._made: Made | None = None

    async def call(self, operation: Callable[[Made], T], known: Mapping[str, Ours] = NONE, *, throttled_tries: int = TRIES) -> T:
        """Runs `operation` with the SDK's client in a thread; it may run up to three times, also after it had its effect.

        `known`: the SDK's error code → our error. `throttled_tries`: how often at most while the service is over its limit."""
        tried = 0
        while True:
            try:
                return await asyncio.to_thread(self._run, operation)
            except Exception as exc:
                tried += 1
                ours = self._ours(exc, known)
                if ours is None:
                    raise
                if tried >= (throttled_tries if _is_throttled(exc) else TRIES) or not _is_passing(exc):
                    error, detail = ours
                    raise error(detail) from exc
            await asyncio.sleep(random.uniform(0, min(WAIT_S * 2**tried, LONGEST_WAIT_S)))  # noqa: S311 - spreads load, keeps no secret

    async def close(self) -> None:
        if self._made is not None:
            await asyncio.to_thread(self._made.close)  # type: ignore[attr-defined]  # every client of the SDK has it

    def _run(self, operation: Callable[[Made], T]) -> T:
        with _making:
            if self._made is None:
                self._made = _connect(self._service)
        return operation(self._made)

    def _ours(self, exc: Exception, known: Mapping[str, Ours]) -> Ours | None:
        """None: not the SDK's."""
        from botocore.exceptions import BotoCoreError, ClientError

        if isinstance(exc, ClientError):
            return known.get(code_of(exc), self._down)
        return self._down if isinstance(exc, BotoCoreError) else None


def code_of(exc: Any) -> str:
    """The code of the SDK's ClientError; HEAD requests have the status instead."""
    return str(exc.response.get("Error", {}).get("Code", ""))


def _is_passing(exc: Exception) -> bool:
    from botocore.exceptions import ClientError, ConnectionError, FlexibleChecksumError, HTTPClientError, IncompleteReadError

    if isinstance(exc, ClientError):
        return _is_throttled(exc) or code_of(exc) in PASSING or _status_of(exc) >= 500
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
        # Or else signed addresses name the global host, which redirects to new buckets' regions, and browsers lose the form.
        config = config.merge(Config(signature_version="s3v4", s3={"addressing_style": "virtual"}))
    return boto3.client(service, config=config)
