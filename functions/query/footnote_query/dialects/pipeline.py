"""`POST /v1/chat`: answers with `[Source N]` citations, a confidence and the sufficiency of the context; whole, or streamed where the
client accepts `text/event-stream`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import Header, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field, RootModel, StringConstraints

from footnote.answer.small_talk import without_search
from footnote.errors import BadRequest
from footnote.plan import is_set
from footnote.steps import last_turn
from footnote.types import Citation, ConfidenceLevel, IntelligenceLevel, Mode, OptionName, Profile, Request, Retriever, Tier, Turn, tier_of
from footnote_http.callers import AskerOf, CoreOf, TraceId
from footnote_http.idempotency import IdempotencyKey, request_key
from footnote_http.openapi import EVENTS, events_of, schema_of, shaped
from footnote_http.routes import Router
from footnote_http.sse import stream_events
from footnote_query.citations import answer_text
from footnote_query.framing import Events, Json, ProgressEvent, StreamError
from footnote_query.replies import TIER, WARNINGS, TokenEvent, TokensUsed, tokens_used_body
from footnote_query.tools import ORGANISATION
from footnote_query.v1_errors import ErrorBody

if TYPE_CHECKING:
    from footnote.bootstrap import Core

PATH = "/v1/chat"
CHAT = Profile(
    "pipeline",
    live=True,
    citation_style="source",
    prompt="answer_numbered",
    limit=10,
    routed=True,
    candidates=15,
    facts_by_vectors=True,
    context_tokens=4500,
    history=15,
    answer_cache_s=300,
    options={
        "answer_cache": True,
        "answer_form": True,
        "confidence": True,
        "drop_duplicates": True,
        "follow_up_by_model": True,
        "penalties": True,
        "rewrite_by_size": True,
        "sandwich": True,
        "verify_passages": True,
    },
)
GENERAL = replace(CHAT, citation_style="plain", prompt="system", options={})
AGENT = replace(CHAT, prompt="system", options={"confidence": True, "penalties": True})
VISION = replace(GENERAL, prompt="vision")

Asks = Literal["chat", "general", "agent", "vision"]
MODES: Mapping[Asks, tuple[Mode, Profile]] = {
    "chat": ("rag", CHAT), "general": ("gpt", GENERAL), "agent": ("pa", AGENT), "vision": ("vision", VISION),
}  # fmt: skip
SNIPPET = 200
"""Characters of the evidence that are shown."""
LONGEST_ADDRESS = 64 * 2**20
FOLDER = "folder_id"
"""The field of documents' metadata that `folder_id` is compared with."""


class RAGRequest(BaseModel):
    """A question to `/v1/chat`."""

    message: str = Field(description="The question.")
    session_id: str | None = Field(None, max_length=200, description="The conversation. Without one the question has no history.")
    mode: Asks = Field(
        "chat",
        description="chat = answer from documents, general = the model alone, agent = a model with tools, vision = a model that reads"
        " `images`. All but `chat` need a language model.",
    )
    collection_filter: str | None = Field(None, max_length=200, description="The collection. Default: the configured one.")
    folder_id: str | None = Field(
        None, min_length=1, max_length=200, description="Only documents whose metadata has this value as `folder_id`."
    )
    intelligence_level: IntelligenceLevel | None = Field(None, description="How much work to spend. Default: `standard`.")
    temperature_override: float | None = Field(None, ge=0, le=2, description="Sampling temperature. Default: the configured one.")
    enable_cot: bool | None = Field(
        None, description="Whether the model reasons before it answers. Default: as the level and the kind of question say."
    )
    enable_verification: bool | None = Field(
        None, description="Whether passages of little relevance are dropped and claims are checked. Default: as the level says."
    )
    ensemble_voting: bool | None = Field(
        None, description="Whether several answers are written and the best supported one is given. Default: as the level says."
    )
    images: list[Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ADDRESS)]] = Field(
        [], max_length=20, description="With mode `vision`: PNG, JPEG, WebP or GIF, public http(s) URLs or data: URIs."
    )


class Source(BaseModel):
    """A cited passage: the first one is `[Source 1]`."""

    document_id: str
    document_name: str
    chunk_id: str
    page_number: int | None
    snippet: str = Field(description="What of the passage supports the answer: its sentence or two, the first 200 characters.")
    relevance_score: float = Field(description="0 to 1; relevance to the question where passages were verified, else the fused score.")
    similarity_score: float | None = Field(description="Cosine with the question; null if vectors did not find the passage.")


class ContextSufficiency(BaseModel):
    """Whether the cited passages suffice for an answer."""

    is_sufficient: bool
    coverage_score: float = Field(description="Share of the question's words, weighted by rarity, that the cited passages have.")
    has_conflicts: bool = Field(description="True: two cited passages say the same with different numbers.")
    missing_aspects: list[str] = Field(
        description="Things of the question that no cited passage has, without words of its instruction and form."
    )


