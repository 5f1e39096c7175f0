"""Keeps documents in sync with the files of a source: does what a plan says.

Every step can be repeated, and the ledger is the only memory: a sync that was killed is continued by the next one, which plans
anew. A file's state is remembered as stored only after its bytes are. Until then, or if it changes meanwhile, the next plan
contains it again.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from footnote.errors import BadRequest, NotFound, TooLarge, UnreadableFile
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.keys import source_key
from footnote.ingest.sync_plan import Known, Progress, SyncPlan, find_document, make_plan
from footnote.ingest.sync_state import Options, origin_of, see, shown, target
from footnote.ports import MOST_REDIRECTED, Source, Target
from footnote.types import SYSTEM, Caller, Document

log = logging.getLogger(__name__)

SYNC = Caller("sync", sees_all=True, role="admin")
"""The caller as which files of sources are added."""

Taken = Callable[[str, Document], Awaitable[None]]
"""Called with the key and the document of each file that was accepted."""


Note = Callable[[Document], Awaitable[None]]


async def ignore(key: str, document: Document) -> None:
    """Does nothing with a document that was accepted."""


async def unnoted(document: Document) -> None:
    """Does nothing before a document is deleted."""


@dataclass(slots=True)
class Sync:
    """One run over one source. `skipped`: key → why the file was not read while the plan was carried out."""

    source: Source
    ingestor: Ingestor
    options: Options
    skipped: dict[str, str] = field(default_factory=dict)

    @property
    def _max_bytes(self) -> int:
        return self.ingestor.settings.max_file_mb * 2**20

    async def plan(self, progress: Progress = lambda what, done, total: None) -> SyncPlan:
        """What is to be done now; writes nothing."""
        return await make_plan(self.ingestor.ledger, self.ingestor.origins, self.source, self.options, self._max_bytes, progress)

    async def apply(
        self, plan: SyncPlan, taken: Taken = ignore, progress: Progress = lambda what, done, total: None, *, note: Note = unnoted
    ) -> None:
        """Does it. Documents are queued, not awaited. `note` is called before a document is deleted.

        What others may read than the options say is removed first, so that nothing is left readable by them if a file cannot be
        read, or if the sync ends in the middle."""
        known = plan.known
        await self._note(plan, note)
        losing = sorted({*plan.withdrawn, *plan.removed, *plan.heirs, *plan.freed})
        follow: dict[str, Known] = {}
        for start in range(0, len(losing), MOST_REDIRECTED // 2):
            keys = losing[start : start + MOST_REDIRECTED // 2]
            heirs = {plan.heirs[key] for key in keys if key in plan.heirs}
            follow |= await self._follow(plan, keys, {key: key for key in heirs})
        for pairs in plan.renames:
            follow |= await self._follow(plan, [old for old, _ in pairs], {new: old for old, new in pairs})
        touched = [(key, seen) for key, seen in plan.touched.items() if key not in follow]
        for start in range(0, len(touched), MOST_REDIRECTED):
            some = touched[start : start + MOST_REDIRECTED]
            await self._redirect({key: target(known[key].doc_id, seen, key) for key, seen in some})
        work = {**follow, **{key: known.get(key) for key in (*plan.changed, *plan.added)}}
        for done, (key, before) in enumerate(work.items()):
            progress("reading", done, len(work))
            await self._take(key, before, key in follow, taken)
        log.info("synced", extra={"count": len(work) + len(plan.removed)})

    async def withdraw(self, note: Note) -> None:
        """Nothing: readers change with the options alone, and whoever changes these agrees to deletions."""

    def spare(self, plan: SyncPlan) -> None:
        """Leaves out of the plan what would be deleted because it is gone from the source. A file whose name was taken by another
        document, and one that has other readers, loses its document all the same."""
        placed = {new for _, new in plan.renamed} | set(plan.withdrawn)
        spared = set(plan.removed) - placed
        plan.removed = [key for key in plan.removed if key not in spared]
        plan.heirs = {key: heir for key, heir in plan.heirs.items() if key not in spared}
        plan.ending -= {plan.known[key].doc_id for key in spared if key in plan.known}

    async def finish(self) -> None:
        """Finishes the deletions that an earlier sync left half done: nothing in a plan tells of them, and the index still answers
        from their text."""
        for document in await self.ingestor.lifecycle.of_kind("unburied"):
            await self.ingestor.purge(document)

    async def _note(self, plan: SyncPlan, note: Note) -> None:
        """Also the documents that become others because the options name another collection."""
        changed = (plan.known[key] for key in plan.changed if key in plan.known)
        moved = {each.doc_id for each in changed if each.seen.options != self.options.digest}
        for doc_id in sorted(plan.ending | moved):
            document = await find_document(self.ingestor.ledger, doc_id)
            if document is not None and (doc_id in plan.ending or document.collection != self.options.collection):
                await note(document)

    async def _follow(self, plan: SyncPlan, old: list[str], new: Mapping[str, str]) -> dict[str, Known]:
        """Removes the names `old` and gives the documents their `new` names: new → old. → the new names, to be accepted again,
        except those of documents that a user deleted: another name does not bring them back."""
        targets, again = {}, {}
        for name, before in new.items():
            doc_id, seen = plan.known[before].doc_id, plan.seen.get(name, plan.known[before].seen)
            if await find_document(self.ingestor.ledger, doc_id) is not None:
                again[name] = plan.known[before]
                seen = replace(seen, stored=False)
            targets[name] = target(doc_id, seen, name)
        await self._redirect({**dict.fromkeys(old), **targets})
        return again

    async def _take(self, key: str, before: Known | None, follows: bool, taken: Taken) -> None:
        """Accepts a file. `follows`: it has the content that it had `before`, under the same name or another."""
        options = self.options
        try:
            try:
                entry, data = await self.source.read(key, self._max_bytes)
                seen, metadata = see(entry, data, options), {**options.metadata, **entry.metadata}
            except UnreadableFile:
                if before is None or not follows:
                    raise
                document = await self.ingestor.ledger.get(SYSTEM, before.doc_id)
                data, seen, metadata = await self._stored(document), before.seen, dict(document.metadata)
            document = await self.ingestor.accept(
                SYNC, data, file_name=shown(key), collection=options.collection, permission_groups=list(options.groups),
                metadata=metadata if metadata or before else None, origin=origin_of(self.source.address, key),
                version=replace(seen, stored=False).version,
            )  # fmt: skip
        except UnreadableFile as exc:
            self.skipped[key] = exc.reason
        except (BadRequest, TooLarge) as exc:
            self.skipped[key] = exc.detail
        except NotFound:
            self.skipped[key] = "The file was removed or renamed during the sync. The next sync sees its new state."
        else:
            await self._redirect({key: target(document.doc_id, seen, key)})
            await taken(key, document)

    async def _stored(self, document: Document) -> bytes:
        """The bytes of the document's newest generation whose file is stored; a name is lost without a change of the content."""
        for generation in range(document.generation, 1, -1):
            with suppress(NotFound):
                return await self.ingestor.files.get(source_key(document.doc_id, generation))
        return await self.ingestor.files.get(source_key(document.doc_id, 1))

    async def _redirect(self, keys: Mapping[str, Target | None]) -> None:
        """Changes what the origins lead to, and removes documents that no file is left of."""
        for document in await self.ingestor.origins.redirect({origin_of(self.source.address, key): to for key, to in keys.items()}):
            await self.ingestor.purge(document)
