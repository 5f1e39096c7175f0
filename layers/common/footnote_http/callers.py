"""Dependencies of routes: the authenticated caller, the Core, the trace id and the server's origin."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Coroutine
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import quote, urlsplit

from fastapi import Depends, FastAPI, Header, Request, Response
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute, request_response
from fastapi.security import APIKeyCookie, APIKeyHeader, HTTPAuthorizationCredentials, HTTPBearer

from footnote.errors import Forbidden, Unauthorized
from footnote.guard.identity import identify
from footnote.types import Caller
from footnote_http.addresses import address_of

if TYPE_CHECKING:
    from footnote.bootstrap import Core

PATH = "footnote.path"
"""The key of a request's scope for the path below which a trusted proxy serves this server."""
COOKIE = "footnote_session"
FORWARDED_USER = "x-openwebui-user-id"
"""Set by Open WebUI if it forwards user information."""
TIME_ZONE = "time-zone"
"""The reader's time zone, such as `Europe/Berlin`. The page sends it; models are told the reader's day."""
METADATA = "/.well-known/oauth-protected-resource"
"""Protected resource metadata (RFC 9728); with `/mcp` appended, that of the MCP server."""

BEARER = HTTPBearer(
    scheme_name="token",
    description="Depends on `AUTH__MODE`: a session token (session), an identity provider's token (jwt), an API key (api_key), or none.",
    auto_error=False,
)
API_KEY = APIKeyHeader(name="api-key", scheme_name="apiKey", description="The same token.", auto_error=False)
SESSION = APIKeyCookie(name=COOKIE, scheme_name="session", description="The same token, set by `POST /sessions`.", auto_error=False)
TICKET = APIKeyHeader(name="x-dep-ticket", scheme_name="ticket", description="The same token.", auto_error=False)
INGEST_KEY = "x-api-key"
NEEDS_INGEST_KEY = "This deployment requires the key of its setting RAG_API_KEY here. Send it as the header `x-api-key`."


def made_core(app: FastAPI) -> Core:
    """The app's Core, created on first use."""
    core: Core = app.state.core()
    return core


async def core_of(request: Request) -> Core:
    """The Core, refreshed with runtime changes of settings and prompts."""
    made = made_core(request.app)
    await made.refresh(prompts=request.app.state.renders_prompts)
    return made


async def token_of(
    request: Request,
    bearer: Annotated[HTTPAuthorizationCredentials | None, Depends(BEARER)],
    api_key: Annotated[str | None, Depends(API_KEY)],
    cookie: Annotated[str | None, Depends(SESSION)],
    ticket: Annotated[str | None, Depends(TICKET)],
) -> str | None:
    """The request's token: from a header, or the page's cookie. CloudFront uses `authorization` for its own signature, so other
    headers are accepted, too. An `api-key` that is the deployment's RAG_API_KEY comes last, because it accompanies a token."""
    signed = bearer.credentials if bearer else None
    if _is_ingest_key(request, api_key):
        return signed or cookie or ticket or api_key
    return signed or api_key or cookie or ticket


TokenOf = Annotated[str | None, Depends(token_of)]


async def caller_of(request: Request, token: TokenOf) -> Caller:
    """The caller, authenticated by the request's token. Unauthorized if it is missing or invalid."""
    if "footnote.caller" not in request.scope:
        owner = await owner_of(token, request)
        zone = request.headers.get(TIME_ZONE)
        request.scope["footnote.caller"] = replace(owner, ticket=ticket_of(request, token), time_zone=zone)
    caller: Caller = request.scope["footnote.caller"]
    return caller


def ticket_of(request: Request, token: str | None) -> str | None:
    """The ticket to pass on to the model gateway; None if that header carries the token used to sign in here. In mode `none` nobody signs
    in."""
    ticket, signs_in = request.headers.get(TICKET.model.name, ""), made_core(request.app).settings.auth.mode != "none"
    return ticket if ticket and not (signs_in and ticket == token) and ticket.isascii() and ticket.isprintable() else None


async def owner_of(token: str | None, request: Request) -> Caller:
    """The owner of this token. Failed sign-ins are rate-limited separately from questions, so they never lock out valid tokens."""
    core = await core_of(request)
    try:
        user = request.headers.get(FORWARDED_USER)
        return await identify(token, auth=core.settings.auth, cache=core.cache, tokens=core.tokens, on_behalf_of=user)
    except Unauthorized:
        await core.limiter.check_failed_sign_in(address_of(request), core.settings.limits)
        raise


