"""`/retrieve-*`: hits in the shape of an Elasticsearch search response."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, Field, StrictBool

from footnote.turn_records.make import iso_time
from footnote.types import Hit, Request, Retriever, Turn
from footnote.types.conditions import text_of
from footnote_http.callers import AskerOf, CoreOf, TraceId
from footnote_http.openapi import SLOW
from footnote_http.routes import Router
from footnote_query.dialects.trd.ask import HELD
from footnote_query.retrieval import find_hits

router = Router("Searching", responses=SLOW)
PROFILE = replace(HELD, options={})
BY_RANK = replace(PROFILE, options={"refine": False})
"""A search by reciprocal ranks: its hits keep that order. Answers from such a search are refined."""
RETRIEVERS: tuple[Retriever, ...] = ("rrf", "bm25", "knn", "cc")


class RetrieveRequest(BaseModel):
    """A query for passages. `filter`: metadata field → accepted values."""

    index_name: str = Field(min_length=1)
    query_text: str
    permission_groups: list[str] = []
    num_result_doc: int = Field(5, ge=1, le=100)
    fields_exclude: list[str] = []
    filter: dict[str, list[StrictBool | str]] = {}


class SearchTotal(BaseModel):
    """Elasticsearch's `hits.total`."""

    value: int
    relation: Literal["eq"]


class SearchHit(BaseModel):
    """One of Elasticsearch's `hits.hits`."""

    index: str = Field(serialization_alias="_index", validation_alias="_index")
    id: str = Field(serialization_alias="_id", validation_alias="_id")
    score: float = Field(serialization_alias="_score", validation_alias="_score")
    source: dict[str, Any] = Field(serialization_alias="_source", validation_alias="_source")


class SearchHits(BaseModel):
    """Elasticsearch's `hits`."""

    total: SearchTotal
    max_score: float | None
    hits: list[SearchHit]


class SearchResponse(BaseModel):
    """Elasticsearch's search response."""

    took: int = Field(description="Milliseconds.")
    timed_out: bool = Field(description="True: a list of the search was late or failed, and is left out.")
    hits: SearchHits


def _route(retriever: Retriever) -> Callable[..., Awaitable[dict[str, Any]]]:
    profile = BY_RANK if retriever == "rrf" else PROFILE

    async def search(request: RetrieveRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId) -> dict[str, Any]:
        """Finds passages. The response has the shape of an Elasticsearch search response."""
        narrowed = caller.narrowed(tuple(request.permission_groups))
        turn = await find_hits(core.new_turn(make_request(request, retriever), narrowed, profile, trace_id=trace_id), core)
        return search_reply(turn, request.fields_exclude)

    return search


for _retriever in RETRIEVERS:
    router.post(f"/retrieve-{_retriever}", name=f"retrieve_{_retriever}", response_model=SearchResponse)(_route(_retriever))


def make_request(asked: RetrieveRequest, retriever: Retriever) -> Request:
    """The turn's request."""
    return Request(
        question=asked.query_text,
        collection=asked.index_name,
        retriever=retriever,
        limit=asked.num_result_doc,
        filters={name: tuple(map(text_of, values)) for name, values in asked.filter.items()},
    )


def search_reply(turn: Turn, fields_exclude: list[str]) -> dict[str, Any]:
    """A `SearchResponse` as a dict. `total` counts the fused hits before the limit."""
    return {
        "took": round(sum(span.ms for span in turn.trace.spans)),
        "timed_out": bool(turn.evidence.lists_missing),
        "hits": {
            "total": {"value": len(turn.evidence.ranked), "relation": "eq"},
            "max_score": max((_score(turn, hit) for hit in turn.evidence.hits), default=None),
            "hits": [
                {
                    "_index": turn.request.collection,
                    "_id": hit.chunk.public_id,
                    "_score": _score(turn, hit),
                    "_source": _source(hit, fields_exclude),
                }
                for hit in turn.evidence.hits
            ],
        },
    }


def _score(turn: Turn, hit: Hit) -> float:
    """The BM25 score for `bm25`, else the fused score or cosine, 0..1."""
    return hit.scores.get("bm25", hit.score) if turn.plan.retriever == "bm25" else hit.score


def _source(hit: Hit, fields_exclude: list[str]) -> dict[str, Any]:
    chunk = hit.chunk
    source: dict[str, Any] = {
        "created_time": iso_time(chunk.created_at),
        "page": chunk.page,
        "headings": list(chunk.headings),
        "lang": chunk.lang,
        "level": chunk.level,
        "paragraph_type": chunk.paragraph_type,
        **chunk.metadata,  # fields that were sent stay as they were sent
        "doc_id": chunk.doc_id,  # what says whose text it is, and who may read it, cannot be sent
        "title": chunk.title,
        "content": chunk.text,
        "permission_groups": sorted(chunk.permission_groups),
    }
    return {name: value for name, value in source.items() if name not in fields_exclude}
