"""OpenAI's wire format of chat completions: requests, streamed replies and errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from footnote.adapters.openai.quirks import said_by
from footnote.adapters.shared.models import ModelBusy, ModelExhausted, ModelRefused
from footnote.errors import FootnoteError, ModelTimeout, ModelUnavailable, PromptTooLong
from footnote.ports import Delta, Tool
from footnote.text.surrogates import repair
from footnote.types import Cut, Message, ToolCall, Usage

CUTS: Mapping[str, Cut] = {
    **dict.fromkeys(("length", "max_tokens", "model_length", "model_context_window_exceeded"), "length"),
    **dict.fromkeys(("content_filter", "safety", "recitation", "prohibited_content", "sensitive"), "content_filter"),
}  # fmt: skip
"""Finish reasons of truncated replies, as OpenAI and the gateways to other providers name them."""
BROKEN = frozenset({"error", "abort", "cancelled", "network_error", "insufficient_system_resource"})
"""Finish reasons of replies that broke off. Servers use many others for complete ones."""
BROKE_OFF = "The language model's reply broke off. Ask again."
NO_REPLY = "The language model's endpoint sent no reply. Check LLM__BASE_URL."


LONGEST_SAID = 300
"""Characters of an endpoint's own words that are kept."""
SPENT = {"insufficient_quota", "exceeded_current_quota_error", "insufficient_balance", "billing_hard_limit_reached", "billing_not_active"}
"""Codes of errors that no wait helps against."""


def message_body(message: Message) -> dict[str, Any]:
    """A message as the API expects it."""
    content = repair(message.content)
    body: dict[str, Any] = {"role": message.role, "content": content}
    if message.images:
        images = [{"type": "image_url", "image_url": {"url": image}} for image in message.images]
        body["content"] = [{"type": "text", "text": content}, *images]
    if message.tool_calls:
        body["tool_calls"] = [
            {"id": call.call_id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in message.tool_calls
        ]
    if message.tool_call_id is not None:
        body["tool_call_id"] = message.tool_call_id
    return body


def tool_body(tool: Tool) -> dict[str, Any]:
    """A tool as the API expects it."""
    return {
        "type": "function",
        "function": {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)},
    }


def schema_body(schema: Mapping[str, Any]) -> dict[str, Any]:
    """`response_format` of a reply that shall be an object of this schema."""
    return {"type": "json_schema", "json_schema": {"name": "reply", "schema": {**schema, "additionalProperties": False}, "strict": True}}


