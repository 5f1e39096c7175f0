"""What `/v2` takes, and the messages of its streams."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, RootModel, StringConstraints

from footnote.types import Mode
from query.replies import TokenEvent, TokensUsed
from query.tools import ORGANISATION

LONGEST_ADDRESS = 64 * 2**20
"""Characters. How large an image may be is a setting, and told in its words."""


class QueryRequest(BaseModel):
    collection_name: str | None = Field(None, min_length=1, description="The collection; by default the configured one.")
    query: str = Field(description="The question.")
    room_id: str | None = Field(None, max_length=200, description="The conversation. Without one the question stands alone.")
    user_id: str | None = Field(
        None, min_length=1, max_length=200, description="Who asks; where there is a sign-in, nobody else than them."
    )
    search_type: Mode | None = Field(None, description="The route's own; anything else is refused.")
    mcp_org: str = Field(ORGANISATION, max_length=200, description="The organisation whose tools may be used.")
    use_paragraph: bool = Field(True, description="Search paragraphs; false: openings of sections and outlines of documents, too.")
    metadata_filter_key: str | None = Field(None, max_length=200, description="A field of the documents' metadata …")
    metadata_filter_values: list[str] = Field([], max_length=100, description="… and the values that it may have; [] = any.")
    top_k: int = Field(100, ge=1, le=1000, description="Passages that are looked at; those that fit are shown to the model.")
    temperature: float | None = Field(None, ge=0, le=2, description="Spread of the wording; by default 0.2.")
    is_test: bool = Field(False, description="True: nothing is stored, nothing counted.")


class VisionRequest(QueryRequest):
    images: list[Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ADDRESS)]] = Field(
        min_length=1, max_length=20, description="PNG, JPEG, WebP or GIF: public http(s) addresses, or data: URIs."
    )


class TokenCount(BaseModel):
    tokens: int


class Told(BaseModel, defer_build=True):
    """What is going on: a step, a note for those who look for faults, or what the model thinks aloud."""

    type: Literal["step", "debug", "think"]
    id: str
    content: str


class Reference(BaseModel, defer_build=True):
    index: int = Field(description="The number by which the answer's source was named, from 1.")
    p_id: str
    file_name: str
    page: int | None
    score: float
    context: str
    metadatas: dict[str, Any]


class QueryDone(BaseModel, defer_build=True):
    type: Literal["done"]
    search_type: Mode
    final_response: str
    usage: TokensUsed
    references: list[Reference]
    nearest: list[Reference] = Field(description="Where no passage answers: those that came nearest.")
    warnings: list[str] = Field(description="What the checks of the answer found, such as `unsupported`; [] = nothing.")
    trace_id: str
    degraded: bool
    vectors_pending: bool = Field(description="True: vectors of passages that you may read are still being made.")
    persisted: bool


class QueryError(BaseModel, defer_build=True):
    """The last message of a turn that failed, and the body where it failed before anything was sent."""

    type: Literal["error"]
    content: str
    detail: str
    final_response: str
    usage: TokensUsed


class QueryEvent(RootModel[Any], defer_build=True):
    """A message of a `/v2` stream."""

    root: Annotated[Told | TokenEvent | QueryDone | QueryError, Field(discriminator="type")]
