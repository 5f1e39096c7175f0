"""`/v1/chat/completions`, `/v1/responses` and `/v1/models`, compatible with OpenAI's API."""

from __future__ import annotations

from typing import Any, Literal

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException

from footnote_http.callers import CallerOf, CoreOf, Origin, TraceId, asker_of
from footnote_http.openapi import Problem, shaped
from footnote_http.routes import Router
from footnote_http.sse import stream_events
from footnote_query.dialects.openai.models import COMPLETION, RESPONSE
from footnote_query.dialects.openai.replies import Chunks, completion, error_detail
from footnote_query.dialects.openai.responses import ResponseEvents, ResponsesRequest, make_response
from footnote_query.dialects.openai.turns import NAME, ChatMessage, Options, finish, make_turn, read_model, run
from footnote_query.v1_errors import ErrorBody

UNKNOWN_PATH = "There is no such route. /openapi.json lists the routes under /v1."


class StreamOptions(BaseModel):
    """Options for streaming."""

    include_usage: bool = False


class ResponseFormat(BaseModel):
    """The output format; only text is supported."""

    type: Literal["text"] = "text"


class ChatCompletionRequest(Options):
    """A request to `/v1/chat/completions`."""

    messages: list[ChatMessage] = Field(min_length=1, description="The conversation; the last user message is the question.")
    stream_options: StreamOptions | None = None
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    # Options that change the result and are not supported are rejected rather than ignored.
    n: Literal[1] | None = Field(None, description="Only one choice is supported.")
    response_format: ResponseFormat | None = Field(None, description="Only plain text is supported.")


class ModelBody(BaseModel):
    """A collection as a model."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = NAME


class ModelList(BaseModel):
    """All collections as models."""

    object: Literal["list"] = "list"
    data: list[ModelBody]


ERRORS = shaped(
    ErrorBody,
    {
        400: "Invalid request",
        404: "There is no such model",
        504: "A step timed out",
    },
)


def error_body(problem: Problem, exc: Exception | None) -> tuple[int, dict[str, Any]]:
    """An error in OpenAI's shape, which uses 400 instead of 422."""
    status = 400 if problem.status == 422 else problem.status
    text = UNKNOWN_PATH if problem.status == 404 and isinstance(exc, HTTPException) else problem.detail
    return status, {"error": error_detail(text, status, exc)}


router = Router("OpenAI", responses=ERRORS, errors={"/v1": error_body})


@router.get("/v1/models", name="list_models")
async def models(caller: CallerOf, core: CoreOf) -> ModelList:
    """Lists the collections as models, without intelligence levels."""
    names = [NAME, *(f"{NAME}/{collection}" for collection in sorted(await core.ledger.collections(caller)))]
    return ModelList(data=[ModelBody(id=name) for name in names])


@router.get("/v1/models/{model:path}", name="get_model")
async def model(model: str, caller: CallerOf, core: CoreOf) -> ModelBody:
    """Returns a model."""
    await read_model(model, caller, core)
    return ModelBody(id=model)


@router.post("/v1/chat/completions", name="create_chat_completion", response_model=None, responses=COMPLETION)
async def chat_completions(
    body: ChatCompletionRequest, request: Request, caller: CallerOf, core: CoreOf, trace_id: TraceId, origin: Origin
) -> Response:
    """Answers the last user message with `[n]` markers; `citations` and `annotations` contain their sources."""
    turn = await make_turn(body, body.messages, body.max_completion_tokens or body.max_tokens, caller, core, trace_id, origin)
    if turn.answer is None:
        await asker_of(request, caller)
    if not body.stream:
        return JSONResponse(completion(await finish(turn, core), body.model, origin))
    chunks = Chunks(turn, body.model, origin, usage=bool(body.stream_options and body.stream_options.include_usage))
    return await stream_events(run(turn, core), chunks.encode, trace_id, end="[DONE]")


@router.post("/v1/responses", name="create_response", response_model=None, responses=RESPONSE)
async def responses(
    body: ResponsesRequest, request: Request, caller: CallerOf, core: CoreOf, trace_id: TraceId, origin: Origin
) -> Response:
    """Answers the last user message of `input` (Responses API); citations are `annotations` of the text."""
    turn = await make_turn(body, body.messages, body.max_output_tokens, caller, core, trace_id, origin)
    if turn.answer is None:
        await asker_of(request, caller)
    if not body.stream:
        return JSONResponse(make_response(await finish(turn, core), body, origin).model_dump())
    return await stream_events(run(turn, core), ResponseEvents(turn, body, origin).encode, trace_id, named=True)
