"""Finds documents on which ledger, index and files disagree, in one pass over each, with constant memory per document.

Documents that change meanwhile are reported too, so a suspect is not yet a finding.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from zlib import crc32

from footnote.ingest.keys import FOLDERS, generation_of
from footnote.ledger import Lifecycle
from footnote.ports import Files, Generations, Ledger
from footnote.types import SYSTEM, Document

Progress = Callable[[str, int, int], None]
"""Arguments: what is being checked, how many are done, how many there are."""

AT_WORK = ("RECEIVED", "PROCESSING")
PAGE = 500
AT_ONCE = 8
"""Documents whose text is read back concurrently."""
MOST_TEXTS = 10_000
"""Documents whose text one scheduled run reads back. If there are more, each is checked in its hour of the day."""
OURS = re.compile(rf"(?:{'|'.join(FOLDERS)})/([^/]+)/[0-9]{{1,9}}")


@dataclass(slots=True)
class Suspect:
    """`generations`, `keys`: generations in the index and file keys that perhaps should not exist."""

    generations: set[int] = field(default_factory=set)
    keys: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Known:
    """A document as listed in the ledger. `seen`: where its active generation was found: "index" or a folder."""

    generation: int
    active: int
    at_work: bool
    digest: str
    seen: set[str] = field(default_factory=set)


async def find_suspects(
    ledger: Ledger, lifecycle: Lifecycle, generations: Generations, files: Files, hour: int | None, progress: Progress
) -> tuple[Mapping[str, Known], dict[str, Suspect]]:
    """All documents, and the suspects. `hour`: the hour of the day in a scheduled run; None reads back all texts."""
    documents = {
        document.doc_id: Known(document.generation, document.active_generation, document.state in AT_WORK, document.digest)
        async for document in _list(ledger, sum((await lifecycle.counts()).values()), progress)
    }
    suspects: dict[str, Suspect] = defaultdict(Suspect)
    await _compare_index(generations, documents, suspects)
    await _compare_files(files, documents, suspects)
    for doc_id, known in documents.items():
        if known.active and not known.at_work and len(known.seen) < 1 + len(FOLDERS):
            suspects[doc_id]
    await _compare_texts(generations, documents, suspects, hour, progress)
    return documents, suspects


async def read_digest(generations: Generations, doc_id: str, generation: int) -> str:
    """The digest of the index's chunks, in the form of `Document.digest`."""
    count, digest = await generations.staged(doc_id, generation)
    return f"{count}:{digest}"


async def _list(ledger: Ledger, total: int, progress: Progress) -> AsyncIterator[Document]:
    after, done = None, 0
    while True:
        page = await ledger.list(SYSTEM, limit=PAGE, after=after)
        for document in page.data:
            yield document
        progress("documents", done := done + len(page.data), max(done, total))
        if not page.has_more:
            return
        after = page.last_id


async def _compare_index(generations: Generations, documents: Mapping[str, Known], suspects: dict[str, Suspect]) -> None:
    async for item in generations.inventory():
        known = documents.get(item.doc_id)
        if known is None or not known.active <= item.generation <= known.generation:
            suspects[item.doc_id].generations.add(item.generation)
        elif item.active and item.generation == known.active and known.digest.startswith(f"{item.chunks}:"):
            known.seen.add("index")
        elif item.active and not known.at_work:
            suspects[item.doc_id]


async def _compare_files(files: Files, documents: Mapping[str, Known], suspects: dict[str, Suspect]) -> None:
    for folder in FOLDERS:
        async for key in files.keys(f"{folder}/"):
            if ours := OURS.fullmatch(key):
                doc_id, generation = ours[1], generation_of(key)
                known = documents.get(doc_id)
                if known is None or not (known.at_work or generation in (known.active, known.generation)):
                    suspects[doc_id].keys.append(key)
                elif generation == known.active:
                    known.seen.add(folder)


async def _compare_texts(
    generations: Generations, documents: Mapping[str, Known], suspects: dict[str, Suspect], hour: int | None, progress: Progress
) -> None:
    due = [doc_id for doc_id, known in documents.items() if "index" in known.seen and not known.at_work and doc_id not in suspects]
    if hour is not None and len(due) > MOST_TEXTS:
        due = [doc_id for doc_id in due if crc32(doc_id.encode()) % 24 == hour]
    for start in range(0, len(due), AT_ONCE):
        some = due[start : start + AT_ONCE]
        held = await asyncio.gather(*(read_digest(generations, doc_id, documents[doc_id].active) for doc_id in some))
        for doc_id, digest in zip(some, held, strict=True):
            if digest != documents[doc_id].digest:
                suspects[doc_id]
        progress("texts", start + len(some), len(due))
