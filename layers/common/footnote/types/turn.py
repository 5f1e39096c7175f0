"""A question on its way to its answer: `Turn`, and what it gathers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from footnote.types.caller import Caller
from footnote.types.conditions import ANYTHING, Conditions
from footnote.types.documents import Level
from footnote.types.retrieval import Candidates, Hit, Ranked, Retriever

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Outcome = Literal["no_hits", "refused", "blocked", "forbidden", "cached", "faq"]
"""What settled a turn before its answer; None at the end = answered. blocked: a check could not be made; forbidden: a
check said no; cached, faq: the answer was there already."""
Mode = Literal["rag", "gpt", "pa", "vision"]
"""Who answers: rag = the documents, gpt = the model and what was said before, pa = a model with tools, vision = a model
that sees. `search_type` of a stored turn."""
Allowance = Literal["full", "cheaper", "search"]
"""What of a user's daily budget is left: everything, a cheaper model, search results only."""

Cut = Literal["length", "content_filter"]
"""Why a model's reply is not whole: its limit of tokens, or its provider's filter."""


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
    cut: Cut | None = None
    """Why the text ends before its end; None = it is whole."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to have a tool called. `arguments`: JSON as the model wrote it."""

    call_id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    """Of an assistant."""
    tool_call_id: str | None = None
    """Of a tool: whose result `content` is."""
    name: str | None = None
    images: tuple[str, ...] = ()
    """Of a user: `data:` URIs."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """An earlier question of the conversation, and its answer."""

    question: str
    answer: str


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
    """The name of the system message's prompt, e.g. `answer_footnote`."""
    limit: int = 5
    temperature: float | None = None
    max_tokens: int | None = None
    first_token_s: float = 120.0
    total_s: float = 120.0
    context_tokens: int = 3500
    reject_uncited: bool = False
    """An answer that cites nothing, or says that the documents lack it, is replaced; for held profiles."""
    quotes_instead: bool = True
    """Whether quotes from the documents stand in for a model that fails before its first word; False: the turn ends with its error."""
    nothing_found: str | None = None
    """The message of a turn without hits; None = how to rephrase, or that there is nothing that the caller may read."""
    answers_without_search: bool = False
    """What a turn ends with while the index is down. True: an answer that says so, without evidence, marked degraded; False: the
    error."""
    history: int = 0
    """Exchanges of the room that a follow-up is understood by; 0 = every question stands alone."""
    history_in_prompt: bool = False
    """True: the model that answers sees them too."""
    rewrite_always: bool = False
    """True: a model words every follow-up anew; False: only one that leans on what was said before."""
    reformulate: bool = False
    """True: a model may mend typos and unclear wording before the search."""
    search_cache_s: float = 0
    """How long what a question found may be used for the same or a similar one; 0 = never."""
    answer_cache_s: float = 0
    """How long an answer may be given again; 0 = never."""
    question_prompt: str | None = None
    """The name of the prompt that holds documents and question together; None = they stand apart, in system and user message."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question on its way through the rooms. Steps return `turn.with_(…)`, never change it."""

    trace_id: str
    caller: Caller
    profile: Profile
    question: str
    collection: str
    mode: Mode = "rag"
    retriever: Retriever = "cc"
    limit: int = 5
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    conditions: Conditions = ANYTHING
    levels: tuple[Level, ...] = (2,)
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    """What the request asks for; None = the profile's or the settings'."""
    room_id: str | None = None
    is_test: bool = False
    """Nothing is stored, nothing counted."""
    tool_scope: str = ""
    """The organisation whose tools an agent may use."""
    ask_kdb: bool = False
    """Whether another system's knowledge base is asked before the index."""
    images: tuple[str, ...] = ()
    """URLs or `data:` URIs, as given."""
    attached: str = ""
    """What a client sent with the question, such as words of a file: a model reads it as material, nothing is searched for in it,
    and it is not kept."""
    first_number: int = 1
    """Of the answer's citations: a client may show sources of its own before them."""
    link_origin: str | None = None
    """The address of this server, where the answer's text is to link its citations; None = markers alone."""
    history: tuple[Exchange, ...] = ()
    """Oldest first."""
    history_ids: tuple[str, ...] = ()
    """Traces of the stored turns that `history` came from."""
    leans_on: tuple[tuple[str, str], ...] = ()
    """(passage, document) of what `history` quotes, one of each document: the answer may quote it again."""
    model_address: str | None = None
    """Where language models are asked, without credentials; None = nowhere."""
    model_problem: str | None = None
    """Why none of them could be chosen, although some are configured."""
    lang: str = "en"
    queries: tuple[str, ...] = ()
    """Standalone questions to search for; () = the question as it is."""
    allowance: Allowance = "full"
    vectors: tuple[npt.NDArray[np.float32], ...] = ()
    """Of each query; () = none were made."""
    embedder: str = ""
    """Who made `vectors`."""
    found: tuple[Candidates | None, ...] = ()
    """Of each query; None = not searched yet."""
    ranked: tuple[Ranked, ...] = ()
    hits: tuple[Hit, ...] = ()
    messages: tuple[Message, ...] = ()
    tool_messages: tuple[Message, ...] = ()
    """What an agent and its tools said to each other before the answer."""
    answer: Answer | None = None
    suggested_questions: tuple[str, ...] = ()
    """What could be asked next."""
    outcome: Outcome | None = None
    degraded: bool = False
    persisted: bool = False
    usage: Usage = Usage()
    spans: tuple[Span, ...] = ()
    partial: str | None = None
    """What had been sent when the turn failed; None = it has not."""
    private: Mapping[str, Any] = field(default_factory=dict)
    """What only the turn's owner may read in its trace: texts that steps made or refused. JSON."""
    search_places: tuple[str | None, ...] = ()
    """Of each query, the key under which what it finds is to be kept; None = it was there. Keys tell of what others may read:
    they stay in here."""
    answer_place: tuple[str, int] | None = None
    """The key under which the answer is to be kept, and the tokens that were used before it."""
    started_at: float = 0.0
    first_token_ms: float | None = None
    """From the turn's start to the first piece of its text; None = there was none."""

    @property
    def searched_for(self) -> tuple[str, ...]:
        """What is searched for: the standalone questions, else the question itself. Never empty."""
        return self.queries or (self.question,)

    @property
    def standalone(self) -> str:
        """The question as somebody who knows nothing of the conversation would have to ask it."""
        return " ".join(self.searched_for)

    @property
    def vectors_pending(self) -> bool:
        """Whether some of the passages that were searched have no vector yet: a search by meaning does not reach them."""
        return any(found is not None and found.coverage < 1 for found in self.found)

    def noting(self, **notes: Any) -> Turn:
        """The same turn with something more in `private`."""
        return self.with_(private={**self.private, **notes})

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
