"""`POST /ingest/confluence`: a page of Confluence and its attachments become documents."""

from __future__ import annotations

from pydantic import BaseModel, Field

from footnote.errors import BadRequest
from footnote.guard.audit import audit
from footnote.ingest.wiki import NOT_CONFIGURED
from footnote.types import Document
from footnote_http.callers import KEYED, AskerOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.routes import Router
from footnote_ingest.bodies import DocumentBody, body_of

router = Router("Documents")

FAILURES = problems({404: "There is no such page, or the caller may not read it", 503: "Confluence cannot be read"})


class ConfluenceRequest(BaseModel):
    """A page or blog post of Confluence."""

    base_url: str = Field(max_length=1000, description="The address of Confluence. It has to be the configured one.")
    page_id: str = Field(pattern="^[0-9]{1,19}$", description="The `pageId` in the page's address.")
    index_name: str = Field(description="The collection.")


class FailedAttachment(BaseModel):
    """An attachment that Confluence did not deliver. Send the request again later; what is known of it stays as it is."""

    file_name: str
    reason: str


class ConfluenceDocuments(BaseModel):
    """The documents of a page."""

    page: DocumentBody | None = Field(description="null: the page was added by an admin who may not read it.")
    attachments: list[DocumentBody]
    skipped: list[str] = Field(description="File names of attachments that hold no text: pictures, recordings and diagrams.")
    failed: list[FailedAttachment]


@router.post("/ingest/confluence", name="ingest_confluence", status_code=202, responses=FAILURES, dependencies=KEYED)
async def ingest_confluence(request: ConfluenceRequest, caller: AskerOf, core: CoreOf) -> ConfluenceDocuments:
    """Adds a page of Confluence and its attachments, for those who may read it there. They can be searched when they are READY.

    Send the request again to bring them up to date: unchanged ones stay as they are, a page that became restricted is narrowed
    at once, and what no longer exists in Confluence is deleted."""
    if core.wiki_pages is None:
        raise BadRequest(NOT_CONFIGURED)

    async def note(document: Document) -> None:
        await audit(core.records, caller, "document.delete", document.doc_id, now=core.clock(), collection=document.collection)

    added = await core.wiki_pages.add(caller, request.base_url, request.page_id, request.index_name, note=note)
    page = None if added.page is None else body_of(await core.collections.shown(added.page))
    failed = [FailedAttachment(file_name=attachment.file_name, reason=reason) for attachment, reason in added.failed]
    attachments = [body_of(await core.collections.shown(each)) for each in added.attachments.values()]
    return ConfluenceDocuments(page=page, attachments=attachments, skipped=list(added.skipped), failed=failed)
