"""`/feedback/weights`, for admins: what feedback has taught about documents and fields, and how to forget it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from footnote.errors import NotFound
from footnote.guard.audit import audit
from footnote.learn.feedback_weights import DocumentWeight, load_weights
from footnote.learn.weigh import reset_weights
from footnote.ports import Record, read_all
from footnote.types import Caller

if TYPE_CHECKING:
    from footnote.bootstrap import Core

PAGE = 200


class WeightBody(BaseModel):
    """A factor on the scores of passages, and what it is learned from."""

    weight: float = Field(description="0.9 to 1.1; 1 = neither better nor worse than other answers.")
    users: int = Field(description="Number of users whose ratings it is made from.")
    positive_rate: float = Field(description="Mean of these users' shares of thumbs up, 0 to 1.")


class FieldWeight(WeightBody):
    """The weight of the question's terms in a field of a passage."""

    field: Literal["title", "headings", "text"]


class DocumentWeightBody(WeightBody):
    """The weight of a document."""

    doc_id: str
    title: str
    is_current: bool = Field(description="False: the document or its readers have changed since, and it is not weighted.")


class CollectionWeights(BaseModel):
    """The weights of a collection, the strongest first."""

    collection: str
    changed_at: float
    reset_at: float | None = Field(description="Feedback that was given before does not count; null = all of the last 90 days does.")
    fields: list[FieldWeight]
    documents: list[DocumentWeightBody] = Field(description="Only those that you may read.")


class WeightsBody(BaseModel):
    """What feedback has taught."""

    is_on: bool = Field(
        description="Whether `RAG__SWITCHED_ON` names `feedback_weights`. Otherwise only requests and experiments use them."
    )
    data: list[CollectionWeights] = Field(description="By collection.")


async def read_weights(core: Core, admin: Caller, collection: str | None) -> WeightsBody:
    """The weights of a collection; None = of all."""
    directory = await core.collections.directory()
    records = await read_all(lambda after: core.records.list("weights", limit=PAGE, after=after))
    wanted = None if collection is None else directory.resolve(collection)
    shown = [record for record in records if record.key not in directory.deleted and wanted in (None, record.key)]
    bodies = [await _body(core, admin, directory.name_of(record.key), record) for record in shown]
    return WeightsBody(is_on="feedback_weights" in core.settings.rag.switched_on, data=sorted(bodies, key=lambda body: body.collection))


async def reset(core: Core, admin: Caller, collection: str) -> None:
    """Drops the weights of a collection; feedback given until now does not count any more. NotFound if there are none."""
    stored = await core.collections.resolve(collection)
    if await core.records.get("weights", stored) is None:
        raise NotFound("Nothing has been learned from the feedback on this collection yet.")
    now = core.clock()
    await audit(core.records, admin, "weights.reset", collection, now=now)
    await reset_weights(stored, records=core.records, by=admin.user_id, now=now)


async def _body(core: Core, admin: Caller, name: str, record: Record) -> CollectionWeights:
    weights = load_weights(record)
    documents = [await _document(core, admin, doc_id, weight) for doc_id, weight in weights.documents.items()]
    fields = [
        FieldWeight(field=name, weight=each.value, users=each.users, positive_rate=each.positive_rate)
        for name, each in weights.fields.items()
    ]
    return CollectionWeights(
        collection=name,
        changed_at=record.changed_at,
        reset_at=weights.reset_at or None,
        fields=fields,
        documents=sorted((each for each in documents if each), key=lambda each: (-abs(each.weight - 1), each.doc_id)),
    )


async def _document(core: Core, admin: Caller, doc_id: str, weight: DocumentWeight) -> DocumentWeightBody | None:
    """None if the admin may not read the document, or it is gone."""
    try:
        document = await core.ledger.get(admin, doc_id)
    except NotFound:
        return None
    is_current = document.active_generation == weight.generation and document.permission_groups == frozenset(weight.readers)
    return DocumentWeightBody(
        doc_id=doc_id,
        title=document.title,
        is_current=is_current,
        weight=weight.value,
        users=weight.users,
        positive_rate=weight.positive_rate,
    )
