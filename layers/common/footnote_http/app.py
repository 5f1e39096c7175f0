"""The app factory: errors as problem+json, a trace id on every response, size limits and security headers.

Errors follow RFC 9457: `{type, title, status, detail, trace_id}`. A route that implements another product's protocol may use
its own error body (`Router.errors`). A response never contains a traceback.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from http import HTTPStatus
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from fastapi import FastAPI, Query, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from footnote.errors import BadRequest, FootnoteError, StillRunning, TooLarge, TooManyRequests, Unauthorized
from footnote.tracing import new_trace_id
from footnote_http.callers import Route, challenge_of, made_core, trace_id_of
from footnote_http.cors import headers_of, with_cors
from footnote_http.openapi import USUAL, Problem, describe, problems
from footnote_http.routes import ErrorShape, routes_of

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.settings import AWS

log = logging.getLogger(__name__)

Limit = Annotated[int, Query(ge=1, le=200)]
"""Maximum number of entries on a page of a list."""
MAX_JSON = 2**20
"""Maximum bytes of a request body without files."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}


HSTS = "max-age=63072000"
"""Two years, in seconds. Sent in responses to https requests only."""


def make_headers(aws: AWS) -> dict[str, str]:
    """HEADERS with the buckets allowed as origins, because the page uploads to them and downloads large files from them."""
    buckets = [bucket for bucket in (aws.drop_bucket, aws.files_bucket) if bucket]
    origins = dict.fromkeys(origin for bucket in buckets for origin in _origins_of(bucket))
    policy = HEADERS["content-security-policy"].replace("connect-src 'self'", " ".join(["connect-src 'self'", *origins]))
    return {**HEADERS, "content-security-policy": policy}


def _origins_of(bucket: str) -> list[str]:
    """The origins under which the SDK addresses a bucket. S3 has two names; the second is used in us-east-1."""
    if endpoint := os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL"):
        scheme, host = urlsplit(endpoint)[:2]
        return [f"{scheme}://{host}", f"{scheme}://{bucket}.{host}"]
    return [f"https://{bucket}.s3.{os.environ.get('AWS_DEFAULT_REGION', 'us-east-1')}.amazonaws.com", f"https://{bucket}.s3.amazonaws.com"]


def make_app(title: str, core: Callable[[], Core] | None = None) -> FastAPI:
    """A FastAPI app whose routes use the Core that `core` returns. Default: the process's shared Core."""
    app = FastAPI(
        title=title,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        generate_unique_id_function=attrgetter("name"),
        responses=problems(dict(sorted({**USUAL, 422: BadRequest.title}.items()))),
    )
    app.openapi = lambda: describe(title, routes_of(app))  # type: ignore[method-assign]
    app.router.route_class = Route
    app.state.core = core or _shared
    app.state.error_shapes = {}
    app.state.with_images = set()
    app.state.remedies = dict[str, str]()  # path → what to do about a body that is too large
    app.state.renders_prompts = False
    app.state.in_lambda = False
    app.add_middleware(_Envelope)
    app.exception_handler(FootnoteError)(_reply_of_ours)
    app.exception_handler(RequestValidationError)(_reply_of_validation)
    app.exception_handler(HTTPException)(_reply_of_http)
    app.exception_handler(Exception)(_reply_of_defect)
    return app


def _shared() -> Core:
    from footnote import bootstrap

    return bootstrap.shared()


def _reply(scope: Scope, status: int, title: str, detail: str, exc: Exception | None = None, **headers: str) -> JSONResponse:
    trace_id = scope["footnote.trace_id"]
    kind = exc.type if isinstance(exc, FootnoteError) else FootnoteError.type
    problem = Problem(type=kind, title=title, status=status, detail=detail, trace_id=trace_id)
    return reply_with(problem, scope["path"], scope["app"].state.error_shapes, exc, headers)


def reply_with(
    problem: Problem, path: str, shapes: Mapping[str, ErrorShape], exc: Exception | None, headers: Mapping[str, str]
) -> JSONResponse:
    """The problem as a response, in the error shape of this path."""
    shape = next((shape for prefix, shape in shapes.items() if path == prefix or path.startswith(f"{prefix}/")), None)
    if shape is None:
        return JSONResponse(problem.model_dump(), problem.status, headers, media_type="application/problem+json")
    status, body = shape(problem, exc)
    return JSONResponse(body, status, headers)


def refusal(exc: FootnoteError, path: str, shapes: Mapping[str, ErrorShape], **headers: str) -> JSONResponse:
    """The reply of a middleware that refuses a request before an app has given it a trace id."""
    problem = Problem(type=exc.type, title=exc.title, status=exc.status, detail=exc.detail, trace_id=new_trace_id())
    return reply_with(problem, path, shapes, None, {**HEADERS, "x-trace-id": problem.trace_id, **headers})


