"""The OpenAPI document: of one function's routes, or of all functions' together, as they are reached at one address."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel
from starlette.routing import BaseRoute

DESCRIPTION = """Answers questions from a team's own documents, and cites every claim.

Errors are `application/problem+json` (RFC 9457), except where an API follows another product's: those name their own body. \
The events of a stream have JSON objects as their `data`. \
The MCP server, `POST /mcp`, describes itself by its own protocol."""
TAGS = {
    "Asking": "Questions and answers.",
    "Searching": "Passages without an answer.",
    "OpenAI": "For clients that speak OpenAI's API.",
    "Chat core": "Conversations over documents, without them, with tools, over images.",
    "Dify": "An external knowledge base.",
    "Documents": "Files in, their states, their text.",
    "Conversations": "What was asked and answered, by whoever asked.",
    "Me": "What is kept of the caller.",
    "Sign-in": "Tokens and sessions.",
    "Feedback": "What people think of answers.",
    "Statistics": "What turns cost and how they went.",
    "Administration": "For admins.",
    "Health": "Whether it works.",
}


EVENTS = "text/event-stream"
PLACE = "#/components/schemas/"
REF = re.compile(rf'"{PLACE}([^"]+)"')


class Problem(BaseModel):
    """RFC 9457, with the id under which the log tells more."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    trace_id: str


Responses = dict[int | str, dict[str, Any]]
"""A route's `responses`."""

_named: dict[str, type[BaseModel]] = {}
"""Models that responses name, rather than FastAPI: it knows one media type for all of a route's."""


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """A reference to the model among the document's components. Models that are named here only are `defer_build`: a function
    that serves never needs their validators."""
    _named[model.__name__] = model
    return {"$ref": f"{PLACE}{model.__name__}"}


def text_of(media_type: str, model: type[BaseModel]) -> dict[str, Any]:
    """Of a body that holds any number of the model's objects: to a client it is text."""
    return {"type": "string", "contentMediaType": media_type, "contentSchema": schema_of(model)}


def events_of(model: type[BaseModel], *, end: str | None = None) -> dict[str, Any]:
    """Of a stream of the model's objects, each the `data` of an event: to most clients it is text; those that read streams
    see the events. `end`: the data of a last event."""
    data: dict[str, Any] = {"type": "string", "contentMediaType": "application/json", "contentSchema": schema_of(model)}
    if end is not None:
        data = {"anyOf": [{"const": end}, data]}
    event = {"type": "object", "title": f"{model.__name__}Message", "properties": {"data": data}, "required": ["data"]}
    return {"oneOf": [{"type": "string"}, event]}


USUAL = {
    401: "Nobody has signed in, or their time is over",
    413: "The body is too long",
    429: "Too many requests",
    503: "A part is down",
}
"""What goes wrong on any route."""


def problems(meanings: Mapping[int, str]) -> Responses:
    """Statuses that come with a Problem, and what they mean there."""
    return _responses("application/problem+json", Problem, meanings)


def shaped(model: type[BaseModel], meanings: dict[int, str]) -> Responses:
    """The same of a route whose errors have another shape (`Router.errors`), the USUAL ones among them."""
    return _responses("application/json", model, USUAL | meanings)


def streamed(model: type[BaseModel]) -> Responses:
    """A stream whose messages are of this model."""
    return {200: {"description": "Server-sent events", "content": {EVENTS: {"schema": events_of(model)}}}}


def _responses(media_type: str, model: type[BaseModel], meanings: Mapping[int, str]) -> Responses:
    return {status: {"description": meaning, "content": {media_type: {"schema": schema_of(model)}}} for status, meaning in meanings.items()}


SLOW = problems({504: "A step timed out"})
ONCE = problems({409: "A request with the same Idempotency-Key is being answered"})


def describe(title: str, routes: Sequence[BaseRoute]) -> dict[str, Any]:
    """The document of these routes. Of two with the same method and path the last one counts."""
    told = get_openapi(
        title=title,
        version=version("footnote-rag"),
        description=DESCRIPTION,
        routes=routes,
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        servers=[{"url": "/"}],
        license_info={"name": "MIT", "identifier": "MIT"},
    )
    schemas = told.setdefault("components", {}).setdefault("schemas", {})
    while missing := set(REF.findall(json.dumps(told))) - set(schemas):
        for name in missing:
            made = _named[name].model_json_schema(mode="serialization", ref_template=f"{PLACE}{{model}}")
            schemas |= {**made.pop("$defs", {}), name: made, **schemas}
    told["components"]["schemas"] = dict(sorted(schemas.items()))
    return told
