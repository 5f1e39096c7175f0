"""Requests to an OpenSearch cluster: signing, time limits, retries and error translation.

Every write may be sent twice: ids are chosen here and changes are conditional (compare and set).
"""

from __future__ import annotations

import asyncio
import base64
import json
import logging
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from footnote.errors import SearchTimeout, SearchUnavailable
from footnote.settings import OpenSearch

if TYPE_CHECKING:
    from opensearchpy import AsyncOpenSearch

Json = dict[str, Any]
"""A JSON object."""
Sign = Callable[..., dict[str, str]]
"""Request → its authentication headers."""
Action = tuple[Json, Json | None]
"""An action of a bulk request and its document."""

TRIES = 3
BACKOFF_S = 0.3
"""Longest wait before the second try, doubled before the third."""
WRITE_TIMEOUT_S = 60.0
"""Time limit of a write."""
BULK_BYTES = 4_000_000
"""Most bytes of one bulk request: a domain on a small instance accepts 10 MiB."""
TRANSIENT = frozenset({0, 429, 500, 502, 503, 504})
STARTING = "no_shard_available_action_exception"
"""What a read gets from an index that another process is creating: it is repeated until the time limit."""
KIND = re.compile(r"[a-z_]{1,60}")

REMEDIES = {
    0: "The search engine cannot be reached. Check that it is running and that OPENSEARCH__URL is correct.",
    401: "The search engine rejected the credentials. Check OPENSEARCH__AUTH with its user and password, or the role's credentials.",
    403: "The search engine denied access. Allow the user or role to read, write and create indexes that begin with the prefix.",
    413: "The search engine rejected a request of this size. Raise its http.max_content_length.",
    429: "The search engine is overloaded. Try again in a moment; if that persists, give it more memory or nodes.",
}
BLOCKED = "The search engine accepts no writes: its indexes are blocked, usually because the disk is full. Free disk space."
LATE = "The search engine did not answer in time. Check that it is not overloaded, or raise OPENSEARCH__LIMIT_S."
STRANGE = "The server is not a search engine. Check OPENSEARCH__URL: it has to be the address of an OpenSearch, as https://host:port."
UNSIGNED = "Requests to the search engine cannot be signed: set a region and credentials, or give the process a role."
PARTIAL = "Some shards of the search engine did not answer. Check their health."


class Refused(SearchUnavailable):
    """The engine rejected a request. `code`: the HTTP status, 0 = the connection broke. `kind`: the engine's name of the error."""

    def __init__(self, status: int, kind: str = "") -> None:
        kind = kind if KIND.fullmatch(kind) else ""
        remedy = BLOCKED if kind == "cluster_block_exception" else REMEDIES.get(status)
        super().__init__(remedy or f"The search engine rejected a request ({f'{status} {kind}'.strip()}). Check its log.")
        self.code = status
        self.kind = kind


