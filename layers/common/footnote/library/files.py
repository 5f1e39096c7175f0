"""Ingests named files and folders, waits for the documents, and reports what became of each."""

from __future__ import annotations

import asyncio
import errno
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from footnote.bootstrap import Core
from footnote.errors import BadRequest, FootnoteError, NotFound
from footnote.guard.identity import LOCAL
from footnote.library.worker import POLL_S, SharedWorker
from footnote.types import Document

MOST_WAITING = 200
"""Maximum number of documents in the queue, so that a huge folder does not fill it."""
MOST_NAMED = 10
"""Links that are named in a line."""


@dataclass(slots=True)
class Report:
    """The result for each file. `refused`: file name → why it was not accepted."""

    documents: dict[str, Document] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)
    """The symbolic links that were not followed."""

    @property
    def done(self) -> int:
        """Files with a final state."""
        return sum(document.state in ("READY", "FAILED", "DELETED") for document in self.documents.values()) + len(self.refused)

    @property
    def links(self) -> str:
        """A line on the links that were not followed, "" without any."""
        named = ", ".join([*self.left_out[:MOST_NAMED], *(["…"] if len(self.left_out) > MOST_NAMED else [])])
        what = "1 link that leads" if len(self.left_out) == 1 else f"{len(self.left_out)} links that lead"
        return f"Left out: {what} out of the folder or nowhere ({named})." if self.left_out else ""

    @property
    def failed(self) -> int:
        """Files that were refused or have FAILED."""
        return sum(document.state == "FAILED" for document in self.documents.values()) + len(self.refused)


Progress = Callable[[int, int], None]


class Found(NamedTuple):
    """A file, its name relative to the given folder, and that folder without links; None for a file that was named itself."""

    path: Path
    name: str
    folder: Path | None

    def read(self) -> bytes:
        """The file's bytes. OSError if it leads out of its folder by now."""
        if leads_out(self.path, self.folder):
            raise OSError(errno.ELOOP, "a link leads out of the folder")
        return self.path.read_bytes()


class Given(NamedTuple):
    """A file that is given as bytes."""

    name: str
    data: bytes

    def read(self) -> bytes:
        """The bytes."""
        return self.data


def leads_out(path: Path, folder: Path | None) -> bool:
    """Whether a path leads out of a folder by symbolic links, in a circle, or to nothing. `folder`: as in `Found`."""
    try:
        return folder is not None and not path.resolve(strict=True).is_relative_to(folder)
    except (OSError, RuntimeError):
        return True


def find_files(paths: Sequence[Path], left_out: list[str]) -> Iterator[Found]:
    """The files. Hidden files and folders are skipped, and links that lead out of the given folder are added to `left_out`; linked folders
    within it are read where they are. If two files would get the same name, the second is prefixed with as much of its path as makes it
    unique, because it would otherwise replace the first. BadRequest if a path does not exist."""
    seen: dict[str, Path] = {}
    for path in (path.expanduser() for path in paths):
        if not path.exists():
            raise BadRequest(f"No such file or folder: {path}.")
        folder = None if path.is_file() else path.resolve()
        for file in [path] if folder is None else sorted(file for file in path.rglob("*") if not _is_hidden(file, path)):
            if leads_out(file, folder):
                left_out.append(_as_text(str(file.relative_to(path))))
                continue
            if not file.is_file():
                continue
            depth = 1 if file == path else len(file.relative_to(path).parts)
            whole = Path(os.path.abspath(file))  # not resolved: a symbolic link keeps its own name
            while seen.setdefault(name := _as_text("/".join(whole.parts[-depth:])), whole) != whole and depth < len(whole.parts):
                depth += 1
            yield Found(file, name, folder)


def find_sources(data: Path, sources: Sequence[Path | Given], left_out: list[str]) -> Iterator[Found | Given]:
    """What is given, and the files as `find_files` finds them, without those of the data folder where it lies within a given one.
    BadRequest for the data folder itself."""
    data = data.resolve()
    paths = [source for source in sources if isinstance(source, Path)]
    if any(path.expanduser().resolve() == data for path in paths):
        raise BadRequest(f"{data} is the data folder, in which Footnote keeps its own files. Name the folder of your documents.")
    yield from (source for source in sources if isinstance(source, Given))
    for file in find_files(paths, left_out):
        if file.folder is None or not data.is_relative_to(file.folder) or not file.path.resolve().is_relative_to(data):
            yield file


def _is_hidden(file: Path, folder: Path) -> bool:
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _as_text(name: str) -> str:
    """The file name with undecodable bytes replaced by “?”."""
    return name.encode(errors="replace").decode()


async def take_in(
    core: Core,
    sources: Sequence[Path | Given],
    *,
    collection: str,
    groups: list[str],
    progress: Progress,
    metadata: Mapping[str, Any] | None = None,
    worker: SharedWorker | None = None,
) -> Report:
    """Accepts every file and waits until each is READY or FAILED. `worker`: takes over whenever no other process works; None = one is
    running."""
    report = Report()
    files = [*find_sources(core.settings.data, sources, report.left_out)]
    waiting: dict[str, str] = {}
    for file in files:
        name = file.name
        try:
            data = await asyncio.to_thread(file.read)
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
            await poll(core, report, waiting, worker)
        progress(report.done, len(files))
    while waiting:
        await poll(core, report, waiting, worker)
        progress(report.done, len(files))
    return report


async def poll(core: Core, report: Report, waiting: dict[str, str], worker: SharedWorker | None) -> None:
    """Updates the report of files that are `waiting`, name → document id, and forgets those with a final state. `worker`:
    as in `take_in`."""
    if worker is not None:
        await worker.start()
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
