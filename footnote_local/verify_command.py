"""`footnote verify`: does what is kept of the documents fit together, and what was done where it did not?"""

from __future__ import annotations

from collections.abc import Iterator

from footnote.bootstrap import Core
from footnote.errors import Conflict, FootnoteError
from footnote.ingest.suspects import Progress
from footnote.ingest.verify import ABANDONED_S, Kind, Report, drop_buckets, verify
from footnote.ports import embedded_languages
from footnote_local.terminal import progress_bar, say
from footnote_local.worker import VECTORS_AT_ONCE, Lock

SAID: dict[Kind, tuple[str, str, str]] = {
    "untaken": ("file in the bucket is no document yet", "files in the bucket are no documents yet", "taken in"),
    "changed": ("file in the bucket has changed", "files in the bucket have changed", "taken in"),
    "gone": ("file has left the bucket", "files have left the bucket", "their documents are deleted"),
    "stray": ("upload was never announced", "uploads were never announced", ""),
    "half_deleted": ("delete stopped half-way", "deletes stopped half-way", "finished"),
    "abandoned": ("document is waiting and nobody works on it", "documents are waiting and nobody works on them", "queued again"),
    "unnoticed": ("document answers and counts as failed", "documents answer and count as failed", "queued again"),
    "missing": ("document is missing from the index", "documents are missing from the index", "queued again"),
    "damaged": ("document is damaged in the index", "documents are damaged in the index", "queued again"),
    "lost": ("document and its file are lost", "documents and their files are lost", "marked as failed: add them again"),
    "no_text": ("document has lost the text that was read", "documents have lost the text that was read", "queued again"),
    "no_file": ("document answers, and its file is lost", "documents answer, and their files are lost", ""),
    "orphan": ("text in the index belongs to no document", "texts in the index belong to no document", "removed"),
    "stale": ("document has an old text in the index", "documents have an old text in the index", "removed"),
    "ahead": ("document is older than its text", "documents are older than their texts", "marked as failed: delete and add again"),
    "left_file": ("file is left over", "files are left over", "deleted"),
    "no_vectors": ("document has no vectors", "documents have no vectors", "queued again"),
}  # fmt: skip
"""One, several, and what was done."""

BY_HAND: dict[Kind, str] = {
    "stray": "Delete them below uploads/ in the bucket.",
    "no_file": "Delete these documents and add the files again.",
    "missing": "A newer file of each was FAILED: add one that can be read.",
    "damaged": "A newer file of each was FAILED: add one that can be read.",
    "no_text": "A newer file of each was FAILED: add one that can be read.",
}
"""What to do where nothing could be done."""


async def run_verify(core: Core, repair: bool) -> Report:
    """On one machine what was queued again is read at once, where no server does that."""
    in_aws, lock = core.settings.aws.queue_url is not None, Lock(core.settings.data)
    alone = not in_aws
    try:
        if alone:
            lock.take()
    except Conflict:
        alone = False
        say("A Footnote server works on this folder; it reads what is queued again.")
    # In AWS the vectors are those of the functions' embedder, and never of the one built in here.
    embedder = core.embedder if in_aws and core.settings.embedding.model else None
    try:
        with progress_bar() as bar:
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
    """Reads what is queued, and makes its vectors."""
    done = 0
    while await core.ingestor.work_one():
        progress("reading", done := done + 1, done + await core.queue.size())
    if waiting := await core.queue.size():
        say(f"In the queue: {waiting}. `footnote serve` or `footnote ingest` reads what waits there.")
    try:
        while await core.ingestor.embed_some(VECTORS_AT_ONCE):
            assert core.embedder is not None  # noqa: S101 (else none were made)
            progress("vectors", *await core.index.progress(core.embedder.name, embedded_languages(core.embedder)))
    except FootnoteError as exc:
        say(f"The vectors are not all made yet: {exc.detail} Documents are found by their words.")


def sentences(report: Report, repair: bool) -> Iterator[str]:
    """The report in words."""
    for kind, (one, several, done) in SAID.items():
        for repaired in (True, False):
            if count := sum((finding.kind, finding.repaired) == (kind, repaired) for finding in report.findings):
                text = f"{count} {one if count == 1 else several}"
                yield f"{text}; {done}." if repaired else f"{text}. {BY_HAND[kind]}" if repair else f"{text}."
    if not report.findings:
        yield f"{report.documents} {'document' if report.documents == 1 else 'documents'}; everything fits together."
    elif report.wrong and not repair:
        yield "`footnote verify --repair` mends what can be mended."
