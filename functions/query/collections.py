"""Which collections a caller may ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from footnote.types import Caller

if TYPE_CHECKING:
    from footnote.bootstrap import Core


class CollectionBody(BaseModel):
    name: str
    documents: int
    questions: list[str] = Field(description="Up to three that its documents answer.")


class CollectionList(BaseModel):
    data: list[CollectionBody]


async def has_collection(name: str, caller: Caller, core: Core) -> bool:
    """Whether it holds a document that the caller may read, or is the one of callers that name none."""
    return name == core.settings.index_name or name in await core.ledger.collections(caller)
