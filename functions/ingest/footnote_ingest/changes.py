"""What may be done with a document that is there: delete it, and for an hour restore it; for admins, change its readers or move it.

Every change is in the audit log before it is made.
"""

from __future__ import annotations

from contextlib import suppress

from pydantic import BaseModel, Field

from footnote.errors import NotFound
from footnote.guard.audit import audit
from footnote.ingest.moving import move
from footnote.ingest.restoring import restore
from footnote.types import ATTACHED
from footnote_http.callers import AdminOf, CallerOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.routes import Router
from footnote_ingest.bodies import DocumentBody, body_of


class DocumentChange(BaseModel):
    """What is to be changed; null = unchanged."""

    permission_groups: list[str] | None = Field(None, min_length=1, max_length=50, description="Who can read it from now on.")
    collection: str | None = Field(None, max_length=64, description="The collection to which it is moved.")


router = Router("Documents", responses=problems({404: "The caller has no such document"}))


@router.delete("/documents/{doc_id}", name="delete_document")
async def delete_document(doc_id: str, caller: CallerOf, core: CoreOf) -> DocumentBody:
    """Deletes a document. It is in no answer after this returns. It can be restored for an hour; then its file is removed, within a day.
    A file that is attached to a conversation is removed at once."""
    there = None
    with suppress(NotFound):  # an interrupted deletion is in the audit log already
        there = await core.ledger.get(caller, doc_id)
        await audit(core.records, caller, "document.delete", there.doc_id, now=core.clock(), collection=there.collection)
    keep = there is None or there.collection != ATTACHED
    deleted = await core.ingestor.delete(caller, doc_id, keep=keep)
    await core.collections.attachments.forget_document(deleted)
    if there is None and any(each.doc_id == deleted.doc_id for each in await core.lifecycle.of_kind("kept")):
        raise NotFound("There is no such document.")  # deleted before
    return body_of(await core.collections.shown(deleted), restorable=keep)


@router.post(
    "/documents/{deleted_doc_id}/restore",
    name="restore_document",
    status_code=202,
    responses=problems({409: "The same file was added again meanwhile"}),
)
async def restore_document(deleted_doc_id: str, caller: CallerOf, core: CoreOf) -> DocumentBody:
    """Restores a document that was deleted within the last hour, with the readers that it had. It is read again from its file, and is
    found when its state is READY."""
    with suppress(NotFound):  # restored already, or there is none
        gone = await core.ledger.find_deleted(caller, deleted_doc_id)
        await audit(core.records, caller, "document.restore", gone.doc_id, now=core.clock(), collection=gone.collection)
    return body_of(await core.collections.shown(await restore(core.ingestor, caller, deleted_doc_id)))


@router.patch(
    "/documents/{doc_id}",
    name="change_document",
    status_code=202,
    responses=problems({403: "The caller is not an admin", 409: "The document comes from a source, or is being changed"}),
)
async def change_document(doc_id: str, body: DocumentChange, admin: AdminOf, core: CoreOf) -> DocumentBody:
    """Changes who can read a document, or moves it to another collection. Whoever may not read it any more does not from now on. It is
    read again from its file, and is found when its state is READY. For admins who may read it."""
    there = await core.ledger.get(admin, doc_id)
    facts = body.model_dump(exclude_none=True)
    await audit(core.records, admin, "document.set", there.doc_id, now=core.clock(), **facts)
    changed = await move(core.ingestor, admin, doc_id, collection=body.collection, permission_groups=body.permission_groups)
    return body_of(await core.collections.shown(changed))
