"""`/sessions`: sign-in with an HttpOnly cookie and sign-out; admins list and end sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Self

from fastapi import Request, Response
from pydantic import AfterValidator, BaseModel, Field, SecretStr, model_validator

from footnote.errors import Conflict, Forbidden, NotFound, Unauthorized
from footnote.guard.accounts import LONGEST_PASSWORD, WRONG, Account, canonical
from footnote.guard.audit import audit
from footnote.guard.identity import (
    LONGEST_ID,
    Session,
    close_session,
    is_user_name,
    list_sessions,
    open_session,
    revoke_session,
    session_id_of,
)
from footnote.types import Caller, Role
from footnote_http.addresses import address_of
from footnote_http.app import Limit
from footnote_http.callers import COOKIE, AdminOf, CoreOf, TokenOf, owner_of, root_of
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from footnote_query.admin import ADMINS

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Sign-in")
WEEK_S = 7 * 24 * 3600
MOST_GROUPS = 100
PAGE = 200
"""Documents that are read at once."""
KNOWN = (
    "This user has an account, conversations or documents already, which the session would open to you."
    " An operator creates it on the server: `footnote session create`."
)


def _check_name(name: str) -> str:
    if not is_user_name(name.strip()):
        raise ValueError(f"must be a single line of 1 to {LONGEST_ID} characters")
    return name.strip()


def _check_group(group: str) -> str:
    if group.startswith(("user:", "role:")) or group == "*":
        raise ValueError("is given by Footnote alone")
    return _check_name(group)


Groups = Annotated[
    list[Annotated[str, AfterValidator(_check_group)]], Field(max_length=MOST_GROUPS, description="Only such as you are in yourself.")
]
"""The permission groups that an admin gives a person."""


class SignIn(BaseModel):
    """What to sign in with: a token, or the name and password of an account."""

    token: str | None = Field(None, pattern=r"^[\x21-\x7e]{1,4000}$")
    name: str | None = Field(None, max_length=LONGEST_ID)
    password: SecretStr | None = Field(None, max_length=LONGEST_PASSWORD)

    @model_validator(mode="after")
    def _check_pair(self) -> Self:
        if (self.token is None) == (self.name is None) or (self.name is None) != (self.password is None):
            raise ValueError("give either a token, or a name and a password")
        return self


class SessionBody(BaseModel):
    """An active session."""

    session_id: str = Field(description="Identifies the session; it is not a token.")
    user_id: str
    groups: list[str]
    role: str
    created_at: float
    expires_at: float


class NewSession(BaseModel):
    """A session for a person."""

    user_id: Annotated[str, AfterValidator(_check_name)]
    groups: Groups = []
    role: Role = "user"
    hours: float = Field(12, ge=0.01, le=24 * 365, description="Lifetime.")


class NewSessionBody(BaseModel):
    """The session and its token, which is shown this once."""

    session_id: str
    token: str
    expires_at: float


class SessionPage(PageBody):
    """A page of sessions."""

    data: list[SessionBody]


@router.post(
    "/sessions",
    name="sign_in",
    status_code=204,
    responses=problems({401: "The token, or the name or the password, is wrong", 409: "Accounts are off", 429: "Too many tries"}),
)
async def sign_in(body: SignIn, request: Request, core: CoreOf) -> Response:
    """Signs in with a token, whose own expiry applies, or opens a session of a week by name and password. Sets the page's cookie."""
    if body.token is not None:
        await owner_of(body.token, request)
        return with_cookie(body.token, request)
    name, password = body.name or "", body.password.get_secret_value() if body.password else ""
    check_accounts(core)
    async with counted_try(name, request, core):
        account = await core.accounts.sign_in(name, password)
    return await open_for(account, request, core)


@router.delete("/sessions", name="sign_out", status_code=204)
async def sign_out(request: Request, core: CoreOf, token: TokenOf) -> Response:
    """Ends the session and deletes the cookie."""
    if token and core.settings.auth.mode == "session":
        with suppress(Unauthorized):  # already expired
            owner = await owner_of(token, request)
            await audit(core.records, owner, "session.revoke", session_id_of(token), now=core.clock())
            await close_session(token, cache=core.cache, records=core.records)
    reply = Response(status_code=204)
    reply.delete_cookie(COOKIE, path=root_of(request), httponly=True, samesite="strict", secure=_is_secure(request))
    return reply


