"""Request bodies and stream messages of `/ask`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, RootModel

from footnote.types import IntelligenceLevel, Retriever, Stage
from footnote_query.replies import AskResponse, CitationBody, HitBody, TokenEvent, UsageBody
from footnote_query.steps import StepBody

Answers = Literal["rag", "gpt", "pa"]


class AskRequest(BaseModel):
    """A question to `/ask`."""

    query_text: str = Field(description="The question.")
    index_name: str = Field(min_length=1, description="The collection to search.")
    permission_groups: list[str] = Field(description="Restricts the search to these of the caller's groups; [] = all of them.")
    retriever: Retriever | None = Field(None, description="rrf, bm25, knn or cc (convex combination). Default: the configured one.")
    any_retriever: bool = Field(False, description="True: nobody chose `retriever`, and an experiment may use another one.")
    num_result_doc: int = Field(5, ge=1, le=100, description="Passages that the answer may use.")
    model: str | None = Field(None, description="A language model at the configured endpoint. Default: the user's preference.")
    room_id: str | None = Field(
        None,
        max_length=200,
        description="The conversation; follow-ups are resolved from its last questions. Default: a new one.",
    )
    mode: Answers = Field("rag", description="rag = answer from documents, gpt = the model alone, pa = a model with tools.")
    search: Literal["automatic", "always"] = Field(
        "automatic",
        description="Of mode rag. automatic = everything is searched for but small talk and requests to translate, rewrite, calculate or"
        " write something new; always = everything.",
    )
    citation_style: Literal["footnote", "numbered"] = Field(
        "footnote", description="Of mode rag. footnote = markers name the document, `[^DOC]`; numbered = they count, `[1]`."
    )
    answer_format: Literal["markdown", "json"] = Field("markdown", description="json: `answer` is `{answer, claims: [{text, doc_ids}]}`.")
    intelligence_level: IntelligenceLevel | None = Field(None, description="How much work to spend. Default: `standard`.")
    spelling: bool = Field(True, description="False: typos are not corrected.")
    debug: bool = Field(False, description="True: return each step's duration and output, and in `plan` which steps were skipped and why.")


class AskStreamRequest(AskRequest):
    """A question to `/ask/stream`."""

    quote: bool = Field(
        False,
        description="True: while a language model writes, `quote` has what is quoted without one. The model may then take as long to its"
        " first token as to the whole answer.",
    )


class AskQuery(AskStreamRequest):
    """AskStreamRequest as URL parameters, in which an empty list cannot be expressed."""

    permission_groups: list[str] = Field(default=[], description="Restricts the search to these of the caller's groups.")


class StepEvent(BaseModel, defer_build=True):
    """A step has started."""

    type: Literal["step"]
    id: str
    content: str
    stage: Stage


class NodeEvent(StepBody, defer_build=True):
    """A step has finished."""

    type: Literal["node"]


class ThinkEvent(BaseModel, defer_build=True):
    """The model's reasoning."""

    type: Literal["think"]
    id: str
    content: str


class QuoteEvent(BaseModel, defer_build=True):
    """What is quoted without a model, until the model's answer comes; no part of the answer."""

    type: Literal["quote"]
    content: str = Field(description="The text.")
    tier: Literal["answer", "closest"] = Field(
        description="answer: the text answers. closest: it may not; it shows the closest passages, with their best sentence."
    )
    citations: list[CitationBody]
    hits: list[HitBody] = Field(description="The cited passages.")


class AskDone(AskResponse, defer_build=True):
    """The last message of a turn that succeeded."""

    type: Literal["done"]


class AskError(BaseModel, defer_build=True):
    """The last message of a turn that failed."""

    type: Literal["error"]
    content: str
    detail: str
    final_response: str
    usage: UsageBody
    trace_id: str


class AskEvent(RootModel[Any], defer_build=True):
    """A message of `/ask/stream`."""

    root: Annotated[StepEvent | NodeEvent | QuoteEvent | ThinkEvent | TokenEvent | AskDone | AskError, Field(discriminator="type")]
