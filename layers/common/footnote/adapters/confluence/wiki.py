"""Pages, their restrictions and attachments, from the REST API of Confluence Data Center."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeVar
from urllib.parse import quote, urlencode

from pydantic import BaseModel, ValidationError

from footnote.adapters.confluence.wiki_client import Client
from footnote.adapters.confluence.wiki_replies import Described, Entry, File, List, Page, Restricted, Space
from footnote.errors import ForeignLink, NotFound, TooLarge, Unavailable
from footnote.ports import Attachment, ListedPage, Restriction, Unlisted, WikiPage

RESTRICTIONS = "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
FACTS = f"version,space,ancestors,metadata.labels,{RESTRICTIONS}"
CONTENT = f"body.storage,{FACTS}"
LISTED = f"{FACTS},children.attachment.version"
MAX_JSON = 32 * 2**20
"""Maximum bytes of a reply of the API."""
AT_ONCE = 100
"""Attachments per reply."""
PAGES_AT_ONCE = 50
"""Pages of a space per reply. Confluence sends fewer where it likes to."""
NO_SPACE = "Confluence has no space with this key, or its account may not view it. Nothing was changed."

M = TypeVar("M", bound=BaseModel)


class ConfluenceWiki:
    """`ports.Wiki` of a Confluence Data Center."""

    def __init__(self, base_url: str, token: str, user: str | None, *, verify_tls: bool = True, limit_s: float = 60) -> None:
        self._base_url = base_url.rstrip("/")
        self._client = Client(base_url, token, user, verify_tls=verify_tls, limit_s=limit_s)

    async def page(self, page_id: str) -> WikiPage:
        found = _check(Page, await self._get(page_id, CONTENT))
        # Restrictions that the reply does not hold are asked for one by one: expanding them for all ancestors fails on some versions.
        # They are read after the text, so that what was written under a new restriction is never published without it.
        restrictions = [found.restriction, *[await self._restriction(ancestor.id) for ancestor in found.ancestors]]
        return WikiPage(**self._facts(found, restrictions), body=found.body.storage.value)

    async def space(self, key: str) -> AsyncIterator[ListedPage | Unlisted]:
        try:
            found = _check(Space, await self._client.get(f"/rest/api/space/{quote(key, safe='~')}", MAX_JSON, json=True))
        except NotFound as exc:
            raise NotFound(NO_SPACE) from exc
        if found.key != key:
            raise NotFound(f"The key of this space is {found.key}. Upper and lower case count.")
        entries, unknown = await self._entries(key)
        for page_id, reason in unknown.items():
            yield Unlisted(page_id, reason)
        own = {page_id: entry.restriction for page_id, entry in entries.items()}
        for page_id, entry in entries.items():
            try:
                for above in entry.ancestors:
                    if above.id in unknown:
                        raise Unavailable(unknown[above.id])
                    if above.id not in own:  # created or moved since the list was begun
                        own[above.id] = await self._restriction(above.id)
            except NotFound:  # then the page cannot be read either, or has moved
                continue
            except Unavailable as exc:
                yield Unlisted(page_id, exc.detail)
                continue
            facts = self._facts(entry, [own[page_id], *(own[above.id] for above in entry.ancestors)])
            yield ListedPage(**facts, attachments=await self._files(entry))

    async def _files(self, entry: Entry) -> tuple[Attachment, ...] | None:
        listed = entry.children.attachment
        if len(listed.results) < listed.limit:
            return tuple(map(_attachment, listed.results))
        try:
            return await self.attachments(entry.id)
        except (NotFound, TooLarge, ForeignLink, Unavailable):
            return None

    async def _entries(self, key: str) -> tuple[dict[str, Entry], dict[str, str]]:
        """The pages and blog posts of a space, and those whose description cannot be used: id → why."""
        entries, broken = {}, {}
        for kind in ("page", "blogpost"):
            query = {"spaceKey": key, "type": kind, "status": "current", "limit": PAGES_AT_ONCE, "start": 0, "expand": LISTED}
            async for each in self._each(f"/rest/api/content?{urlencode(query, safe=',~')}"):
                try:
                    entry = _check(Entry, each)
                except Unavailable as exc:
                    page_id = each.get("id")
                    if not isinstance(page_id, str) or not page_id.isdecimal():
                        raise
                    broken[page_id] = exc.detail
                else:
                    entries[entry.id] = entry
        return entries, broken

    async def _restriction(self, page_id: str) -> Restriction | None:
        return _check(Restricted, await self._get(page_id, RESTRICTIONS)).restrictions.read.restrictions.restriction

    def _facts(self, found: Described, restrictions: Sequence[Restriction | None]) -> dict[str, Any]:
        return {
            "page_id": found.id,
            "version": found.version.number,
            "kind": found.type,
            "title": found.title,
            "space": found.space.key,
            "url": f"{self._base_url}/pages/viewpage.action?pageId={found.id}",
            "labels": tuple(label.name for label in found.metadata.labels.results),
            "restrictions": tuple(each for each in restrictions if each is not None),
        }

    async def attachments(self, page_id: str) -> tuple[Attachment, ...]:
        path = f"/rest/api/content/{page_id}/child/attachment?{urlencode({'expand': 'version', 'limit': AT_ONCE})}"
        return tuple([_attachment(_check(File, each)) async for each in self._each(path)])

    async def download(self, attachment: Attachment, max_bytes: int) -> bytes:
        return await self._client.get(attachment.link, max_bytes, html=attachment.media_type.startswith("text/html"))

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.close()

    async def _get(self, page_id: str, expand: str) -> bytes:
        return await self._client.get(f"/rest/api/content/{page_id}?{urlencode({'expand': expand}, safe=',')}", MAX_JSON, json=True)

    async def _each(self, link: str | None) -> AsyncIterator[dict[str, Any]]:
        """The entries of a paged list."""
        while link:
            listed = _check(List, await self._client.get(link, MAX_JSON, json=True))
            for entry in listed.results:
                yield entry
            link = listed.links.next


def _attachment(file: File) -> Attachment:
    return Attachment(
        file.id, file.version.number, file.title, file.extensions.media_type.lower(), file.extensions.file_size, file.links.download
    )


def _check(model: type[M], found: bytes | dict[str, Any]) -> M:
    """The reply as a model. Unavailable names the missing fields; their values may be people's text."""
    try:
        return model.model_validate_json(found) if isinstance(found, bytes) else model.model_validate(found)
    except ValidationError as exc:
        places = sorted({".".join(map(str, error["loc"])) or "all of it" for error in exc.errors(include_input=False)})
        raise Unavailable(f"Confluence's reply cannot be used; missing or wrong: {', '.join(places[:5])}.") from None
