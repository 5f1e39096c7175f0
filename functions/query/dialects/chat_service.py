"""`POST /chat`: numbered citations; an answer that cites nothing is not shown."""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.types import Caller, Profile, Turn
from query.citations import answer_text

PROFILE = Profile(
    "chat_service",
    live=False,
    citation_style="numbered",
    prompt="answer_numbered",
    limit=8,
    temperature=0.4,
    max_tokens=1200,
    context_tokens=3500,
    reject_uncited=True,
)


class ChatRequest(BaseModel):
    query: str = Field(description="The question.")
    top_k: int = Field(8, ge=1, le=100, description="Passages that the answer may use.")
    session_id: str | None = Field(None, max_length=200, description="The conversation this belongs to.")
    model_id: str | None = Field(None, max_length=200, description="Name of a model at the configured endpoint.")


class ChatCitation(BaseModel):
    title: str
    page: int | None
    url: str | None


class ChatResponse(BaseModel):
    query: str
    answer: str
    citations: list[ChatCitation]


def chat_turn(request: ChatRequest, caller: Caller, trace_id: str, collection: str, now: float) -> Turn:
    return Turn(
        trace_id=trace_id,
        caller=caller,
        profile=PROFILE,
        question=request.query,
        collection=collection,
        limit=request.top_k,
        model=request.model_id,
        room_id=request.session_id,
        started_at=now,
    )


def reply(turn: Turn) -> ChatResponse:
    answer = turn.answer
    return ChatResponse(
        query=turn.question,
        answer=answer_text(turn),
        citations=[
            ChatCitation(title=citation.hit.chunk.title, page=citation.page, url=citation.hit.chunk.metadata.get("url"))
            for citation in (answer.citations if answer else ())
        ],
    )
