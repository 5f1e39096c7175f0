"""The app of the ingest function: HTTP routes for documents, and batches of S3 events from the queue."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Self

from fastapi import FastAPI, File, Form, Response, UploadFile
from fastapi.responses import RedirectResponse
from pydantic import BaseModel, Field, Json, StringConstraints, model_validator

from footnote.collections.attachments import CONVERSATION, arrived
from footnote.errors import TooLarge
from footnote.ingest.accept import check_file_name, check_metadata, check_size
from footnote.ingest.collections import open_collection
from footnote.ingest.vectors import total_progress
from footnote.types import ATTACHED, Caller, Document, Page
from footnote_http.app import Limit, make_app
from footnote_http.callers import KEYED, AdminOf, CallerOf, CoreOf, made_core
from footnote_http.health import add_health
from footnote_http.lambda_handler import Handler, http_handler
from footnote_http.openapi import problems
from footnote_http.routes import Router
from footnote_http.scheduled import once
from footnote_http.start import observed, start
from footnote_ingest import changes, confluence, insert
from footnote_ingest.bodies import DescriptionsBody, DocumentBody, DocumentPage, RetriedBody, StatusBody, UploadTarget, body_of
from footnote_ingest.content import (
    CONTENT,
    DESCRIPTION,
    AsView,
    BoundsOf,
    Content,
    Save,
    Source,
    as_file,
    as_source,
    file_headers,
    read_bounds,
)
from footnote_ingest.uploads import VALID_S, Upload, sign, verify

if TYPE_CHECKING:
    from footnote.bootstrap import Core

MOST_DIRECT = 4 * 2**20
"""Maximum bytes of a file that passes through the function in AWS, where payloads are limited to 6 MB in base64."""

MOST_RETRIED = 1000
METADATA = "Fields to filter by: strings, numbers, booleans, or lists of them. Default: unchanged."
ADMINS = problems({403: "The caller is not an admin"})
GONE = problems({404: "The caller has no such document"})


class UploadRequest(BaseModel):
    """A file to be uploaded."""

    file_name: str = Field(min_length=1, max_length=1000)
    size: int = Field(ge=0, le=2**53, description="Bytes.")
    index_name: str | None = Field(None, description="The collection. Default: the configured one.")
    permission_groups: list[str] = []
    metadata: dict[str, Any] | None = Field(None, description=METADATA)
    room_id: Annotated[str, StringConstraints(min_length=1, max_length=200)] | None = Field(
        None,
        description="The conversation that the file is attached to: only its questions find it, and only the caller can read it. It takes"
        " no index_name, permission_groups or metadata.",
    )

    @model_validator(mode="after")
    def check_attached(self) -> Self:
        """ValueError for an attachment with a collection, readers or metadata."""
        if self.room_id is not None and (self.index_name or self.permission_groups or self.metadata):
            raise ValueError("a file that is attached to a conversation takes no index_name, permission_groups or metadata")
        return self


router = Router("Documents")


@router.post("/uploads", name="request_upload", status_code=201)
async def upload_target(request: UploadRequest, caller: CallerOf, core: CoreOf) -> UploadTarget:
    """Returns a signed form for uploading a file, valid for 15 minutes."""
    limits = core.settings.ingest
    check_size(request.size, limits.max_file_mb)
    name = check_file_name(request.file_name)
    wanted = ATTACHED if request.room_id else request.index_name or core.settings.index_name
    collection = await open_collection(core.collections, caller, wanted)
    readers = [f"user:{caller.user_id}"] if request.room_id else request.permission_groups
    groups = await core.ingestor.check_groups(caller, collection, readers)
    metadata = check_metadata(request.metadata)
    doc_id = await core.lifecycle.reserve(caller, file_name=name, collection=collection, permission_groups=groups)
    if request.room_id is not None:
        metadata = {CONVERSATION: await core.collections.attachments.add(caller.user_id, request.room_id, doc_id)}
    if core.uploads is not None:
        form = await core.bucket.announce(
            doc_id, file_name=name, collection=wanted, permission_groups=groups, metadata=metadata, owner=caller.owner
        )
        return UploadTarget(url=form.url, fields=dict(form.fields), doc_id=doc_id)
    until = core.clock() + VALID_S
    upload = Upload(doc_id, name, wanted, sorted(groups), metadata, caller.user_id, limits.max_file_mb * 2**20, until)
    return UploadTarget(url="/uploads/form", fields=sign(upload, core.signing_key), doc_id=doc_id)


@router.post(
    "/uploads/form",
    name="send_upload",
    status_code=204,
    responses=GONE | problems({403: "The form was changed, belongs to another user, or has expired"}),
)
async def upload_form(
    policy: Annotated[str, Form()],
    signature: Annotated[str, Form(alias="x-amz-signature")],
    file: Annotated[UploadFile, File()],
    caller: CallerOf,
    core: CoreOf,
) -> Response:
    """Accepts the file of a signed form."""
    upload = verify(policy, signature, core.signing_key, caller.user_id, core.clock())
    data = await _read(file, upload.max_bytes)
    await core.ingestor.accept(
        caller,
        data,
        file_name=upload.file_name,
        collection=upload.collection,
        permission_groups=upload.permission_groups,
        doc_id=upload.doc_id,
        metadata=upload.metadata,
    )
    return Response(status_code=204)


@router.post("/ingest/file", name="ingest_file", status_code=202, dependencies=KEYED)
async def ingest_file(
    file: Annotated[UploadFile, File()],
    index_name: Annotated[str, Form()],
    caller: CallerOf,
    core: CoreOf,
    permission_groups: Annotated[list[str] | None, Form()] = None,
    metadata: Annotated[Json[dict[str, Any]] | None, Form(description=f"{METADATA} A JSON object.")] = None,
) -> DocumentBody:
    """Accepts a file. It can be searched when its state is READY."""
    data = await _read(file, core.settings.ingest.max_file_mb * 2**20)
    if core.uploads is not None and len(data) > MOST_DIRECT:
        raise TooLarge("Files above 4 MB must be uploaded to the bucket. Request an upload form with `POST /uploads`.")
    document = await core.ingestor.accept(
        caller,
        data,
        file_name=file.filename or "",
        collection=index_name,
        permission_groups=permission_groups or [],
        metadata=metadata,
    )
    return body_of(await core.collections.shown(document))


@router.get("/documents", name="list_documents", responses=GONE)
async def documents(
    caller: CallerOf,
    core: CoreOf,
    collection: str | None = None,
    limit: Limit = 50,
    after: str | None = None,
    room_id: str | None = None,
    deleted: bool = False,
) -> DocumentPage:
    """Lists the documents that the caller may read, newest first; with `room_id`, the files attached to this conversation, all of
    them, the first one first; with `deleted`, those that were deleted within the last hour and can be restored, last deleted first."""
    if room_id is not None:
        return DocumentPage(data=[body_of(each) for each in await _attached(core, caller, room_id)], has_more=False, last_id=None)
    read = core.ledger.deleted if deleted else core.ledger.list
    page: Page[Document] = await read(caller, collection=collection, limit=limit, after=after)
    return DocumentPage.of(page, partial(body_of, restorable=deleted))


@router.get("/documents/{doc_id}", name="get_document", responses=GONE)
async def document(doc_id: str, caller: CallerOf, core: CoreOf) -> DocumentBody:
    """Returns a document, and for admins the progress of all vectors."""
    found = await core.ledger.get(caller, doc_id)
    vectors = await _vectors(core) if caller.sees_all or caller.role == "admin" else None
    return body_of(found, vectors, await core.sources.description(caller, found))


@router.get("/ingest/status", name="ingest_status", responses=ADMINS)
async def status(admin: AdminOf, core: CoreOf) -> StatusBody:
    """Returns how many documents are in which state, how many jobs and passages without vectors wait, the progress of all vectors,
    how far the model's descriptions are, with what they cost today and its limits, and how many documents of an earlier version are still
    to be made again. For admins."""
    from footnote.bootstrap.health import outdated

    asked = core.lifecycle.counts(), core.queue.size(), _vectors(core), core.descriptions.status(), outdated(core)
    counts, jobs, vectors, descriptions, left = await asyncio.gather(*asked)
    return StatusBody(
        documents=counts,
        waiting=jobs + (vectors["total"] - vectors["done"] if vectors else 0),
        vectors=vectors,
        descriptions=DescriptionsBody.model_validate(descriptions, from_attributes=True),
        outdated=left,
    )


async def content(
    doc_id: str,
    caller: CallerOf,
    core: CoreOf,
    view: AsView = "original",
    save: Save = False,
    chunk_id: str | None = None,
    bounds: BoundsOf = None,
) -> Response | Source:
    if view == "original":
        if address := await core.sources.link(caller, doc_id, MOST_DIRECT, partial(file_headers, save=save)):
            return RedirectResponse(address, 307, {"cache-control": "no-store"})
        return as_file(*await core.sources.original(caller, doc_id), save=save)
    found, parsed = await core.sources.text(caller, doc_id)
    passage = await core.sources.passage(caller, found, parsed, chunk_id, read_bounds(bounds or ())) if chunk_id else None
    return as_source(found, parsed, view, passage)


router.add_api_route(
    "/documents/{doc_id}/content",
    content,
    methods=["GET"],
    name="get_content",
    response_model=None,
    description=DESCRIPTION,
    responses=GONE | CONTENT,
    route_class_override=Content,
)


@router.post("/documents/{doc_id}/retry", name="retry_document", status_code=202, responses=GONE)
async def retry(doc_id: str, caller: CallerOf, core: CoreOf) -> DocumentBody:
    """Processes a FAILED document again."""
    return body_of(await core.ingestor.retry(caller, doc_id))


@router.post("/documents/retry", name="retry_failed_documents", status_code=202, responses=ADMINS)
async def retry_failed(admin: AdminOf, core: CoreOf) -> RetriedBody:
    """Processes FAILED documents of all collections again, at most 1,000 at once. For admins."""
    return RetriedBody(count=await core.ingestor.retry_failed(MOST_RETRIED))


def create_app(core: Callable[[], Core] | None = None) -> FastAPI:
    """The app. `core`: by default the process's shared Core."""
    app = make_app("Footnote: ingest", core)
    add_health(app, "ingest")
    router.add_to(app)
    changes.router.add_to(app)
    insert.router.add_to(app)
    app.state.remedies["/insert-doc"] = " Send a longer document as a file, with POST /ingest/file."
    confluence.router.add_to(app)
    return app


