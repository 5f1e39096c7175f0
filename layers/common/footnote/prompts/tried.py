"""A prompt that is tried before it is saved, and what a model is sent with it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from footnote.errors import BadRequest, ModelUnavailable
from footnote.ports import Delta, LanguageModel, Models
from footnote.prompts import LANGUAGES, Prompts
from footnote.prompts.rules import compile_template
from footnote.types import Message, ModelSource


class TriedPrompts(Prompts):
    """The current prompts, with another text for one of them. `rendered`: what that one became, each time that it was used."""

    def __init__(self, current: Prompts, name: str, lang: str, template: str) -> None:
        """`template`: a valid one. BadRequest for a syntax error."""
        super().__init__()
        self.saved = current.saved
        self.rendered: list[str] = []
        self._current, self._key, self._template = current, f"{name}.{lang}", compile_template(template)

    def render(self, name: str, lang: str, values: Mapping[str, Any], versions: Mapping[str, int] | None = None) -> str:
        """As in `Prompts`. BadRequest if the tried text fails with these values: a saved one would be replaced by the packaged one."""
        if f"{name}.{lang if lang in LANGUAGES else 'en'}" != self._key:
            return self._current.render(name, lang, values, versions)
        try:
            text = self._template.render(values)
        except Exception as exc:
            raise BadRequest(f"The template fails with the values of this question ({type(exc).__name__}).") from exc
        self.rendered.append(text)
        return text


class RecordedModels:
    """`ports.Models` that wraps another and keeps what is sent: `sent` has the messages of each call. Where there is no model, one that
    fails takes its place, so that the prompts are put together all the same."""

    def __init__(self, models: Models) -> None:
        self._models = models
        self.sent: list[tuple[Message, ...]] = []

    @property
    def address(self) -> str | None:
        return self._models.address

    @property
    def source(self) -> ModelSource:
        return self._models.source

    async def pick(self, name: str | None) -> LanguageModel:
        return RecordedModel(await self._models.pick(name), self.sent)

    def calls_with(self, rendered: Sequence[str]) -> list[tuple[Message, ...]]:
        """The different calls that one of these texts, or its first line, is a part of: an answer's prompt is divided between messages."""
        beginnings = [line for text in rendered if (line := text.strip().partition("\n")[0])]
        return [call for call in dict.fromkeys(self.sent) if any(line in message.content for line in beginnings for message in call)]


class RecordedModel:
    """`ports.LanguageModel` that wraps another; None = every call is a ModelUnavailable."""

    def __init__(self, model: LanguageModel | None, sent: list[tuple[Message, ...]]) -> None:
        self._model, self._sent = model, sent

    @property
    def name(self) -> str:
        return self._model.name if self._model else "none"

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
        self._sent.append(tuple(messages))
        if self._model is None:
            raise ModelUnavailable("There is no language model.")
        async with aclosing(self._model.stream(messages, **options)) as deltas:
            async for delta in deltas:
                yield delta
