"""Who asks? What a route gets of a request: its caller, by the token that came with it, the Core and the trace id."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Depends, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from footnote.errors import Forbidden, Unauthorized
from footnote.guard.identity import identify
from footnote.types import Caller

if TYPE_CHECKING:
    from footnote.bootstrap import Core

COOKIE = "footnote_session"


async def core_of(request: Request) -> Core:
    """With what admins changed meanwhile."""
    made: Core = request.app.state.core()
    await made.refresh(prompts=request.app.state.renders_prompts)
    return made


async def caller_of(request: Request) -> Caller:
    """Who asks, by the token that they send."""
    if "footnote.caller" not in request.scope:
        request.scope["footnote.caller"] = await owner_of(token_of(request), request)
    caller: Caller = request.scope["footnote.caller"]
    return caller


async def owner_of(token: str | None, request: Request) -> Caller:
    """Whose token this is. Who tries tokens is told to wait in the end."""
    core = await core_of(request)
    try:
        return await identify(token, auth=core.settings.auth, cache=core.cache, tokens=core.tokens)
    except Unauthorized:
        await core.limiter.check(None, address_of(request), core.settings.limits)
        raise


async def asker_of(request: Request, caller: CallerOf) -> Caller:
    """The same for routes that cost something: who asks too often is told to wait."""
    core = await core_of(request)
    if not caller.sees_all:
        await core.limiter.check(caller.user_id, address_of(request), core.settings.limits)
    return caller


def address_of(request: Request) -> str:
    """The client's; behind the Lambda Web Adapter the server has read it from what AWS tells."""
    return request.client.host if request.client else ""


async def admin_of(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
    if caller.role != "admin":
        raise Forbidden("Only an admin may do this.")
    return caller


def token_of(request: Request) -> str | None:
    """A program sends it in a header, the page in its cookie: in front of signed origins the header is taken."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return request.headers.get("api-key") or request.cookies.get(COOKIE)


def trace_id_of(request: Request) -> str:
    return str(request.scope["footnote.trace_id"])


CoreOf = Annotated[Any, Depends(core_of)]
CallerOf = Annotated[Caller, Depends(caller_of)]
AskerOf = Annotated[Caller, Depends(asker_of)]
AdminOf = Annotated[Caller, Depends(admin_of)]
TraceId = Annotated[str, Depends(trace_id_of)]


class Route(APIRoute):
    """Who must sign in is told so before a byte of the body is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_known(request: Request) -> Response:
            if caller_of not in request.app.dependency_overrides:
                await caller_of(request)
            return await handle(request)

        return handle_known if _asks_who(self.dependant) else handle


def _asks_who(dependant: Dependant) -> bool:
    return dependant.call is caller_of or any(map(_asks_who, dependant.dependencies))
