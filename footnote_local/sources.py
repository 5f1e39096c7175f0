"""Ingests files and folders named on the command line, and reports progress."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from footnote.bootstrap import Core
from footnote.errors import BadRequest, FootnoteError, NotFound
from footnote.guard.identity import LOCAL
from footnote.ingest.vectors import total_progress
from footnote.types import Document
from footnote_local.worker import Worker

POLL_S = 0.1
MOST_WAITING = 200
"""Maximum number of documents in the queue, so that a huge folder does not fill it."""


@dataclass(slots=True)
class Report:
    """The result for each file. `refused`: file name → why it was not accepted."""

    documents: dict[str, Document] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """Files with a final state."""
        return sum(document.state in ("READY", "FAILED", "DELETED") for document in self.documents.values()) + len(self.refused)

    @property
    def failed(self) -> int:
        """Files that were refused or have FAILED."""
        return sum(document.state == "FAILED" for document in self.documents.values()) + len(self.refused)


Progress = Callable[[int, int], None]


def find_files(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Yields (file, name relative to the given folder). Hidden files and folders are skipped. If two files would get the same
    name, the second is prefixed with as much of its path as makes it unique, because it would otherwise replace the first.
    BadRequest if a path does not exist."""
    seen: dict[str, Path] = {}
    for path in (path.expanduser() for path in paths):
        if not path.exists():
            raise BadRequest(f"No such file or folder: {path}.")
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file() and not _is_hidden(file, path))
        for file in files:
            depth = 1 if file == path else len(file.relative_to(path).parts)
            whole = Path(os.path.abspath(file))  # not resolved: a symbolic link keeps its own name
            while seen.setdefault(name := _as_text("/".join(whole.parts[-depth:])), whole) != whole and depth < len(whole.parts):
                depth += 1
            yield file, name


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _as_text(name: str) -> str:
    """The file name with undecodable bytes replaced by “?”."""
    return name.encode(errors="replace").decode()


async def take_in(
    core: Core, paths: Sequence[Path], *, collection: str, groups: list[str], progress: Progress, metadata: Mapping[str, Any] | None = None
) -> Report:
    """Accepts every file and waits until each is READY or FAILED. A worker must be running, here or in another process."""
    report = Report()
    files = list(find_files(paths))
    waiting: dict[str, str] = {}
    for file, name in files:
        try:
            data = await asyncio.to_thread(file.read_bytes)
            document = await core.ingestor.accept(
                LOCAL, data, file_name=name, collection=collection, permission_groups=groups, metadata=metadata
            )
            report.documents[name] = document
            if document.state in ("RECEIVED", "PROCESSING"):
                waiting[name] = document.doc_id
        except FootnoteError as exc:
            report.refused[name] = exc.detail
        except OSError as exc:
            report.refused[name] = f"The file cannot be opened ({exc.strerror})."
        while len(waiting) >= MOST_WAITING:
            await poll(core, report, waiting)
        progress(report.done, len(files))
    while waiting:
        await poll(core, report, waiting)
        progress(report.done, len(files))
    return report


async def wait_for_vectors(core: Core, worker: Worker, progress: Progress) -> None:
    """Waits until all passages have vectors, or the worker reports trouble. Passages without vectors are found by keyword."""
    await worker.finish_jobs()
    while True:
        done, total = await total_progress(core.index, core.embedders)
        progress(done, total)
        if done >= total or worker.trouble is not None:
            return
        await asyncio.sleep(POLL_S)


async def poll(core: Core, report: Report, waiting: dict[str, str]) -> None:
    """Updates the report of files that are `waiting`, name → document id, and forgets those with a final state."""
    await asyncio.sleep(POLL_S)
    for name, doc_id in list(waiting.items()):
        try:
            document = await core.ledger.get(LOCAL, doc_id)
        except NotFound:  # deleted meanwhile
            del waiting[name]
            report.documents.pop(name, None)
            continue
        report.documents[name] = document
        if document.state not in ("RECEIVED", "PROCESSING"):
            del waiting[name]
