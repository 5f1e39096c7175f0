"""`/collections`: the collections that a caller may search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import Query
from pydantic import BaseModel, Field

from footnote.types import Caller
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.routes import Router

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Asking")


class CollectionBody(BaseModel):
    """A collection with suggested questions."""

    name: str
    documents: int
    questions: list[str] = Field(description="Up to three questions that its documents answer, in the documents' languages.")


class CollectionList(BaseModel):
    """All collections with documents that the caller may read."""

    data: list[CollectionBody]


Lang = Annotated[str | None, Query(max_length=35, description="Questions in this language come first: `en`, `de` or `ko`.")]


@router.get("/collections", name="list_collections")
async def collections(caller: CallerOf, core: CoreOf, lang: Lang = None) -> CollectionList:
    """Lists the collections with documents that the caller may read, each with up to three suggested questions."""
    return CollectionList.model_validate({"data": await core.collections(caller, lang)})


async def has_collection(name: str, caller: Caller, core: Core) -> bool:
    """Whether it contains a document that the caller may read, or is the default collection."""
    return name == core.settings.index_name or name in await core.ledger.collections(caller)
