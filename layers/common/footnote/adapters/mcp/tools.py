"""The tools of an MCP server, through the official SDK over streamable HTTP.

Each call opens a connection of its own, which takes tens of milliseconds: a session would be bound to the task that opened
it, and this way a restart of the server breaks nothing. The SDK is imported at first use, in a thread, since that takes a
second.

The organisation that owns a tool is its `_meta.org`, a name or a list of names, else the capitals before `__` in its name
(`GO_RAG__weather`); a tool without an organisation belongs to everyone. Tools that declare that they change something
(`readOnlyHint` false, `destructiveHint` true) are left out, so that a prompt injection can do no harm through them.
A tool whose definition changes while this process runs is no longer used, since models read that definition.
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
"""How long a listing is cached, and how long a server that failed is not asked again."""
LIST_S = 5.0
"""Longest wait for a listing: a question waits for it."""
MAX_TOOLS, MAX_PAGES = 64, 20
MAX_DESCRIPTION = 2000
MAX_RESULT = 2_000_000
"""Characters of a tool's description and result; longer ones are cut."""
ORGANISATION = re.compile(r"([A-Z][A-Z0-9_]*?)__")

T = TypeVar("T")


class McpTools:
    """`ports.Tools` of one MCP server."""

    def __init__(self, gateway: str, token: str | None, *, timer: Callable[[], float] = time.monotonic) -> None:
        self._gateway, self._token, self._timer = gateway, token, timer
        self._listed: tuple[float, Sequence[mcp_types.Tool]] | None = None
        self._failed: tuple[float, str] | None = None
        self._pins: dict[str, str] = {}
        self._refused: set[str] = set()
        self._tls: ssl.SSLContext | None = None

    async def list(self, scope: str) -> Sequence[Tool]:
        return [
            Tool(tool.name, (tool.description or "")[:MAX_DESCRIPTION], tool.input_schema)
            for tool in await self._all()
            if (owners := _owners(tool)) is None or (scope and scope in owners)
        ]

    async def call(self, name: str, arguments: Mapping[str, Any], *, timeout_s: float) -> str:
        if name not in {tool.name for tool in await self._all()}:
            raise Unavailable("The MCP server has no such tool.")
        result = await self._ask(lambda client: client.call_tool(name, dict(arguments)), timeout_s)
        text = "\n".join(_text(part) for part in result.content) or json.dumps(result.structured_content, ensure_ascii=False)
        text = text if len(text) <= MAX_RESULT else f"{text[:MAX_RESULT]}\n[cut: {len(text)} characters]"
        return f"The tool reports an error: {text}" if result.is_error else text

    async def _all(self) -> Sequence[mcp_types.Tool]:
        """Every usable tool of the server, whoever owns it."""
        now = self._timer()
        if self._failed is not None and now - self._failed[0] < DOWN_S:
            raise Unavailable(self._failed[1])
        if self._listed is None or now - self._listed[0] > LISTED_S:
            try:
                found = await self._ask(_list, LIST_S)
            except Unavailable as exc:
                self._failed = self._timer(), exc.detail
                raise
            self._listed = self._timer(), [tool for tool in found if self._usable(tool)][:MAX_TOOLS]
        return self._listed[1]

    def _usable(self, tool: mcp_types.Tool) -> bool:
        hints = tool.annotations
        if hints is not None and not hints.read_only_hint and (hints.read_only_hint is False or hints.destructive_hint):
            return False
        if self._pins.setdefault(tool.name, _pin(tool)) != _pin(tool) and tool.name not in self._refused:
            log.warning("MCP tool changed its definition and is no longer used", extra={"tool": tool.name})
            self._refused.add(tool.name)
        return tool.name not in self._refused

    async def _ask(self, ask: Callable[[Client], Awaitable[T]], timeout_s: float) -> T:
        """Runs `ask(client)` on a connection of its own. Uses no proxy, redirect to another origin or `.netrc`."""
        if not self._gateway.startswith(("http://", "https://")):
            raise Unavailable("MCP__GATEWAY has to begin with http:// or https://.")
        if self._tls is None:
            self._tls = await asyncio.to_thread(_load)
        import httpx2
        from mcp import Client
        from mcp.client.streamable_http import streamable_http_client

        headers = {"authorization": f"Bearer {self._token}"} if self._token else {}
        limit = asyncio.timeout(timeout_s)
        try:
            async with (
                limit,
                httpx2.AsyncClient(headers=headers, verify=self._tls, trust_env=False, timeout=2 * timeout_s) as http,
                Client(streamable_http_client(self._gateway, http_client=http), cache=None) as client,
            ):
                return await ask(client)
        except Exception as exc:  # the SDK raises nested exception groups, in which the limit may be hidden
            if limit.expired():
                raise Unavailable(f"The MCP server did not answer within {timeout_s:g} s.") from exc
            self._listed = None
            raise Unavailable("The MCP server cannot be used. Check MCP__GATEWAY and MCP__TOKEN.") from exc


def _load() -> ssl.SSLContext:
    """Imports the SDK and loads the certificates, once: that would take half the time of every call."""
    import httpx2
    import mcp  # noqa: F401

    logging.getLogger("mcp.client").setLevel(logging.CRITICAL)  # it logs messages that it cannot parse, which may hold users' text
    return httpx2.create_ssl_context(trust_env=False)


async def _list(client: Client) -> list[mcp_types.Tool]:
    found: list[mcp_types.Tool] = []
    cursor = None
    for _ in range(MAX_PAGES):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if cursor is None:
            break
    return found


def _owners(tool: mcp_types.Tool) -> frozenset[str] | None:
    """The organisations that own a tool; None = everyone. A malformed owner means no one."""
    if tool.meta and "org" in tool.meta:
        org = tool.meta["org"]
        return frozenset(
            [org] if isinstance(org, str) else [each for each in org if isinstance(each, str)] if isinstance(org, list) else []
        )
    prefix = ORGANISATION.match(tool.name)
    return frozenset([prefix[1]]) if prefix else None


def _pin(tool: mcp_types.Tool) -> str:
    definition = json.dumps([tool.description, tool.input_schema, sorted(_owners(tool) or ())], sort_keys=True)
    return hashlib.sha256(definition.encode()).hexdigest()


def _text(part: mcp_types.ContentBlock) -> str:
    """Text as it is; other content is only named."""
    if part.type == "text":
        return part.text
    if part.type == "resource_link":
        return f"[link, not followed: {part.name}]"
    return f"[{part.type}, not shown]"
