"""Keeps documents in sync with a space of a wiki: its pages, blog posts and attachments.

The list of a space tells versions, labels and restrictions of all its pages. Only pages that differ from what their documents were
made of are read, each as `WikiPages.add` does it, which reads the permissions once more. So documents of a page are the same whether
the page was added alone or with its space.

    in the wiki                                   here
    same version, labels, title and readers       unchanged: nothing is requested
    anything else                                 the page is added again; documents of other readers are removed before any other work
    a page that is not in the list                removed, if the wiki has no such page in this space: lists change while they are read
    restrictions that cannot be read              skipped: its documents stay as they are
    restrictions that have no mapping             its documents are removed; FAILED, without its text
    text or a file that cannot be read            skipped: its documents stay as they are, the others go on
    document deleted by a user                    unchanged: it is added again when the page changes

A sync that was killed is continued by the next one: a document's version is complete only when its bytes are stored.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from footnote.errors import BadRequest, NotFound, TooLarge, Unavailable
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.sync import Note, Taken, ignore, unnoted
from footnote.ingest.sync_plan import Progress, SyncPlan, find_document
from footnote.ingest.sync_state import Options
from footnote.ingest.wiki import LOADER, WikiPages
from footnote.ingest.wiki_versions import attachment_version, has_text, page_version, refused_version
from footnote.ports import Held, ListedPage, PageFacts, Unlisted

log = logging.getLogger(__name__)

MOST_FAILURES = 3
"""Pages in a row that cannot be read; then the wiki counts as down, and the sync ends."""
GONE = "The page was removed or hidden during the sync. The next sync sees its new state."
NO_FILES = "The page's attachments cannot be listed. They stay as they are until the next sync."


@dataclass(frozen=True, slots=True)
class Space:
    """A space as a source. `key`: its key in the wiki."""

    key: str
    pages: WikiPages

    @property
    def address(self) -> str:
        """Where people open it."""
        return f"{self.pages.base_url}/display/{self.key}"

    async def close(self) -> None:
        """The connections are the wiki's."""

    async def held(self, collection: str) -> dict[str, dict[str, Held]]:
        """Documents of pages of all spaces in this collection: page id → part → what the ledger holds."""
        found: dict[str, dict[str, Held]] = defaultdict(dict)
        for origin, each in (await self.pages.ingestor.origins.under(self.pages.place())).items():
            page_id, its_collection, part = origin.removeprefix(self.pages.place()).split("/", 2)
            if its_collection == collection:
                found[page_id][part] = each
        return found

    async def name_here(self, parts: Mapping[str, Held]) -> str | None:
        """The file name of a page's document if it was made of this space, else None."""
        for part in sorted(parts, key=lambda part: part != "page"):
            document = await find_document(self.pages.ingestor.ledger, parts[part].doc_id)
            if document is not None:
                return document.file_name if document.metadata.get("space") == self.key else None
        return None


