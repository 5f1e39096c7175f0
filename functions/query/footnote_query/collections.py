"""`/collections`: the collections that a caller may search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from footnote.collections import RESTORABLE_S
from footnote.errors import Forbidden
from footnote.types import SYSTEM, Caller, Collection, StoredName
from footnote_http.callers import CallerOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.routes import Router

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Asking")


class CollectionBody(BaseModel):
    """A collection with suggested questions."""

    name: str
    documents: int
    reading: int = Field(0, description="Documents that are still being read, besides those that can be searched.")
    questions: list[str] = Field(description="Up to three questions that its documents answer, in the documents' languages.")
    voices: bool = Field(False, description="Whether it holds voices of customers: tickets, reviews, mails.")
    graph: bool = Field(False, description="Whether it builds a graph of its passages: see `/collections/{collection}/graph`.")
    title: str = Field("", description="With `all`.")
    state: Literal["ACTIVE", "DELETED"] = "ACTIVE"
    restorable_until: float | None = Field(None, description="DELETED: until when it can be restored.")


class CollectionList(BaseModel):
    """All collections with documents that the caller may read."""

    data: list[CollectionBody]
    may_manage: bool = Field(False, description="Whether the caller may create, change and delete collections.")


Lang = Annotated[str | None, Query(max_length=35, description="Questions in this language come first: `en`, `de` or `ko`.")]


All = Annotated[
    bool, Query(description="For admins: all collections with all documents counted, also empty ones and deleted ones, without questions.")
]


@router.get("/collections", name="list_collections", responses=problems({403: "`all`, and the caller is not an admin"}))
async def collections(caller: CallerOf, core: CoreOf, lang: Lang = None, all: All = False) -> CollectionList:
    """Lists the collections with documents that the caller may read, each with up to three suggested questions."""
    if all:
        if caller.role != "admin":
            raise Forbidden("Only admins may list all collections.")
        return CollectionList(data=await list_all(core), may_manage=True)
    voices = set(await core.voices.collections(caller))
    recorded = (await core.collections.directory()).collections.values()
    graphs = {each.name for each in recorded if each.deleted_at is None and "graph" in each.settings.knowledge}
    listed = await core.list_collections(caller, lang)
    data = [{**each, "voices": each["name"] in voices, "graph": each["name"] in graphs} for each in listed]
    return CollectionList.model_validate({"data": data, "may_manage": caller.role == "admin"})


async def has_collection(name: str, caller: Caller, core: Core) -> bool:
    """Whether it contains a document that the caller may read, or is the default collection."""
    stored = await core.collections.resolve(name)
    return name == core.settings.index_name or await core.collections.name_of(stored) in await core.ledger.collections(caller)


async def list_all(core: Core) -> list[CollectionBody]:
    """All collections by name, deleted ones last."""
    directory, counts = await core.collections.load(), await core.ledger.collections(SYSTEM)
    collections = dict(directory.collections)
    for stored in counts:
        collections.setdefault(stored, Collection(StoredName(stored), stored))
    rows = [
        CollectionBody(
            name=collection.name,
            documents=counts.get(collection.stored, 0),
            questions=[],
            title=collection.title,
            state=state_of(collection),
            restorable_until=restorable_until(core, collection),
        )
        for collection in collections.values()
    ]
    return sorted(rows, key=lambda row: (row.state, row.name))


def state_of(collection: Collection) -> Literal["ACTIVE", "DELETED"]:
    """The state as the API shows it."""
    return "ACTIVE" if collection.deleted_at is None else "DELETED"


def restorable_until(core: Core, collection: Collection) -> float | None:
    """The time until which a deleted collection can be restored; None if it is not deleted, or it is too late."""
    if collection.deleted_at is None or core.collections.is_due(collection):
        return None
    return collection.deleted_at + RESTORABLE_S
