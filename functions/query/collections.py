"""Which collections a caller may ask."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from footnote.types import Caller
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.routes import Router

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Asking")


class CollectionBody(BaseModel):
    name: str
    documents: int
    questions: list[str] = Field(description="Up to three that its documents answer.")


class CollectionList(BaseModel):
    data: list[CollectionBody]


@router.get("/collections", name="list_collections")
async def collections(caller: CallerOf, core: CoreOf) -> CollectionList:
    """What may be asked: the indexes with something in them, and three questions on each."""
    return CollectionList.model_validate({"data": await core.collections(caller)})


async def has_collection(name: str, caller: Caller, core: Core) -> bool:
    """Whether it holds a document that the caller may read, or is the one of callers that name none."""
    return name == core.settings.index_name or name in await core.ledger.collections(caller)
