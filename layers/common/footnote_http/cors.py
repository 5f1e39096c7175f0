"""Which pages of other sites may read replies (CORS), where `ALLOWED_ORIGINS` names any."""

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
"""How long a browser remembers what a preflight said."""


def origins_of(settings: Settings) -> list[str]:
    """Where no sign-in is asked for, `*` counts for nothing: every page that somebody looks at could read their documents."""
    return [origin for origin in settings.allowed_origins if origin != ANY or settings.auth.mode != "none"]


def headers_of(origin: str | None, settings: Settings) -> dict[str, str]:
    """Of a reply that is made outside of the app that `with_cors` gave."""
    origins = origins_of(settings)
    if ANY in origins:
        return {"access-control-allow-origin": ANY}
    named = {"access-control-allow-credentials": "true", "vary": "Origin"}
    return {"access-control-allow-origin": origin, **named} if origin in origins and origin is not None else {}


def with_cors(app: ASGIApp, settings: Settings) -> ASGIApp:
    """The app as it is where no origin is allowed. Cookies are for origins that are named, never for `*`."""
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