async def check_ingest_key(
    request: Request,
    x_api_key: Annotated[
        str | None, Header(description="The deployment's `RAG_API_KEY`, where one is set, besides the token. Also accepted as `api-key`.")
    ] = None,
) -> None:
    """Unauthorized if RAG_API_KEY is set and the request does not carry it. Wrong keys are rate-limited like failed sign-ins."""
    core = await core_of(request)
    if core.settings.rag_api_key is None:
        return
    if not (_is_ingest_key(request, x_api_key) or _is_ingest_key(request, await API_KEY(request))):
        await core.limiter.check_failed_sign_in(address_of(request), core.settings.limits)
        raise Unauthorized(NEEDS_INGEST_KEY)


def _is_ingest_key(request: Request, key: str | None) -> bool:
    wanted = made_core(request.app).settings.rag_api_key
    if wanted is None or not key:
        return False
    return hmac.compare_digest(wanted.get_secret_value().encode(), key.encode())


async def asker_of(request: Request, caller: CallerOf) -> Caller:
    """The caller, rate-limited. For routes that cost money or computing time. TooManyRequests above the limit."""
    core = await core_of(request)
    if not caller.sees_all:
        await core.limiter.check(caller.user_id, address_of(request), core.settings.limits)
    return caller


async def admin_of(caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
    """The caller; Forbidden unless they are an admin."""
    if caller.role != "admin":
        raise Forbidden("This requires the admin role.")
    return caller


def origin_of(request: Request) -> str:
    """The address of this server as clients see it, without a slash at its end: PUBLIC_URL, else what the proxy says, else the request's
    URL. It has a path where a proxy serves this server below one."""
    if public_url := made_core(request.app).settings.public_url:
        return str(public_url).rstrip("/")
    forwarded = {name: request.headers.get(f"x-forwarded-{name}", "").partition(",")[0].strip() for name in ("proto", "host")}
    return f"{forwarded['proto'] or request.url.scheme}://{forwarded['host'] or request.url.netloc}{request.scope.get(PATH, '')}"


def root_of(request: Request) -> str:
    """The path of this server as browsers see it, with slashes at both ends."""
    return f"{urlsplit(origin_of(request)).path}/"


def trace_id_of(request: Request) -> str:
    """The id of this request's trace."""
    return str(request.scope["footnote.trace_id"])


def challenge_of(request: Request) -> str:
    """The `www-authenticate` header of a 401 (RFC 9110, 15.5.2); with AUTH__MODE=jwt it links to the resource metadata."""
    if made_core(request.app).settings.auth.mode != "jwt":
        return "Bearer"
    place = f"{METADATA}/mcp" if request.url.path == "/mcp" else METADATA
    return f'Bearer resource_metadata="{quote(origin_of(request), safe=":/[]")}{place}"'


if TYPE_CHECKING:
    CoreOf = Annotated[Core, Depends(core_of)]
else:  # FastAPI evaluates it when a route is created; the Core must not be imported before the first request
    CoreOf = Annotated[Any, Depends(core_of)]
CallerOf = Annotated[Caller, Depends(caller_of)]
AskerOf = Annotated[Caller, Depends(asker_of)]
AdminOf = Annotated[Caller, Depends(admin_of)]
KEYED = [Depends(check_ingest_key)]
"""Dependencies of the routes that require RAG_API_KEY."""
TraceId = Annotated[str, Depends(trace_id_of)]
Origin = Annotated[str, Depends(origin_of)]


class Route(APIRoute):
    """Authenticates and checks the ingest key before the body is read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler, which authenticates first if the route needs a caller."""
        handle = super().get_route_handler()
        keyed = _needs(self.dependant, check_ingest_key)

        async def handle_known(request: Request) -> Response:
            if caller_of not in request.app.dependency_overrides:
                token = await token_of(
                    request, await BEARER(request), await API_KEY(request), await SESSION(request), await TICKET(request)
                )
                await caller_of(request, token)
            if keyed:
                await check_ingest_key(request, request.headers.get(INGEST_KEY))
            return await handle(request)

        return handle_known if _needs(self.dependant, caller_of) else handle

    def for_app(self, app: FastAPI) -> Route:
        """The same route in another app: its parameters and models are shared, `dependency_overrides` are those of `app`."""
        route = copy(self)
        route.dependency_overrides_provider = app
        route.app = request_response(route.get_route_handler())
        return route


def _needs(dependant: Dependant, call: Callable[..., Any]) -> bool:
    return dependant.call is call or any(_needs(each, call) for each in dependant.dependencies)
