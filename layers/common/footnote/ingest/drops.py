"""Is what lies in the bucket what the documents say? One object at a time, or all of them.

An event only says where to look: the object itself is read, and looked at again after the ledger was
written. So it does not matter in which order events come, how often, or that some never do.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote_plus

from footnote.errors import BadRequest, NotFound, UnreadableFile
from footnote.ingest.accept import check_file_name
from footnote.ingest.pipeline import SYSTEM, Ingestor
from footnote.ports import Cache, Dropped, Drops, Job, Ledger, UploadForm, Uploads
from footnote.types import ADMINS, Caller

log = logging.getLogger(__name__)

DROPPER = Caller("s3", sees_all=True, role="admin")
FORM_S = 900.0
"""To begin an upload in."""
ANNOUNCED_S = 14 * 24 * 3600.0
"""As long as the queue keeps the news of its arrival."""
UPLOADS = "uploads/"
"""Where announced uploads arrive; what lies below it is taken out again."""
NOBODY_NAMED = UnreadableFile(
    "Nobody is named who may read files from this folder.", "Add its prefix to INGEST__DROP_GROUPS and drop the file again."
)


def origin_of(bucket: str, key: str) -> str:
    """As the ledger spells it, also where a key's bytes are no text."""
    return f"s3://{bucket}/{key}".encode(errors="backslashreplace").decode()


def objects_of(news: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(bucket, key) of each object that an S3 event tells of; a test event and folder markers are none."""
    for record in news.get("Records", []):
        key = unquote_plus(record["s3"]["object"]["key"])
        if not key.endswith("/"):
            yield record["s3"]["bucket"]["name"], key


def upload_promise(doc_id: str) -> str:
    """The key of the cache under which an announced upload waits: `Ingestor.accept`'s arguments."""
    return f"upload:{doc_id}"


@dataclass(frozen=True, slots=True)
class Bucket:
    """`collection`: where dropped files belong."""

    drops: Drops
    ledger: Ledger
    ingestor: Ingestor
    cache: Cache
    uploads: Uploads | None
    collection: str

    async def converge(self, bucket: str, key: str) -> str | None:
        """Makes the document of one object what the object is now → its id; None where there is no object.
        Of two at once, the one that writes last has looked at the object after the other did."""
        if key.startswith(UPLOADS):
            return await self._take_upload(bucket, key)
        origin = origin_of(bucket, key)
        while True:
            found = await self.drops.head(bucket, key)
            doc_id = await self._take(bucket, found) if found else None
            released = await self.ledger.release(origin, doc_id)
            # Beside what was released now, what somebody released before and did not live to purge.
            for deleted in {document.doc_id: document for document in [*released, *await self.ledger.unpurged()]}.values():
                await self.ingestor.purge(deleted)
            again = await self.drops.head(bucket, key)
            if (found and found.version) == (again and again.version):
                return doc_id

    async def take(self, job: Job) -> None:
        """Ends a message of the queue: a file to read, or S3's news of files in the bucket."""
        if "doc_id" in job.body:
            await self.ingestor.handle(job)
        for bucket, key in objects_of(job.body):
            await self.converge(bucket, key)

    async def announce(
        self, doc_id: str, *, file_name: str, collection: str, permission_groups: Iterable[str], metadata: Mapping[str, Any] | None = None
    ) -> UploadForm:
        """Where to post a file, whose groups are decided now. NotFound where uploads do not go to a bucket."""
        if self.uploads is None:
            raise NotFound("Uploads do not go to a bucket here.")
        announced = {
            "file_name": file_name, "collection": collection, "permission_groups": sorted(permission_groups), "metadata": metadata,
            "doc_id": doc_id,
        }  # fmt: skip
        await self.cache.put(upload_promise(doc_id), announced, ANNOUNCED_S)
        return await self.uploads.form(UPLOADS + doc_id, self.ingestor.settings.max_file_mb * 2**20, FORM_S)

    async def _take(self, bucket: str, found: Dropped) -> str | None:
        origin = origin_of(bucket, found.key)
        held = await self.ledger.held(origin)
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
            DROPPER, data, file_name=_shown(found.key), collection=self.collection, permission_groups=groups,
            origin=origin, version=version, refused=refused,
        )  # fmt: skip
        log.info("drop taken", extra={"doc_id": document.doc_id, "state": document.state, "size": found.size})
        return document.doc_id

    async def _waits(self, doc_id: str) -> bool:
        """An interrupted `accept` may not have come as far as the queue."""
        try:
            return (await self.ledger.get(SYSTEM, doc_id)).state == "RECEIVED"
        except NotFound:  # deleted by somebody, not by us: that version of the file does not come back
            return False

    def _readers(self, key: str) -> tuple[list[str], UnreadableFile | None]:
        """The groups that the longest prefix of the key gives. Without one the file is kept as FAILED, visible to
        admins, and nobody's to read."""
        prefixes = self.ingestor.settings.drop_groups
        prefix = max((prefix for prefix in prefixes if key.startswith(prefix)), key=len, default=None)
        return ([ADMINS], NOBODY_NAMED) if prefix is None else (prefixes[prefix], None)

    async def _take_upload(self, bucket: str, key: str) -> str | None:
        """Once the file is ours its upload is deleted; an event that comes again finds nothing."""
        announced = await self.cache.get(upload_promise(key.removeprefix(UPLOADS)))
        found = await self.drops.head(bucket, key)
        if announced is None or found is None:
            if found is not None:
                log.warning("an upload that nobody announced is left alone", extra={"size": found.size})
            return None
        try:
            data, _ = await self.drops.get(bucket, key)
        except NotFound:
            return None
        document = await self.ingestor.accept(DROPPER, data, **announced)
        await self.drops.delete(bucket, key)
        return document.doc_id


def _shown(key: str) -> str:
    try:
        return check_file_name(key)
    except BadRequest:  # a key may be made of dots and slashes alone
        return "unnamed"
