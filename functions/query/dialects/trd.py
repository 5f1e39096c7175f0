"""`/ask`, `/ask/stream` and `/retrieve-*`: footnotes by document id, Elasticsearch-shaped hits."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, Field, RootModel

from footnote.errors import FootnoteError
from footnote.events import Done, Event, Failed, StepFinished, StepStarted, Think, Token
from footnote.ports import Block, iso_time, make_block
from footnote.types import Caller, Hit, Profile, Retriever, Turn
from query.dialects.chat_core import ORGANISATION, TokenEvent
from query.models import allowed_model
from query.replies import AskResponse, StepBody, UsageBody, claimed, make_reply, make_steps, make_usage

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.settings import LLM

HELD = Profile(
    "trd",
    live=False,
    citation_style="footnote",
    prompt="answer_footnote",
    first_token_s=15,
    total_s=120,
    history=4,
    answer_cache_s=60,
    answers_without_search=True,
)
LIVE = replace(HELD, live=True)
SEARCH = replace(HELD, answers_without_search=False)

Answers = Literal["rag", "gpt", "pa"]
CONVERSES: Mapping[str, Any] = {"prompt": "system", "history_in_prompt": True, "context_tokens": 6000}
BY_MODE: Mapping[Answers, Mapping[str, Any]] = {
    "rag": {},
    "gpt": {**CONVERSES, "citation_style": "plain", "history": 20},
    "pa": {**CONVERSES, "citation_style": "numbered", "answers_without_search": False},
}
"""How a profile differs by who answers."""


class AskRequest(BaseModel):
    query_text: str = Field(description="The question.")
    index_name: str = Field(min_length=1, description="The collection to search.")
    permission_groups: list[str] = Field(description="Narrows the caller's groups; [] leaves them as they are.")
    retriever: Retriever | None = Field(None, description="rrf, bm25, knn or cc (convex combination).")
    num_result_doc: int = Field(5, ge=1, le=100, description="Passages that the answer may use.")
    model: str | None = Field(None, description="Name of a model at the configured endpoint.")
    room_id: str | None = Field(
        None, max_length=200, description="The conversation, whose last questions a follow-up is understood by. Without one, nothing was."
    )
    mode: Answers = Field("rag", description="Who answers: rag = the documents, gpt = the model alone, pa = a model that may use tools.")
    answer_format: Literal["markdown", "json"] = Field("markdown", description="json: `answer` is `{answer, claims: [{text, doc_ids}]}`.")
    debug: bool = Field(False, description="Also say how long each step took and what came out.")


class AskQuery(AskRequest):
    """The same as URL parameters, where an empty list cannot be written."""

    permission_groups: list[str] = Field(default=[], description="Narrows the caller's groups.")


class RetrieveRequest(BaseModel):
    index_name: str = Field(min_length=1)
    query_text: str
    permission_groups: list[str] = []
    num_result_doc: int = Field(5, ge=1, le=100)
    fields_exclude: list[str] = []
    filter: dict[str, list[str]] = {}


class SearchTotal(BaseModel):
    value: int
    relation: Literal["eq"]


class SearchHit(BaseModel):
    index: str = Field(serialization_alias="_index", validation_alias="_index")
    id: str = Field(serialization_alias="_id", validation_alias="_id")
    score: float = Field(serialization_alias="_score", validation_alias="_score")
    source: dict[str, Any] = Field(serialization_alias="_source", validation_alias="_source")


class SearchHits(BaseModel):
    total: SearchTotal
    max_score: float | None
    hits: list[SearchHit]


class SearchResponse(BaseModel):
    """Elasticsearch's."""

    took: int = Field(description="Milliseconds.")
    timed_out: bool
    hits: SearchHits


class StepEvent(BaseModel, defer_build=True):
    """A step begins."""

    type: Literal["step"]
    id: str
    content: str


class NodeEvent(StepBody, defer_build=True):
    """A step has ended."""

    type: Literal["node"]


class ThinkEvent(BaseModel, defer_build=True):
    """What the model thinks aloud."""

    type: Literal["think"]
    id: str
    content: str


class AskDone(AskResponse, defer_build=True):
    type: Literal["done"]


class AskError(BaseModel, defer_build=True):
    type: Literal["error"]
    content: str
    detail: str
    final_response: str
    usage: UsageBody
    trace_id: str


class AskEvent(RootModel[Any], defer_build=True):
    """A message of `/ask/stream`."""

    root: Annotated[StepEvent | NodeEvent | ThinkEvent | TokenEvent | AskDone | AskError, Field(discriminator="type")]


