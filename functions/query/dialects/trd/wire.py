"""What `/ask` takes, and the messages of its stream."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, RootModel

from footnote.types import Retriever, Stage
from query.replies import AskResponse, StepBody, TokenEvent, UsageBody

Answers = Literal["rag", "gpt", "pa"]


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
    debug: bool = Field(
        False, description="Also say how long each step took and what came out, and by `plan` which steps did not run, and why."
    )


class AskQuery(AskRequest):
    """The same as URL parameters, where an empty list cannot be written."""

    permission_groups: list[str] = Field(default=[], description="Narrows the caller's groups.")


class StepEvent(BaseModel, defer_build=True):
    """A step begins."""

    type: Literal["step"]
    id: str
    content: str
    stage: Stage


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
