"""What a turn did: the duration of its steps, the tokens used, and notes for its owner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from footnote.types.answer import Message


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens read and written. `estimated`: some were counted here, because the provider did not report them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        """Prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class ModelUsage:
    """Tokens that one model used. `model` None = unknown."""

    model: str | None
    usage: Usage


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One call of a language model, successful or not. `step`: the step that made it; `model`: the model that replied or failed to;
    `ms`: from the request to the end of the reply."""

    step: str
    model: str
    usage: Usage
    ms: float


def usage_of(calls: Iterable[ModelCall | ModelUsage]) -> Usage:
    """The tokens of all calls together."""
    return sum((call.usage for call in calls), Usage())


def usage_by_model(calls: Iterable[ModelCall | ModelUsage]) -> tuple[ModelUsage, ...]:
    """The tokens of each model, in the order of their first calls; models without tokens are left out."""
    sums: dict[str | None, Usage] = {}
    for call in calls:
        sums[call.model] = sums.get(call.model, Usage()) + call.usage
    return tuple(ModelUsage(model, usage) for model, usage in sums.items() if usage.total_tokens)


@dataclass(frozen=True, slots=True)
class Span:
    """The duration and result of a step. `status`: ok, skipped (it failed and the turn went on), failed, late, stopped or
    fallback."""

    name: str
    ms: float
    status: str = "ok"
    detail: Mapping[str, Any] = field(default_factory=dict)
    stage: Stage | None = None
    """Not stored. None: a part of the step that follows in the list, such as an agent's round; that step's time includes it."""


SourceState = Literal["off", "not_found", "no_chat_model", "found", "configured"]
"""off: no endpoint is configured, and none is looked for. not_found: no server on this machine replied. no_chat_model: one replied
but has no model that can answer. found: one with a model replied. configured: the settings name an endpoint."""
NO_MODEL: tuple[SourceState, ...] = ("off", "not_found", "no_chat_model")
"""States in which there is no model."""


@dataclass(frozen=True, slots=True)
class ModelSource:
    """Where the language model comes from, or why there is none."""

    state: SourceState
    server: str = ""
    """The name of the server, e.g. “Ollama”; empty for other states."""
    address: str = ""
    """Its host and port."""
    model: str | None = None
    """The first of its models."""
    looked_for: tuple[tuple[str, int], ...] = ()
    """For not_found: names and ports of the servers."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A round in which a model was to revise its answer."""

    because: Literal["insufficient", "policy", "unsupported", "uncited"]
    doubted: int
    """How many sentences were."""
    found: int
    """How many further passages it was shown."""
    kept: bool = False
    """False: the revision was no better, and the answer stayed."""


@dataclass(frozen=True, slots=True)
class Review:
    """The flaws of a model's answer before it was shown, and the measures taken."""

    doubted: tuple[str, ...] = ()
    """Sentences that the passages do not support."""
    violations: tuple[str, ...] = ()
    """Sentences that break the policy for answers."""
    revisions: tuple[Revision, ...] = ()


@dataclass(frozen=True)
class Trace:
    """What a turn did besides its answer."""

    started_at: float = 0.0
    first_token_ms: float | None = None
    """From the turn's start to the first piece of its text; None = there was none."""
    spans: tuple[Span, ...] = ()
    calls: tuple[ModelCall, ...] = ()
    """Calls of language models, in the order in which they ended."""
    notes: Mapping[str, Any] = field(default_factory=dict)
    """Notes that only the turn's owner may read in its trace, such as texts that steps wrote or rejected. JSON; stored as `private`. No
    step reads them: what one needs of another is a field of the turn."""
    review: Review = Review()
    degraded: bool = False
    """Whether a part failed and the turn went on without it."""
    persisted: bool = False
    partial: str | None = None
    """The text sent before the turn failed; None = it has not failed."""
    model_address: str | None = None
    """The address of the language model endpoint, without credentials; None = there is none."""
    model_problem: str | None = None
    """Why no model answered although an endpoint is configured; for admins, once one was asked."""
    model_source: ModelSource | None = None
    """None = no model was asked for."""
    tool_messages: tuple[Message, ...] = ()
    """The messages between an agent and its tools before the answer."""
    suggested_questions: tuple[str, ...] = ()
    """Suggested follow-up questions."""
    search_cache_keys: tuple[str | None, ...] = ()
    """For each query, the key under which to cache its results; None = they came from the cache. Never exposed: a key reveals what
    others may read."""
    answer_cache_key: tuple[str, int] | None = None
    """The key under which to cache the answer, and the number of tokens used before it."""

    @property
    def usage(self) -> Usage:
        """The tokens of all calls together."""
        return usage_of(self.calls)


class Stage(StrEnum):
    """The purpose of a step, as used by metrics, translations and pages. Stages may repeat within a turn."""

    GUARD = "guard"
    UNDERSTAND = "understand"
    MEMORY = "memory"
    RETRIEVE = "retrieve"
    RANK = "rank"
    ANSWER = "answer"
    CHECK = "check"
    ACCOUNT = "account"
