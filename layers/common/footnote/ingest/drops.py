"""Keeps documents in sync with the objects of a bucket.

An event only says which object to look at. The object itself is read, and checked again after the ledger is written. So
events may arrive in any order, repeatedly, or not at all.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from footnote.errors import NotFound, UnreadableFile
from footnote.ingest.accept import safe_file_name
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.migrating import migrate
from footnote.ingest.releasing import release
from footnote.ports import Cache, Dropped, Drops, Job, UploadForm, Uploads
from footnote.types import ADMINS, ATTACHED, SYSTEM, Caller

log = logging.getLogger(__name__)

DROPPER = Caller("s3", sees_all=True, role="admin")
FORM_S = 900.0
"""Validity of an upload form."""
ANNOUNCED_S = 14 * 24 * 3600.0
"""How long an announced upload is remembered: as long as the queue keeps the event of its arrival."""
UPLOADS = "uploads/"
"""Prefix of announced uploads; they are deleted once they are stored."""
NO_GROUPS = UnreadableFile(
    "No permission group is configured for files from this folder.", "Add its prefix to INGEST__DROP_GROUPS and drop the file again."
)


def origin_of(bucket: str, key: str) -> str:
    """The origin of an object as in the ledger; bytes of a key that are not valid text are escaped."""
    return f"s3://{bucket}/{key}".encode(errors="backslashreplace").decode()


def objects_of(event: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(bucket, key) of each object in an S3 event; test events and folder markers are skipped."""
    for record in event.get("Records", []):
        key = unquote_plus(record["s3"]["object"]["key"])
        if not key.endswith("/"):
            yield record["s3"]["bucket"]["name"], key


def upload_cache_key(doc_id: str) -> str:
    """The cache key of an announced upload; the value holds arguments of `Ingestor.accept`."""
    return f"upload:{doc_id}"


@dataclass(frozen=True, slots=True)
class Bucket:
    """Turns the objects of a bucket into documents. `collection`: the collection of dropped files."""

    drops: Drops
    ingestor: Ingestor
    cache: Cache
    uploads: Uploads | None
    collection: str

    async def converge(self, bucket: str, key: str) -> str | None:
        """Brings the document of an object up to date; returns its id, or None if there is no object.

        Concurrent calls are safe: the one that writes last has read the object after the other."""
        if key.startswith(UPLOADS):
            return await self._take_upload(bucket, key)
        origin = origin_of(bucket, key)
        while True:
            found = await self.drops.head(bucket, key)
            doc_id = await self._take(bucket, found) if found else None
            await release(self.ingestor, origin, doc_id)
            again = await self.drops.head(bucket, key)
            if (found and found.version) == (again and again.version):
                return doc_id

    async def take(self, job: Job) -> None:
        """Processes a message of the queue: a file to ingest, a document to make again, or an S3 event."""
        if "migrate" in job.body:
            await migrate(self.ingestor, job.body["doc_id"])
        elif "doc_id" in job.body:
            await self.ingestor.handle(job)
        for bucket, key in objects_of(job.body):
            await self.converge(bucket, key)

    async def announce(
        self,
        doc_id: str,
        *,
        file_name: str,
        collection: str,
        permission_groups: Iterable[str],
        metadata: Mapping[str, Any] | None = None,
        owner: str = "",
    ) -> UploadForm:
        """Creates a form for uploading a file, whose groups and owner are fixed now; `collection` is the name that the file arrives
        under, whatever it leads to then. NotFound if uploads do not go to a bucket."""
        if self.uploads is None:
            raise NotFound("Uploads do not go to a bucket here.")
        announced = {
            "file_name": file_name, "collection": collection, "permission_groups": sorted(permission_groups), "metadata": metadata,
            "doc_id": doc_id, "owner": owner,
        }  # fmt: skip
        await self.cache.put(upload_cache_key(doc_id), announced, ANNOUNCED_S)
        return await self.uploads.form(UPLOADS + doc_id, self.ingestor.settings.max_file_mb * 2**20, FORM_S)

    async def _take(self, bucket: str, found: Dropped) -> str | None:
        origin = origin_of(bucket, found.key)
        held = await self.ingestor.origins.held(origin)
        if held is not None and held.version == found.version and not await self._waits(held.doc_id):
            return held.doc_id
        groups, refused = self._readers(found.key)
        data, version, limit_mb = b"", found.version, self.ingestor.settings.max_file_mb
        if found.size > limit_mb * 2**20:
            refused = UnreadableFile(
                f"The file has {found.size / 2**20:.1f} MB; {limit_mb} MB are allowed.", "Split it, or raise INGEST__MAX_FILE_MB."
            )
        else:
            try:
                data, version = await self.drops.get(bucket, found.key)
            except NotFound:
                return None
        document = await self.ingestor.accept(
            DROPPER, data, file_name=safe_file_name(found.key), collection=self.collection, permission_groups=groups,
            origin=origin, version=version, refused=refused,
        )  # fmt: skip
        log.info("drop taken", extra={"doc_id": document.doc_id, "state": document.state, "size": found.size})
        return document.doc_id

    async def _waits(self, doc_id: str) -> bool:
        """Whether the document may still have to be queued, because `accept` was interrupted."""
        try:
            return (await self.ingestor.ledger.get(SYSTEM, doc_id)).state == "RECEIVED"
        except NotFound:  # deleted by a user: this version of the file is not added again
            return False

    def _readers(self, key: str) -> tuple[list[str], UnreadableFile | None]:
        """The groups of the longest matching key prefix. Without one the file is kept as FAILED, visible to admins only."""
        prefixes = self.ingestor.settings.drop_groups
        prefix = max((prefix for prefix in prefixes if key.startswith(prefix)), key=len, default=None)
        return ([ADMINS], NO_GROUPS) if prefix is None else (prefixes[prefix], None)

    async def _take_upload(self, bucket: str, key: str) -> str | None:
        """Stores an announced upload and deletes the object; a repeated event finds nothing."""
        announced = await self.cache.get(upload_cache_key(key.removeprefix(UPLOADS)))
        found = await self.drops.head(bucket, key)
        if announced is None or found is None:
            if found is not None:
                log.warning("an upload that was not announced is ignored", extra={"size": found.size})
            return None
        try:
            data, _ = await self.drops.get(bucket, key)
        except NotFound:
            return None
        collection = await self._upload_collection(announced["collection"])
        document = await self.ingestor.accept(DROPPER, data, even_deleted=True, **{**announced, "collection": collection})
        await self.drops.delete(bucket, key)
        return document.doc_id

    async def _upload_collection(self, name: str) -> str:
        """The name, or the deleted collection that had it and that the file is restored with."""
        if name == ATTACHED:
            return ATTACHED
        directory = await self.ingestor.collections.load()
        deleted = directory.find_deleted(name) if directory.find(name) is None else None
        return name if deleted is None or deleted.is_purged else deleted.stored
