"""`POST /chat`: answers with numbered citations. Answers without citations are rejected."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from fastapi import Response
from pydantic import BaseModel, Field

from footnote.answer.links import source_url
from footnote.answer.small_talk import without_search
from footnote.steps import last_turn
from footnote.types import Citation, Profile, Request, Tier, Turn, tier_of
from footnote_http.callers import AskerOf, CoreOf, Origin, TraceId
from footnote_http.idempotency import IdempotencyKey, request_key
from footnote_http.openapi import ONCE, SLOW
from footnote_http.routes import Router
from footnote_query.citations import answer_text
from footnote_query.replies import TIER, WARNINGS, TokensUsed, tokens_used_body

if TYPE_CHECKING:
    from footnote.settings import Settings

router = Router("Asking", responses=SLOW | ONCE)
PROFILE = Profile(
    "chat_service",
    live=False,
    citation_style="numbered_by_page",
    prompt="answer_numbered",
    limit=8,
    temperature=0.4,
    max_tokens=1200,
    context_tokens=3500,
    history=4,
    nothing_found="nothing_found",
    options={"reject_uncited": True, "reformulate": True},
    settings=("reformulate",),
)


class ChatRequest(BaseModel):
    """A question to `/chat`."""

    query: str = Field(description="The question.")
    top_k: int = Field(8, ge=1, le=100, description="Passages that the answer may use.")
    session_id: str | None = Field(None, max_length=200, description="The conversation; follow-ups are resolved from its last questions.")
    model_id: str | None = Field(None, max_length=200, description="The language model. Default: the user's preference.")


class ChatCitation(BaseModel):
    """A cited page."""

    title: str
    page: int | None
    url: str = Field(description="Opens the document: its own address, or the cited page here.")


class ChatResponse(BaseModel):
    """An answer with its citations."""

    query: str
    answer: str
    tier: Tier = Field(description=TIER)
    citations: list[ChatCitation]
    warnings: list[str] = Field(description=WARNINGS)
    usage: TokensUsed
    trace_id: str


@router.post("/chat", name="chat")
async def chat(
    request: ChatRequest,
    response: Response,
    caller: AskerOf,
    core: CoreOf,
    trace_id: TraceId,
    origin: Origin,
    idempotency_key: IdempotencyKey = None,
) -> ChatResponse:
    """Answers a question with numbered citations."""
    asked = Request(request.query, limit=request.top_k, model=request.model_id, room_id=request.session_id)
    asked, profile = without_search(asked, profile_of(core.settings))
    turn = core.new_turn(asked, caller, profile, trace_id=trace_id)
    turn, events = await core.run_once(turn, request_key(idempotency_key, turn, "/chat", request))
    response.headers["x-trace-id"] = turn.trace_id
    return reply(await last_turn(events), origin)


def profile_of(settings: Settings) -> Profile:
    """PROFILE with the configured temperature, token limit and context size."""
    named = {"temperature": settings.temperature, "max_tokens": settings.max_tokens, "context_tokens": settings.max_context_tokens}
    changes: dict[str, Any] = {name: value for name, value in named.items() if value is not None}
    return replace(PROFILE, **changes, fixed_context="context_tokens" in changes)


def reply(turn: Turn, origin: str) -> ChatResponse:
    """The response for a finished turn. `origin`: of this server, for the addresses of documents that have none of their own."""
    answer = turn.answer
    return ChatResponse(
        query=turn.request.question,
        answer=answer_text(turn),
        tier=tier_of(turn.outcome),
        citations=[
            ChatCitation(title=citation.hit.chunk.shown_title, page=citation.page, url=_url(citation, origin))
            for citation in (answer.citations if answer else ())
        ],
        warnings=list(answer.warnings) if answer else [],
        usage=tokens_used_body(turn),
        trace_id=turn.trace_id,
    )


def _url(citation: Citation, origin: str) -> str:
    """Only an address of the web opens: what was sent as `url` may be anything."""
    chunk = citation.hit.chunk
    own = str(chunk.metadata.get("url", ""))
    return own if own.lower().startswith(("http://", "https://")) else source_url(origin, chunk, citation.page)
