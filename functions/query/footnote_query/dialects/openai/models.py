"""Response models of `/v1`."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, RootModel

from footnote.types import Tier
from footnote_http.openapi import EVENTS, Responses, events_of, schema_of
from footnote_query.citations import SourceLink
from footnote_query.replies import TIER, WARNINGS, TokensUsed
from footnote_query.v1_errors import ErrorBody

METADATA = "`warnings`: those of the answer, with commas between them; empty without any."
"""The description of a field with the metadata."""


class UrlCitation(BaseModel, defer_build=True):
    """A citation marker and the link to its source."""

    start_index: int = Field(description="Position of the marker in the content, in code points.")
    end_index: int
    title: str
    url: str


class Annotation(BaseModel, defer_build=True):
    """An annotation of a chat message."""

    type: Literal["url_citation"]
    url_citation: UrlCitation


class CompletionMessage(BaseModel, defer_build=True):
    """The message of a completion."""

    role: Literal["assistant"]
    content: str
    refusal: str | None
    annotations: list[Annotation]


class CompletionChoice(BaseModel, defer_build=True):
    """The only choice of a completion."""

    index: int
    message: CompletionMessage
    logprobs: dict[str, Any] | None
    finish_reason: str


class ChatCompletion(BaseModel, defer_build=True):
    """The response of `/v1/chat/completions`."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: TokensUsed
    citations: list[SourceLink]
    tier: Tier = Field(description=TIER)
    warnings: list[str] = Field(description=WARNINGS)
    metadata: dict[str, str] = Field(description=METADATA)
    trace_id: str


class ChunkDelta(BaseModel, defer_build=True):
    """What a chunk adds to the message."""

    role: Literal["assistant"] | None = None
    content: str | None = None
    reasoning_content: str | None = Field(None, description="The model's reasoning.")
    annotations: list[Annotation] | None = None


class ChunkChoice(BaseModel, defer_build=True):
    """The only choice of a chunk."""

    index: int
    delta: ChunkDelta
    logprobs: dict[str, Any] | None
    finish_reason: str | None


class ChatCompletionChunk(BaseModel, defer_build=True):
    """A chunk of a streamed completion."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: TokensUsed | None = Field(None, description="Set in the last chunk.")
    event: dict[str, Any] | None = Field(None, description="For Open WebUI: a status, or a source.")
    citations: list[SourceLink] | None = Field(None, description="Set in the last chunk with a choice.")
    tier: Tier | None = Field(None, description=f"Set there too. {TIER}")
    warnings: list[str] | None = Field(None, description=f"Set there too. {WARNINGS}")
    metadata: dict[str, str] | None = Field(None, description=f"Set there too. {METADATA}")
    trace_id: str | None = None


class ChatCompletionMessage(RootModel[Any], defer_build=True):
    """A message of a stream. The last one is `[DONE]`, except after an error."""

    root: ChatCompletionChunk | ErrorBody


class TextFormat(BaseModel, defer_build=True):
    """The output format; only text is supported."""

    type: Literal["text"] = "text"


class TextOptions(BaseModel, defer_build=True):
    """The text options of a response."""

    format: TextFormat = Field(default_factory=TextFormat)


class OutputAnnotation(BaseModel, defer_build=True):
    """An annotation of a response's text."""

    type: Literal["url_citation"] = "url_citation"
    start_index: int
    end_index: int
    title: str
    url: str


class OutputText(BaseModel, defer_build=True):
    """The text of a response."""

    type: Literal["output_text"] = "output_text"
    text: str
    annotations: list[OutputAnnotation]
    logprobs: list[Any] = []


class OutputMessage(BaseModel, defer_build=True):
    """The message of a response."""

    id: str
    type: Literal["message"] = "message"
    status: Literal["in_progress", "completed", "incomplete"]
    role: Literal["assistant"] = "assistant"
    content: list[OutputText]


class InputDetails(BaseModel, defer_build=True):
    """Details of the input tokens."""

    cached_tokens: int = 0


class OutputDetails(BaseModel, defer_build=True):
    """Details of the output tokens."""

    reasoning_tokens: int = 0


class ResponseUsage(BaseModel, defer_build=True):
    """Token counts of a response."""

    input_tokens: int
    input_tokens_details: InputDetails = Field(default_factory=InputDetails)
    output_tokens: int
    output_tokens_details: OutputDetails = Field(default_factory=OutputDetails)
    total_tokens: int


class IncompleteDetails(BaseModel, defer_build=True):
    """Why a response is incomplete."""

    reason: str


class ResponseError(BaseModel, defer_build=True):
    """Why a response failed."""

    code: Literal["server_error"] = "server_error"
    message: str


class ResponseBody(BaseModel, defer_build=True):
    """The response of `/v1/responses`."""

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
    metadata: dict[str, str] = Field({}, description=f"Of a response that has ended. {METADATA}")
    usage: ResponseUsage | None = None
    citations: list[SourceLink] = Field(description="The sources of the numbers in the text.")
    tier: Tier | None = Field(None, description=f"Of a response that has ended. {TIER}")
    warnings: list[str] | None = Field(None, description=f"Of a response that has ended. {WARNINGS}")
    trace_id: str


class ResponseEvent(BaseModel, defer_build=True):
    """An event of a response's stream. Further fields depend on its type, as documented by OpenAI."""

    type: str
    sequence_number: int
    response: ResponseBody | None = None
    item: OutputMessage | None = None
    part: OutputText | None = None
    annotation: OutputAnnotation | None = None
    delta: str | None = None


COMPLETION: Responses = {
    200: {
        "description": "The answer, or its chunks if `stream` is true",
        "content": {
            "application/json": {"schema": schema_of(ChatCompletion)},
            EVENTS: {"schema": events_of(ChatCompletionMessage, end="[DONE]")},
        },
    }
}
RESPONSE: Responses = {
    200: {
        "description": "The answer, or its events if `stream` is true",
        "content": {"application/json": {"schema": schema_of(ResponseBody)}, EVENTS: {"schema": events_of(ResponseEvent)}},
    }
}
