"""Retries, a circuit breaker and a fallback for language models.

Nothing is retried after the first piece of a reply. A call that was given up for a short time limit of its own tells nothing about the
endpoint; a timeout counts as its failure only if it was silent for SILENT_S.

Retries are written by hand because tenacity repeats a call, not the start of a stream within a time limit; the breaker because
pybreaker and aiobreaker count consecutive failures, not failures within a time window.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

from footnote.adapters.shared.models import ModelBusy, ModelExhausted, ModelRefused
from footnote.errors import ModelTimeout, ModelUnavailable, PromptTooLong
from footnote.ports import Delta, Effort, LanguageModel, Models, Tool
from footnote.types import Message, ModelSource

log = logging.getLogger(__name__)

FAILURES, WITHIN_S, OPEN_S = 5, 10.0, 30.0
"""FAILURES failed calls within WITHIN_S seconds open the circuit of a model for OPEN_S seconds."""
SILENT_S = 30.0
"""Seconds without a piece of a reply from which on a timeout is a failure of the endpoint."""
KEPT = 1000
"""Models whose circuits are kept, the last ones used: callers may name arbitrary models."""
FIRST_WAIT_S, LONGEST_WAIT_S = 0.5, 8.0
"""Upper bound of the wait before a retry: FIRST_WAIT_S, doubled with every retry, up to LONGEST_WAIT_S. Full jitter."""
OPEN = "The language model failed too often and is not used for up to 30 seconds. Try again later."


class Breaker:
    """The circuit breaker of one model at one endpoint, whose other models may work. After OPEN_S it lets one call through per OPEN_S
    until one succeeds."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self._failed: deque[float] = deque(maxlen=FAILURES)
        self._open_until: float | None = None
        self._is_tried = False

    def lets_through(self) -> bool:
        """Whether a call may be made now."""
        now = self._timer()
        if self._open_until is None:
            return True
        if now < self._open_until:
            return False
        self._open_until, self._is_tried = now + OPEN_S, True  # for all other calls while this one tries
        return True

    def succeeded(self) -> None:
        """Reports a call that succeeded; closes the circuit."""
        if self._open_until is not None:
            self._open_until = None
            self._failed.clear()

    def given_up(self) -> None:
        """Reports a call that ended before it was known whether it would succeed. If it was the one that tried, the next one may."""
        if self._open_until is not None and self._is_tried:
            self._open_until, self._is_tried = self._timer(), False

    def failed(self) -> None:
        """Reports a call that failed; may open the circuit."""
        now, self._is_tried = self._timer(), False
        self._failed.append(now)
        if self._open_until is None and len(self._failed) == FAILURES and now - self._failed[0] <= WITHIN_S:
            self._open_until = now + OPEN_S
            log.warning("model circuit open", extra={"seconds": OPEN_S})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after which wait a call is retried. `chance`: a random number from 0 to 1."""

    retries: int
    chance: Callable[[], float] = random.random
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    def wait_s(self, tries: int, error: ModelUnavailable) -> float:
        """The wait after `tries` retries: random, but at least what the endpoint asked for."""
        asked = error.retry_after_s if isinstance(error, ModelBusy) else 0.0
        return max(asked, self.chance() * min(LONGEST_WAIT_S, FIRST_WAIT_S * 2.0**tries))


class ResilientModel:
    """`ports.LanguageModel`: the first of `models` that starts to reply. `name`: the first model, after a reply the one that gave it."""

    def __init__(self, models: Sequence[tuple[LanguageModel, Breaker]], retry_policy: RetryPolicy) -> None:
        self.name = models[0][0].name
        self._models = models
        self._retry_policy = retry_policy

    async def stream(
        self,
        messages: Sequence[Message],
        *,
        temperature: float | None = None,
        max_tokens: int | None = None,
        tools: Sequence[Tool] = (),
        schema: Mapping[str, Any] | None = None,
        effort: Effort | None = None,
        first_token_s: float = 120.0,
        total_s: float = 120.0,
    ) -> AsyncGenerator[Delta, None]:
        end = asyncio.get_running_loop().time() + total_s
        for place, (model, breaker) in enumerate(self._models):
            left = end - asyncio.get_running_loop().time()
            others = len(self._models) - place  # the fallback needs time too
            until = end - left + min(first_token_s, left / others)
            ask = partial(model.stream, messages, temperature=temperature, max_tokens=max_tokens, tools=tools, schema=schema, effort=effort)
            try:
                first, rest = await self._begin(ask, breaker, until, end)
                break
            except ModelRefused:
                raise
            except ModelUnavailable:
                if others == 1:
                    raise
                log.warning("model failed, falling back", extra={"llm": model.name})
        self.name = model.name
        if first is None:
            return
        now = asyncio.get_running_loop().time
        async with aclosing(rest):  # type: ignore[type-var]
            yield first
            asked = now()
            try:
                async for delta in rest:
                    yield delta
                    asked = now()
            except ModelUnavailable as exc:
                if _tells(exc, now() - asked):
                    breaker.failed()
                raise

    async def _begin(
        self, ask: Callable[..., AsyncIterator[Delta]], breaker: Breaker, until: float, end: float
    ) -> tuple[Delta | None, AsyncIterator[Delta]]:
        """The first piece of a reply (None if it is empty) and the stream of the rest."""
        now, tries, error = asyncio.get_running_loop().time, 0, ModelUnavailable(OPEN)
        while breaker.lets_through():
            reply, asked = ask(first_token_s=until - now(), total_s=end - now()), now()
            try:
                first = await anext(reply, None)
            except (ModelRefused, ModelExhausted, PromptTooLong, asyncio.CancelledError):
                breaker.given_up()
                raise
            except ModelUnavailable as exc:
                (breaker.failed if _tells(exc, now() - asked) else breaker.given_up)()
                error = exc
            else:
                breaker.succeeded()
                return first, reply
            wait_s = self._retry_policy.wait_s(tries, error)
            if tries == self._retry_policy.retries or now() + wait_s >= until:
                break
            tries += 1
            log.info("model retried", extra={"tries": tries, "error": type(error).__name__, "ms": round(wait_s * 1000)})
            await self._retry_policy.sleep(wait_s)
        raise error


def _tells(error: ModelUnavailable, silent_s: float) -> bool:
    """Whether the error is a failure of the endpoint, which was silent for so long, and not only the caller's impatience."""
    return not isinstance(error, ModelTimeout) or silent_s >= SILENT_S