class RAGResponse(BaseModel):
    """An answer."""

    content: str
    sources: list[Source] = Field(description="The passages that `content` cites, in the order of their numbers.")
    confidence_score: float = Field(description="relevance × grounding, 0 to 1; 0 without an answer from documents.")
    confidence_level: ConfidenceLevel
    suggested_questions: list[str]
    context_sufficiency: ContextSufficiency
    tier: Tier = Field(description=TIER)
    warnings: list[str] = Field(description=WARNINGS)
    usage: TokensUsed
    trace_id: str
    degraded: bool = Field(description="True: a part failed and the turn continued without it.")
    persisted: bool


class ChatDone(RAGResponse, defer_build=True):
    """The last message of a turn that succeeded."""

    type: Literal["done"]


class ChatEvent(RootModel[Any], defer_build=True):
    """A message of a streamed reply."""

    root: Annotated[ProgressEvent | TokenEvent | ChatDone | StreamError, Field(discriminator="type")]


ERRORS = shaped(
    ErrorBody, {400: "Invalid request", 409: "A request with the same Idempotency-Key is being answered", 504: "A step timed out"}
)
REPLY: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The answer; as server-sent events with `Accept: text/event-stream`",
        "content": {"application/json": {"schema": schema_of(RAGResponse)}, EVENTS: {"schema": events_of(ChatEvent)}},
    }
}
Accept = Annotated[str, Header(description="`text/event-stream`: the reply is streamed.", include_in_schema=False)]
router = Router("Asking", images=[PATH])


@router.post(PATH, name="pipeline_chat", response_model=None, responses=ERRORS | REPLY)
async def chat(
    request: RAGRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId, accept: Accept = "", idempotency_key: IdempotencyKey = None
) -> Response:
    """Answers a question with `[Source N]` citations and a confidence."""
    streamed, (_, profile) = EVENTS in accept.lower(), MODES[request.mode]
    retriever: Retriever = "cc" if is_set("rag.fusion", core.settings) else "rrf"  # cc = what the setting says
    asked, profile = without_search(make_request(request, core), replace(profile, live=streamed, retriever=retriever))
    turn = core.new_turn(asked, caller, profile, trace_id=trace_id)
    turn, events = await core.run_once(turn, request_key(idempotency_key, turn, PATH, request))
    if streamed:
        return await stream_events(events, Events(turn, done).encode, turn.trace_id)
    made = reply(await last_turn(events))
    return JSONResponse(made.model_dump(), headers={"x-trace-id": turn.trace_id})


def make_request(asked: RAGRequest, core: Core) -> Request:
    """The turn's request. BadRequest for images in a mode that reads none."""
    if asked.images and asked.mode != "vision":
        raise BadRequest("images are read with mode vision only.")
    mode, _ = MODES[asked.mode]
    switches: Mapping[OptionName, bool | None] = {
        "chain_of_thought": asked.enable_cot,
        "ensemble_voting": asked.ensemble_voting,
        "support_check": asked.enable_verification,
        "verify_passages": asked.enable_verification,
    }
    return Request(
        question=asked.message,
        collection=asked.collection_filter or "",
        mode=mode,
        limit=core.settings.rag.top_k if is_set("rag.top_k", core.settings) else None,
        filters={FOLDER: (asked.folder_id,)} if asked.folder_id else {},
        temperature=asked.temperature_override,
        room_id=asked.session_id,
        tool_scope=ORGANISATION if mode == "pa" else "",
        images=tuple(asked.images),
        level=asked.intelligence_level,
        options={name: on for name, on in switches.items() if on is not None},
    )


def done(turn: Turn) -> Json:
    """The last message of a turn that succeeded: a `ChatDone`."""
    return {"type": "done", **reply(turn).model_dump()}


def reply(turn: Turn) -> RAGResponse:
    """The response for a finished turn."""
    from footnote.answer.confidence import confidence_of

    found = confidence_of(turn)
    return RAGResponse(
        content=answer_text(turn),
        sources=list(_sources(turn)),
        confidence_score=found.score,
        confidence_level=found.level,
        suggested_questions=list(turn.trace.suggested_questions),
        context_sufficiency=ContextSufficiency(
            is_sufficient=found.sufficient,
            coverage_score=found.coverage,
            has_conflicts=found.conflicts,
            missing_aspects=list(found.missing),
        ),
        tier=tier_of(turn.outcome),
        warnings=list(turn.answer.warnings) if turn.answer else [],
        usage=tokens_used_body(turn),
        trace_id=turn.trace_id,
        degraded=turn.trace.degraded,
        persisted=turn.trace.persisted,
    )


def _sources(turn: Turn) -> Iterator[Source]:
    """The cited passages by number."""
    for citation in turn.answer.citations if turn.answer else ():
        yield _source(citation)


def _source(citation: Citation) -> Source:
    chunk, scores = citation.hit.chunk, citation.hit.scores
    cosine = scores.get("cosine")
    return Source(
        document_id=chunk.doc_id,
        document_name=str(chunk.metadata.get("file_name", chunk.shown_title)),
        chunk_id=chunk.public_id,
        page_number=citation.page,
        snippet=citation.snippet[:SNIPPET],
        relevance_score=round(min(1.0, max(0.0, scores.get("relevance", citation.hit.score))), 4),
        similarity_score=None if cosine is None else round(cosine, 4),
    )
