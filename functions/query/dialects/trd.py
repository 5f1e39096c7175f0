"""`/ask`, `/ask/stream` and `/retrieve-*`: footnotes by document id, Elasticsearch-shaped hits."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field

from footnote.answer.messages import message
from footnote.errors import FootnoteError
from footnote.events import Done, Event, Failed, StepFinished, StepStarted, Think, Token
from footnote.types import Caller, Hit, Profile, Retriever, Turn

HELD = Profile("trd", live=False, citation_style="footnote", prompt="answer_footnote", first_token_s=15, total_s=120, reject_uncited=False)
LIVE = Profile("trd", live=True, citation_style="footnote", prompt="answer_footnote", first_token_s=15, total_s=120)


class AskRequest(BaseModel):
    query_text: str = Field(description="The question.")
    index_name: str = Field(min_length=1, description="The collection to search.")
    permission_groups: list[str] = Field(description="Narrows the caller's groups; [] leaves them as they are.")
    retriever: Retriever | None = Field(None, description="rrf, bm25, knn or cc (convex combination).")
    num_result_doc: int = Field(5, ge=1, le=100, description="Passages that the answer may use.")
    model: str | None = Field(None, description="Name of a model at the configured endpoint.")
    answer_format: Literal["markdown", "json"] = Field("markdown", description="json: `answer` is `{answer, claims: [{text, doc_ids}]}`.")
    debug: bool = Field(False, description="Also say how long each step took and what came out.")


class AskQuery(AskRequest):
    """The same as URL parameters, where an empty list cannot be written."""

    permission_groups: list[str] = Field(default=[], description="Narrows the caller's groups.")


class CitationBody(BaseModel):
    number: int
    doc_id: str
    chunk_id: str
    title: str
    page: int | None
    score: float
    snippet: str
    spans: list[tuple[int, int]] = Field(description="Code point offsets of this citation's markers in `answer`.")


class HitBody(BaseModel):
    chunk_id: str
    doc_id: str
    title: str
    page: int | None
    headings: list[str]
    score: float
    bm25: float | None
    cosine: float | None
    content: str


class Claim(BaseModel):
    text: str
    doc_ids: list[str]


class ClaimedAnswer(BaseModel):
    answer: str
    claims: list[Claim]


class AskResponse(BaseModel):
    answer: str | ClaimedAnswer
    citations: list[CitationBody]
    hits: list[HitBody]
    latency_ms: float
    trace_id: str
    outcome: str
    extractive: bool = Field(description="True: sentences quoted from the documents, no language model wrote them.")
    model: str | None
    notice: str | None = Field(description="What the reader should know, e.g. how to connect a language model.")
    warnings: list[str]
    usage: dict[str, int]
    degraded: bool = Field(description="True: a part failed and was done without.")
    persisted: bool
    debug: dict[str, Any] | None = None


class RetrieveRequest(BaseModel):
    index_name: str = Field(min_length=1)
    query_text: str
    permission_groups: list[str] = []
    num_result_doc: int = Field(5, ge=1, le=100)
    fields_exclude: list[str] = []
    filter: dict[str, list[str]] = {}


def ask_turn(request: AskRequest, caller: Caller, trace_id: str, profile: Profile, default: Retriever, now: float) -> Turn:
    return Turn(
        trace_id=trace_id,
        caller=caller.narrowed(tuple(request.permission_groups)),
        profile=profile,
        question=request.query_text,
        collection=request.index_name,
        retriever=request.retriever or default,
        limit=request.num_result_doc,
        model=request.model,
        started_at=now,
    )


def retrieve_turn(request: RetrieveRequest, caller: Caller, trace_id: str, retriever: Retriever, now: float) -> Turn:
    return Turn(
        trace_id=trace_id,
        caller=caller.narrowed(tuple(request.permission_groups)),
        profile=HELD,
        question=request.query_text,
        collection=request.index_name,
        retriever=retriever,
        limit=request.num_result_doc,
        filters={name: tuple(values) for name, values in request.filter.items()},
        started_at=now,
    )


def reply(turn: Turn, *, debug: bool = False, answer_format: str = "markdown") -> AskResponse:
    answer = turn.answer
    text = answer.text if answer else message("blocked", turn.lang)
    return AskResponse(
        answer=ClaimedAnswer(answer=text, claims=_claims(turn)) if answer_format == "json" else text,
        citations=[
            CitationBody(
                number=citation.number,
                doc_id=citation.hit.chunk.doc_id,
                chunk_id=citation.hit.chunk.public_id,
                title=citation.hit.chunk.title,
                page=citation.page,
                score=round(citation.hit.score, 4),
                snippet=citation.snippet,
                spans=list(citation.spans),
            )
            for citation in (answer.citations if answer else ())
        ],
        hits=[_hit(hit) for hit in turn.hits],
        latency_ms=round(sum(span.ms for span in turn.spans), 1),
        trace_id=turn.trace_id,
        outcome=turn.outcome or "answered",
        extractive=bool(answer and answer.extractive),
        model=answer.model if answer else None,
        notice=_notice(turn),
        warnings=list(answer.warnings) if answer else [],
        usage=usage(turn),
        degraded=turn.degraded,
        persisted=turn.persisted,
        debug=_debug(turn) if debug else None,
    )


def usage(turn: Turn) -> dict[str, int]:
    spent = turn.usage
    return {"prompt_tokens": spent.prompt_tokens, "completion_tokens": spent.completion_tokens, "total_tokens": spent.total_tokens}


def encode(event: Event) -> Iterable[Mapping[str, Any]]:
    """A turn's events as this API's objects. A step's id is its name: a page can match its end to its beginning."""
    match event:
        case StepStarted(name):
            yield {"type": "step", "id": name, "content": name}
        case StepFinished(name, ms, status, detail):
            yield {"type": "node", "name": name, "ms": round(ms, 2), "status": status, "out": dict(detail)}
        case Think(text):
            yield {"type": "think", "id": str(uuid.uuid4()), "content": text}
        case Token(text):
            yield {"type": "token", "content": text}
        case Done(turn):
            yield {"type": "done", **reply(turn).model_dump(exclude={"debug"})}
        case Failed(error, turn, text):
            yield failure(error, turn, text)


