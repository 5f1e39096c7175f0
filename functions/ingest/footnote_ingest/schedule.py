"""The schedule: once an hour, purges deleted collections and ended attachments, compares bucket, ledger, index and files, repairs
inconsistencies, and queues documents that an earlier version made."""

from __future__ import annotations

import logging
from datetime import datetime
from typing import TYPE_CHECKING, Any

from footnote.ingest.attachments import purge_attachments
from footnote.ingest.integrity import drop_buckets, verify
from footnote.ingest.migrating import queue_outdated
from footnote.ingest.purge import purge_deleted
from footnote_http.lambda_handler import use_loop

if TYPE_CHECKING:
    from footnote.bootstrap import Core

log = logging.getLogger(__name__)


def run_schedule(event: dict[str, Any], core: Core) -> dict[str, int]:
    """Runs the comparison. → kind of finding: count."""
    return use_loop().run_until_complete(_repair(core, datetime.fromisoformat(event["time"]).hour))


async def _repair(core: Core, hour: int) -> dict[str, int]:
    from footnote.bootstrap.layouts import rebuild_layouts

    # On one machine the worker computes missing vectors, and nothing else consumes the queue.
    in_aws = core.settings.aws.queue_url is not None
    for name in await purge_deleted(core.ingestor, core.records):
        log.info("a deleted collection was purged", extra={"collection": name})
    if count := await purge_attachments(core.ingestor, core.turns):
        log.info("attachments were purged", extra={"count": count})
    report = await verify(core.bucket, drop_buckets(core.settings), core.embedder if in_aws else None, repair=True, hour=hour)
    for kind, count in report.counts.items():
        log.warning("verify found inconsistencies", extra={"reason": kind, "count": count})
    log.info("verified", extra={"count": report.documents})
    if count := await queue_outdated(core.ingestor, core.cache):
        log.info("documents of an earlier version are made again", extra={"count": count})
    for name in await rebuild_layouts(core):
        log.info("an index of an earlier version was rebuilt", extra={"collection": name})
    while not in_aws and await core.ingestor.work_one(core.bucket.take):
        pass
    return report.counts
