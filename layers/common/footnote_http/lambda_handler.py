"""An ASGI app as a plain Lambda handler, by Mangum; for functions that need not stream."""

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
    """One loop for all events of this process, made the thread's before each: `asyncio.run` leaves none behind,
    and what a warm process keeps, such as open connections, belongs to the loop that it was made in."""
    asyncio.set_event_loop(_loop())
    return _loop()


def http_handler(app: FastAPI) -> Handler:
    """Mangum is imported at the first event: a cold start of the local server does not pay for it."""
    made: list[Handler] = []

    def handle(event: dict[str, Any], context: Any) -> Any:
        use_loop()
        if not made:
            from mangum import Mangum

            made.append(Mangum(app, lifespan="off"))
        return made[0](event, context)

    return handle
