"""Language models that reserve their calls in the budget of a turn's user before they make them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from typing import Any

from footnote.guard.spending import Hold
from footnote.ports import Delta, LanguageModel, Models
from footnote.text.tokens import count_tokens
from footnote.types import Message, ModelSource, Usage


class HeldModels:
    """`ports.Models` that wraps another."""

    def __init__(self, models: Models, hold: Hold) -> None:
        self._models, self._hold = models, hold

    @property
    def address(self) -> str | None:
        return self._models.address

    @property
    def source(self) -> ModelSource:
        return self._models.source

    async def pick(self, name: str | None) -> LanguageModel | None:
        model = await self._models.pick(name)
        return None if model is None else HeldModel(model, self._hold)


class HeldModel:
    """`ports.LanguageModel` that wraps another. BudgetSpent in place of a call for which the budget leaves nothing."""

    def __init__(self, model: LanguageModel, hold: Hold) -> None:
        self._model, self._hold = model, hold

    @property
    def name(self) -> str:
        return self._model.name

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
        prompt_tokens = sum(count_tokens(sent.content) for sent in messages)
        expected = await self._hold.extend(self._model.name, prompt_tokens, options.get("max_tokens"))
        used, reported = Usage(), None
        try:
            async with aclosing(self._model.stream(messages, **options)) as deltas:
                async for delta in deltas:
                    used, reported = expected, delta.usage or reported
                    yield delta
        finally:
            self._hold.correct(self._model.name, expected, reported or used)