class ResilientModels:
    """`ports.Models`: the models of an endpoint and, while it is down, the default model of `fallback`."""

    def __init__(
        self,
        models: Models,
        fallback: Models | None = None,
        *,
        retry_policy: RetryPolicy,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._models = models
        self._fallback = fallback
        self._retry_policy = retry_policy
        self._timer = timer
        self._breakers: dict[tuple[int, str], Breaker] = {}
        """Place of the endpoint and name of the model → its circuit breaker."""

    @property
    def address(self) -> str | None:
        return self._models.address

    @property
    def source(self) -> ModelSource:
        return self._models.source

    async def pick(self, name: str | None) -> LanguageModel | None:
        try:
            picked = await self._models.pick(name)
        except ModelUnavailable:
            if self._fallback is None:
                raise
            picked = None
        instead = await self._fallback.pick(None) if self._fallback is not None else None
        found = [(model, self._breaker(place, model.name)) for place, model in enumerate((picked, instead)) if model is not None]
        return ResilientModel(found, self._retry_policy) if found else None

    def _breaker(self, place: int, name: str) -> Breaker:
        breaker = self._breakers[place, name] = self._breakers.pop((place, name), Breaker(self._timer))
        if len(self._breakers) > KEPT:
            del self._breakers[next(iter(self._breakers))]
        return breaker

    async def close(self) -> None:
        """Closes the connections."""
        for models in (self._models, self._fallback):
            if models is not None and hasattr(models, "close"):
                await models.close()
