"""`POST /retrieval`: Footnote as an external knowledge base of Dify."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from footnote.answer.links import source_url
from footnote.errors import BadRequest, NotFound
from footnote.types import Condition, Conditions, Hit, Operator, Profile, Request
from footnote.types.conditions import ANYTHING, number_of, time_of
from footnote_http.callers import AskerOf, CoreOf, Origin, TraceId
from footnote_http.openapi import Problem, shaped
from footnote_http.routes import Router
from footnote_query.collections import has_collection
from footnote_query.retrieval import find_hits

PATH = "/retrieval"
PROFILE = Profile("dify", live=False, citation_style="numbered", prompt="answer_numbered")

Name = Annotated[str, Field(max_length=200)]
Value = Annotated[str, Field(max_length=1000)] | int | float
NUMBERS, TIMES = (">", "<", "≥", "≤"), ("before", "after")


class RetrievalSetting(BaseModel):
    """How many records to return."""

    top_k: int = Field(5, ge=1, le=100)
    score_threshold: float | None = Field(0.0, ge=0, le=1, description="Minimum score of a record; null = any.")


class MetadataComparison(BaseModel):
    """A condition on a metadata field."""

    name: Name | Annotated[list[Name], Field(min_length=1, max_length=1)] = Field(description="Name of a metadata field.")
    comparison_operator: Operator = Field(
        description="Text: is, is not, contains, not contains, start with, end with, in, not in; numbers: =, ≠, >, <, ≥, ≤; times, in"
        " ISO 8601 or as seconds since 1970: before, after; and empty, not empty. A field with several values matches if one value"
        " matches; is not, not contains, not in and ≠ match if the field has a value and none that the positive form matches."
    )
    value: Value | Annotated[list[Value], Field(min_length=1, max_length=100)] | None = Field(
        None, description="Omitted for empty and not empty; a list for in and not in."
    )


class MetadataCondition(BaseModel):
    """Conditions on metadata."""

    logical_operator: Literal["and", "or"] | None = Field("and", description="null = and.")
    conditions: Annotated[list[MetadataComparison], Field(max_length=20)] | None = Field([], description="null = none.")


class RetrievalRequest(BaseModel):
    """A query from Dify."""

    knowledge_id: str = Field(description="The collection.")
    query: str
    retrieval_setting: RetrievalSetting = RetrievalSetting()
    metadata_condition: MetadataCondition | None = None


class DifyRecord(BaseModel):
    """A passage in Dify's form."""

    content: str
    score: float
    title: str
    metadata: dict[str, Any]


class Retrieval(BaseModel):
    """The response of `/retrieval`."""

    records: list[DifyRecord]


class DifyError(BaseModel):
    """An error in Dify's form."""

    error_code: int
    error_msg: str


ERRORS = shaped(
    DifyError,
    {
        404: "There is no such knowledge base",
        422: "Invalid request",
        504: "A step timed out",
    },
)
CODES = {401: 1001, 403: 1002, 404: 2001}


def error_body(problem: Problem, exc: Exception | None) -> tuple[int, dict[str, Any]]:
    """An error in Dify's form."""
    return problem.status, {"error_code": CODES.get(problem.status, problem.status), "error_msg": problem.detail}


router = Router("Dify", responses=ERRORS, errors={PATH: error_body})


@router.post(PATH, name="dify_retrieval")
async def retrieval(request: RetrievalRequest, caller: AskerOf, core: CoreOf, trace_id: TraceId, origin: Origin) -> Retrieval:
    """Finds passages for an external knowledge base of Dify."""
    if not await has_collection(request.knowledge_id, caller, core):
        raise NotFound("There is no such knowledge base. Its id must be the name of a collection.")
    setting, condition = request.retrieval_setting, request.metadata_condition
    conditions = read_conditions(condition) if condition else ANYTHING
    asked = Request(request.query, request.knowledge_id, limit=setting.top_k, conditions=conditions)
    turn = await find_hits(core.new_turn(asked, caller, PROFILE, trace_id=trace_id), core)
    return Retrieval(records=[_record(hit, origin) for hit in turn.evidence.hits if hit.score >= (setting.score_threshold or 0.0)])


def read_conditions(asked: MetadataCondition) -> Conditions:
    """The conditions to filter by. BadRequest for a value that does not fit its operator."""
    return Conditions(tuple(_read(each) for each in asked.conditions or ()), any=asked.logical_operator == "or")


def _read(asked: MetadataComparison) -> Condition:
    name, operator = asked.name if isinstance(asked.name, str) else asked.name[0], asked.comparison_operator
    if operator in ("empty", "not empty"):
        return Condition(name, operator)
    given = asked.value if isinstance(asked.value, list) else [] if asked.value is None else [asked.value]
    values = tuple(str(value) for value in given)
    if len(values) != 1 and (not values or operator not in ("in", "not in")):
        raise BadRequest(f"“{operator}” on {name} requires exactly one value.")
    if operator in NUMBERS and number_of(values[0]) is None:
        raise BadRequest(f"“{operator}” on {name} requires a number.")
    if operator in TIMES and time_of(values[0]) is None:
        raise BadRequest(f"“{operator}” on {name} requires a time: ISO 8601, such as 2026-03-01, or seconds since 1970.")
    return Condition(name, operator, values)


def _record(hit: Hit, origin: str) -> DifyRecord:
    chunk = hit.chunk
    place = {"doc_id": chunk.doc_id, "chunk_id": chunk.public_id, "page": chunk.page, "headings": list(chunk.headings)}
    metadata = {"url": source_url(origin, chunk), **chunk.metadata, **place}
    return DifyRecord(content=chunk.text, score=hit.score, title=chunk.shown_title, metadata=metadata)
