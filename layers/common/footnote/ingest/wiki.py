"""Adds a wiki's page and its attachments as documents.

    in the wiki                                   here
    a page that is known in this version          nothing happens
    a changed one                                 the next generation
    restricted to others                          its documents are removed, then added for their readers
    restricted in a way that has no mapping       its documents are removed; FAILED, without its text
    deleted, or hidden from the wiki's account    its documents are removed; 404

Permissions are read after the text and before it is stored, and once more at the end: if they changed meanwhile, all is done
again. So concurrent calls are safe, because the one that writes last has read the permissions after the other.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from footnote.errors import BadRequest, ForeignLink, NotFound, TooLarge, Unavailable, UnreadableFile
from footnote.ingest.accept import safe_file_name
from footnote.ingest.collections import open_collection
from footnote.ingest.ingestor import Ingestor
from footnote.ingest.parse.confluence import make_file
from footnote.ingest.releasing import release
from footnote.ingest.wiki_readers import readers_of
from footnote.ingest.wiki_versions import attached_facts, attachment_version, facts_of, has_text, page_version, refused_version
from footnote.ports import Attachment, PageFacts, Target, Wiki, WikiPage
from footnote.settings import Confluence
from footnote.types import ADMINS, SYSTEM, Caller, Document, StoredName

log = logging.getLogger(__name__)

LOADER = Caller("wiki", sees_all=True, role="admin")
LIMIT_S = 240.0
"""Limit of a whole call; in AWS the function ends after 300 s."""
UNKNOWN = "There is no such page, or you may not read it. If it exists, administrators may find the reason among the FAILED documents."
NOT_CONFIGURED = "Confluence is not configured. Set CONFLUENCE__BASE_URL and CONFLUENCE__TOKEN."
OUT_OF_TIME = "Reading the page's attachments took too long. What was read is kept: send the request again for the rest."

Note = Callable[[Document], Awaitable[None]]


class Undelivered(Unavailable):
    """The wiki does not deliver an attachment; the rest of the page can be read."""


@dataclass(frozen=True, slots=True)
class Added:
    """The documents of a page, None and none for an admin who may not read it. `attachments`: their ids → documents. `skipped`: file names
    of attachments without text. `failed`: attachments that the wiki does not deliver; what is known of them stays as it is."""

    page: Document | None
    attachments: Mapping[str, Document]
    skipped: tuple[str, ...]
    failed: tuple[tuple[Attachment, str], ...] = ()
    """With the reason."""


@dataclass(frozen=True, slots=True)
class WikiPages:
    """`base_url`: of the only wiki whose pages can be added, without a slash at its end. `settings`: how its permissions are mapped."""

    wiki: Wiki
    base_url: str
    settings: Confluence
    ingestor: Ingestor

    async def add(self, caller: Caller, base_url: str, page_id: str, collection: str, *, note: Note) -> Added:
        """Adds a page to a collection, or brings it up to date; documents of the page in other collections are removed if they
        may be read by others than the page. `note` is called before a document is removed.

        BadRequest for another wiki. NotFound if there is no such page or the caller may neither read it nor is an admin, who also
        gets the FAILED document of a page whose permissions cannot be mapped. Unavailable as in `Wiki`."""
        if base_url.rstrip("/") != self.base_url:
            raise BadRequest("This is not the Confluence that is configured. Only pages below CONFLUENCE__BASE_URL can be added.")
        stored = await open_collection(self.ingestor.collections, caller, collection)
        try:
            async with asyncio.timeout(LIMIT_S):
                while (added := await self._converge(caller, page_id, stored, note)) is None:
                    log.info("a page or its permissions changed meanwhile", extra={"page_id": page_id})
        except TimeoutError as exc:
            raise Unavailable(OUT_OF_TIME) from exc
        return added

    async def _converge(self, caller: Caller, page_id: str, collection: StoredName, note: Note) -> Added | None:
        """None if the page was deleted, or its readers changed, meanwhile."""
        place = self.place(page_id)
        try:
            page = await self.wiki.page(page_id)
        except NotFound as exc:
            await self.narrow(place, frozenset(), note)
            raise NotFound(UNKNOWN) from exc
        readers, refused = self.readers(page)
        await self.narrow(place, readers, note)
        may_add = caller.may_read(readers) or caller.role == "admin"
        if refused is None and not may_add:
            raise NotFound(UNKNOWN)
        target = _Target(page, readers, f"{place}{collection}/", collection)
        try:
            document = await self._store_page(target, refused)
            found: Added | None = Added(document, {}, ())
            if refused is None:
                found = await self._add_attachments(target, document, note)
            if found is None or self.readers(await self.wiki.page(page_id))[0] != readers:
                return None
        except NotFound:  # deleted or hidden meanwhile: the next round removes its documents
            return None
        if not may_add:
            raise NotFound(UNKNOWN)
        return found if caller.may_read(readers) else Added(None, {}, ())

    def place(self, page_id: str = "") -> str:
        """What the origins of a page's documents begin with, in all collections; then the collection and the part. Without an id: of all
        pages."""
        return f"confluence:{self.base_url}/{page_id}/" if page_id else f"confluence:{self.base_url}/"

    def readers(self, page: PageFacts) -> tuple[frozenset[str], UnreadableFile | None]:
        """The page's readers; without a mapping only admins learn of it, and why."""
        try:
            return readers_of(page, self.settings), None
        except UnreadableFile as exc:
            return frozenset({ADMINS}), exc

    async def narrow(self, place: str, readers: frozenset[str], note: Note) -> None:
        """Removes the documents below a place whose readers are not exactly these."""
        for origin, held in (await self.ingestor.origins.under(place)).items():
            document = await self._document(held.doc_id)
            if document is not None and document.permission_groups != readers:
                await self._remove(origin, document, note)

    async def _remove(self, origin: str, document: Document, note: Note) -> None:
        await note(document)
        await release(self.ingestor, origin)
        log.info("a document of a wiki was removed", extra={"doc_id": document.doc_id})

    async def _document(self, doc_id: str) -> Document | None:
        try:
            return await self.ingestor.ledger.get(SYSTEM, doc_id)
        except NotFound:
            return None

    async def _store_page(self, target: _Target, refused: UnreadableFile | None) -> Document:
        page = target.page
        if refused is not None:  # without title and text, which admins may not be allowed to read either
            version = refused_version(refused)
            facts = {"url": page.url, "space": page.space}
            return await self._accept(target, "page", b"", f"confluence-{page.page_id}.xml", facts, version, refused)
        data = make_file(page.page_id, page.title, page.body)
        name = f"{page.title.replace('/', '-')}.xml"
        return await self._accept(target, "page", data, name, facts_of(page), page_version(page, target.readers), None)

    async def _add_attachments(self, target: _Target, page: Document, note: Note) -> Added | None:
        """None if the page's readers changed meanwhile."""
        documents, skipped, failed, current = dict[str, Document](), [], [], {f"{target.place}page"}
        for attachment in await self.wiki.attachments(target.page.page_id):
            if not has_text(attachment):
                skipped.append(attachment.file_name)
                continue
            current.add(target.place + attachment.attachment_id)
            try:
                document = await self._add_attachment(target, attachment)
            except Undelivered as exc:
                failed.append((attachment, exc.detail))
                continue
            if document is None:
                return None
            documents[attachment.attachment_id] = document
        for origin, held in (await self.ingestor.origins.under(target.place)).items():
            gone = None if origin in current else await self._document(held.doc_id)
            if gone is not None:
                await self._remove(origin, gone, note)
        return Added(page, documents, tuple(skipped), tuple(failed))

    async def _add_attachment(self, target: _Target, attachment: Attachment) -> Document | None:
        metadata, version = attached_facts(target.page), attachment_version(target.page, attachment, target.readers)
        held = await self.ingestor.origins.held(target.place + attachment.attachment_id)
        known = await self._document(held.doc_id) if held is not None and held.version == version else None
        if known is not None and known.state in ("PROCESSING", "READY") and known.permission_groups == target.readers:
            return known
        data, refused, limit_mb = b"", None, self.ingestor.settings.max_file_mb
        try:
            if attachment.size > limit_mb * 2**20:
                raise TooLarge(f"The file has {attachment.size / 2**20:.1f} MB; {limit_mb} MB are allowed.")
            data = await self.wiki.download(attachment, limit_mb * 2**20)
        except (TooLarge, NotFound, ForeignLink) as exc:
            refused = UnreadableFile(exc.detail, "Check that the file opens in Confluence and is not too large, then add the page again.")
        except Unavailable as exc:
            raise Undelivered(exc.detail) from exc
        if self.readers(await self.wiki.page(target.page.page_id))[0] != target.readers:
            return None
        return await self._accept(target, attachment.attachment_id, data, attachment.file_name, metadata, version, refused)

    async def _accept(
        self,
        target: _Target,
        part: str,
        data: bytes,
        name: str,
        metadata: Mapping[str, Any],
        version: str,
        refused: UnreadableFile | None,
    ) -> Document:
        origin, name = target.place + part, safe_file_name(name)
        held = await self.ingestor.origins.held(origin)
        known = await self._document(held.doc_id) if held is not None else None
        if known is not None and known.file_name != name:  # renamed: the index holds the name as well
            await self._redirect(origin, Target(known.doc_id, f"{version}?", name))
        document = await self.ingestor.accept(
            LOADER, data, file_name=name, collection=target.collection, permission_groups=sorted(target.readers),
            metadata=metadata, origin=origin, version=f"{version}?", refused=refused,
        )  # fmt: skip
        await release(self.ingestor, origin, document.doc_id)
        # Only now it is stored: until then, a sync of the space adds it again.
        await self._redirect(origin, Target(document.doc_id, version, name))
        log.info("a document of a wiki was added", extra={"doc_id": document.doc_id, "state": document.state, "size": document.size})
        return document

    async def _redirect(self, origin: str, target: Target) -> None:
        for document in await self.ingestor.origins.redirect({origin: target}):
            await self.ingestor.purge(document)


@dataclass(frozen=True, slots=True)
class _Target:
    """What is being added, and for whom. `place`: the beginning of the origins of the page's documents in this collection."""

    page: WikiPage
    readers: frozenset[str]
    place: str
    collection: StoredName
