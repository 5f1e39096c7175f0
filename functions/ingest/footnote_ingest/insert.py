"""`POST /insert-doc`: a document's text as JSON, in one flat object. `GET /ingest/jobs/{job_id}`: the state of what was accepted."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from fastapi import Response
from pydantic import AfterValidator, BaseModel, Field, model_validator

from footnote.errors import BadRequest, NotFound
from footnote.guard.audit import audit
from footnote.ingest.collections import open_collection
from footnote.ingest.fixed_size import FixedSize
from footnote.ingest.inserted import HASHED_AS, Inserted, check_chosen_id, pack_inserted
from footnote.types import Caller, Document
from footnote_http.callers import KEYED, CallerOf, CoreOf
from footnote_http.openapi import Responses, problems
from footnote_http.routes import Router

if TYPE_CHECKING:
    from footnote.bootstrap import Core

router = Router("Documents")

WAIT_S = 10.0
"""How long `/insert-doc` waits until the document can be found; the worker goes on after that."""
POLL_S = 0.1
FOREIGN = problems(
    {
        403: "The caller may not write to a group of the document",
        404: "The document with this id belongs to others",
        409: "The document with this id was made from a file, or is in another index",
    }
)


def _check_time(text: str) -> str:
    try:
        datetime.fromisoformat(text)
    except ValueError as exc:
        raise ValueError("use ISO 8601, for example 2025-05-29T17:02:54.917+09:00") from exc
    return text


class ChunkFactor(BaseModel):
    """How the content is cut into passages."""

    logic: Literal["fixed_size"] = "fixed_size"
    chunk_size: int = Field(1024, ge=64, le=8192, description="Maximum characters of a passage.")
    chunk_overlap: int = Field(
        128, ge=0, description="Characters that a passage may repeat of the one before; at most half of its size, also by default."
    )
    separator: str = Field(" ", max_length=20, description='Passages end before it if they can; "" = anywhere.')

    @model_validator(mode="after")
    def check_overlap(self) -> Self:
        """ValueError for an overlap above half of the size; one that was not sent is at most that."""
        if "chunk_overlap" not in self.model_fields_set:
            self.chunk_overlap = min(self.chunk_overlap, self.chunk_size // 2)
        if 2 * self.chunk_overlap > self.chunk_size:
            raise ValueError("chunk_overlap must be at most half of chunk_size")
        return self


class InsertedData(BaseModel, extra="allow"):
    """The document. All other fields are kept as metadata: strings, numbers, booleans, or lists of them."""

    doc_id: str = Field(description="Letters (a–z), digits, dots, dashes and underscores. An existing document is replaced.")
    title: str = Field("", max_length=500, description="Default: the doc_id.")
    content: str = Field(pattern=r"\S")
    permission_groups: list[str] = Field([], description="Default: the caller alone.")
    created_time: Annotated[str, AfterValidator(_check_time)] | None = Field(None, description="ISO 8601.")
    additional_field: str | None = Field(None, description="Default: a description made of the content.")

    @model_validator(mode="before")
    @classmethod
    def check_flat(cls, data: Any) -> Any:
        """Trims the keys. ValueError for nested values and for two keys that differ in white space alone."""
        if not isinstance(data, dict):
            return data
        for key, value in data.items():
            if isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict | list) for item in value)):
                raise ValueError(f"“{key.strip()}” is nested. Send strings, numbers, booleans, or lists of them")
        trimmed: dict[str, Any] = {}
        for key, value in data.items():
            if key.strip() in trimmed:
                raise ValueError(f"“{key.strip()}” is sent twice: two keys differ in white space alone")
            trimmed[key.strip()] = value
        return trimmed


class InsertRequest(BaseModel):
    """A document to be inserted, or to replace the one with its id."""

    index_name: str = Field(min_length=1, description="The collection.")
    data: InsertedData
    chunk_factor: ChunkFactor = ChunkFactor()


class InsertedDocument(BaseModel):
    """What became of it."""

    doc_id: str
    state: str = Field(description="READY = it can be found. FAILED = see the job. Else it is waiting to be processed.")
    chunks: int = Field(description="Its passages; 0 until it is READY.")


class IngestJob(BaseModel):
    """The newest version of a document, on its way into the index."""

    job_id: str
    doc_id: str
    state: str
    reason: str | None = Field(description="FAILED: why. READY: which parts could not be read.")
    remedy: str | None
    chunks: int = Field(description="Its passages; 0 until it is READY.")
    created_at: float
    updated_at: float


WAITING: Responses = {202: {"model": InsertedDocument, "description": "Not READY yet"}}


@router.post("/insert-doc", name="insert_document", responses=FOREIGN | WAITING, dependencies=KEYED)
async def insert_document(request: InsertRequest, response: Response, caller: CallerOf, core: CoreOf) -> InsertedDocument:
    """Inserts a document, or replaces the one with this doc_id. It can be searched when its state is READY, for which this waits for up
    to 10 seconds."""
    document = await _accept(request, caller, core)
    document = await _wait(document, core)
    if document.state not in ("READY", "FAILED"):
        response.status_code = 202
    return InsertedDocument(doc_id=document.doc_id, state=document.state, chunks=_chunks(document))


@router.get("/ingest/jobs/{job_id}", name="get_ingest_job", responses=problems({404: "The caller has no such job"}), dependencies=KEYED)
async def ingest_job(job_id: str, caller: CallerOf, core: CoreOf) -> IngestJob:
    """Returns the state of a file or document that was accepted. Its `doc_id` is the id of the job."""
    document = await core.ledger.get(caller, job_id)
    return IngestJob(
        job_id=job_id,
        doc_id=document.doc_id,
        state=document.state,
        reason=document.reason,
        remedy=document.remedy,
        chunks=_chunks(document),
        created_at=document.created_at,
        updated_at=document.updated_at,
    )


def _chunks(document: Document) -> int:
    return document.chunks if document.state == "READY" else 0


async def _accept(request: InsertRequest, caller: Caller, core: Core) -> Document:
    data, factor = request.data, request.chunk_factor
    metadata = {name: value for name, value in (data.model_extra or {}).items() if value is not None}
    metadata |= {name: value for name in ("created_time", "additional_field") if (value := getattr(data, name)) is not None}
    if "file_name" in metadata:
        raise BadRequest("data.file_name: this name is taken. Choose another one.")
    fixed = FixedSize(factor.chunk_size, factor.chunk_overlap, factor.separator)
    stored = await open_collection(core.collections, caller, request.index_name)
    groups = await core.ingestor.check_groups(caller, stored, data.permission_groups)
    with suppress(NotFound):  # new, or not the caller's: the ledger decides
        known = await core.ledger.get(caller, check_chosen_id(data.doc_id))
        is_replaced = known.content_hash.startswith(HASHED_AS) and known.collection == await core.collections.name_of(stored)  # else a 409
        if is_replaced and known.permission_groups != groups and not caller.not_writable(known.permission_groups):
            facts = {"before": sorted(known.permission_groups), "after": sorted(groups)}
            await audit(core.records, caller, "document.groups", known.doc_id, now=core.clock(), **facts)
    return await core.ingestor.accept(
        caller,
        pack_inserted(Inserted(data.doc_id, data.title, data.content, fixed)),
        file_name=f"{data.doc_id}.json",
        collection=stored,
        permission_groups=sorted(groups),
        title=data.title or data.doc_id,
        doc_id=data.doc_id,
        chosen_id=True,
        metadata=metadata,
    )


async def _wait(document: Document, core: Core) -> Document:
    """The document when it is READY or FAILED, or as it is after WAIT_S."""
    from footnote.types import SYSTEM

    until = time.monotonic() + WAIT_S
    while document.state in ("RECEIVED", "PROCESSING") and time.monotonic() < until:
        await asyncio.sleep(POLL_S)
        try:
            document = await core.ledger.get(SYSTEM, document.doc_id)
        except NotFound:  # deleted meanwhile
            return document
    return document
