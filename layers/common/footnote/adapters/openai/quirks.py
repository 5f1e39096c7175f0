"""What a model at an endpoint does not take, learned from the errors of its requests: parameters, the length of a reply, a system role."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from footnote.text.tokens import count_tokens

OPTIONAL = {"temperature", "top_p", "stream_options", "max_tokens", "max_completion_tokens", "response_format", "reasoning_effort"}
"""Parameters that a request can do without if a server or model rejects them."""
UNNAMED = frozenset({"response_format", "reasoning_effort"})
MARGIN = 1.25
"""Tokens are estimated, and a prompt that may fit is sent."""
SHORTEST_KEY = 6
"""Characters. The placeholder of servers without a key is shorter, and a word."""
LIMITS = ("max_tokens", "max_completion_tokens")
WORD = re.compile(r"\w+")
NUMBER = re.compile(r"(?<![\w.-])(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w-]|\.\d|,\d)")
WINDOW = re.compile(r"context (?:length|window|size)[^\d.]{0,24}(\d[\d,]*)|(\d[\d,]*) (?:maximum|token) context", re.IGNORECASE)
"""“This model's maximum context length is 4096 tokens.”"""
PROMPT = re.compile(r"context|input|prompt|messages", re.IGNORECASE)
ROLE = re.compile(r"\b(?:system|developer|roles?)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quirks:
    """`refused`: optional parameters. `longest`: tokens of a reply. `window`: tokens of prompt and reply together. `no_system`: there is
    no system role. `room`: tokens that one prompt leaves for its reply; 0 = it does not fit."""

    refused: frozenset[str] = frozenset()
    longest: int | None = None
    window: int | None = None
    no_system: bool = False
    room: int | None = None

    def takes(self, body: Mapping[str, Any]) -> bool:
        """Whether the prompt may fit into the window, as far as that is known."""
        texts = [message["content"] for message in body["messages"] if isinstance(message["content"], str)]
        return self.window is None or sum(map(count_tokens, texts)) <= self.window * MARGIN

    def applied(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The request as this model takes it. A token limit that is rejected is first sent under its other name."""
        made = {name: value for name, value in body.items() if name not in self.refused}
        if "max_tokens" in self.refused and "max_completion_tokens" not in self.refused and "max_tokens" in body:
            made["max_completion_tokens"] = body["max_tokens"]
        bounds = [bound for bound in (self.longest, self.room or (self.window and self.window // 2)) if bound]
        for name in LIMITS:
            if name in made:
                made[name] = min(made[name], *bounds) if bounds else made[name]
        if self.no_system:
            made["messages"] = without_system(made["messages"])
        return made


def learn(exc: Exception, body: Mapping[str, Any], known: Quirks) -> Quirks | None:
    """What to try next after this error of a request; None = nothing helps."""
    import openai

    if not isinstance(exc, openai.BadRequestError | openai.UnprocessableEntityError | openai.InternalServerError):
        return None
    said, is_refused = said_by(exc).replace(str(body["model"]), ""), not isinstance(exc, openai.InternalServerError)
    if is_refused and (shorter := _shorter(said, body, known)):
        return shorter
    # Some servers reject a schema with a 500, and some the system role.
    named = frozenset(WORD.findall(str(exc.body or exc.message))) & body.keys() & (OPTIONAL if is_refused else {"response_format"})
    if named:
        return replace(known, refused=known.refused | named)
    names_role = ROLE.search(said) if is_refused else exc.status_code == 500 and "role" in said.lower()
    if names_role and any(message["role"] == "system" for message in body["messages"]):
        return replace(known, no_system=True)
    # What may be rejected though it is not named. Servers word that in many ways: they name a grammar, features of JSON Schema,
    # thinking, or nothing at all.
    unnamed = UNNAMED & body.keys() if is_refused else frozenset()
    return replace(known, refused=known.refused | unnamed) if unnamed else None


def said_by(exc: Exception) -> str:
    """The endpoint's own words in an error of the SDK, without the key; "" = none that are meant to be read."""
    import openai

    if not isinstance(exc, openai.APIStatusError):
        return ""
    is_json = "json" in exc.response.headers.get("content-type", "")
    message = exc.body.get("message") if isinstance(exc.body, Mapping) else exc.body if is_json else ""
    key = exc.request.headers.get("authorization", "").removeprefix("Bearer ")
    hidden = message.replace(key, "…") if isinstance(message, str) and len(key) > SHORTEST_KEY else message
    return " ".join(hidden.split()) if isinstance(hidden, str) else ""


def without_system(messages: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The messages with the texts of the role system at the head of the user's message that follows."""
    made: list[Mapping[str, Any]] = []
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "system":
            waiting.append(message["content"])
        elif message["role"] == "user" and waiting:
            made.append({**message, "content": _headed("\n\n".join(waiting), message["content"])})
            waiting = []
        else:
            made.append(message)
    return [*made, {"role": "user", "content": "\n\n".join(waiting)}] if waiting else made


def _headed(head: str, content: Any) -> Any:
    return f"{head}\n\n{content}" if isinstance(content, str) else [{"type": "text", "text": head}, *content]


def _overflow(said: str) -> int | None:
    """The context window that a request exceeds according to these words; None = they speak of something else."""
    found = WINDOW.search(said)
    return (_number(found[1] or found[2]) or None) if found else None


def _shorter(said: str, body: Mapping[str, Any], known: Quirks) -> Quirks | None:
    """With a lower limit for the reply, as these words name it; None = they name none.

    Of a prompt that leaves less room than the limit they name the context window and the tokens of the prompt, and some their total
    with the limit."""
    window = _overflow(said)
    sent = next((body[name] for name in LIMITS if name in body), None)
    if sent is None or "token" not in said.lower():
        return None if window is None else replace(known, window=window, room=0)
    numbers = [number for number in map(_number, NUMBER.findall(said)) if number > 0]
    others = [number for number in dict.fromkeys(numbers) if number != sent]
    others = [number for number in others if number - sent not in others]
    if window is None and len(others) == 2 and sent in numbers and PROMPT.search(said):
        window = max(others)
    if window is not None:
        prompt = next((number for number in others if number != window), None)
        room = window - prompt if prompt is not None else window // 2
        return replace(known, window=window, room=room if 0 < room < sent else 0)
    smaller = [number for number in others if number < sent]
    return replace(known, longest=max(smaller)) if smaller else None


def _number(text: str) -> int:
    return int(text.replace(",", ""))
