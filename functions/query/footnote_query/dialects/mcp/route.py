"""`POST /mcp`: the MCP endpoint. The server behind it is imported at the first request."""

from __future__ import annotations

import asyncio
from importlib import import_module

from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

from footnote_http.callers import AskerOf, CoreOf, Origin, TraceId
from footnote_http.routes import Router

router = Router()


class _Reply(Response):
    """Delegates the whole exchange, including the request body, to the MCP server."""

    def __init__(self, request: Request, **options: object) -> None:
        super().__init__()
        self._request, self._options = request, options

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        server = await asyncio.to_thread(import_module, "footnote_query.dialects.mcp.server")
        await server.serve(self._request, receive, send, **self._options)


# Not in the OpenAPI document, which cannot describe MCP. GET returns 405, as the protocol requires of servers without sessions.
@router.post("/mcp", include_in_schema=False)
async def mcp(request: Request, caller: AskerOf, core: CoreOf, trace_id: TraceId, origin: Origin) -> Response:
    """Handles one MCP request."""
    return _Reply(request, caller=caller, core=core, trace_id=trace_id, origin=origin)
