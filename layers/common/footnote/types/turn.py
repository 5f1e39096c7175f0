"""A question on its way to its answer: `Turn`, and what it gathers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from footnote.types.caller import Caller
from footnote.types.documents import Level
from footnote.types.retrieval import Candidates, Hit, Ranked, Retriever

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Outcome = Literal["no_hits", "refused", "blocked"]
"""What settled a turn before its answer; None at the end = answered."""
NOTHING = Candidates()


@dataclass(frozen=True, slots=True)
class Usage:
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Citation:
    """A passage that the answer leans on. Neutral: each dialect shows it in its own form."""

    number: int
    hit: Hit
    snippet: str
    """The sentence or passage that supports the claim, as it stands in the chunk."""
    page: int | None = None
    """Where the snippet stands."""
    bounds: tuple[tuple[int, int], ...] = ()
    """Where the cited sentences stand in the chunk's text; the first is the snippet."""
    spans: tuple[tuple[int, int], ...] = ()
    """Where this citation's markers stand in the answer's text."""


@dataclass(frozen=True, slots=True)
class Answer:
    text: str
    citations: tuple[Citation, ...] = ()
    extractive: bool = False
    """True when the sentences were picked from the documents and no language model wrote them."""
    model: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Span:
    """How long a step took. `status`: ok, skipped (its error was survived), failed, late or fallback."""

    name: str
    ms: float
    status: str = "ok"
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Profile:
    """What a dialect asks of the core. Steps read this; none asks which API is calling."""

    name: str
    """Written to the stored turn; never compared."""
    live: bool
    """True: tokens go out as they are made. False: the text follows the checks."""
    citation_style: str
    """A key of answer/citation_styles.STYLES."""
    prompt: str
    """The prompt's name, e.g. `answer_footnotes`."""
    limit: int = 5
    temperature: float | None = None
    max_tokens: int | None = None
    first_token_s: float = 120.0
    total_s: float = 120.0
    context_tokens: int = 3500
    reject_uncited: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """One question on its way through the rooms. Steps return `turn.with_(…)`, never change it."""

    trace_id: str
    caller: Caller
    profile: Profile
    question: str
    collection: str
    retriever: Retriever = "cc"
    limit: int = 5
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    levels: tuple[Level, ...] = (2,)
    model: str | None = None
    room_id: str | None = None
    lang: str = "en"
    vector: npt.NDArray[np.float32] | None = None
    embedder: str = ""
    """Who made `vector`."""
    candidates: Candidates = NOTHING
    ranked: tuple[Ranked, ...] = ()
    hits: tuple[Hit, ...] = ()
    messages: tuple[Message, ...] = ()
    answer: Answer | None = None
    suggested_questions: tuple[str, ...] = ()
    """What could be asked next."""
    outcome: Outcome | None = None
    degraded: bool = False
    persisted: bool = False
    usage: Usage = Usage()
    spans: tuple[Span, ...] = ()
    started_at: float = 0.0

    def with_(self, **changes: Any) -> Turn:
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Feedback:
    trace_id: str
    user_id: str
    rating: Literal["up", "down"]
    reason: str | None = None
    proposed_answer: str | None = None
    selected_citations: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    created_at: float = 0.0
