"""CORS: which other origins may read responses, as set in `ALLOWED_ORIGINS`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

if TYPE_CHECKING:
    from footnote.settings import Settings

ANY = "*"
METHODS = ("GET", "POST", "PUT", "DELETE")
EXPOSED = ("x-trace-id", "retry-after", "www-authenticate", "content-disposition")
MAX_AGE_S = 600
"""How long browsers may cache a preflight response."""


def origins_of(settings: Settings) -> list[str]:
    """The allowed origins. `*` is ignored without sign-in, because any website could then read the user's documents."""
    return [origin for origin in settings.allowed_origins if origin != ANY or settings.auth.mode != "none"]


def headers_of(origin: str | None, settings: Settings) -> dict[str, str]:
    """CORS headers for a response made outside of `with_cors`."""
    origins = origins_of(settings)
    if ANY in origins:
        return {"access-control-allow-origin": ANY}
    named = {"access-control-allow-credentials": "true", "vary": "Origin"}
    return {"access-control-allow-origin": origin, **named} if origin in origins and origin is not None else {}


def with_cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    """The app with CORS; unchanged if no origin is allowed. Cookies are allowed for named origins, never for `*`."""
    origins = origins_of(settings)
    if not origins:
        return app
    return CORSMiddleware(
        app,
        allow_origins=origins,
        allow_credentials=ANY not in origins,
        allow_methods=METHODS,
        allow_headers=[ANY],
        expose_headers=EXPOSED,
        max_age=MAX_AGE_S,
    )
