"""GET requests to one Confluence: its token goes to no other host, whatever a link or a redirect says."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING

from footnote.adapters.shared.replies import read_body
from footnote.errors import ForeignLink, NotFound, TooLarge, Unavailable

if TYPE_CHECKING:
    import httpx2

API, DOWNLOAD = "/rest/api/", "/download/"
"""Paths that are requested. A redirect to another one leads to a page for signing in."""
WAIT_S = 10.0
"""Longest wait for a connection and for the next bytes of a reply."""
TRIES = 4
MOST_REDIRECTS = 3
FIRST_RETRY_S = 1.0
"""Wait before the second attempt where the reply says nothing; it doubles, and half of it is random."""
RETRIED = frozenset((429, 500, 502, 503, 504))
UNREACHABLE = "Confluence cannot be reached. Check CONFLUENCE__BASE_URL and the host's certificate."
ELSEWHERE = "Confluence refers to another host, which is not followed. Check CONFLUENCE__BASE_URL."
SIGN_IN = "Confluence did not accept the credentials. Check CONFLUENCE__TOKEN and, if it is set, CONFLUENCE__USER."


@dataclass(frozen=True, slots=True)
class _Again:
    """A failure that may pass. `after_s`: seconds until the next attempt; None = Confluence did not say."""

    error: Unavailable
    after_s: float | None = None


class Client:
    """`limit_s`: limit of one request, its retries included. `user`: signs in with the token as the password; None = as a bearer."""

    def __init__(self, base_url: str, token: str, user: str | None, *, verify_tls: bool, limit_s: float) -> None:
        self._base_url = base_url.rstrip("/")
        self._token, self._user = token, user
        self._verify_tls, self._limit_s = verify_tls, limit_s
        self._client: httpx2.AsyncClient | None = None
        self._lock = asyncio.Lock()

    async def get(self, link: str, max_bytes: int, *, json: bool = False, html: bool = False) -> bytes:
        """The body of a reply with status 200, which has to be JSON, or must not be HTML unless that is expected.

        `link`: as Confluence gives it, that is a URL, or without its host, or without the base URL. TooLarge, NotFound, Unavailable."""
        try:
            async with asyncio.timeout(self._limit_s) as limit:
                return await self._get(self._resolve(link), max_bytes, json, html, limit.when() or 0.0)
        except TimeoutError as exc:
            raise Unavailable(f"Confluence did not answer within {self._limit_s:g} s. Try again later.") from exc

    async def close(self) -> None:
        """Closes the connections."""
        if self._client is not None:
            await self._client.aclose()

    async def _get(self, url: httpx2.URL, max_bytes: int, json: bool, html: bool, deadline: float) -> bytes:
        failed = redirects = 0
        while True:
            found = await self._send(url, max_bytes, json, html)
            if isinstance(found, bytes):
                return found
            if isinstance(found, _Again):
                failed += 1
                wait_s = _backoff_s(failed) if found.after_s is None else found.after_s
                if failed == TRIES or asyncio.get_running_loop().time() + wait_s > deadline:
                    raise found.error
                await asyncio.sleep(wait_s)
            else:
                redirects += 1
                if redirects > MOST_REDIRECTS:
                    raise Unavailable("Confluence redirects too often. Check CONFLUENCE__BASE_URL.")
                url = self._check(found)

    async def _send(self, url: httpx2.URL, max_bytes: int, json: bool, html: bool) -> bytes | httpx2.URL | _Again:
        """One request → the body, where it was redirected, or that it is to be repeated."""
        import httpx2

        try:
            async with (await self._open()).stream("GET", url) as reply:
                if reply.status_code == 200:
                    return await _read(reply, max_bytes, json, html)
                if reply.has_redirect_location:
                    return url.join(reply.headers["location"])
                if reply.status_code in RETRIED:
                    return _Again(_refused(reply.status_code), _after_s(reply))
                if reply.status_code == 404:
                    raise NotFound("Confluence has no such page, or its account may not read it.")
                raise _refused(reply.status_code)
        except httpx2.TransportError:
            return _Again(Unavailable(UNREACHABLE))
        except (httpx2.HTTPError, httpx2.InvalidURL) as exc:
            raise Unavailable(UNREACHABLE) from exc

    async def _open(self) -> httpx2.AsyncClient:
        """The client, created at first use. It uses no proxy, redirects or `.netrc`."""
        import httpx2

        async with self._lock:
            if self._client is None:
                headers = {"user-agent": "footnote", "accept-encoding": "identity"}
                auth = httpx2.BasicAuth(self._user, self._token) if self._user else None
                if auth is None:
                    headers["authorization"] = f"Bearer {self._token}"
                make = partial(httpx2.AsyncClient, auth=auth, headers=headers, verify=self._verify_tls, trust_env=False, timeout=WAIT_S)
                self._client = await asyncio.to_thread(make)  # loading the certificates takes a quarter of a second
            return self._client

    def _resolve(self, link: str) -> httpx2.URL:
        import httpx2

        try:
            base = httpx2.URL(self._base_url)
            path = base.path.rstrip("/")
            is_complete = not link.startswith("/") or (path and link.startswith(f"{path}/"))
            return self._check(base.join(link) if is_complete else httpx2.URL(self._base_url + link))
        except httpx2.InvalidURL as exc:
            raise ForeignLink(ELSEWHERE) from exc

    def _check(self, url: httpx2.URL) -> httpx2.URL:
        """The URL, if it is one that may be requested; else Unavailable."""
        import httpx2

        base = httpx2.URL(self._base_url)
        if (url.scheme, url.host, url.port, url.userinfo) != (base.scheme, base.host, base.port, b""):
            raise ForeignLink(ELSEWHERE)
        path = base.path.rstrip("/")
        if not url.path.startswith((path + API, path + DOWNLOAD)) or ".." in url.path.split("/"):
            raise Unavailable(SIGN_IN)
        return url


def _after_s(reply: httpx2.Response) -> float | None:
    """Seconds of `Retry-After`, which is a number or a date; None without one."""
    told = reply.headers.get("retry-after", "")
    if told.isdecimal():
        return float(told)
    try:
        return max((parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds(), 0.0)
    except (TypeError, ValueError):
        return None


def _backoff_s(failed: int) -> float:
    longest_s: float = FIRST_RETRY_S * 2 ** (failed - 1)
    return random.uniform(longest_s / 2, longest_s)  # noqa: S311 (nothing secret)


async def _read(reply: httpx2.Response, max_bytes: int, json: bool, html: bool) -> bytes:
    """The body. Unavailable if it is not of the kind that was asked for, TooLarge above max_bytes."""
    kind = reply.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json" if json else kind == "text/html" and not html:
        raise Unavailable(f"Confluence replied with a page for people. {SIGN_IN}")
    return await read_body(reply.aiter_bytes(), max_bytes, TooLarge(f"Confluence sent more than {max_bytes / 2**20:g} MB."))


def _refused(status: int) -> Unavailable:
    if status in (401, 403):
        return Unavailable(SIGN_IN)
    if status == 429:
        return Unavailable("Confluence received too many requests. Try again later.")
    return Unavailable(f"Confluence responded with status {status}. Try again later.")
