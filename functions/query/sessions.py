"""`/sessions`: sign-in with an HttpOnly cookie and sign-out; admins list and end sessions."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict

from fastapi import Request, Response
from pydantic import BaseModel, Field

from footnote.errors import NotFound, Unauthorized
from footnote.guard.audit import audit
from footnote.guard.identity import close_session, list_sessions, revoke_session, session_id_of
from footnote_http.app import Limit
from footnote_http.callers import COOKIE, AdminOf, CoreOf, TokenOf, owner_of
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from query.admin import ADMINS

router = Router("Sign-in")
WEEK_S = 7 * 24 * 3600


class SignIn(BaseModel):
    """A token to sign in with."""

    token: str = Field(pattern=r"^[\x21-\x7e]{1,4000}$")


class SessionBody(BaseModel):
    """An active session."""

    session_id: str = Field(description="Identifies the session; it is not a token.")
    user_id: str
    groups: list[str]
    role: str
    created_at: float
    expires_at: float


class SessionPage(PageBody):
    """A page of sessions."""

    data: list[SessionBody]


@router.post("/sessions", name="sign_in", status_code=204)
async def sign_in(body: SignIn, request: Request, core: CoreOf) -> Response:
    """Stores the token in a cookie for the page. The token's own expiry applies."""
    await owner_of(body.token, request)
    reply = Response(status_code=204)
    reply.set_cookie(COOKIE, body.token, max_age=WEEK_S, httponly=True, samesite="strict", secure=_is_secure(request))
    return reply


@router.delete("/sessions", name="sign_out", status_code=204)
async def sign_out(request: Request, core: CoreOf, token: TokenOf) -> Response:
    """Ends the session and deletes the cookie."""
    if token and core.settings.auth.mode == "session":
        with suppress(Unauthorized):  # already expired
            owner = await owner_of(token, request)
            await audit(core.records, owner, "session.revoke", session_id_of(token), now=core.clock())
            await close_session(token, cache=core.cache, records=core.records)
    reply = Response(status_code=204)
    reply.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=_is_secure(request))
    return reply


@router.get("/sessions", name="list_sessions", responses=ADMINS)
async def sessions(admin: AdminOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> SessionPage:
    """Lists active sessions, for admins. Tokens are not included."""
    page = await list_sessions(core.clock(), records=core.records, limit=limit, after=after)
    return SessionPage.of(page, lambda each: SessionBody(**asdict(each)))


@router.delete(
    "/sessions/{session_id}", name="end_session", status_code=204, responses=ADMINS | problems({404: "There is no such session"})
)
async def revoke(session_id: str, admin: AdminOf, core: CoreOf) -> Response:
    """Ends a session at once, for admins."""
    if await core.records.get("session", session_id) is None:
        raise NotFound("There is no such session.")
    await audit(core.records, admin, "session.revoke", session_id, now=core.clock())
    await revoke_session(session_id, cache=core.cache, records=core.records)
    return Response(status_code=204)


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"