@router.get("/sessions", name="list_sessions", responses=ADMINS)
async def sessions(admin: AdminOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> SessionPage:
    """Lists active sessions, for admins. Tokens are not included."""
    page = await list_sessions(core.clock(), records=core.records, limit=limit, after=after)
    return SessionPage.of(page, lambda each: SessionBody(**asdict(each)))


@router.post(
    "/sessions/new",
    name="create_session",
    status_code=201,
    responses=ADMINS | problems({409: "The user has conversations or documents already, or sign-in is not by session"}),
)
async def create(asked: NewSession, admin: AdminOf, core: CoreOf, response: Response) -> NewSessionBody:
    """Creates a session for a person who has not used Footnote before, for admins. Only a hash of the token is stored."""
    if core.settings.auth.mode != "session":
        raise Conflict(f"Sign-in is by {core.settings.auth.mode}. Sessions are for AUTH__MODE=session.")
    session = await new_person(asked.user_id, asked.groups, asked.role, admin, core)
    if asked.user_id != admin.user_id and await core.accounts.find(asked.user_id):
        raise Conflict(KNOWN)
    now, groups = core.clock(), session.groups
    await audit(core.records, admin, "session.create", session.user_id, now=now, groups=list(groups), role=session.role)
    token = await open_session(session, asked.hours * 3600, cache=core.cache, records=core.records, now=now, by=admin.user_id)
    response.headers["cache-control"] = "no-store"
    return NewSessionBody(session_id=session_id_of(token), token=token, expires_at=now + asked.hours * 3600)


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


async def new_person(user_id: str, groups: list[str], role: Role, admin: Caller, core: Core) -> Session:
    """Whom an admin lets in. Forbidden for groups that the admin is not in; Conflict for a user who has conversations or documents: an
    admin must not become able to read what they could not read before."""
    if foreign := sorted(set(groups) - admin.groups):
        raise Forbidden(f"You are not in {', '.join(foreign)}. You can give only groups that you are in.")
    if user_id != admin.user_id and await _is_known(user_id, core):
        raise Conflict(KNOWN)
    return Session(user_id, tuple(sorted(set(groups))), role)


def check_accounts(core: Core) -> None:
    """Conflict unless people may sign in by name and password."""
    if not core.settings.auth.has_accounts:
        raise Conflict("Accounts are off here: they need AUTH__MODE=session and AUTH__ACCOUNTS=true.")


@asynccontextmanager
async def counted_try(name: str, request: Request, core: Core) -> AsyncIterator[None]:
    """Counts a try to sign in as this name, unless it succeeds. TooManyRequests before anything is checked."""
    who = canonical(name), address_of(request)
    await core.limiter.count_try(*who)
    yield
    await core.limiter.uncount_try(*who)


async def open_for(account: Account, request: Request, core: Core) -> Response:
    """Opens a session for the owner of an account, and sets the cookie. The session that the browser had ends."""
    if old := request.cookies.get(COOKIE):
        await close_session(old, cache=core.cache, records=core.records)
    now, session = core.clock(), account.session
    await audit(core.records, Caller(account.name), "session.create", account.name, now=now, groups=list(session.groups), role=session.role)
    token = await open_session(session, WEEK_S, cache=core.cache, records=core.records, now=now, by=account.name)
    if await core.accounts.find(account.name) != account:  # removed or reset meanwhile
        await close_session(token, cache=core.cache, records=core.records)
        raise Unauthorized(WRONG)
    return with_cookie(token, request)


def with_cookie(token: str, request: Request) -> Response:
    """An empty response that stores the token in the page's cookie."""
    reply = Response(status_code=204)
    reply.set_cookie(COOKIE, token, max_age=WEEK_S, path=root_of(request), httponly=True, samesite="strict", secure=_is_secure(request))
    return reply


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https" or request.headers.get("x-forwarded-proto") == "https"


async def _is_known(user_id: str, core: Core) -> bool:
    """Whether the user has turns, or documents that name them as a reader."""
    async for _ in core.turns.all_of(Caller(user_id)):
        return True
    own, after, more = f"user:{user_id}", None, True
    while more:
        page = await core.ledger.list(Caller(user_id, frozenset({own})), limit=PAGE, after=after)
        if any(own in document.permission_groups for document in page.data):
            return True
        after, more = page.last_id, page.has_more
    return False
