"""The replies of `/v1`, as the OpenAPI tells them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, RootModel

from footnote_http.openapi import EVENTS, Responses, events_of, schema_of
from query.citations import SourceLink
from query.dialects.chat_core import TokensUsed


class ErrorDetail(BaseModel, defer_build=True):
    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(BaseModel, defer_build=True):
    error: ErrorDetail


class UrlCitation(BaseModel, defer_build=True):
    start_index: int = Field(description="Of the marker in the content, in code points.")
    end_index: int
    title: str
    url: str


class Annotation(BaseModel, defer_build=True):
    type: Literal["url_citation"]
    url_citation: UrlCitation


class CompletionMessage(BaseModel, defer_build=True):
    role: Literal["assistant"]
    content: str
    refusal: str | None
    annotations: list[Annotation]


class CompletionChoice(BaseModel, defer_build=True):
    index: int
    message: CompletionMessage
    logprobs: dict[str, Any] | None
    finish_reason: str


class ChatCompletion(BaseModel, defer_build=True):
    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: TokensUsed
    citations: list[SourceLink]
    trace_id: str


class ChunkDelta(BaseModel, defer_build=True):
    role: Literal["assistant"] | None = None
    content: str | None = None
    reasoning_content: str | None = Field(None, description="What the model thinks aloud.")
    annotations: list[Annotation] | None = None


class ChunkChoice(BaseModel, defer_build=True):
    index: int
    delta: ChunkDelta
    logprobs: dict[str, Any] | None
    finish_reason: str | None


class ChatCompletionChunk(BaseModel, defer_build=True):
    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: TokensUsed | None = None
    event: dict[str, Any] | None = Field(None, description="For Open WebUI: a status, or a source.")
    citations: list[SourceLink] | None = Field(None, description="In the last chunk with a choice.")
    trace_id: str | None = None


class ChatCompletionMessage(RootModel[Any], defer_build=True):
    """A message of a stream; the last one is `[DONE]`, but after an error."""

    root: ChatCompletionChunk | ErrorBody


COMPLETION: Responses = {
    200: {
        "description": "The answer, or with `stream` its pieces",
        "content": {
            "application/json": {"schema": schema_of(ChatCompletion)},
            EVENTS: {"schema": events_of(ChatCompletionMessage, end="[DONE]")},
        },
    }
}
