"""Wraps an ASGI app as a Lambda handler with Mangum, for functions that don't stream."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache
from typing import Any

from fastapi import FastAPI

Handler = Callable[[dict[str, Any], Any], Any]


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def use_loop() -> asyncio.AbstractEventLoop:
    """Sets and returns the one event loop of this process. A warm process keeps open connections, which belong to their loop;
    `asyncio.run` would create a new loop per event."""
    asyncio.set_event_loop(_loop())
    return _loop()


def http_handler(app: FastAPI) -> Handler:
    """The handler. Mangum is imported at the first event, so the local server does not pay for it."""
    made: list[Handler] = []

    def handle(event: dict[str, Any], context: Any) -> Any:
        use_loop()
        if not made:
            from mangum import Mangum

            made.append(Mangum(app, lifespan="off"))
        return made[0](event, context)

    return handle
