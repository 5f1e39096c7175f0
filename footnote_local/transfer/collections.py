"""Collections on their way to another deployment: into an archive, out of one, and which vectors can go along."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from footnote.bootstrap import Core
from footnote.collections import check_collection
from footnote.collections.embedders import check_embedder
from footnote.errors import BadRequest, NotFound
from footnote.ingest.disagreements import Progress
from footnote.ingest.vectors import RECIPE
from footnote.types import CHUNKERS, SYSTEM, CollectionSettings, StoredName
from footnote_local.transfer.archive import CollectionEntry, Counts, Damaged, EmbedderEntry
from footnote_local.transfer.archive_reader import ArchiveReader
from footnote_local.transfer.archive_writer import ArchiveWriter
from footnote_local.transfer.copies import Copy, Result, list_documents, read_copies, write_copy

BY = "footnote import"
"""Who makes a collection that an archive brings."""

NO_QUESTIONS = "No passage has questions of a model, which writes them here. Delete the documents and add their files to have some."
SAID: dict[Result, str] = {
    "added": "added",
    "queued": "to be read again",
    "there": "there already",
    "differs": "different here",
    "deleted": "deleted here",
}


@dataclass(frozen=True, slots=True)
class Arrived:
    """The result of a transfer. `refused`: ids of documents that were left as they are here, with the reason. `remade`: why vectors
    are made anew, or None. `lacks_questions`: a model writes questions for passages here, and no copy has any."""

    collection: str
    results: Counter[Result] = field(default_factory=Counter)
    refused: dict[str, Result] = field(default_factory=dict)
    remade: str | None = None
    lacks_questions: bool = False
    groups: frozenset[str] = frozenset()


async def export_collection(core: Core, name: str, path: Path, progress: Progress) -> Counts:
    """Writes the collection to an archive. NotFound for an unknown one; BadRequest if the file cannot be written."""
    stored = await core.collections.resolve(name)
    documents = await list_documents(core, stored)
    directory = await core.collections.directory()
    record = directory.collections.get(stored)
    if record is None and not documents:
        raise NotFound(f"There is no collection “{name}”. `footnote documents list` shows the documents and their collections.")
    entry = CollectionEntry(name=directory.name_of(stored))
    if record is not None:
        entry = CollectionEntry(
            name=record.name, title=record.title, description=record.description, chunker=record.settings.chunker,
            embedder=record.settings.embedder, languages=record.settings.languages, permission_groups=record.settings.permission_groups,
            columns=dict(record.settings.columns), knowledge=dict(record.settings.knowledge),
        )  # fmt: skip
    try:
        writer = ArchiveWriter(path, entry, await embedder_entry(core, stored), core.clock())
    except OSError as exc:
        raise BadRequest(f"{path} cannot be written ({exc.strerror}).") from exc
    try:
        done = 0
        async for copy in read_copies(core, documents):
            writer.add(copy)
            progress("exporting", done := done + 1, len(documents))
        return writer.finish()
    except OSError as exc:
        writer.abandon()
        raise BadRequest(f"{path} cannot be written ({exc.strerror}).") from exc
    except BaseException:
        writer.abandon()
        raise


async def import_collection(core: Core, path: Path, name: str | None, progress: Progress) -> Arrived:
    """Checks the whole archive, then adds its documents one by one. A killed import is continued by the same call: existing documents stay.
    `name`: another name for the collection."""
    archive = ArchiveReader(path, core.settings.ingest.max_file_mb)
    try:
        total, entry = archive.manifest.counts.documents, archive.manifest.collection
        target = check_collection(name or entry.name)
        settings = _settings(entry)
        for done in archive.check():
            progress("checking", done, total)
        stored = await _collection(core, target, entry, settings)
        remade = await why_remade(core, stored, archive.manifest.embedder)
        arrived = Arrived(target, remade=remade)
        groups, has_questions = set[str](), False
        for done, copy in enumerate(archive.documents(), start=1):
            moved = replace(copy, document=replace(copy.document, collection=stored))
            await arrive(core, moved, arrived)
            groups |= copy.document.permission_groups
            has_questions = has_questions or any(chunk.questions for chunk in copy.chunks)
            progress("importing", done, total)
        return replace(arrived, groups=frozenset(groups), lacks_questions=wants_questions(core) and not has_questions)
    finally:
        archive.close()


async def arrive(core: Core, copy: Copy, arrived: Arrived) -> None:
    """Writes one document and counts the result."""
    if arrived.remade is not None:
        copy = replace(copy, vectors=[None] * len(copy.chunks))
    result = await write_copy(core, copy)
    arrived.results[result] += 1
    if result in ("differs", "deleted"):
        arrived.refused[copy.document.doc_id] = result


def wants_questions(core: Core) -> bool:
    """Whether a model writes questions for passages here."""
    return core.settings.ingest.enrichment == "questions"


async def embedder_entry(core: Core, stored: str) -> EmbedderEntry | None:
    """The embedder of this collection's vectors; None = it has none."""
    of = await core.document_embedder(stored)
    return None if of is None else EmbedderEntry(name=of.name, dimension=of.dimension, recipe=RECIPE)


async def why_remade(core: Core, stored: str, entry: EmbedderEntry | None) -> str | None:
    """Why the vectors of `entry` cannot be used in this collection; None = they can, or nothing here needs vectors."""
    embedder = await core.document_embedder(stored)
    if embedder is None:
        return "Without an embedder vectors are not used here." if entry else None
    if entry is None:
        return f"It holds no vectors; {embedder.name} makes them."
    if (entry.name, entry.dimension) != (embedder.name, embedder.dimension):
        return f"Its vectors are of {entry.name}, here {embedder.name} is used: vectors are made anew."
    return None if entry.recipe == RECIPE else "Its vectors are of another version of Footnote: they are made anew."


def _settings(entry: CollectionEntry) -> CollectionSettings:
    chunker = next((chunker_name for chunker_name in CHUNKERS if chunker_name == entry.chunker), None)
    if chunker is None:
        raise Damaged("its collection has a chunker that this Footnote does not know: upgrade.")
    return CollectionSettings(chunker, entry.embedder, entry.languages, entry.permission_groups, entry.columns, entry.knowledge)


async def _collection(core: Core, name: str, entry: CollectionEntry, settings: CollectionSettings) -> StoredName:
    """The stored name of the collection, which is created with the archive's settings if there is none."""
    directory = await core.collections.load()
    exists = directory.find(name) is not None or bool((await core.ledger.list(SYSTEM, collection=directory.resolve(name), limit=1)).data)
    if exists or (settings, entry.title, entry.description) == (CollectionSettings(), "", ""):
        return await core.collections.open(name, by=BY)
    check_embedder(core.embedders, settings.embedder)
    return (await core.collections.create(name, settings, title=entry.title, description=entry.description, by=BY)).stored


def summary(arrived: Arrived) -> Sequence[str]:
    """The result as lines of text."""
    counts = ", ".join(f"{count} {SAID[result]}" for result in SAID if (count := arrived.results[result]))
    lines = [f"Collection “{arrived.collection}”: {counts or 'no documents'}."]
    if arrived.groups:
        lines.append(f"Who may read them: {', '.join(sorted(arrived.groups))}.")
    if arrived.remade:
        lines.append(arrived.remade)
    if arrived.lacks_questions and arrived.results["added"]:
        lines.append(NO_QUESTIONS)
    return lines
