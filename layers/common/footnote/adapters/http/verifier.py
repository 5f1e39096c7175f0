"""Verifiers over HTTP, in two request formats.

chat:  a chat completion for each claim: “Document: …”, “Claim: …” → Yes or No, as bespoke-minicheck replies
spans: {contexts, question, answer} → {predictions: [{start, end, text, hallucination_score}]}: what nothing supports
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from footnote.adapters.http.json_client import JsonClient
from footnote.errors import Unavailable
from footnote.ports import Statement

PATHS = {"chat": "/chat/completions", "spans": "/v1/lettucedetect/spans"}
"""VERIFIER__SHAPE → what is appended to the base URL."""
REFUSED = {401: "VERIFIER__KEY", 403: "VERIFIER__KEY", 404: "VERIFIER__BASE_URL and VERIFIER__MODEL", 429: "its rate limit"}
"""Status → what to check."""
AT_ONCE = 8
"""Claims that a chat model is asked about at the same time."""
REPLY_TOKENS = 8
UNSUPPORTED = 0.5
"""Score from which a span counts."""
Reply = TypeVar("Reply", bound=BaseModel)
VERDICT = re.compile(r"\W*(?:(yes)|no)\b", re.IGNORECASE)


class Said(BaseModel):
    """A chat model's message."""

    content: str | None = None


class Choice(BaseModel):
    """A completion."""

    message: Said


class Completion(BaseModel):
    """The reply of a chat model."""

    model_config = ConfigDict(defer_build=True)

    choices: list[Choice] = Field(min_length=1)


class Span(BaseModel):
    """A part of the answer, and how likely nothing supports it."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    hallucination_score: float = Field(allow_inf_nan=False)


class Spans(BaseModel):
    """The reply of a server of spans."""

    model_config = ConfigDict(defer_build=True)

    predictions: list[Span]


class HttpVerifier:
    """`ports.Verifier` over HTTP. `timeout_s`: time limit of all requests for one answer together, in seconds."""

    def __init__(self, shape: str, base_url: str, model: str | None, key: str | None, timeout_s: float) -> None:
        self._shape = shape
        self._model = model
        self._timeout_s = timeout_s
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._client = JsonClient(base_url.rstrip("/") + PATHS[shape], "The verifier", "VERIFIER__BASE_URL", headers)

    async def verify(self, question: str, answer: str, statements: Sequence[Statement]) -> Sequence[bool | None]:
        if not statements:
            return []
        await self._client.open()  # does not count towards the time limit
        try:
            async with asyncio.timeout(self._timeout_s):
                return await (self._by_chat(statements) if self._shape == "chat" else self._by_spans(question, answer, statements))
        except TimeoutError as exc:
            raise Unavailable(f"The verifier did not answer within {self._timeout_s:g} s. VERIFIER__TIMEOUT_S is the limit.") from exc

    async def _by_chat(self, statements: Sequence[Statement]) -> list[bool | None]:
        free = asyncio.Semaphore(AT_ONCE)
        try:
            async with asyncio.TaskGroup() as group:
                asked = [group.create_task(self._judge(each, free)) for each in statements]
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        return [task.result() for task in asked]

    async def _judge(self, statement: Statement, free: asyncio.Semaphore) -> bool | None:
        document = "\n\n".join(statement.passages)
        said = {"role": "user", "content": f"Document: {document}\nClaim: {statement.claim}"}
        async with free:
            reply = await self._ask(Completion, {"model": self._model, "messages": [said], "temperature": 0, "max_tokens": REPLY_TOKENS})
        verdict = VERDICT.match(reply.choices[0].message.content or "")
        return verdict[1] is not None if verdict else None

    async def _by_spans(self, question: str, answer: str, statements: Sequence[Statement]) -> list[bool | None]:
        passages = dict.fromkeys(passage for statement in statements for passage in statement.passages)
        reply = await self._ask(Spans, {"contexts": list(passages), "question": question, "answer": answer})
        found = [span for span in reply.predictions if span.hallucination_score >= UNSUPPORTED]
        return [not any(span.start < each.end and each.start < span.end for span in found) for each in statements]

    async def _ask(self, kind: type[Reply], body: Mapping[str, Any]) -> Reply:
        status, sent = await self._client.post(body)
        if status != 200:
            raise Unavailable(f"The verifier responded with status {status}. Check {REFUSED.get(status, 'VERIFIER__SHAPE')}.")
        try:
            return kind.model_validate_json(sent)
        except ValidationError as exc:
            raise Unavailable("The verifier replied in an unknown format. Check VERIFIER__SHAPE.") from exc

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()
