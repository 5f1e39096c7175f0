"""Language models and rerankers whose replies are stored, and replayed when the same request is made again."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing, suppress
from typing import Any

from footnote.checkpoints.turn_checkpoint import TurnCheckpoint, digest
from footnote.errors import Unavailable
from footnote.ports import Delta, LanguageModel, Models, Reranker
from footnote.text.tokens import count_tokens
from footnote.tracing import current_collector
from footnote.types import Message, ModelSource, ToolCall, Usage


class ReplayedModels:
    """`ports.Models` that wraps another and replays replies."""

    def __init__(self, models: Models, checkpoint: TurnCheckpoint) -> None:
        self._models, self._checkpoint = models, checkpoint

    @property
    def address(self) -> str | None:
        return self._models.address

    @property
    def source(self) -> ModelSource:
        return self._models.source

    async def pick(self, name: str | None) -> LanguageModel | None:
        model = await self._models.pick(name)
        return None if model is None else ReplayedModel(model, self._checkpoint)


class ReplayedModel:
    """`ports.LanguageModel` that wraps another and replays its replies. Only complete replies are stored. The model's name is not
    part of the digest, so a reply stays valid when the preferred model changes."""

    def __init__(self, model: LanguageModel, checkpoint: TurnCheckpoint) -> None:
        self._model, self._checkpoint = model, checkpoint
        self._replied: str | None = None

    @property
    def name(self) -> str:
        return self._replied or self._model.name

    async def stream(self, messages: Sequence[Message], **options: Any) -> AsyncGenerator[Delta, None]:
        key = digest(tuple(messages), tuple(options.get("tools", ())))
        if (kept := self._checkpoint.replay("reply", key)) is not None:
            self._replied = kept["model"]
            yield _read(kept)
            return
        collector = current_collector()
        prompt_tokens = sum(count_tokens(sent.content) for sent in messages)
        begun = {"step": collector.step if collector else "", "model": self._model.name, "prompt_tokens": prompt_tokens}
        await self._checkpoint.keep("begun", key, **begun)
        text: list[str] = []
        tool_calls: list[ToolCall] = []
        usage, cut = None, None
        async with aclosing(self._model.stream(messages, **options)) as deltas:
            async for delta in deltas:
                text.append(delta.text)
                tool_calls += delta.tool_calls
                usage, cut = delta.usage or usage, delta.cut or cut
                yield delta
        written = {"text": "".join(text), "tool_calls": [[call.call_id, call.name, call.arguments] for call in tool_calls], "cut": cut}
        await self._checkpoint.keep("reply", key, model=self._model.name, usage=_usage(usage), **written)


def _usage(usage: Usage | None) -> list[Any] | None:
    return None if usage is None else [usage.prompt_tokens, usage.completion_tokens, usage.estimated]


def _read(kept: Mapping[str, Any]) -> Delta:
    usage = Usage(*kept["usage"]) if kept["usage"] else None
    return Delta(kept["text"], usage=usage, tool_calls=tuple(ToolCall(*call) for call in kept["tool_calls"]), cut=kept["cut"])


class ReplayedReranker:
    """`ports.Reranker` that wraps another and replays its scores for the same question and the same texts. Scores stay valid when
    another reranker is configured in the meantime, as replies of models do."""

    def __init__(self, reranker: Reranker, checkpoint: TurnCheckpoint) -> None:
        self._reranker, self._checkpoint = reranker, checkpoint

    async def rerank(self, query: str, texts: Sequence[str]) -> Mapping[int, float]:
        """As `Reranker.rerank`. Scores that cannot be stored are used all the same: they are paid for."""
        key = digest(query, tuple(texts))
        if (kept := self._checkpoint.replay("rerank", key)) is not None:
            return {int(at): float(score) for at, score in kept["scores"]}
        scores = await self._reranker.rerank(query, texts)
        with suppress(Unavailable):
            await self._checkpoint.keep("rerank", key, scores=[[at, float(score)] for at, score in scores.items()])
        return scores

    async def close(self) -> None:
        """Closes connections."""
        await self._reranker.close()
