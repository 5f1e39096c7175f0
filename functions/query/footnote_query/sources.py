"""`/sources`, for admins: the places that `footnote sync` keeps documents in sync with, and their last runs."""

from __future__ import annotations

import hashlib
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, Field

from footnote.errors import NotFound
from footnote.ports import Record, read_all
from footnote.types import Caller, StoredName
from footnote_http.app import Limit
from footnote_http.callers import AdminOf, CoreOf
from footnote_http.openapi import problems
from footnote_http.pages import PageBody
from footnote_http.routes import Router
from footnote_query.admin import page_of

if TYPE_CHECKING:
    from footnote.bootstrap import Core
    from footnote.ingest.sync_record import LastRun

router = Router("Administration", responses=problems({403: "The caller is not an admin"}))


class FailureBody(BaseModel):
    """A file of a source without a document of its current state."""

    name: str
    reason: str
    remedy: str
    doc_id: str | None = Field(description="The FAILED document; null = the file was not read, or you may not read it.")


class RunBody(BaseModel):
    """A run that changed something, ended otherwise than the one before, or was scheduled."""

    ended_at: float
    state: Literal["done", "needs_consent", "unfinished", "failed"] = Field(
        description="needs_consent = more than 10 % of the `documents` would be deleted, `lost` of them. unfinished = the next run goes on."
    )
    detail: str = Field(description="failed: why.")
    added: int
    changed: int
    renamed: int
    removed: int
    unchanged: int
    failed: int = Field(description="Number of failures at the end of the run.")
    documents: int = Field(description="The source's documents before the run.")
    lost: int
    failures: list[FailureBody] = Field(description="At most 50, as they are now.")


class SourceBody(BaseModel):
    """A source, from its first sync on."""

    address: str = Field(description="Without credentials: the query of a URL is left out.")
    collection: str
    permission_groups: list[str] = Field(description="Readers of its documents; [] = by the permissions of Confluence.")
    last_run: RunBody | None = Field(description="null = not synced yet.")


class SourcePage(PageBody):
    """A page of sources."""

    data: list[SourceBody]


@router.get("/sources", name="list_sources")
async def sources(admin: AdminOf, core: CoreOf, limit: Limit = 50, after: str | None = None) -> SourcePage:
    """Lists the sources that documents are kept in sync with, by address, with their last runs."""
    rows = await read_all(lambda last: core.records.list("source", limit=200, after=last))
    page = page_of(sorted(rows, key=_key), _key, limit, after)
    bodies = {record.key: await _body(core, record, admin) for record in page.data}
    return SourcePage.of(page, lambda record: bodies[record.key])


async def _body(core: Core, record: Record, admin: Caller) -> SourceBody:
    from footnote.ingest.sync_record import read_record

    source = read_record(record.value)
    return SourceBody(
        address=_without_query(record.key),
        collection=await core.collections.name_of(StoredName(source.collection)),
        permission_groups=list(source.groups),
        last_run=None if source.last_run is None else await _run(core, source.last_run, admin),
    )


async def _run(core: Core, run: LastRun, admin: Caller) -> RunBody:
    from footnote.ingest.sync_record import current_failures

    failures = [FailureBody(**asdict(each)) for each in await current_failures(core.ledger, run)]
    for each in failures:  # an id is made of a file's name
        if each.doc_id is not None and not await _may_read(core, each.doc_id, admin):
            each.doc_id = None
    return RunBody(
        ended_at=run.at, state=run.state, detail=run.detail, added=run.added, changed=run.changed, renamed=run.renamed, removed=run.removed,
        unchanged=run.unchanged, failed=run.failed - len(run.failures) + len(failures), documents=run.documents, lost=run.lost,
        failures=failures,
    )  # fmt: skip


async def _may_read(core: Core, doc_id: str, admin: Caller) -> bool:
    try:
        await core.ledger.get(admin, doc_id)
    except NotFound:
        return False
    return True


def _key(record: Record) -> str:
    """Of a row, without what may not be shown."""
    return f"{_without_query(record.key)}#{hashlib.sha256(record.key.encode()).hexdigest()[:12]}"


def _without_query(address: str) -> str:
    """A query may hold a key."""
    parts = urlsplit(address)
    return address if parts.scheme not in ("http", "https") or not parts.query else parts._replace(query="…").geturl()
