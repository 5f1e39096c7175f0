"""Servers for each format of verifiers, as strict as the real ones. They know which claims are false."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from footnote.adapters.http.verifier import HttpVerifier
from footnote.ports import Clock, Verifier
from tests.openai_server import Reply, Server, serving

PATHS = {"chat": "/v1/chat/completions", "spans": "/v1/lettucedetect/spans"}
BASES = {"chat": "/v1", "spans": "/"}
FALSE = ("The bridge is red.", "Die Brücke ist rot.")


def completion(said: str | None) -> Reply:
    message = {"role": "assistant", "content": said}
    return Reply(body=(json.dumps({"id": "1", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}),))


def chat(false: Sequence[str], sent: Any) -> Reply:
    (message,) = sent["messages"]
    asked = re.fullmatch(r"Document: (.+)\nClaim: (.+)", message["content"], re.DOTALL)
    if sent.keys() != {"model", "messages", "temperature", "max_tokens"} or message["role"] != "user" or asked is None:
        return Reply(400, ("{}",))
    return completion("No" if asked[2] in false else "Yes")


def spans(false: Sequence[str], sent: Any) -> Reply:
    if sent.keys() != {"contexts", "question", "answer"} or not sent["contexts"]:
        return Reply(422, ("{}",))
    answer = sent["answer"]
    places = [(answer.index(each), answer.index(each) + len(each) - 1, 0.98) for each in false if each in answer]
    found = [
        {"start": start, "end": end, "text": answer[start:end], "hallucination_score": score}
        for start, end, score in [*places, (0, len(answer), 0.4)]
    ]
    return Reply(body=(json.dumps({"predictions": found}),))


REPLIES: dict[str, Callable[[Sequence[str], Any], Reply]] = {"chat": chat, "spans": spans}


@asynccontextmanager
async def verifying(shape: str, false: Sequence[str] = FALSE, timeout_s: float = 5) -> AsyncIterator[tuple[Server, Verifier]]:
    """A server of this format, and the adapter that asks it."""
    async with serving() as server:
        server.replies[PATHS[shape]] = partial(REPLIES[shape], false)
        made = HttpVerifier(shape, server.url + BASES[shape], "m", "secret", timeout_s)
        try:
            yield server, made
        finally:
            await made.close()


@asynccontextmanager
async def make(shape: str, folder: Path, clock: Clock) -> AsyncIterator[Verifier]:
    async with verifying(shape) as (_, made):
        yield made


VERIFIERS: dict[str, Callable[[Path, Clock], AbstractAsyncContextManager[Any]]] = {shape: partial(make, shape) for shape in REPLIES}