def ask_turn(request: AskRequest, caller: Caller, profile: Profile, core: Core, trace_id: str) -> Turn:
    return Turn(
        trace_id=trace_id,
        caller=caller.narrowed(tuple(request.permission_groups)),
        profile=replace(profile, **BY_MODE[request.mode]),
        question=request.query_text,
        collection=request.index_name,
        mode=request.mode,
        retriever=request.retriever or core.settings.retriever,
        limit=request.num_result_doc,
        model=allowed_model(request.model, core.settings.llm),
        room_id=request.room_id,
        tool_scope=ORGANISATION if request.mode == "pa" and core.settings.mcp.mcp_enabled else "",
        started_at=core.clock(),
    )


def retrieve_turn(request: RetrieveRequest, caller: Caller, trace_id: str, retriever: Retriever, now: float) -> Turn:
    return Turn(
        trace_id=trace_id,
        caller=caller.narrowed(tuple(request.permission_groups)),
        profile=SEARCH,
        question=request.query_text,
        collection=request.index_name,
        retriever=retriever,
        limit=request.num_result_doc,
        filters={name: tuple(values) for name, values in request.filter.items()},
        started_at=now,
    )


def reply(turn: Turn, llm: LLM, *, debug: bool = False, answer_format: str = "markdown") -> AskResponse:
    texts = {hit.chunk.chunk_id: hit.chunk.text for hit in turn.hits}
    block = _block(turn)
    made = make_reply(block, texts, llm, persisted=turn.persisted)
    if debug:
        made.debug = _debug(turn, block)
    return claimed(made) if answer_format == "json" else made


def encode(event: Event, llm: LLM) -> Iterable[Mapping[str, Any]]:
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
            yield _done(reply(turn, llm))
        case Failed(error, turn, text):
            yield _failed(error, _block(turn), text)


def encode_stored(block: Block, texts: Mapping[str, str], llm: LLM) -> Mapping[str, Any]:
    """How a stored turn's stream ended. Of an error nothing is stored but that there was one, and what had been sent."""
    ended_well = not block["is_error"] or block["outcome"] == "blocked"
    return _done(make_reply(block, texts, llm)) if ended_well else _failed(FootnoteError(), block, block["result"]["final_response"])


def _done(made: AskResponse) -> Mapping[str, Any]:
    return {"type": "done", **made.model_dump(exclude={"debug"})}


def _failed(error: FootnoteError, block: Block, text: str) -> Mapping[str, Any]:
    return {
        "type": "error",
        "problem": error.type,
        "content": error.title,
        "detail": f"{error.detail} (trace {block['trace_id']})",
        "final_response": text,
        "usage": make_usage(block).model_dump(),
        "trace_id": block["trace_id"],
    }


def _block(turn: Turn) -> Block:
    return make_block(turn, "done" if turn.answer else "error", now=turn.started_at)


def search_reply(turn: Turn, fields_exclude: list[str]) -> dict[str, Any]:
    """Elasticsearch's search response. `total` counts what was found in the lists that were fused."""
    return {
        "took": round(sum(span.ms for span in turn.spans)),
        "timed_out": False,
        "hits": {
            "total": {"value": len(turn.ranked), "relation": "eq"},
            "max_score": max((_score(turn, hit) for hit in turn.hits), default=None),
            "hits": [
                {
                    "_index": turn.collection,
                    "_id": hit.chunk.public_id,
                    "_score": _score(turn, hit),
                    "_source": _source(hit, fields_exclude),
                }
                for hit in turn.hits
            ],
        },
    }


def _score(turn: Turn, hit: Hit) -> float:
    """Of words alone BM25's own number; fused scores and cosines are 0..1."""
    return hit.bm25 if turn.retriever == "bm25" and hit.bm25 is not None else hit.score


def _source(hit: Hit, fields_exclude: list[str]) -> dict[str, Any]:
    chunk = hit.chunk
    source: dict[str, Any] = {
        **chunk.metadata,
        "doc_id": chunk.doc_id,
        "title": chunk.title,
        "content": chunk.text,
        "permission_groups": sorted(chunk.permission_groups),
        "created_time": iso_time(chunk.created_at),
        "page": chunk.page,
        "headings": list(chunk.headings),
        "lang": chunk.lang,
        "level": chunk.level,
    }
    return {name: value for name, value in source.items() if name not in fields_exclude}


def _debug(turn: Turn, block: Block) -> dict[str, Any]:
    return {
        "language": turn.lang,
        "retriever": turn.retriever,
        "latency_map": {span.name: round(span.ms, 2) for span in turn.spans},
        "steps": [step.model_dump() for step in make_steps(block)],
    }
