"""What a turn did: how long its steps took, what its models used, and what its owner may read of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from footnote.types.answer import Message
from footnote.types.stages import Stage


@dataclass(frozen=True, slots=True)
class Usage:
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    by_model: tuple[tuple[str, int, int], ...] = field(default=(), compare=False)
    """(model, prompt tokens, completion tokens): who used them, where that is known."""

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
            _added(self.by_model, other.by_model),
        )

    def by(self, model: str) -> Usage:
        """The same, used by this model alone."""
        return replace(self, by_model=((model, self.prompt_tokens, self.completion_tokens),))

    def shares(self, unnamed: str | None) -> Iterator[tuple[str | None, Usage]]:
        """What each model used; what nobody is named for is `unnamed`'s."""
        named = _added(self.by_model, ())
        read, written = sum(each[1] for each in named), sum(each[2] for each in named)
        if read < self.prompt_tokens or written < self.completion_tokens:
            yield unnamed, Usage(self.prompt_tokens - read, self.completion_tokens - written)
        yield from ((model, Usage(read, written)) for model, read, written in named)


def _added(*parts: tuple[tuple[str, int, int], ...]) -> tuple[tuple[str, int, int], ...]:
    sums: dict[str, tuple[int, int]] = {}
    for model, read, written in (each for part in parts for each in part):
        before = sums.get(model, (0, 0))
        sums[model] = before[0] + read, before[1] + written
    return tuple((model, read, written) for model, (read, written) in sums.items())


@dataclass(frozen=True, slots=True)
class Span:
    """How long a step took. `status`: ok, skipped (its error was survived), failed, late or fallback."""

    name: str
    ms: float
    status: str = "ok"
    detail: Mapping[str, Any] = field(default_factory=dict)
    stage: Stage | None = None
    """Not stored. None: a part of the step that is told after it, such as an agent's round; that step's time includes it."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is kept and counted of a turn beside its answer."""

    started_at: float = 0.0
    first_token_ms: float | None = None
    """From the turn's start to the first piece of its text; None = there was none."""
    spans: tuple[Span, ...] = ()
    usage: Usage = Usage()
    notes: Mapping[str, Any] = field(default_factory=dict)
    """What only the turn's owner may read in its trace: texts that steps made or refused. JSON; `private` of a stored turn."""
    degraded: bool = False
    """Something failed and was done without."""
    persisted: bool = False
    partial: str | None = None
    """What had been sent when the turn failed; None = it has not."""
    model_address: str | None = None
    """Where language models are asked, without credentials; None = nowhere."""
    model_problem: str | None = None
    """Why none of them could be chosen, although some are configured."""
    tool_messages: tuple[Message, ...] = ()
    """What an agent and its tools said to each other before the answer."""
    suggested_questions: tuple[str, ...] = ()
    """What could be asked next."""
    search_cache_keys: tuple[str | None, ...] = ()
    """Of each query, the key under which what it finds is to be kept; None = it was there. Keys tell of what others may read:
    they stay in here."""
    answer_cache_key: tuple[str, int] | None = None
    """The key under which the answer is to be kept, and the tokens that were used before it."""
