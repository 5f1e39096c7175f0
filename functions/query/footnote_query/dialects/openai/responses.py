"""Requests, responses and stream events of OpenAI's Responses API."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from footnote.errors import BadRequest
from footnote.events import Done, Event, Failed, Token
from footnote.types import Turn, tier_of
from footnote_query.citations import SourceLink, answer_text, make_citations
from footnote_query.dialects.openai.models import (
    IncompleteDetails,
    OutputAnnotation,
    OutputMessage,
    OutputText,
    ResponseBody,
    ResponseError,
    ResponseUsage,
    TextOptions,
)
from footnote_query.dialects.openai.replies import error_detail, make_annotations, make_metadata
from footnote_query.dialects.openai.turns import ChatMessage, Options

CUTS = {
    "length": "max_output_tokens",
    "repetition": "max_output_tokens",
    "stopped": "max_output_tokens",
    "content_filter": "content_filter",
}
Json = dict[str, Any]


class InputItem(BaseModel):
    """A message; items of other types are ignored."""

    model_config = ConfigDict(extra="allow")

    type: str = "message"


class ResponsesRequest(Options):
    """A request to `/v1/responses`."""

    input: str | list[InputItem] = Field(description="The question, or a conversation whose last user message is the question.")
    max_output_tokens: int | None = Field(None, ge=1)
    # Options that change the result and are not supported are rejected rather than ignored.
    text: TextOptions | None = Field(None, description="Only plain text is supported.")
    previous_response_id: str | None = Field(None, description="Rejected: responses are not stored.")
    background: Literal[False] | None = Field(None, description="Background mode is not supported.")

    @property
    def messages(self) -> list[ChatMessage]:
        """The conversation. BadRequest with `previous_response_id`."""
        if self.previous_response_id is not None:
            raise BadRequest("Responses are not stored. Send the whole conversation as `input`, without `previous_response_id`.")
        if isinstance(self.input, str):
            return [ChatMessage(role="user", content=self.input)]
        return [ChatMessage.model_validate(item.model_dump()) for item in self.input if item.type == "message"]

    @model_validator(mode="after")
    def messages_have_roles(self) -> ResponsesRequest:
        """Validates that each message has a role."""
        if isinstance(self.input, list) and any(item.type == "message" and not (item.model_extra or {}).get("role") for item in self.input):
            raise ValueError("a message has no role")
        return self


def make_response(turn: Turn, request: ResponsesRequest, origin: str) -> ResponseBody:
    """The response for a finished turn."""
    cut = turn.answer.cut if turn.answer else None
    status: Literal["incomplete", "completed"] = "incomplete" if cut else "completed"
    body = _open(turn, request, status)
    return body.model_copy(
        update={
            "incomplete_details": IncompleteDetails(reason=CUTS[cut]) if cut else None,
            "output": [_message(turn, status, [_text(turn, origin)])],
            "usage": _usage(turn),
            "citations": [SourceLink.model_validate(each) for each in make_citations(turn, origin)],
            "tier": tier_of(turn.outcome),
            "warnings": list(turn.answer.warnings) if turn.answer else [],
            "metadata": make_metadata(turn),
        }
    )


class ResponseEvents:
    """Encodes a turn's events as events of a response. The model's reasoning is omitted."""

    def __init__(self, turn: Turn, request: ResponsesRequest, origin: str) -> None:
        self._turn, self._request, self._origin = turn, request, origin
        self._place = {"item_id": f"msg_{turn.trace_id}", "output_index": 0, "content_index": 0}
        self._number = -1
        self._said = False

    def encode(self, event: Event) -> Iterator[Mapping[str, Any]]:
        """The messages for one event; some events have none."""
        if self._number < 0:
            opened = _open(self._turn, self._request, "in_progress").model_dump()
            yield self._event("response.created", response=opened)
            yield self._event("response.in_progress", response=opened)
            item = _message(self._turn, "in_progress", []).model_dump()
            yield self._event("response.output_item.added", output_index=0, item=item)
            part = OutputText(text="", annotations=[]).model_dump()
            yield self._event("response.content_part.added", **self._place, part=part)
        match event:
            case Token(text):
                yield self._delta(text)
            case Done(turn):
                yield from self._end(turn)
            case Failed(error, turn):
                text = f"{error.detail} (trace {turn.trace_id})"
                ended = {"error": ResponseError(message=text), "usage": _usage(turn)}
                failed = _open(turn, self._request, "failed").model_copy(update=ended)
                yield self._event("error", code=error_detail(text, error.status, error)["type"], message=text, param=None)
                yield self._event("response.failed", response=failed.model_dump())

    def _end(self, turn: Turn) -> Iterator[Json]:
        if not self._said:
            yield self._delta(answer_text(turn))
        response = make_response(turn, self._request, self._origin)
        (message,) = response.output
        (part,) = message.content
        for number, annotation in enumerate(part.annotations):
            yield self._event(
                "response.output_text.annotation.added", **self._place, annotation_index=number, annotation=annotation.model_dump()
            )
        yield self._event("response.output_text.done", **self._place, text=part.text, logprobs=[])
        yield self._event("response.content_part.done", **self._place, part=part.model_dump())
        yield self._event("response.output_item.done", output_index=0, item=message.model_dump())
        yield self._event(f"response.{response.status}", response=response.model_dump())

    def _delta(self, text: str) -> Json:
        self._said = True
        return self._event("response.output_text.delta", **self._place, delta=text, logprobs=[])

    def _event(self, kind: str, **values: Any) -> Json:
        self._number += 1
        return {"type": kind, "sequence_number": self._number, **values}


def _open(turn: Turn, request: ResponsesRequest, status: Literal["in_progress", "completed", "incomplete", "failed"]) -> ResponseBody:
    return ResponseBody(
        id=f"resp_{turn.trace_id}",
        created_at=int(turn.trace.started_at),
        status=status,
        model=request.model,
        output=[],
        temperature=request.temperature,
        max_output_tokens=request.max_output_tokens,
        citations=[],
        trace_id=turn.trace_id,
    )


def _usage(turn: Turn) -> ResponseUsage:
    usage = turn.trace.usage
    return ResponseUsage(input_tokens=usage.prompt_tokens, output_tokens=usage.completion_tokens, total_tokens=usage.total_tokens)


def _message(turn: Turn, status: Literal["in_progress", "completed", "incomplete"], content: list[OutputText]) -> OutputMessage:
    return OutputMessage(id=f"msg_{turn.trace_id}", status=status, content=content)


def _text(turn: Turn, origin: str) -> OutputText:
    annotations = [OutputAnnotation(**each["url_citation"]) for each in make_annotations(turn, origin)]
    return OutputText(text=answer_text(turn), annotations=annotations)
