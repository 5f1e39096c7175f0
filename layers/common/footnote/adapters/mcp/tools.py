"""The tools of an MCP server, by the official SDK over streamable HTTP.

A connection is made for each call and gone after it, tens of milliseconds: it would be bound to the task that opened it,
and a server that restarts breaks nothing. The SDK is imported at the first use, in a thread: it takes a second.

Whose a tool is: its `_meta.org`, a name or a list of names, else what stands in capitals before a `__` in its name
(`GO_RAG__weather`); a tool without an organisation is everybody's. Tools that say of themselves that they change things
(`readOnlyHint` false, `destructiveHint` true) are left out: a model that was talked into a call can do no harm by it.
A tool whose definition changes while this process lives is not used any more: what it says of itself is read by models.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from footnote.errors import Unavailable
from footnote.ports import Tool

if TYPE_CHECKING:
    import ssl

    import mcp_types
    from mcp import Client

log = logging.getLogger(__name__)

LISTED_S, DOWN_S = 60.0, 30.0
"""How long a listing is used, and how long a server that could not be used is not asked again."""
LIST_S = 5.0
"""Longest wait for a listing: a question waits with it."""
MOST_TOOLS, MOST_PAGES = 64, 20
LONGEST_DESCRIPTION = 2000
LONGEST_RESULT = 2_000_000
"""Characters."""
ORGANISATION = re.compile(r"([A-Z][A-Z0-9_]*?)__")

T = TypeVar("T")


class McpTools:
    """`ports.Tools`."""

    def __init__(self, gateway: str, token: str | None, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._gateway, self._token, self._timer = gateway, token, timer
        self._listed: tuple[float, Sequence[mcp_types.Tool]] | None = None
        self._failed: tuple[float, str] | None = None
        self._pins: dict[str, str] = {}
        self._refused: set[str] = set()
        self._tls: ssl.SSLContext | None = None

    async def list(self, scope: str) -> Sequence[Tool]:
        return [
            Tool(tool.name, (tool.description or "")[:LONGEST_DESCRIPTION], tool.input_schema)
            for tool in await self._all()
            if (owners := _owners(tool)) is None or (scope and scope in owners)
        ]

    async def call(self, name: str, arguments: Mapping[str, Any], *, timeout_s: float) -> str:
        if name not in {tool.name for tool in await self._all()}:
            raise Unavailable("There is no such tool at the MCP server.")
        result = await self._ask(lambda client: client.call_tool(name, dict(arguments)), timeout_s)
        text = "\n".join(_text(part) for part in result.content) or json.dumps(result.structured_content, ensure_ascii=False)
        text = text if len(text) <= LONGEST_RESULT else f"{text[:LONGEST_RESULT]}\n[cut: {len(text)} characters]"
        return f"The tool reports an error: {text}" if result.is_error else text

    async def _all(self) -> Sequence[mcp_types.Tool]:
        """Every tool that may be used at all."""
        now = self._timer()
        if self._failed is not None and now - self._failed[0] < DOWN_S:
            raise Unavailable(self._failed[1])
        if self._listed is None or now - self._listed[0] > LISTED_S:
            try:
                found = await self._ask(_list, LIST_S)
            except Unavailable as exc:
                self._failed = self._timer(), exc.detail
                raise
            self._listed = self._timer(), [tool for tool in found if self._usable(tool)][:MOST_TOOLS]
        return self._listed[1]

    def _usable(self, tool: mcp_types.Tool) -> bool:
        told = tool.annotations
        if told is not None and not told.read_only_hint and (told.read_only_hint is False or told.destructive_hint):
            return False
        if self._pins.setdefault(tool.name, _pin(tool)) != _pin(tool) and tool.name not in self._refused:
            log.warning("an MCP tool changed its definition and is not used any more", extra={"tool": tool.name})
            self._refused.add(tool.name)
        return tool.name not in self._refused

    async def _ask(self, ask: Callable[[Client], Awaitable[T]], timeout_s: float) -> T:
        """Opens a connection, asks, closes it. No proxy of the environment, no redirect to another origin, no `.netrc`."""
        if not self._gateway.startswith(("http://", "https://")):
            raise Unavailable("MCP__GATEWAY has to be an address that begins with http:// or https://.")
        if self._tls is None:
            self._tls = await asyncio.to_thread(_load)
        import httpx2
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
        try:
            async with (
                asyncio.timeout(timeout_s),
                httpx2.AsyncClient(headers=headers, verify=self._tls, trust_env=False, timeout=timeout_s) as http,
                Client(streamable_http_client(self._gateway, http_client=http), cache=None) as client,
            ):
                return await ask(client)
        except TimeoutError as exc:
            raise Unavailable(f"The MCP server did not answer within {timeout_s:g} s.") from exc
        except Exception as exc:  # of the SDK, in groups of groups; whatever it is, the server cannot be used
            self._listed = None
            raise Unavailable("The MCP server cannot be used. Check MCP__GATEWAY and MCP__TOKEN.") from exc


def _load() -> ssl.SSLContext:
    """Imports the SDK. Reading the certificates once spares every later call half its time."""
    import httpx2
    import mcp  # noqa: F401

    logging.getLogger("mcp.client").setLevel(logging.CRITICAL)  # it writes what it cannot read to the log: somebody's text
    return httpx2.create_ssl_context(trust_env=False)


async def _list(client: Client) -> list[mcp_types.Tool]:
    found: list[mcp_types.Tool] = []
    cursor = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def _owners(tool: mcp_types.Tool) -> frozenset[str] | None:
    """The organisations that a tool belongs to; None = it is everybody's. What cannot be read is nobody's."""
    if tool.meta and "org" in tool.meta:
        org = tool.meta["org"]
        return frozenset(
            [org] if isinstance(org, str) else [each for each in org if isinstance(each, str)] if isinstance(org, list) else []
        )
    prefix = ORGANISATION.match(tool.name)
    return frozenset([prefix[1]]) if prefix else None


def _pin(tool: mcp_types.Tool) -> str:
    told = json.dumps([tool.description, tool.input_schema, sorted(_owners(tool) or ())], sort_keys=True)
    return hashlib.sha256(told.encode()).hexdigest()


def _text(part: mcp_types.ContentBlock) -> str:
    """What is no text is named, not shown."""
    if part.type == "text":
        return part.text
    if part.type == "resource_link":
        return f"[a link that is not followed: {part.name}]"
    return f"[{part.type} that is not shown]"
