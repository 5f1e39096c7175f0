"""`/sessions`: a token becomes a cookie that scripts cannot read, and goes again."""

from __future__ import annotations

from fastapi import FastAPI, Request, Response
from pydantic import BaseModel, Field

from footnote.guard.identity import close_session, identify
from footnote_http.app import COOKIE, CoreOf, token_of

WEEK_S = 7 * 24 * 3600


class SignIn(BaseModel):
    token: str = Field(pattern=r"^[\x21-\x7e]{1,1000}$")


def add_sessions(app: FastAPI) -> None:
    @app.post("/sessions", status_code=204)
    async def sign_in(body: SignIn, request: Request, core: CoreOf) -> Response:
        """Keeps the token in a cookie, so that the page stays signed in. The token's own time counts."""
        await identify(body.token, auth=core.settings.auth, cache=core.cache)
        reply = Response(status_code=204)
        reply.set_cookie(COOKIE, body.token, max_age=WEEK_S, httponly=True, samesite="strict", secure=_is_secure(request))
        return reply

    @app.delete("/sessions", status_code=204)
    async def sign_out(request: Request, core: CoreOf) -> Response:
        """Ends the session, and forgets the cookie."""
        token = token_of(request)
        if token and core.settings.auth.mode == "session":
            await close_session(token, cache=core.cache)
        reply = Response(status_code=204)
        reply.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=_is_secure(request))
        return reply


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
