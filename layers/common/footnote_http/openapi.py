"""The OpenAPI document of one function's routes, or of all functions' routes at their common address."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from starlette.routing import BaseRoute

DESCRIPTION = """Answers questions from a team's own documents and cites every claim.

Errors are `application/problem+json` (RFC 9457), except in APIs that follow another product: these document their own error body. \
The `data` of each event of a stream is a JSON object. \
The MCP server, `POST /mcp`, describes itself through its own protocol."""
TAGS = {
    "Asking": "Questions and answers.",
    "Searching": "Passages without an answer.",
    "OpenAI": "For clients of OpenAI's API.",
    "Chat core": "Conversations over documents, without documents, with tools and about images.",
    "Dify": "An external knowledge base for Dify.",
    "Documents": "Uploading files, their states and their text.",
    "Conversations": "The caller's own questions and answers.",
    "Me": "The caller's own data and preferences.",
    "Sign-in": "Tokens and sessions.",
    "Feedback": "Ratings of answers.",
    "Statistics": "Cost, latency and outcomes of turns.",
    "Voices": "What customers say: search, counts and themes.",
    "Administration": "For admins.",
    "Health": "Liveness and readiness.",
}


EVENTS = "text/event-stream"
PLACE = "#/components/schemas/"
REF = re.compile(rf'"{PLACE}([^"]+)"')


class Problem(BaseModel):
    """A problem (RFC 9457) with the trace id under which the log has more details."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    trace_id: str


Responses = dict[int | str, dict[str, Any]]
"""A route's `responses`."""

_named: dict[str, type[BaseModel]] = {}
"""Models referenced by responses here rather than by FastAPI, which supports one media type per route only."""


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """A reference to the model in the document's components. Models used only here are `defer_build`, because serving never
    needs their validators."""
    _named[model.__name__] = model
    return {"$ref": f"{PLACE}{model.__name__}"}


def text_of(media_type: str, model: type[BaseModel]) -> dict[str, Any]:
    """The schema of a text body that contains any number of the model's objects."""
    return {"type": "string", "contentMediaType": media_type, "contentSchema": schema_of(model)}


def events_of(model: type[BaseModel], *, end: str | None = None) -> dict[str, Any]:
    """The schema of a stream whose events carry the model's objects as `data`; for clients without SSE support it is a string.
    `end`: the data of a final event."""
    data: dict[str, Any] = {"type": "string", "contentMediaType": "application/json", "contentSchema": schema_of(model)}
    if end is not None:
        data = {"anyOf": [{"const": end}, data]}
    event = {"type": "object", "title": f"{model.__name__}Message", "properties": {"data": data}, "required": ["data"]}
    return {"oneOf": [{"type": "string"}, event]}


USUAL = {
    401: "Not signed in, or the token has expired",
    413: "The request body is too large",
    429: "Too many requests",
    503: "A dependency is unavailable",
}
"""Errors of any route."""


def problems(meanings: Mapping[int, str]) -> Responses:
    """`responses` for statuses with a Problem body. `meanings`: status → description."""
    return _responses("application/problem+json", Problem, meanings)


def shaped(model: type[BaseModel], meanings: dict[int, str]) -> Responses:
    """`responses` for routes with another error body (`Router.errors`), including USUAL."""
    return _responses("application/json", model, USUAL | meanings)


def streamed(model: type[BaseModel]) -> Responses:
    """`responses` for a stream whose messages are of this model."""
    return {200: {"description": "Server-sent events", "content": {EVENTS: {"schema": events_of(model)}}}}


def _responses(media_type: str, model: type[BaseModel], meanings: Mapping[int, str]) -> Responses:
    return {status: {"description": meaning, "content": {media_type: {"schema": schema_of(model)}}} for status, meaning in meanings.items()}


SLOW = problems({504: "A step timed out"})
NOT_FOUND = problems({404: "The caller has no such thing"})
ONCE = problems({409: "A request with the same Idempotency-Key is being answered"})


def describe(title: str, routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The document for these routes. Of two routes with the same method and path the last one counts."""
    document = get_openapi(
        title=title,
        version=version("footnote-rag"),
        description=DESCRIPTION,
        routes=[getattr(route, "built", route) for route in routes],  # of a declared one, FastAPI's
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        servers=[{"url": "/"}],
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    schemas = document.setdefault("components", {}).setdefault("schemas", {})
    while missing := set(REF.findall(json.dumps(document))) - set(schemas):
        for name in missing:
            made = _named[name].model_json_schema(mode="serialization", ref_template=f"{PLACE}{{model}}")
            schemas |= {**made.pop("$defs", {}), name: made, **schemas}
    document["components"]["schemas"] = dict(sorted(schemas.items()))
    return document
