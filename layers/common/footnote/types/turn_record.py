"""A turn as it is stored: `TurnRecord`, the version 3 document, the same JSON in every backend.

It contains everything that a reply shows except the texts of its passages. Those are read again, through the index's permission check,
whenever the turn is shown. Times are ISO 8601, UTC."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from footnote.types.answer import QuoteState, Reason, Tier
from footnote.types.documents import Unit
from footnote.types.experiments import StoredAssignment
from footnote.types.plan import IntelligenceLevel, OptionName
from footnote.types.reading import Strategy
from footnote.types.request import Mode
from footnote.types.retrieval import Retriever
from footnote.types.trace import SourceState
from footnote.types.turn import Outcome

Status = Literal["done", "error", "idle"]
"""idle: the turn is still running, or the process that ran it died."""


class StoredFunction(TypedDict):
    """The function of a tool call. `arguments`: JSON as the model wrote it."""

    name: str
    arguments: str


class StoredToolCall(TypedDict):
    """A tool call of a model."""

    id: str
    type: Literal["function"]
    function: StoredFunction


class StoredMessage(TypedDict):
    """A message of the turn. `tool_call_id`: of a tool's message, the call that it answers."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: list[StoredToolCall]
    tool_call_id: str | None
    name: str | None
    created_at: str


class StoredModelUsage(TypedDict):
    """The tokens of one model."""

    model: str | None
    prompt_tokens: int
    completion_tokens: int


class StoredUsage(TypedDict):
    """All tokens of the turn. `estimated`: counted here, because a provider did not report them."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    estimated: bool
    models: NotRequired[list[StoredModelUsage]]
    """Missing from turns of early versions."""
    type: Literal["usage"]


class StoredFile(TypedDict):
    """What may stand behind a title."""

    file: NotRequired[str]
    """`Chunk.file_label`; missing = the title alone identified the document."""


class StoredReference(StoredFile):
    """A citation of the answer. `chunk_id`: the public one; `bounds`: of the cited sentences in the passage; `spans`: of the
    citation's markers in the answer. Both are pairs of code point offsets."""

    index: int
    doc_id: str
    chunk_id: str
    title: str
    page: int | None
    unit: Unit
    section: str | None
    score: float
    snippet: str
    bounds: list[list[int]]
    spans: list[list[int]]
    added: NotRequired[bool]
    """The model did not cite the passage; the check found that it supports a sentence."""
    quotes: NotRequired[list[StoredQuote | None]]
    """What the model says it rests on, one for each of `spans`; missing = it was not asked."""


class StoredQuote(TypedDict):
    """A `QuotedWords`."""

    text: str
    state: QuoteState
    bounds: list[int] | None


class StoredClaim(TypedDict):
    """A sentence of a model's answer, checked. `start`, `end`: code point offsets in the answer; `number`: of the citation whose passage
    supports it best; `bounds`: what does so, as offsets in that passage; `unmarked`: no marker of that citation stands in the text."""

    start: int
    end: int
    support: float | None
    doubted: bool
    number: int | None
    bounds: NotRequired[list[int] | None]
    unmarked: bool


class StoredDecision(TypedDict):
    """The queries that replaced the question; [] = it was answered as it was asked."""

    rewritten_query: list[str]


class StoredResult(TypedDict):
    """The reply. After an error, `final_response` is the text sent before it."""

    type: Literal["done", "error"]
    final_response: str
    references: list[StoredReference]
    usage: StoredUsage
    search_decision: StoredDecision


class StoredVerdict(TypedDict):
    """A `Verdict`."""

    tier: Tier
    because: Reason
    score: float
    answer_from: float
    related: float
    closest_from: float
    missing: list[str]
    reasons: list[str]


class StoredModelSource(TypedDict):
    """A `ModelSource` without a model."""

    state: SourceState
    server: str
    address: str
    looked_for: list[list[Any]]


class StoredPassage(TypedDict):
    """A passage that the turn depends on. `passage`: the index's id, valid for this generation of the document only."""

    passage: str
    doc_id: str


class StoredHit(StoredPassage, StoredFile):
    """A passage that the turn found. `chunk_id`: the public one."""

    chunk_id: str
    title: str
    page: int | None
    unit: Unit
    section: str | None
    headings: list[str]
    score: float
    bm25: float | None
    cosine: float | None
    scores: NotRequired[dict[str, float]]
    """Its other scores by name, if it has any."""


class StoredSpan(TypedDict):
    """The duration and result of a step."""

    name: str
    ms: float
    status: str
    detail: dict[str, Any]


class StoredRequest(TypedDict):
    """What a request asked for, by the fields of `Request`; None = it left that to the API."""

    level: IntelligenceLevel | None
    options: dict[OptionName, bool]
    model: str | None
    limit: int | None


class StoredPlan(TypedDict):
    """What the turn was going to do, in its last state. `live`: its text was shown while it was written; `options`: those that were on;
    `retriever`, `limit`: of the search."""

    live: bool
    level: IntelligenceLevel
    strategy: Strategy | None
    options: list[OptionName]
    retriever: Retriever
    limit: int
    asked: StoredRequest


class TurnRecord(TypedDict):
    """A stored turn. Turns of early versions lack what is NotRequired."""

    version: Literal["v3"]
    status: Status
    block_classes: list[str]
    """The values that the question was filtered by."""
    search_type: Mode
    conversations: list[StoredMessage]
    """The system prompt that stays in force in the room, in its first turn; the question, an agent's messages while the turn is unfinished,
    the answer."""
    room_id: str
    chat_id: str
    user_id: str
    is_tool_block: bool
    is_error: bool
    result: StoredResult
    dialect: str
    trace_id: str
    collection: str
    lang: str
    outcome: Outcome | None
    degraded: bool
    vectors_pending: NotRequired[bool]
    llm: str | None
    """The model that answered."""
    llm_failed: bool
    llm_address: NotRequired[str | None]
    """The address of the model's endpoint; only in turns of admins."""
    llm_problem: NotRequired[str]
    """Why the model failed; only in turns of admins."""
    llm_source: NotRequired[StoredModelSource]
    """Why there was no model; only in turns of admins that had none."""
    extractive: bool
    verdict: NotRequired[StoredVerdict | None]
    """Missing from turns of early versions."""
    warnings: list[str]
    claims: NotRequired[list[StoredClaim]]
    """Of a model's answer that was checked."""
    hits: list[StoredHit]
    leans_on: NotRequired[list[StoredPassage]]
    """The passages that the conversation before this turn quotes."""
    suggested_questions: list[str]
    latency_ms: int
    spans: list[StoredSpan]
    created_at: str
    """When the turn started."""
    plan: NotRequired[StoredPlan]
    """Missing from turns of early versions, and from those that have not ended."""
    experiment: NotRequired[StoredAssignment]
    """The arm of the turn, if it was in an experiment; in no reply."""
    private: NotRequired[dict[str, Any]]
    """Notes for the turn's owner; in no reply and in no list."""
