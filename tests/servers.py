"""Serves an app as `footnote serve` does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.types import ASGIApp

from footnote_local.server import make_server, open_port


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncIterator[str]:
    """The app behind uvicorn on a loopback socket → its address."""
    with open_port("127.0.0.1", 0) as listener:
        server = make_server(app)
        running = asyncio.create_task(server.serve(sockets=[listener]))
        while not server.started:
            await asyncio.sleep(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        server.should_exit = True
        await running