class OpenSearchClient:
    """The connection, opened at first use.

    The SDK's retries are off: they know no time limit for all tries together and repeat without jitter."""

    def __init__(self, settings: OpenSearch) -> None:
        self._settings = settings
        self._client: AsyncOpenSearch | None = None
        self._connecting = asyncio.Lock()
        self._sign: Sign = lambda **request: {}

    async def request(self, method: str, path: str, body: Any = None, *, timeout_s: float | None = None, **params: Any) -> Json:
        """Sends one request. `body`: an object, or the lines of a bulk or multi-search. Raises Refused if the engine rejects it,
        SearchTimeout if it is late, SearchUnavailable if shards are missing."""
        if isinstance(body, list):
            body = "".join(_line(item) for item in body)
        query = {name: json.dumps(value) if isinstance(value, bool) else str(value) for name, value in params.items()}
        timeout_s = timeout_s or self._settings.limit_s
        try:
            async with asyncio.timeout(timeout_s):
                return await self._retry(method, path, body, query, timeout_s)
        except TimeoutError as exc:
            raise SearchTimeout(LATE) from exc

    async def searches(self, searches: Sequence[tuple[str, Json]]) -> list[Json | None]:
        """Runs several searches, (index, body) each, in one request → their responses; None = no such index."""
        lines = [line for index, body in searches for line in ({"index": index}, body)]
        responses = (await self.request("POST", "/_msearch", lines))["responses"]
        return [None if _is_missing(response) else response for response in responses]

    async def search(self, index: str, body: Json) -> Json | None:
        """The response of one search; None = no such index."""
        return (await self.searches([(index, body)]))[0]

    async def get(self, items: Sequence[Json]) -> list[Json | None]:
        """The stored documents under these `{"_index", "_id"}`, in real time; None = no such document."""
        if not items:
            return []
        found = (await self.request("POST", "/_mget", {"docs": list(items)}))["docs"]
        return [item if item.get("found") else None for item in found]

    async def bulk(self, actions: Iterable[Action], *, refresh: bool = False) -> int:
        """Writes in batches → number of documents written. Documents deleted in the meantime are skipped; only failed actions are
        sent again. The SDK's async_bulk is not used: it repeats only status 429, without jitter, and treats a missing document
        as an error."""
        written = 0
        for batch in _batches(actions):
            for attempt in count(1):
                body = "".join(batch)
                reply = await self.request("POST", "/_bulk", body, timeout_s=WRITE_TIMEOUT_S, refresh=refresh)
                results = [next(iter(item.values())) for item in reply["items"]]
                written += sum(result["status"] < 300 for result in results)
                failed = [
                    (line, result)
                    for line, result in zip(batch, results, strict=True)
                    if "error" in result and result["error"]["type"] != "document_missing_exception"
                ]
                if not failed:
                    break
                worst = next((result for _, result in failed if result["status"] not in TRANSIENT), failed[0][1])
                if worst["status"] not in TRANSIENT or attempt == TRIES:
                    raise Refused(worst["status"], worst["error"]["type"])
                batch = [line for line, _ in failed]
                await _pause(attempt)
        return written

    async def refresh(self, index: str) -> None:
        """Makes all writes visible to searches."""
        await self.request("POST", f"/{index}/_refresh", timeout_s=WRITE_TIMEOUT_S, ignore_unavailable=True)

    async def close(self) -> None:
        """Closes the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    # --- one request ------------------------------------------------------------------------------

    async def _retry(self, method: str, path: str, body: Any, params: Mapping[str, str], timeout_s: float) -> Json:
        for attempt in range(1, TRIES + 1):
            try:
                return _check_complete(await self._send(method, path, body, params, timeout_s))
            except Refused as exc:
                if attempt >= TRIES and exc.kind != STARTING:
                    raise
                if exc.code in (401, 403) and self._settings.auth == "aws" and attempt == 1:
                    self._sign = await asyncio.to_thread(self._sign_in)  # the credentials may have been rotated
                elif exc.code in TRANSIENT:
                    await _pause(attempt)
                else:
                    raise
        raise AssertionError("unreachable")

    async def _send(self, method: str, path: str, body: Any, params: Mapping[str, str], timeout_s: float) -> Json:
        client = await self._connected()
        from opensearchpy.exceptions import ConnectionTimeout, OpenSearchException, TransportError

        try:
            reply = await client.transport.perform_request(method, path, params=dict(params), body=body, timeout=timeout_s)
        except ConnectionTimeout as exc:
            raise SearchTimeout(LATE) from exc
        except TransportError as exc:
            raise Refused(exc.status_code if isinstance(exc.status_code, int) else 0, _kind(exc.error)) from exc
        except OpenSearchException as exc:  # e.g. an HTML page
            raise SearchUnavailable(STRANGE) from exc
        if not isinstance(reply, dict):
            raise SearchUnavailable(STRANGE)
        return reply

    async def _connected(self) -> AsyncOpenSearch:
        async with self._connecting:  # concurrent first requests share one client
            if self._client is None:
                self._client = await asyncio.to_thread(self._connect)
            return self._client

    def _connect(self) -> AsyncOpenSearch:
        from opensearchpy import AsyncHttpConnection, AsyncOpenSearch

        logging.getLogger("opensearch").setLevel(logging.CRITICAL)  # logs addresses
        logging.getLogger("opensearchpy.trace").setLevel(logging.CRITICAL)  # logs questions
        self._sign = self._sign_in()
        try:
            return AsyncOpenSearch(
                hosts=[self._settings.url],
                http_auth=lambda **request: self._sign(**request),
                connection_class=AsyncHttpConnection,  # supports signing
                max_retries=0,
                retry_on_timeout=False,
            )
        except (TypeError, ValueError) as exc:  # an invalid address
            raise SearchUnavailable(STRANGE) from exc

    def _sign_in(self) -> Sign:
        settings = self._settings
        if settings.auth == "none":
            return lambda **request: {}
        if settings.auth == "basic":
            if not settings.user or settings.password is None:
                raise SearchUnavailable("OPENSEARCH__AUTH=basic needs OPENSEARCH__USER and OPENSEARCH__PASSWORD.")
            pair = base64.b64encode(f"{settings.user}:{settings.password.get_secret_value()}".encode()).decode()
            return lambda **request: {"Authorization": f"Basic {pair}"}
        from botocore.exceptions import BotoCoreError
        from botocore.session import Session
        from opensearchpy import AWSV4SignerAsyncAuth

        session = Session()
        try:
            credentials, region = session.get_credentials(), session.get_config_variable("region")
        except BotoCoreError as exc:  # e.g. an unknown profile
            raise SearchUnavailable(UNSIGNED) from exc
        if credentials is None or not region:
            raise SearchUnavailable(UNSIGNED)
        return AWSV4SignerAsyncAuth(credentials, region, settings.service)


def doc_path(index: str, doc_id: str) -> str:
    """Path of a stored document."""
    return f"/{index}/_doc/{quote(doc_id, safe='')}"


def _kind(error: Any) -> str:
    """The engine's name of an error; the SDK passes on the response body as text."""
    try:
        return str(json.loads(error)["error"]["type"])
    except (ValueError, TypeError, KeyError):
        return ""


async def _pause(attempt: int) -> None:
    """Full jitter, so that clients that failed together do not retry together."""
    await asyncio.sleep(random.uniform(0, BACKOFF_S * 2 ** (attempt - 1)))  # noqa: S311 - not a secret


def _check_complete(response: Json) -> Json:
    """The response. Raises if a shard is missing from it, since an incomplete result must not pass for a complete one."""
    for part in (response, *response.get("responses", ())):
        if "error" in part and not _is_missing(part):
            raise Refused(part["status"], part["error"].get("type", ""))
        if part.get("timed_out") or part.get("_shards", {}).get("failed"):
            raise SearchUnavailable(PARTIAL)
    for item in response.get("docs", ()):
        if "error" in item and item["error"]["type"] != "index_not_found_exception":
            raise Refused(503, item["error"]["type"])
    return response


def _is_missing(response: Json) -> bool:
    return response.get("status") == 404 and response.get("error", {}).get("type") == "index_not_found_exception"


def _line(item: Json) -> str:
    return json.dumps(item, ensure_ascii=False, separators=(",", ":")) + "\n"


def _batches(actions: Iterable[Action]) -> Iterator[list[str]]:
    """Actions as text, in batches of at most `BULK_BYTES` unless a single action is larger."""
    batch: list[str] = []
    size = 0
    for action, document in actions:
        text = _line(action) + (_line(document) if document is not None else "")
        length = len(text.encode())
        if batch and size + length > BULK_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch
