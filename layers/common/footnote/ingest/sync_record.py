"""What is stored about a source besides its files: its options, so that a later sync adds files for the same readers, and its last
run. A run that changes nothing writes nothing, unless its result is another than that of the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from footnote.collections import Collections
from footnote.errors import BadRequest, Conflict, NotFound
from footnote.ingest.accept import check_groups, check_metadata
from footnote.ingest.collections import open_collection
from footnote.ingest.sync import SYNC, Sync
from footnote.ingest.sync_plan import SyncPlan, read_known
from footnote.ingest.sync_state import Options
from footnote.ingest.wiki_space import Space, SpaceSync
from footnote.ledger import Lifecycle, Origins
from footnote.ports import Ledger, Record, Records, Source
from footnote.settings import Settings
from footnote.text.surrogates import repair
from footnote.types import SYSTEM, Document, StoredName

MOST_NAMED = 50
"""Failures, and files that were not processed yet, that a record names."""
PURGED = (
    "The collection of this source was deleted and cannot be restored any more. Name another one with --collection, or leave the source"
    " alone from now on with --forget."
)
FORGOTTEN = "This source is not known any more: it was forgotten while it was watched."
FROM_THE_WIKI = "Readers and metadata of a space come from Confluence. Leave out --groups and --metadata."


@dataclass(frozen=True, slots=True)
class Wanted:
    """Options that somebody named; None = as in the last sync, or else the defaults."""

    collection: str | None = None
    groups: list[str] | None = None
    metadata: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """A file without a document of its current state. `doc_id`: of the FAILED document, None = it was not read."""

    name: str
    reason: str
    remedy: str = ""
    doc_id: str | None = None


State = Literal["done", "needs_consent", "unfinished", "failed"]


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last run of a source. `at`: when it ended, in seconds since the epoch. `failed`: number of failures; `failures`: the first of
    them, `pending`: files that were queued, key → document id.

    `state`: "needs_consent" = more than 10 % of the `documents` would have been deleted, `lost` of them; "unfinished" = its time was over,
    and the next run goes on; "failed" = it could not begin, or the source went away, as `detail` says."""

    at: float
    state: State
    detail: str = ""
    added: int = 0
    changed: int = 0
    renamed: int = 0
    removed: int = 0
    unchanged: int = 0
    failed: int = 0
    documents: int = 0
    lost: int = 0
    failures: Sequence[Failure] = ()
    pending: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceRecord:
    """A source as it is stored; the key is its address."""

    collection: str
    """Its stored name; that of a source that was never synced is a name."""
    groups: tuple[str, ...]
    metadata: Mapping[str, Any]
    last_run: LastRun | None
    is_purged: bool = False
    """Whether its collection was deleted and purged; nothing is added until somebody names another one."""


def read_record(value: Mapping[str, Any]) -> SourceRecord:
    """A stored record."""
    run = value.get("last_run")
    if run is not None:
        run = LastRun(**{**run, "failures": tuple(Failure(**each) for each in run["failures"])})
    return SourceRecord(StoredName(value["collection"]), tuple(value["groups"]), value["metadata"], run, value.get("is_purged", False))


async def choose_options(
    records: Records, origins: Origins, collections: Collections, source: Source | Space, wanted: Wanted, settings: Settings
) -> Options:
    """The options of a sync. BadRequest if an option is invalid or no group is named that has to be, or if the source has documents
    but its options are lost. Conflict if its collection was deleted and no other one is named."""
    found = await records.get("source", source.address)
    last = read_record(found.value) if found else SourceRecord(settings.index_name, (), {}, None)
    if last.is_purged and wanted.collection is None:
        raise Conflict(PURGED)
    if isinstance(source, Space):
        return await _options_of_space(collections, source, wanted, last)
    if wanted.groups is not None and not any(group.strip() for group in wanted.groups):
        raise BadRequest("--groups names no group. For everyone, use --groups '*'.")
    if found is None and (wanted.collection is None or wanted.groups is None) and await read_known(origins, source.address):
        raise BadRequest(
            "This source has documents, but the record of their collection and readers is missing. Name both: --collection and --groups."
        )
    if found is None and wanted.groups is None and settings.auth.mode != "none":
        raise BadRequest("Say who may read the documents of this source: --groups A,B, or --groups '*' for everyone.")
    groups = list(last.groups) if wanted.groups is None else wanted.groups
    metadata = check_metadata(last.metadata if wanted.metadata is None else wanted.metadata)
    stored = await open_collection(collections, SYNC, wanted.collection or last.collection)
    return Options(stored, tuple(sorted(check_groups(groups, SYNC, (await collections.get(stored)).permission_groups))), metadata or {})


async def last_options(records: Records, origins: Origins, collections: Collections, source: Source | Space, settings: Settings) -> Options:
    """The options of a source that is synced again. Errors as in `choose_options`; NotFound if it was forgotten."""
    if await records.get("source", source.address) is None:
        raise NotFound(FORGOTTEN)
    return await choose_options(records, origins, collections, source, Wanted(), settings)


