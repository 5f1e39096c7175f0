"""An ASGI app as a plain Lambda handler, by Mangum; for functions that need not stream."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import FastAPI

Handler = Callable[[dict[str, Any], Any], Any]


def http_handler(app: FastAPI) -> Handler:
    """Mangum is imported at the first event: a cold start of the local server does not pay for it."""
    made: list[Handler] = []

    def handle(event: dict[str, Any], context: Any) -> Any:
        if not made:
            from mangum import Mangum

            made.append(Mangum(app, lifespan="off"))
        return made[0](event, context)

    return handle
