"""The replies of `/v1`, as the OpenAPI tells them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, RootModel

from footnote_http.openapi import EVENTS, Responses, events_of, schema_of
from query.citations import SourceLink
from query.replies import TokensUsed


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


class TextFormat(BaseModel, defer_build=True):
    type: Literal["text"] = "text"


class TextOptions(BaseModel, defer_build=True):
    format: TextFormat = Field(default_factory=TextFormat)


class OutputAnnotation(BaseModel, defer_build=True):
    type: Literal["url_citation"] = "url_citation"
    start_index: int
    end_index: int
    title: str
    url: str


class OutputText(BaseModel, defer_build=True):
    type: Literal["output_text"] = "output_text"
    text: str
    annotations: list[OutputAnnotation]
    logprobs: list[Any] = []


class OutputMessage(BaseModel, defer_build=True):
    id: str
    type: Literal["message"] = "message"
    status: Literal["in_progress", "completed", "incomplete"]
    role: Literal["assistant"] = "assistant"
    content: list[OutputText]


class InputDetails(BaseModel, defer_build=True):
    cached_tokens: int = 0


class OutputDetails(BaseModel, defer_build=True):
    reasoning_tokens: int = 0


class ResponseUsage(BaseModel, defer_build=True):
    input_tokens: int
    input_tokens_details: InputDetails = Field(default_factory=InputDetails)
    output_tokens: int
    output_tokens_details: OutputDetails = Field(default_factory=OutputDetails)
    total_tokens: int


class IncompleteDetails(BaseModel, defer_build=True):
    reason: str


class ResponseError(BaseModel, defer_build=True):
    code: Literal["server_error"] = "server_error"
    message: str


class ResponseBody(BaseModel, defer_build=True):
    id: str
    object: Literal["response"] = "response"
    created_at: int
    status: Literal["in_progress", "completed", "incomplete", "failed"]
    error: ResponseError | None = None
    incomplete_details: IncompleteDetails | None = None
    instructions: None = None
    model: str
    output: list[OutputMessage]
    parallel_tool_calls: bool = False
    previous_response_id: None = None
    store: bool = False
    temperature: float | None
    text: TextOptions = Field(default_factory=TextOptions)
    tool_choice: Literal["none"] = "none"
    tools: list[Any] = []
    top_p: None = None
    max_output_tokens: int | None
    metadata: dict[str, str] = {}
    usage: ResponseUsage | None = None
    citations: list[SourceLink] = Field(description="What the numbers in the text stand for.")
    trace_id: str


class ResponseEvent(BaseModel, defer_build=True):
    """A message of a response's stream. What it has beside these hangs on its type, as OpenAI describes them."""

    type: str
    sequence_number: int
    response: ResponseBody | None = None
    item: OutputMessage | None = None
    part: OutputText | None = None
    annotation: OutputAnnotation | None = None
    delta: str | None = None


COMPLETION: Responses = {
    200: {
        "description": "The answer, or with `stream` its pieces",
        "content": {
            "application/json": {"schema": schema_of(ChatCompletion)},
            EVENTS: {"schema": events_of(ChatCompletionMessage, end="[DONE]")},
        },
    }
}
RESPONSE: Responses = {
    200: {
        "description": "The answer, or with `stream` its events",
        "content": {"application/json": {"schema": schema_of(ResponseBody)}, EVENTS: {"schema": events_of(ResponseEvent)}},
    }
}