class ReplyReader:
    """Chunks of a stream → Deltas. Fragments of tool calls are collected until the end; a character that was split is returned with
    its second half.

    It is written by hand because the SDK's stream helper accepts only its own pydantic chunks, which are slow, and only
    servers that number tool calls as OpenAI does."""

    def __init__(self) -> None:
        self.is_whole = False
        """A finish reason came."""
        self._calls: list[dict[str, Any]] = []
        self._halves: dict[str, str] = {}
        self._cut: Cut | None = None

    def read(self, chunk: Any) -> Delta | None:
        """The next piece; empty while a tool call is streamed, None if the chunk says nothing. Servers omit different fields. A chunk
        that is not an object raises, for `translate`. Raises ModelUnavailable if the model says that its reply broke off."""
        used, choices = chunk.get("usage"), chunk.get("choices")
        usage = Usage(used.get("prompt_tokens") or 0, used.get("completion_tokens") or 0) if used else None
        text = thinking = ""
        cut: Cut | None = None
        pieces: Sequence[Any] = ()
        if choices:
            if reason := choices[0].get("finish_reason"):
                cut = self._end(str(reason).lower())
            delta = choices[0].get("delta") or {}
            text = self._joined("text", delta.get("content") or "")
            thinking = self._joined("thinking", delta.get("reasoning_content") or delta.get("reasoning") or "")
            pieces = delta.get("tool_calls") or ()
        for piece in pieces:
            self._add(piece)
        return Delta(text, thinking, usage, cut=cut) if text or thinking or usage or pieces or cut else None

    def tool_calls(self) -> tuple[ToolCall, ...]:
        """The calls of a reply that has ended. Raises ModelUnavailable if it was truncated, because then so is a call."""
        if self._calls and self._cut:
            raise ModelUnavailable("The language model's reply was cut off in a tool call.")
        return tuple(
            ToolCall(call["id"] or f"call_{place}", repair(call["name"]), repair(call["arguments"]) or "{}")
            for place, call in enumerate(self._calls)
        )

    def _end(self, reason: str) -> Cut | None:
        if reason in BROKEN:
            raise ModelUnavailable(BROKE_OFF)
        self.is_whole, self._cut = True, CUTS.get(reason)
        return self._cut

    def _joined(self, kind: str, text: str) -> str:
        text = self._halves.pop(kind, "") + text
        if "\ud800" <= text[-1:] <= "\udbff":
            text, self._halves[kind] = text[:-1], text[-1]
        return repair(text)

    def _add(self, piece: Any) -> None:
        """Some servers give every call the index 0 and some give none, so a new id starts a new call."""
        index, call_id, function = piece.get("index"), piece.get("id"), piece.get("function") or {}
        same = [call for call in self._calls if index is None or call["index"] == index]
        call = same[-1] if same else None
        if call is None or (call_id and call["id"] and call_id != call["id"]):
            call = {"index": index, "id": "", "name": "", "arguments": ""}
            self._calls.append(call)
        call["id"] = call_id or call["id"]
        call["name"] = function.get("name") or call["name"]
        call["arguments"] += function.get("arguments") or ""


def too_long(window: int) -> PromptTooLong:
    """The error for a prompt that exceeds the context window."""
    return PromptTooLong(f"The prompt does not fit into the model's context window of {window} tokens. Set LLM__CONTEXT_WINDOW.", window)


def translate(exc: Exception, name: str) -> FootnoteError:
    """An exception of the SDK → one of Footnote's errors. Key and address are not part of its text."""
    if isinstance(exc, FootnoteError):
        return exc
    error = _translated(exc, name)
    error.said = said_by(exc)[:LONGEST_SAID]
    return error


def _translated(exc: Exception, name: str) -> ModelUnavailable:
    import openai

    if isinstance(exc, openai.APITimeoutError):
        return ModelTimeout(f"The language model {name} did not answer in time.")
    if isinstance(exc, openai.APIStatusError) and (exc.status_code == 402 or exc.code in SPENT or exc.type in SPENT):
        return ModelExhausted(f"The quota of the model {name} is used up. Check its plan at the endpoint, or choose another model.")
    if isinstance(exc, openai.AuthenticationError | openai.PermissionDeniedError):
        return ModelRefused("The language model's endpoint rejected the key. Check LLM__API_KEY.")
    if isinstance(exc, openai.NotFoundError):
        return ModelRefused(f"The language model's endpoint has no model {name}. Check LLM__MODEL, and that LLM__BASE_URL ends in /v1.")
    if isinstance(exc, openai.RateLimitError):
        return ModelBusy("The language model's endpoint is over its rate limit. Try again later.", _retry_after_s(exc.response.headers))
    if isinstance(exc, openai.APIStatusError):
        detail = f"The language model's endpoint responded with status {exc.status_code}."
        if exc.status_code in (408, 409, 425) or exc.status_code >= 500:
            return ModelUnavailable(detail)
        return ModelRefused(detail)
    return ModelUnavailable("The language model's endpoint cannot be reached. Check LLM__BASE_URL.")


def _retry_after_s(headers: Mapping[str, str]) -> float:
    """Seconds of the Retry-After header; a date, which servers rarely send, counts as 0."""
    try:
        return max(0.0, float(headers.get("retry-after", 0)))
    except ValueError:
        return 0.0
