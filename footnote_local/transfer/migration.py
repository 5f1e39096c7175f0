"""Moves the data of a deployment to another one, document by document; the source is only read.

Moved: documents with everything made from them, and of the records collections, prompts, settings, forbidden terms, users' preferences and
the sources of sync. Not moved: conversations with their names and pins, feedback, figures, sessions, the audit, caches and jobs, and
deleted collections.

Existing data is compared first, so a second run, or one after a kill, writes only the missing parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from footnote.bootstrap import Core
from footnote.collections.names import Directory, dump_directory, load_directory
from footnote.collections.service import KEY as DIRECTORY
from footnote.errors import Conflict, NotFound
from footnote.ingest.disagreements import Progress, read_digest
from footnote.ports import Kind, read_all
from footnote.settings import AWS, DB, OpenSearch, Settings
from footnote.types import SYSTEM, Document, StoredName, make_chunk_id
from footnote_local.transfer.collections import Arrived, arrive, embedder_entry, wants_questions, why_remade
from footnote_local.transfer.copies import Copy, has_old_vectors, list_documents, read_copy, write_to_index

KINDS: tuple[Kind, ...] = ("prompt", "prompt_version", "setting", "setting_change", "term", "preference", "source", "golden")
"""The kinds of records that move, beside the collections."""


@dataclass(frozen=True, slots=True)
class MigrationPlan:
    """The plan of a move. `documents`: stored name of a collection → ids, oldest first. `there`: how many need nothing. `records`: kind →
    number. `shares_ledger`: both sides have the same ledger and files, so only the index is written."""

    documents: dict[StoredName, list[str]] = field(default_factory=dict)
    there: int = 0
    records: Counter[str] = field(default_factory=Counter)
    shares_ledger: bool = False

    @property
    def count(self) -> int:
        """Documents to be moved."""
        return sum(map(len, self.documents.values()))


def embedded(settings: Settings) -> Settings:
    """The settings with the embedded engines instead of all others."""
    return settings.model_copy(update={"opensearch": OpenSearch(), "aws": AWS(), "db": DB()})


async def make_plan(source: Core, target: Core, progress: Progress) -> MigrationPlan:
    """Compares both sides. Conflict if a collection of one name is another one there."""
    directory = await source.collections.load()
    plan = MigrationPlan(shares_ledger=source.settings.aws.ledger_table == target.settings.aws.ledger_table)
    there = 0
    for name in await source.ledger.collections(SYSTEM):
        if name in directory.deleted:
            continue
        stored = StoredName(name)
        missing: list[str] = []
        doc_ids = await list_documents(source, stored)
        for done, doc_id in enumerate(doc_ids, start=1):
            if await _is_there(source, target, doc_id, plan.shares_ledger):
                there += 1
            else:
                missing.append(doc_id)
            progress(f"comparing {directory.name_of(stored)}", done, len(doc_ids))
        plan.documents[stored] = missing
    merged = _merged(directory, await target.collections.load())
    plan.records["collection"] = len(merged.collections) - len((await target.collections.load()).collections)
    for kind in KINDS:
        plan.records[kind] += len(await _missing(source, target, kind))
    return MigrationPlan(plan.documents, there, +plan.records, plan.shares_ledger)


async def carry_out(source: Core, target: Core, plan: MigrationPlan, progress: Progress) -> Arrived:
    """Carries out the plan."""
    await _move_records(source, target)
    arrived, whole = Arrived(""), dict[str, None]()
    check_recipe, done, has_questions = await has_old_vectors(source), 0, False
    for stored, doc_ids in plan.documents.items():
        remade = await why_remade(target, stored, await embedder_entry(source, stored))
        arrived = replace(arrived, remade=remade)
        whole |= {remade: None} if remade and doc_ids else {}
        for doc_id in doc_ids:
            copy = await read_copy(source, doc_id, check_recipe)
            has_questions = has_questions or (copy is not None and any(chunk.questions for chunk in copy.chunks))
            if copy is not None and plan.shares_ledger:
                await _write_index(target, copy, arrived)
            elif copy is not None:
                await arrive(target, copy, arrived)
            progress("moving", done := done + 1, plan.count)
    return replace(arrived, remade=" ".join(whole) or None, lacks_questions=wants_questions(target) and not has_questions)


async def _write_index(target: Core, copy: Copy, arrived: Arrived) -> None:
    if copy.chunks:
        await write_to_index(target, copy)
        arrived.results["added"] += 1


async def _is_there(source: Core, target: Core, doc_id: str, shares_ledger: bool) -> bool:
    """Whether the target has the document as it is, or will have it by reading its file."""
    try:
        document = await source.ledger.get(SYSTEM, doc_id)
    except NotFound:
        return True
    if shares_ledger:
        return not document.active_generation or await _is_indexed(target, document)
    try:
        there = await target.ledger.get(SYSTEM, doc_id)
    except NotFound:
        return False
    if there.collection != document.collection or there.state == "PROCESSING":
        return False
    return there.digest == document.digest if document.active_generation else there.content_hash == document.content_hash


async def _is_indexed(target: Core, document: Document) -> bool:
    generation = document.active_generation
    if not await target.index.read(SYSTEM, [make_chunk_id(document.doc_id, generation, 0)]):
        return False
    return await read_digest(target.generations, document.doc_id, generation) == document.digest


async def _missing(source: Core, target: Core, kind: Kind) -> Sequence[str]:
    if source.settings.db.address == target.settings.db.address:
        return ()
    records = await read_all(lambda after: source.records.list(kind, limit=500, after=after))
    there = {record.key for record in await read_all(lambda after: target.records.list(kind, limit=500, after=after))}
    return [record.key for record in records if record.key not in there]


async def _move_records(source: Core, target: Core) -> None:
    """Adds the records missing from the target; changes made there stay."""
    for kind in KINDS:
        for key in await _missing(source, target, kind):
            record = await source.records.get(kind, key)
            if record is not None:
                await target.records.put(kind, key, record.value, by=record.changed_by, expected=None)
    before = await target.collections.load()
    merged = _merged(await source.collections.load(), before)
    if merged.collections != before.collections:
        put = partial(target.records.put, "collection", DIRECTORY, dump_directory(merged), by="footnote migrate")
        await put(expected=before.version)


def _merged(source: Directory, target: Directory) -> Directory:
    """The target's directory with the collections that only the source has. Conflict if they are different ones of one name."""
    merged = target
    for stored, collection in source.collections.items():
        if stored in source.deleted or stored in target.collections:
            continue
        taken = next((name for name in collection.names if target.find(name) is not None), None)
        if taken is not None:
            raise Conflict(f"The name “{taken}” leads to another collection there. Rename one of them, then migrate again.")
        merged = merged.with_collection(collection)
    return load_directory(dump_directory(merged), target.version)
