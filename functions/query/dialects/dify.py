"""`POST /retrieval`: Footnote as an external knowledge base of Dify."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import FastAPI
from pydantic import BaseModel, Field

from footnote.errors import BadRequest, NotFound
from footnote.types import Caller, Hit, Profile, Turn
from footnote_http.app import shape_errors
from footnote_http.callers import AskerOf, CoreOf, Origin, TraceId
from footnote_http.openapi import Problem, shaped
from query.citations import source_url
from query.collections import has_collection
from query.retrieval import find_hits

PATH = "/retrieval"
PROFILE = Profile("dify", live=False, citation_style="numbered", prompt="answer_numbered")

Value = str | int | float


class RetrievalSetting(BaseModel):
    top_k: int = Field(5, ge=1, le=100)
    score_threshold: float = Field(0.0, ge=0, le=1, description="Least score of a record.")


class Condition(BaseModel):
    name: str | Annotated[list[str], Field(min_length=1, max_length=1)] = Field(description="Name of a metadata field.")
    comparison_operator: Literal["is", "=", "in"] = Field(description="A value is compared as a whole.")
    value: Value | Annotated[list[Value], Field(min_length=1)]


class MetadataCondition(BaseModel):
    logical_operator: Literal["and", "or"] = "and"
    conditions: list[Condition] = []


class RetrievalRequest(BaseModel):
    knowledge_id: str = Field(description="The collection.")
    query: str
    retrieval_setting: RetrievalSetting = RetrievalSetting()
    metadata_condition: MetadataCondition | None = None


class DifyRecord(BaseModel):
    content: str
    score: float
    title: str
    metadata: dict[str, Any]


class Retrieval(BaseModel):
    records: list[DifyRecord]


class DifyError(BaseModel):
    error_code: int
    error_msg: str


ERRORS = shaped(
    DifyError,
    {
        401: "Nobody has signed in, or their time is over",
        404: "There is no such knowledge",
        413: "The body is too long",
        422: "The request cannot be used",
        429: "Too many requests",
        503: "A part is down",
        504: "A step took too long",
    },
)
CODES = {401: 1001, 403: 1002, 404: 2001}


def add_dify(app: FastAPI) -> None:
    shape_errors(app, PATH, error_body)

    @app.post(PATH, name="dify_retrieval", tags=["Dify"], responses=ERRORS)
    async def retrieval(request: RetrievalRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId, origin: Origin) -> Retrieval:
        """The passages that a question finds, for a knowledge base of Dify."""
        if not await has_collection(request.knowledge_id, caller, core):
            raise NotFound("There is no such knowledge. Its id is a collection's name.")
        turn = await find_hits(retrieval_turn(request, caller, trace_id, core.clock()), core)
        least = request.retrieval_setting.score_threshold
        return Retrieval(records=[_record(hit, origin) for hit in turn.hits if hit.score >= least])


def retrieval_turn(request: RetrievalRequest, caller: Caller, trace_id: str, now: float) -> Turn:
    return Turn(
        trace_id=trace_id,
        caller=caller,
        profile=PROFILE,
        question=request.query,
        collection=request.knowledge_id,
        limit=request.retrieval_setting.top_k,
        filters=read_filters(request.metadata_condition) if request.metadata_condition else {},
        started_at=now,
    )


def read_filters(condition: MetadataCondition) -> dict[str, tuple[str, ...]]:
    """Field → accepted values. An index can ask that each of several fields has one of some values, and nothing else."""
    filters: dict[str, tuple[str, ...]] = {}
    for each in condition.conditions:
        name = each.name if isinstance(each.name, str) else each.name[0]
        values = tuple(str(value) for value in (each.value if isinstance(each.value, list) else [each.value]))
        if condition.logical_operator == "and" and name in filters:
            raise BadRequest(f"Two conditions on {name} cannot both be asked for. Use one with the operator “in”.")
        filters[name] = filters.get(name, ()) + values
    if condition.logical_operator == "or" and len(filters) > 1:
        raise BadRequest("“or” between different fields cannot be asked for. Ask once for each.")
    return filters


def error_body(problem: Problem, exc: Exception | None) -> tuple[int, dict[str, Any]]:
    return problem.status, {"error_code": CODES.get(problem.status, problem.status), "error_msg": problem.detail}


def _record(hit: Hit, origin: str) -> DifyRecord:
    chunk = hit.chunk
    place = {"doc_id": chunk.doc_id, "chunk_id": chunk.public_id, "page": chunk.page, "headings": list(chunk.headings)}
    metadata = {"url": source_url(origin, chunk), **chunk.metadata, **place}
    return DifyRecord(content=chunk.text, score=hit.score, title=chunk.title, metadata=metadata)