async def _options_of_space(collections: Collections, space: Space, wanted: Wanted, last: SourceRecord) -> Options:
    if wanted.groups is not None or wanted.metadata is not None:
        raise BadRequest(FROM_THE_WIKI)
    collection = await open_collection(collections, SYNC, wanted.collection or last.collection)
    if isinstance(last.collection, StoredName) and not last.is_purged and collection != last.collection:
        for parts in (await space.held(last.collection)).values():
            if await space.name_here(parts) is not None:
                name = await collections.name_of(last.collection)
                raise BadRequest(
                    f"The pages of this space are in the collection {name}, and a space is in one collection only."
                    " Delete these documents first, or leave out --collection."
                )
    return Options(collection, ())


async def save_options(records: Records, address: str, options: Options, *, by: str) -> None:
    """Stores the options before the first file is added with them."""
    found = await records.get("source", address)
    value = {"last_run": None, **(found.value if found else {}), **_fields(options)}
    if found is None or value != found.value:
        await records.put("source", address, value, by=by)


async def mark_purged(records: Records, record: Record, now: float, *, by: str) -> None:
    """Notes that the collection of a source was purged. Its readers stay, for when another collection is named."""
    run = {**asdict(LastRun(now, "failed", PURGED)), "failures": []}
    await records.put("source", record.key, {**record.value, "is_purged": True, "last_run": run}, by=by)


async def find_failed(lifecycle: Lifecycle, plan: SyncPlan, documents: Mapping[str, Document]) -> dict[str, Document]:
    """Key → document of the source that is FAILED now, whichever run added it. `documents`: those of the files that were accepted."""
    keys = {doc_id: key for key, doc_id in plan.held.items()} | {each.doc_id: key for key, each in documents.items()}
    failed = {keys[each.doc_id]: each for each in await lifecycle.of_kind("failed") if each.doc_id in keys}
    return failed | {key: each for key, each in documents.items() if each.state == "FAILED"}


def run_of(
    sync: Sync | SpaceSync, plan: SyncPlan, documents: Mapping[str, Document], failed: Mapping[str, Document], state: State, now: float
) -> LastRun:
    """A run. `documents`: those of the files that were accepted, in the state that they have by now; `failed`: from `find_failed`."""
    failures = [Failure(repair(key), why) for key, why in (plan.skipped | sync.skipped).items()]
    failures += (Failure(repair(key), each.reason or "", each.remedy or "", each.doc_id) for key, each in failed.items())
    failures += (Failure(key, why.reason, why.remedy) for key, why in plan.refused.items() if key not in failed)
    pending = [(repair(key), each.doc_id) for key, each in documents.items() if each.state in ("RECEIVED", "PROCESSING")]
    return LastRun(
        now, state, "", len(plan.added), len(plan.changed), len(plan.renamed), len(plan.removed), plan.unchanged, len(failures),
        plan.documents, plan.lost, tuple(failures[:MOST_NAMED]), dict(pending[:MOST_NAMED]),
    )  # fmt: skip


async def save_run(records: Records, ledger: Ledger, address: str, run: LastRun, *, by: str, always: bool = False) -> None:
    """Stores a run; one that could not begin with what is still FAILED of the last one. `always`: also one that changed nothing and ended
    as the last one did."""
    found = await records.get("source", address)
    if found is None:
        return
    last = read_record(found.value).last_run
    if run.state == "failed" and last is not None:
        kept = [each for each in await current_failures(ledger, last) if each.doc_id]
        unnamed = last.failed - len(last.failures)
        run = replace(run, failures=tuple(kept[:MOST_NAMED]), failed=unnamed + len(kept), pending=last.pending)
    value = {**asdict(run), "failures": [asdict(each) for each in run.failures]}
    is_idle = not (run.added or run.changed or run.renamed or run.removed)
    if not always and is_idle and last is not None and _result(value) == _result(asdict(last)):
        return
    await records.put("source", address, {**found.value, "last_run": value}, by=by)


async def current_failures(ledger: Ledger, run: LastRun) -> list[Failure]:
    """The failures of a run that still are some, and files that failed after it."""
    found = [each for each in run.failures if each.doc_id is None]
    later = {**{each.doc_id: each.name for each in run.failures if each.doc_id}, **{doc_id: key for key, doc_id in run.pending.items()}}
    for doc_id, name in later.items():
        with suppress(NotFound):
            document = await ledger.get(SYSTEM, doc_id)
            if document.state == "FAILED":
                found.append(Failure(name, document.reason or "", document.remedy or "", doc_id))
    return found


def _result(run: Mapping[str, Any]) -> tuple[Any, ...]:
    unsettled = run["lost"] if run["state"] == "needs_consent" else 0
    return run["state"], run["detail"], sorted((each["name"], each["reason"]) for each in run["failures"]), unsettled


def _fields(options: Options) -> dict[str, Any]:
    return {"collection": options.collection, "groups": list(options.groups), "metadata": dict(options.metadata), "is_purged": False}