def failure(error: FootnoteError, turn: Turn, text: str) -> dict[str, Any]:
    return {
        "type": "error",
        "content": error.title,
        "detail": f"{error.detail} (trace {turn.trace_id})",
        "final_response": text,
        "usage": usage(turn),
        "trace_id": turn.trace_id,
    }


def search_reply(turn: Turn, fields_exclude: list[str]) -> dict[str, Any]:
    """Elasticsearch's search response. `total` counts what was found in the lists that were fused."""
    return {
        "took": round(sum(span.ms for span in turn.spans)),
        "timed_out": False,
        "hits": {
            "total": {"value": len(turn.ranked), "relation": "eq"},
            "max_score": turn.hits[0].score if turn.hits else None,
            "hits": [
                {"_index": turn.collection, "_id": hit.chunk.public_id, "_score": hit.score, "_source": _source(hit, fields_exclude)}
                for hit in turn.hits
            ],
        },
    }


def _source(hit: Hit, fields_exclude: list[str]) -> dict[str, Any]:
    chunk = hit.chunk
    source: dict[str, Any] = {
        **chunk.metadata,
        "doc_id": chunk.doc_id,
        "title": chunk.title,
        "content": chunk.text,
        "permission_groups": sorted(chunk.permission_groups),
        "created_time": chunk.created_at,
        "page": chunk.page,
        "headings": list(chunk.headings),
        "lang": chunk.lang,
        "level": chunk.level,
    }
    return {name: value for name, value in source.items() if name not in fields_exclude}


def _hit(hit: Hit) -> HitBody:
    chunk = hit.chunk
    return HitBody(
        chunk_id=chunk.public_id,
        doc_id=chunk.doc_id,
        title=chunk.title,
        page=chunk.page,
        headings=list(chunk.headings),
        score=round(hit.score, 4),
        bm25=hit.bm25,
        cosine=hit.cosine,
        content=chunk.text,
    )


def _notice(turn: Turn) -> str | None:
    if turn.answer is None or not turn.answer.extractive:
        return None
    return message("model_failed" if turn.model else "extractive", turn.lang)


def _claims(turn: Turn) -> list[Claim]:
    """What stands before each marker, with the documents that the marker, or several in a row, names."""
    answer = turn.answer
    if answer is None:
        return []
    claims: list[Claim] = []
    at = 0
    for start, end, doc_id in sorted((*span, citation.hit.chunk.doc_id) for citation in answer.citations for span in citation.spans):
        text = answer.text[at:start].strip()
        if text or not claims:
            claims.append(Claim(text=text, doc_ids=[doc_id]))
        elif doc_id not in claims[-1].doc_ids:
            claims[-1].doc_ids.append(doc_id)
        at = end
    return claims


def _debug(turn: Turn) -> dict[str, Any]:
    return {
        "language": turn.lang,
        "retriever": turn.retriever,
        "latency_map": {span.name: round(span.ms, 2) for span in turn.spans},
        "steps": [{"name": span.name, "ms": round(span.ms, 2), "status": span.status, "out": dict(span.detail)} for span in turn.spans],
    }
