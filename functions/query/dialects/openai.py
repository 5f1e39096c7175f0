"""`/v1/chat/completions` and `/v1/models`: for every client that speaks OpenAI's API. A model is a collection."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

from fastapi import FastAPI, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from footnote.errors import BadRequest
from footnote.events import Done, Event, Token
from footnote.guard.input_guard import LONGEST
from footnote.types import Answer, Caller, Exchange, Profile, Turn
from footnote_http.app import shape_errors
from footnote_http.callers import AskerOf, CallerOf, CoreOf, Origin, TraceId
from footnote_http.openapi import Problem, shaped
from footnote_http.sse import stream_events
from query.collections import has_collection
from query.dialects.openai_models import COMPLETION, ErrorBody
from query.dialects.openai_replies import Chunks, UnknownModel, completion, error_detail

if TYPE_CHECKING:
    from footnote.bootstrap import Core

NAME = "footnote"
PROFILE = Profile("openai", live=True, citation_style="numbered", prompt="answer_numbered", answer_cache_s=300)
EARLIER = 4
"""Exchanges before the question that a follow-up is understood by."""
ANSWERED = ("user", "assistant")
UNKNOWN_PATH = "There is no such address. /openapi.json lists those under /v1."


class Part(BaseModel):
    model_config = ConfigDict(extra="allow")

    type: str
    text: str = ""


class ChatMessage(BaseModel):
    model_config = ConfigDict(extra="allow")

    role: str
    content: str | list[Part] | None = None


class StreamOptions(BaseModel):
    include_usage: bool = False


class ResponseFormat(BaseModel):
    type: Literal["text"] = "text"


class ChatCompletionRequest(BaseModel):
    """What is not named here is accepted and changes nothing."""

    model: str = Field(description="`footnote`, or `footnote/<collection>`.")
    messages: list[ChatMessage] = Field(
        min_length=1, description="The last one of the user is the question, the ones before are its conversation."
    )
    stream: bool = False
    stream_options: StreamOptions | None = None
    temperature: float | None = Field(None, ge=0, le=2)
    max_tokens: int | None = Field(None, ge=1)
    max_completion_tokens: int | None = Field(None, ge=1)
    # What a client could not do without is refused, not passed over.
    n: Literal[1] | None = Field(None, description="There is one answer.")
    response_format: ResponseFormat | None = Field(None, description="Answers are prose.")
    tool_choice: Literal["none", "auto"] | None = Field(None, description="Tools are never called.")


class ModelBody(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = NAME


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[ModelBody]


ERRORS = shaped(
    ErrorBody,
    {
        400: "The request cannot be used",
        401: "Nobody has signed in, or their time is over",
        404: "There is no such model",
        413: "The body is too long",
        429: "Too many requests",
        503: "A part is down",
        504: "A step took too long",
    },
)


def add_openai(app: FastAPI) -> None:
    shape_errors(app, "/v1", error_body)

    @app.get("/v1/models", name="list_models", tags=["OpenAI"], responses=ERRORS)
    async def models(caller: CallerOf, core: CoreOf) -> ModelList:
        """The collections as models."""
        names = [NAME, *(f"{NAME}/{collection}" for collection in sorted(await core.ledger.collections(caller)))]
        return ModelList(data=[ModelBody(id=name) for name in names])

    @app.get("/v1/models/{model:path}", name="get_model", tags=["OpenAI"], responses=ERRORS)
    async def model(model: str, caller: CallerOf, core: CoreOf) -> ModelBody:
        """One of them."""
        await _collection_of(model, caller, core)
        return ModelBody(id=model)

    @app.post(
        "/v1/chat/completions",
        name="create_chat_completion",
        tags=["OpenAI"],
        response_model=None,
        responses=ERRORS | COMPLETION,
    )
    async def chat_completions(
        request: ChatCompletionRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId, origin: Origin
    ) -> Response:
        """Answers the last user message with `[n]` markers; `citations` and `annotations` say what they stand for."""
        turn = await chat_turn(request, caller, core, trace_id)
        if not request.stream:
            turn = _without_asking(turn) if is_side_task(turn.question) else await core.answer.finish(turn)
            return JSONResponse(completion(turn, request.model, origin))
        chunks = Chunks(turn, request.model, origin, usage=bool(request.stream_options and request.stream_options.include_usage))
        events = _say(_without_asking(turn)) if is_side_task(turn.question) else core.answer.run(turn)
        return await stream_events(events, chunks.encode, trace_id, end="[DONE]")


async def chat_turn(request: ChatCompletionRequest, caller: Caller, core: Core, trace_id: str) -> Turn:
    return Turn(
        trace_id=trace_id,
        caller=caller,
        profile=PROFILE,
        question=last_question(request.messages),
        collection=await _collection_of(request.model, caller, core),
        temperature=request.temperature,
        max_tokens=request.max_completion_tokens or request.max_tokens,
        history=earlier(request.messages),
        started_at=core.clock(),
    )


def last_question(messages: Sequence[ChatMessage]) -> str:
    """The words of the last user message."""
    content = next((message.content for message in reversed(messages) if message.role == "user"), None)
    if content is None:
        raise BadRequest("There is no message of the user.")
    if isinstance(content, str):
        return content
    if foreign := next((part.type for part in content if part.type != "text"), None):
        raise BadRequest(f"The question holds a part of type “{foreign[:40]}”. Only text can be asked.")
    return _text_of(content)


def earlier(messages: Sequence[ChatMessage]) -> tuple[Exchange, ...]:
    """The last EARLIER questions before the last one, each with the answer that follows it. Of what is longer than a question
    may be, the beginning: a model that understands a follow-up by it would read all of it."""
    said = [(message.role, _text_of(message.content)) for message in messages if message.role in ANSWERED]
    pairs = [
        Exchange(question[:LONGEST], answer) for (asker, question), (answerer, answer) in pairwise(said) if (asker, answerer) == ANSWERED
    ]
    return tuple(pairs[-EARLIER:])


def _text_of(content: str | Sequence[Part] | None) -> str:
    return content if isinstance(content, str) else "\n".join(part.text for part in content or ())


async def _collection_of(model: str, caller: Caller, core: Core) -> str:
    name, _, collection = model.partition("/")
    if name != NAME or (collection and not await has_collection(collection, caller, core)):
        raise UnknownModel("There is no such model. GET /v1/models lists those that there are.")
    return collection or core.settings.index_name


def is_side_task(question: str) -> bool:
    """Open WebUI has the model of a chat write its title, tags and follow-up questions, too."""
    return question.startswith("### Task:") and "<chat_history>" in question


def _without_asking(turn: Turn) -> Turn:
    """An empty object: Open WebUI then takes the question as the title, and no tags or follow-ups."""
    return turn.with_(answer=Answer("{}"))


async def _say(turn: Turn) -> AsyncGenerator[Event, None]:
    if turn.answer is not None:
        yield Token(turn.answer.text)
    yield Done(turn)


def error_body(problem: Problem, exc: Exception | None) -> tuple[int, dict[str, Any]]:
    """OpenAI's shape of an error, which says 400 where others say 422."""
    status = 400 if problem.status == 422 else problem.status
    text = UNKNOWN_PATH if problem.status == 404 and isinstance(exc, HTTPException) else problem.detail
    return status, {"error": error_detail(text, status, exc)}
