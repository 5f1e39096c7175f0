"""Tries a language model's endpoint, before it is saved or while it is in use."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass

from footnote.adapters.openai.models import ConfiguredModels
from footnote.errors import FootnoteError, ModelUnavailable
from footnote.ports import LanguageModel
from footnote.settings.saved_model import SavedModel
from footnote.types import Message

TIMEOUT_S = 15.0
"""Longest wait for the first word: a local model may have to be loaded."""
MAX_TOKENS = 16
NO_ENDPOINT = "No language model is configured."
LISTED = 500
"""Models that are listed; OpenRouter has some hundred."""


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """`listed`: the models of the endpoint, in its order; it may list none. `model`: the one that was asked. `seconds`: until
    its first word; None = it did not answer, and `problem` says why."""

    listed: tuple[str, ...]
    model: str | None
    seconds: float | None
    problem: str | None = None


async def try_endpoint(endpoint: SavedModel, timer: Callable[[], float] = time.monotonic) -> ModelTrial:
    """Lists the endpoint's models and asks one of them for a word. Nothing is saved."""
    key = endpoint.api_key.get_secret_value() if endpoint.api_key else None
    models = ConfiguredModels(endpoint.base_url, endpoint.model, key, temperature=None, max_tokens=MAX_TOKENS)
    listed: tuple[str, ...] = ()
    model: LanguageModel | None = None
    try:
        if models.source.state == "off":
            raise ModelUnavailable(NO_ENDPOINT)
        try:
            listed = await models.listed()
        except FootnoteError:
            if endpoint.model is None:
                raise
        model = await models.pick(None)
        if model is None:
            raise ModelUnavailable(NO_ENDPOINT)
        return ModelTrial(listed[:LISTED], model.name, await first_word(model, timer))
    except FootnoteError as exc:
        return ModelTrial(listed[:LISTED], model.name if model else None, None, exc.for_admins)
    finally:
        await models.close()


async def first_word(model: LanguageModel, timer: Callable[[], float]) -> float:
    """Seconds until its first word. ModelUnavailable or ModelTimeout if there is none."""
    started = timer()
    stream = model.stream([Message("user", "Say OK.")], first_token_s=TIMEOUT_S, total_s=TIMEOUT_S)
    async with aclosing(stream) as reply:
        if await anext(reply, None) is None:
            raise ModelUnavailable(f"{model.name} returns empty answers. Choose another model.")
    return timer() - started
