"""Documents as the API shows them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from footnote.types import RESTORABLE_S, Document
from footnote_http.pages import PageBody


class DocumentBody(BaseModel):
    """A document and its state."""

    doc_id: str
    title: str
    file_name: str
    collection: str
    state: str
    reason: str | None
    remedy: str | None
    pages: int | None
    chunks: int
    size: int
    lang: str | None
    format: str = Field(description='Detected format, e.g. "pdf"; "" = not processed yet.')
    permission_groups: list[str]
    owner: str = Field(description='The user who added it; "" = a sync, a bucket, or where nobody signs in.')
    metadata: dict[str, Any]
    created_at: float
    updated_at: float
    additional_field: str | None = Field(
        None, description="`summary=… | topics=a,b | lang=en | pii=false | type=pdf`, as given or made of the text. Lists leave it out."
    )
    restorable_until: float | None = Field(None, description="DELETED: until when it can be restored.")
    vectors: dict[str, int] | None = Field(None, description="Existing and required vectors of all documents, for admins.")


class RetriedBody(BaseModel):
    """What is processed again."""

    count: int = Field(description="Documents that were FAILED and are queued again.")


class DescriptionsBody(BaseModel):
    """How far the model's descriptions of documents are. What was spent is of today (UTC); a limit of 0 is none."""

    state: Literal["off", "done", "waiting", "pause", "slow", "time", "budget"] = Field(
        description="off: no model is to describe documents. done: none waits for it. waiting: some do; they are described when nobody"
        " asks and no file is read. Else why none is: pause = the model fails, and is tried again within five minutes; until 0:00 UTC:"
        " slow = its calls take too long, time or budget = the day's are used up."
    )
    waiting: int = Field(description="READY documents, described by patterns, that wait for the model; 1,000 at most.")
    seconds: float | None = Field(description="Of the model's last calls on average; null = unknown.")
    minutes: float
    minutes_limit: float
    tokens: int
    tokens_limit: int
    money: float = Field(description="In the currency of the prices.")
    money_limit: float


class StatusBody(BaseModel):
    """The state of ingest as a whole."""

    documents: dict[str, int] = Field(description="State → number of documents of all collections, for users of all groups.")
    waiting: int = Field(description="Jobs in the queue, and passages that have no vectors yet.")
    vectors: dict[str, int] | None = Field(description="`done` of `total` passages have their vectors; null = without embeddings.")
    descriptions: DescriptionsBody
    outdated: int = Field(description="Documents of an earlier version that are still to be made again; they answer meanwhile.")


class DocumentPage(PageBody):
    """A page of documents."""

    data: list[DocumentBody]


def body_of(
    document: Document, vectors: dict[str, int] | None = None, additional_field: str | None = None, *, restorable: bool = False
) -> DocumentBody:
    """The document as the API shows it. `vectors`: as in `DocumentBody`. `restorable`: it was deleted and can be restored."""
    return DocumentBody(
        doc_id=document.doc_id,
        title=document.title,
        file_name=document.file_name,
        collection=document.collection,
        state=document.state,
        reason=document.reason,
        remedy=document.remedy,
        pages=document.pages,
        chunks=document.chunks,
        size=document.size,
        lang=document.lang,
        format=document.format,
        permission_groups=sorted(document.permission_groups),
        owner=document.owner,
        metadata=dict(document.metadata),
        created_at=document.created_at,
        updated_at=document.updated_at,
        additional_field=additional_field,
        restorable_until=document.updated_at + RESTORABLE_S if restorable else None,
        vectors=vectors,
    )


class UploadTarget(BaseModel):
    """Where to upload: POST `fields`, then the file as `file`, to `url` as multipart/form-data."""

    url: str
    fields: dict[str, str]
    doc_id: str