async def _reply_of_ours(request: Request, exc: FootnoteError) -> JSONResponse:
    headers = {}
    if isinstance(exc, TooManyRequests | StillRunning):
        headers["retry-after"] = str(max(1, round(exc.retry_after_s)))
    if isinstance(exc, Unauthorized):
        headers["www-authenticate"] = challenge_of(request)
    return _reply(request.scope, exc.status, exc.title, exc.detail, exc, **headers)


async def _reply_of_validation(request: Request, exc: RequestValidationError) -> JSONResponse:
    first = exc.errors()[0]
    if first["type"] == "json_invalid" and len(first["loc"]) == 2 and isinstance(first["loc"][1], int):  # the offset in the body
        return _reply_of_json(request)
    if first["loc"] == ("body",) and first["type"] in ("missing", "model_attributes_type"):
        detail = "The body is not a JSON object. Send one with the header `content-type: application/json`."
        return _reply(request.scope, 422, BadRequest.title, detail, exc)
    details = [
        f"{'.'.join(str(part) for part in error['loc'] if part != 'body') or 'body'}: {error['msg'].removeprefix('Value error, ')}"
        for error in exc.errors()[:5]
    ]
    return _reply(request.scope, 422, BadRequest.title, "; ".join(details), exc)


async def _reply_of_http(request: Request, exc: HTTPException) -> JSONResponse:
    if exc.status_code == 400:  # raised only by the framework, for a body that it cannot parse
        is_json = isinstance(exc.__cause__, ValueError | RecursionError)
        return _reply_of_json(request) if is_json else _reply(request.scope, 422, BadRequest.title, str(exc.detail), exc)
    title = TooLarge.title if exc.status_code == 413 else HTTPStatus(exc.status_code).phrase
    return _reply(request.scope, exc.status_code, title, str(exc.detail), exc, **(exc.headers or {}))


async def _reply_of_defect(request: Request, exc: Exception) -> JSONResponse:
    trace_id = trace_id_of(request)  # this response is made outside of _Envelope, so headers are set here
    log.error("request failed", exc_info=exc, extra={"trace_id": trace_id})
    return _reply(
        request.scope,
        500,
        FootnoteError.title,
        FootnoteError.title,
        exc,
        **{"x-trace-id": trace_id, **HEADERS, **request.scope.get("footnote.cors", {})},
    )


def _reply_of_json(request: Request) -> JSONResponse:
    return _reply(request.scope, 422, BadRequest.title, "The body is not valid JSON in UTF-8.")


class _Envelope:
    """Assigns the trace id, rejects bodies that are too large, and adds security and CORS headers. Streams are not buffered."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app
        self._headers: dict[str, str] = {}
        self._inner: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        trace_id = scope["footnote.trace_id"] = new_trace_id()
        settings = made_core(scope["app"]).settings
        scope["footnote.cors"] = headers_of(dict(scope["headers"]).get(b"origin", b"").decode("latin-1"), settings)
        if self._inner is None:
            self._headers, self._inner = make_headers(settings.aws), with_cors(self._within_limits, settings)
        by_https = scope.get("scheme") == "https" or (b"x-forwarded-proto", b"https") in scope["headers"]

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.setdefault("x-trace-id", trace_id)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                if by_https:
                    headers.setdefault("strict-transport-security", HSTS)
            await send(message)

        await self._inner(scope, receive, send_with_headers)

    async def _within_limits(self, scope: Scope, receive: Receive, send: Send) -> None:
        most, detail = _limit_of(scope)
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if length.isdigit() and int(length) > most:
            await _reply(scope, 413, TooLarge.title, detail)(scope, receive, send)
            return
        await self.app(scope, _limited(receive, most, detail), send)


def _limit_of(scope: Scope) -> tuple[int, str]:
    """(maximum bytes of this request's body, the error detail for larger ones)."""
    if not dict(scope["headers"]).get(b"content-type", b"").lower().startswith(b"multipart/form-data"):
        if scope["path"] not in scope["app"].state.with_images:
            remedy = scope["app"].state.remedies.get(scope["path"], "")
            return MAX_JSON, f"A request body without files may have at most {MAX_JSON} bytes.{remedy}"
        vision = made_core(scope["app"]).settings.vision
        together = vision.max_images * vision.max_image_mb
        # base64 turns three bytes into four characters. Slightly too large images are rejected by the route.
        return int(together * 2**20) * 4 // 3 + MAX_JSON, f"The images together are larger than {together:g} MiB. Send smaller ones."
    most_mb = made_core(scope["app"]).settings.ingest.max_file_mb
    # The form has other fields, too. Slightly too large files are rejected by the route.
    return most_mb * 2**20 + MAX_JSON, f"The file is larger than {most_mb} MB. Split it, or raise INGEST__MAX_FILE_MB."


def _limited(receive: Receive, most: int, detail: str) -> Receive:
    """Enforces the limit on bodies without a content-length. FastAPI passes on only HTTPException from here."""
    seen = 0

    async def receive_limited() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise HTTPException(413, detail)
        return message

    return receive_limited
