"""Request bodies and stream messages of `/v2`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, RootModel, StringConstraints

from footnote.types import Mode, Tier
from footnote_query.framing import ProgressEvent, StreamError
from footnote_query.replies import TIER, WARNINGS, TokenEvent, TokensUsed, VerdictBody
from footnote_query.tools import ORGANISATION

LONGEST_ADDRESS = 64 * 2**20
"""Maximum length of an image URL in characters; for the image size see VISION__MAX_IMAGE_MB."""


class QueryRequest(BaseModel):
    """A question to `/v2`."""

    collection_name: str | None = Field(None, min_length=1, description="The collection. Default: the configured one.")
    query: str = Field(description="The question.")
    room_id: str | None = Field(None, max_length=200, description="The conversation. Without one the question has no history.")
    user_id: str | None = Field(
        None, min_length=1, max_length=200, description="The user. With sign-in enabled it must be the signed-in user."
    )
    search_type: Mode | None = Field(None, description="The mode of this route; any other value is rejected.")
    mcp_org: str = Field(ORGANISATION, max_length=200, description="The organisation whose tools may be used.")
    use_paragraph: bool = Field(True, description="True: search paragraphs only. False: also section openings and document outlines.")
    metadata_filter_key: str | None = Field(None, max_length=200, description="A metadata field to filter by.")
    metadata_filter_values: list[str] = Field([], max_length=100, description="Accepted values of that field; [] = any.")
    top_k: int = Field(100, ge=1, le=1000, description="Passages to retrieve; the model sees the best that fit its context.")
    temperature: float | None = Field(None, ge=0, le=2, description="Sampling temperature. Default: 0.2.")
    is_test: bool = Field(False, description="True: the turn is neither stored nor counted.")


class VisionRequest(QueryRequest):
    """A question about images."""

    images: list[Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ADDRESS)]] = Field(
        min_length=1, max_length=20, description="PNG, JPEG, WebP or GIF: public http(s) URLs or data: URIs."
    )


class TokenCount(BaseModel):
    """Tokens used by a conversation."""

    tokens: int


class Reference(BaseModel, defer_build=True):
    """A cited passage."""

    index: int = Field(description="The citation's number in the answer, from 1.")
    p_id: str
    file_name: str
    page: int | None
    score: float
    context: str
    metadatas: dict[str, Any]


class QueryDone(BaseModel, defer_build=True):
    """The last message of a turn that succeeded."""

    type: Literal["done"]
    search_type: Mode
    final_response: str
    tier: Tier = Field(description=TIER)
    verdict: VerdictBody | None = Field(description="Why; null if a language model wrote the answer, or it is taken from a FAQ.")
    usage: TokensUsed
    references: list[Reference] = Field(description="The passages that the answer cites.")
    nearest: list[Reference] = Field(description="Where there is no answer, the closest passages, if any is close; else [].")
    warnings: list[str] = Field(description=WARNINGS)
    trace_id: str
    degraded: bool
    vectors_pending: bool = Field(description="True: some passages that you may read have no vector yet.")
    persisted: bool


class QueryError(StreamError, defer_build=True):
    """The last message of a turn that failed, or the response body if it failed before the stream began."""


class QueryEvent(RootModel[Any], defer_build=True):
    """A message of a `/v2` stream."""

    root: Annotated[ProgressEvent | TokenEvent | QueryDone | QueryError, Field(discriminator="type")]
