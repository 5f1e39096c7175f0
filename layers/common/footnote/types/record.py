"""What a turn did: how long its steps took, what its models used, and what its owner may read of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from footnote.types.answer import Message
from footnote.types.stages import Stage


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens that were read and written. `estimated`: some of them were counted here, because the provider did not report them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        """Both together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """What one model used. `model` None: it is not known which one."""

    model: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a language model, however it ended. `step`: the one that made it; `model`: the one that replied, or should have;
    `ms`: from the request to the end of the reply."""

    step: str
    model: str
    usage: Usage
    ms: float


def usage_of(calls: Iterable[ModelCall | ModelUsage]) -> Usage:
    """What all of them used together."""
    return sum((call.usage for call in calls), Usage())


def usage_by_model(calls: Iterable[ModelCall | ModelUsage]) -> tuple[ModelUsage, ...]:
    """What each model used, in the order of their first calls; models that used nothing are left out."""
    sums: dict[str | None, Usage] = {}
    for call in calls:
        sums[call.model] = sums.get(call.model, Usage()) + call.usage
    return tuple(ModelUsage(model, usage) for model, usage in sums.items() if usage.total_tokens)


@dataclass(frozen=True, slots=True)
class Span:
    """How long a step took. `status`: ok, skipped (its error was survived), failed, late or fallback."""

    name: str
    ms: float
    status: str = "ok"
    detail: Mapping[str, Any] = field(default_factory=dict)
    stage: Stage | None = None
    """Not stored. None: a part of the step that is listed after it, such as an agent's round; that step's time includes it."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is kept and counted of a turn beside its answer."""

    started_at: float = 0.0
    first_token_ms: float | None = None
    """From the turn's start to the first piece of its text; None = there was none."""
    spans: tuple[Span, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    """Of language models, in the order in which they ended."""
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

    @property
    def usage(self) -> Usage:
        """What all calls used together."""
        return usage_of(self.calls)