async def _attached(core: Core, caller: Caller, room_id: str) -> list[Document]:
    """The documents attached to the caller's conversation, without those that have not arrived yet."""
    return await arrived(core.ledger, caller, await core.collections.attachments.of(caller.user_id, room_id))


async def _vectors(core: Core) -> dict[str, int] | None:
    """The progress of all vectors; None without an embedder."""
    if not core.embedders.all:
        return None
    done, total = await total_progress(core.vectors, core.embedders)
    return {"done": done, "total": total}


async def _read(file: UploadFile, most: int) -> bytes:
    """The file's bytes; TooLarge if there are more than `most`."""
    data = await file.read(most + 1)
    if len(data) > most:
        raise TooLarge(f"The file is larger than {most // 2**20} MB. Split it, or raise INGEST__MAX_FILE_MB.")
    return data


def create_handler(app: FastAPI) -> Handler:
    """The Lambda handler: batches of S3 events from the queue, scheduled events, else HTTP."""
    http = http_handler(app)

    def handle(event: dict[str, Any], context: Any) -> Any:
        if event.get("source") == "footnote.sync":
            from footnote_ingest.source_schedule import run_sources

            core = made_core(app)
            return once(event, context, partial(run_sources, event, core), name="sync", table=core.settings.aws.cache_table)
        if event.get("source") == "footnote.describe":
            from footnote_ingest.describing_schedule import run_descriptions

            return run_descriptions(made_core(app), lambda: float(context.get_remaining_time_in_millis()) / 1000)
        if event.get("detail-type") == "Scheduled Event":
            from footnote_ingest.schedule import run_schedule

            core = made_core(app)
            return once(event, context, partial(run_schedule, event, core), name="verify", table=core.settings.aws.cache_table)
        if "Records" not in event:
            return http(event, context)
        from footnote_ingest.drops import handle_batch

        return handle_batch(event, context, app.state.core())

    return handle


app = start(create_app(), "ingest")
handler = observed(create_handler(app), "ingest")
