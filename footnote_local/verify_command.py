"""`footnote verify`: checks that bucket, ledger, index and files are consistent, and repairs them."""

from __future__ import annotations

from collections.abc import Iterator

from footnote.bootstrap import Core
from footnote.errors import Conflict, FootnoteError
from footnote.ingest.disagreements import Progress
from footnote.ingest.integrity import ABANDONED_S, Kind, Report, drop_buckets, verify
from footnote.ingest.vectors import total_progress
from footnote.library.worker import VECTORS_AT_ONCE, Lock
from footnote_local.terminal import progress_bar, say

SAID: dict[Kind, tuple[str, str, str]] = {
    "untaken": ("file in the bucket is not a document yet", "files in the bucket are not documents yet", "queued"),
    "changed": ("file in the bucket has changed", "files in the bucket have changed", "queued"),
    "gone": ("file has left the bucket", "files have left the bucket", "their documents are deleted"),
    "stray": ("upload was never announced", "uploads were never announced", ""),
    "half_deleted": ("deletion was interrupted", "deletions were interrupted", "completed"),
    "abandoned": ("document is waiting without a job", "documents are waiting without a job", "queued again"),
    "unnoticed": ("document is searchable but marked as failed", "documents are searchable but marked as failed", "queued again"),
    "missing": ("document is missing from the index", "documents are missing from the index", "queued again"),
    "damaged": ("document is damaged in the index", "documents are damaged in the index", "queued again"),
    "lost": ("document and its file are lost", "documents and their files are lost", "marked as failed: add them again"),
    "no_text": ("document has lost its extracted text", "documents have lost their extracted text", "queued again"),
    "no_file": ("document is searchable but its file is lost", "documents are searchable but their files are lost", ""),
    "orphan": ("index entry belongs to no document", "index entries belong to no document", "removed"),
    "stale": ("document has an outdated version in the index", "documents have an outdated version in the index", "removed"),
    "ahead": (
        "document is older in the ledger than in the index",
        "documents are older in the ledger than in the index",
        "marked as failed: delete and add again",
    ),
    "left_file": ("file is left over", "files are left over", "deleted"),
    "no_vectors": ("document has no vectors", "documents have no vectors", "queued again"),
    "bad_copy": ("file of vectors is lost or wrong", "files of vectors are lost or wrong", "made again from the index"),
}  # fmt: skip
"""Finding → (singular, plural, what the repair did)."""

BY_HAND: dict[Kind, str] = {
    "stray": "Delete them from uploads/ in the bucket.",
    "no_file": "Delete these documents and add the files again.",
    "missing": "The newest file of each has FAILED: add a readable one.",
    "damaged": "The newest file of each has FAILED: add a readable one.",
    "no_text": "The newest file of each has FAILED: add a readable one.",
}
"""Finding → what the operator must do if it cannot be repaired."""


async def run_verify(core: Core, repair: bool) -> Report:
    """Checks and, with `repair`, repairs. On one machine queued documents are processed at once, unless a server does that. Unavailable,
    with the remedy, if a database is damaged: nothing can be compared with it."""
    in_aws, lock = core.settings.aws.queue_url is not None, Lock(core.settings.data)
    alone = not in_aws
    try:
        if alone:
            lock.take()
    except Conflict:
        alone = False
        say("A Footnote server is using this data folder and will process what is queued again.")
    # In AWS the functions have a configured embedder; the built-in one of this machine must not be compared with it.
    embedder = core.embedder if in_aws and (core.settings.embedding.model or core.settings.embedding.model_at_endpoint) else None
    try:
        with progress_bar() as bar:
            await core.check_databases()
            report = await verify(
                core.bucket, drop_buckets(core.settings), embedder,
                repair=repair, abandoned_s=0 if alone else ABANDONED_S, progress=bar,
            )  # fmt: skip
            if alone and repair and report.findings:
                await work_off(core, bar)
        return report
    finally:
        lock.release()
        await core.close()


async def work_off(core: Core, progress: Progress) -> None:
    """Processes the queue, then computes missing vectors."""
    done = 0
    while await core.ingestor.work_one():
        progress("reading", done := done + 1, done + await core.queue.size())
    if waiting := await core.queue.size():
        say(f"Still in the queue: {waiting}. `footnote serve` or `footnote ingest` will process them.")
    try:
        while await core.ingestor.embed_some(VECTORS_AT_ONCE):
            progress("vectors", *await total_progress(core.vectors, core.embedders))
    except FootnoteError as exc:
        say(f"Some passages have no vectors yet: {exc.detail} Until then they are found by keyword only.")


def sentences(report: Report, repair: bool) -> Iterator[str]:
    """The report as lines of text."""
    for kind, (one, several, done) in SAID.items():
        for repaired in (True, False):
            if count := sum((finding.kind, finding.repaired) == (kind, repaired) for finding in report.findings):
                text = f"{count} {one if count == 1 else several}"
                yield f"{text}; {done}." if repaired else f"{text}. {BY_HAND[kind]}" if repair else f"{text}."
    if not report.findings:
        yield f"{report.documents} {'document' if report.documents == 1 else 'documents'}; everything is consistent."
    elif report.wrong and not repair:
        yield "To repair what can be repaired: footnote verify --repair"
