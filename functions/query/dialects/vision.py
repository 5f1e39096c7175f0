"""`/v2/vision/query`: a question about images, with the request and the events of the other `/v2` routes."""

from __future__ import annotations

from typing import Annotated

from fastapi import FastAPI, Response
from fastapi.responses import StreamingResponse
from pydantic import Field, StringConstraints

from footnote_http.app import accept_images, shape_errors
from footnote_http.callers import AskerOf, CoreOf, TraceId
from footnote_http.sse import stream_events
from query.dialects.chat_core import ERRORS, STREAM, Events, QueryRequest, as_user, error_body, query_turn

PATH = "/v2/vision/query"
LONGEST_ADDRESS = 64 * 2**20
"""Characters. How large an image may be is a setting, and told in its words."""


class VisionRequest(QueryRequest):
    images: list[Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ADDRESS)]] = Field(
        min_length=1, max_length=20, description="PNG, JPEG, WebP or GIF: public http(s) addresses, or data: URIs."
    )


def add_vision(app: FastAPI) -> None:
    shape_errors(app, PATH, error_body)
    accept_images(app, PATH)

    @app.post(PATH, name="vision_query", tags=["Chat core"], response_class=StreamingResponse, responses=ERRORS | STREAM)
    async def query(request: VisionRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId) -> Response:
        """Answers a question about images: `step`, `debug`, `think`, `token`, `done` or `error`."""
        asked = query_turn(request, "vision", as_user(caller, request.user_id), core, trace_id)
        turn = asked.with_(images=tuple(request.images))
        return await stream_events(core.answer.run(turn), Events(turn).encode, trace_id)