@dataclass(slots=True)
class SpaceSync:
    """One run over a space. `skipped`: key → why it was not read while the plan was carried out. A key is the id of a page, or that and the
    id of an attachment."""

    source: Space
    options: Options
    skipped: dict[str, str] = field(default_factory=dict)
    _work: dict[str, frozenset[str] | None] = field(default_factory=dict)
    """Page id → its readers if it has documents that may have others."""
    _gone: dict[str, str] = field(default_factory=dict)
    """Page id → what the origins of its documents begin with."""
    _losing: set[str] = field(default_factory=set)
    """Pages of which attachments are gone."""
    _spared: set[str] = field(default_factory=set)
    """Pages that stay as they are, unless they have other readers."""

    @property
    def ingestor(self) -> Ingestor:
        """Of the wiki's pages."""
        return self.source.pages.ingestor

    async def plan(self, progress: Progress = lambda what, done, total: None) -> SyncPlan:
        """What is to be done now; writes nothing. NotFound if there is no such space, Unavailable if it cannot be listed."""
        pages, plan, names = self.source.pages, SyncPlan(), dict[str, str]()
        plan.names = names
        held = await self.source.held(self.options.collection)
        listed: dict[str, ListedPage] = {}
        async for page in pages.wiki.space(self.source.key):
            if isinstance(page, Unlisted):
                plan.skipped[page.prefix] = page.reason
            else:
                listed[page.page_id] = page
                names[page.page_id] = page.title
            progress("listing", len(listed), max(len(held), len(listed)))
        for page in listed.values():
            self._compare(plan, names, page, held.get(page.page_id, {}))
        for page_id in sorted(held.keys() - listed.keys() - plan.skipped.keys()):
            name = await self.source.name_here(held[page_id])
            if name is not None:
                names[page_id] = name
                await self._look_for(plan, page_id, held[page_id])
        here = listed.keys() | self._gone.keys() | plan.skipped.keys() | self._work.keys()
        plan.held = {_key(page_id, part): each.doc_id for page_id in here & held.keys() for part, each in held[page_id].items()}
        plan.documents = len(plan.held)
        for keys in (plan.added, plan.changed, plan.removed):
            keys.sort()
        return plan

    def _compare(self, plan: SyncPlan, names: dict[str, str], page: ListedPage, has: Mapping[str, Held]) -> None:
        """Adds what is to be done for a page to the plan."""
        readers, refused = self.source.pages.readers(page)
        files = [each for each in page.attachments or () if has_text(each)]
        if refused is not None:
            plan.refused[page.page_id] = refused
            del names[page.page_id]  # it may not be shown to administrators either
            wanted = {"page": refused_version(refused)}
        else:
            wanted = {each.attachment_id: attachment_version(page, each, readers) for each in files}
            wanted |= {"page": page_version(page, readers)}
            names.update({_key(page.page_id, each.attachment_id): f"{page.title}/{each.file_name}" for each in files})
            if page.attachments is None:
                plan.skipped[_key(page.page_id, "attachments")] = NO_FILES
        gone = has.keys() - wanted.keys() if page.attachments is not None or refused else set()
        before = len(plan.added) + len(plan.changed)
        for part, version in wanted.items():
            if part not in has:
                plan.added.append(_key(page.page_id, part))
            elif has[part].version != version:
                plan.changed.append(_key(page.page_id, part))
            else:
                plan.unchanged += 1
        plan.removed += (_key(page.page_id, part) for part in gone)
        if gone and refused is None:
            plan.lost += len(gone)
            self._losing.add(page.page_id)
        if gone or len(plan.added) + len(plan.changed) > before:
            self._work[page.page_id] = readers if has else None

    async def _look_for(self, plan: SyncPlan, page_id: str, has: Mapping[str, Held]) -> None:
        """A page that the list lacks."""
        pages, page = self.source.pages, None
        try:
            page = await pages.wiki.page(page_id)
        except NotFound:
            pass
        except Unavailable as exc:
            plan.skipped[page_id] = exc.detail
            return
        if page is not None and page.space == self.source.key:
            plan.changed.append(page_id)
            self._work[page_id] = self._readers(page)
            return
        self._gone[page_id] = pages.place(page_id) if page is None else f"{pages.place(page_id)}{self.options.collection}/"
        plan.removed += (_key(page_id, part) for part in has)
        plan.lost += len(has)

    def _readers(self, page: PageFacts) -> frozenset[str]:
        return self.source.pages.readers(page)[0]

    async def withdraw(self, note: Note) -> None:
        """Removes documents that others may read than the page: before anything else, and whether or not anybody agrees to the
        deletion of others."""
        pages = self.source.pages
        for page_id, readers in self._work.items():
            if readers is not None:
                await pages.narrow(pages.place(page_id), readers, note)

    def spare(self, plan: SyncPlan) -> None:
        """Leaves out of the plan what would be deleted because it is gone from the wiki, and what else is to be done for a page of which
        attachments are gone. Documents that others may read than the page are removed all the same (`withdraw`)."""
        self._spared = self._losing
        spared = self._gone.keys() | self._losing
        for keys in (plan.added, plan.changed, plan.removed):
            keys[:] = [key for key in keys if key.partition("/")[0] not in spared]
        self._gone.clear()

    async def apply(
        self, plan: SyncPlan, taken: Taken = ignore, progress: Progress = lambda what, done, total: None, *, note: Note = unnoted
    ) -> None:
        """Does it. Documents are queued, not awaited. `note` is called before a document is deleted. Unavailable if the wiki is down."""
        await self.withdraw(note)
        for place in self._gone.values():
            await self.source.pages.narrow(place, frozenset(), note)
        in_a_row, work = 0, [page_id for page_id in self._work if page_id not in self._spared]
        for done, page_id in enumerate(work):
            progress("reading", done, len(work))
            try:
                await self._take(page_id, taken, note)
            except Unavailable as exc:
                self.skipped[page_id] = exc.detail
                in_a_row += 1
                if in_a_row == MOST_FAILURES:
                    raise
            else:
                in_a_row = 0
        log.info("synced", extra={"count": len(work) + len(self._gone)})

    async def _take(self, page_id: str, taken: Taken, note: Note) -> None:
        pages = self.source.pages
        try:
            added = await pages.add(LOADER, pages.base_url, page_id, self.options.collection, note=note)
        except NotFound:
            self.skipped[page_id] = GONE
        except (BadRequest, TooLarge) as exc:
            self.skipped[page_id] = exc.detail
        else:
            self.skipped.update({_key(page_id, each.attachment_id): reason for each, reason in added.failed})
            if added.page is not None:
                await taken(page_id, added.page)
            for attachment_id, document in added.attachments.items():
                await taken(_key(page_id, attachment_id), document)

    async def finish(self) -> None:
        """As in `Sync`."""
        for document in await self.ingestor.lifecycle.of_kind("unburied"):
            await self.ingestor.purge(document)


def _key(page_id: str, part: str) -> str:
    return page_id if part == "page" else f"{page_id}/{part}"
