"""Serves an app on a socket of this machine."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import SimpleNamespace
from typing import Any

import uvicorn
import uvicorn.server
from starlette.types import ASGIApp

from footnote_local.server import make_server, open_port

TICK_S = 0.01


async def sleep(delay: float, result: Any = None) -> Any:
    return await asyncio.sleep(min(delay, TICK_S), result)


# uvicorn looks every 0.1 s whether it is to end, and then waits as long for its connections: more than most tests of a server take.
vars(uvicorn.server)["asyncio"] = SimpleNamespace(**{**vars(asyncio), "sleep": sleep})


@asynccontextmanager
async def running(server: uvicorn.Server, listener: socket.socket) -> AsyncIterator[str]:
    """The server on a loopback socket → its address."""
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:
        await asyncio.sleep(0)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await task


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """The app as `footnote serve` serves it → its address."""
    with open_port("127.0.0.1", 0) as listener:
        async with running(make_server(app), listener) as address:
            yield address
