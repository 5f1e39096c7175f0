"""A wiki whose pages become documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal, Protocol

from footnote.ports.sources import Unlisted


@dataclass(frozen=True, slots=True)
class Restriction:
    """A restriction of reading: only members of these groups and these users. Nobody, if both are empty."""

    groups: frozenset[str]
    users: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFacts:
    """A page or blog post. A reader has to satisfy every one of its restrictions: its own and those of the pages above it."""

    page_id: str
    version: int
    kind: Literal["page", "blogpost"]
    title: str
    space: str
    """The space's key."""
    url: str
    labels: tuple[str, ...]
    restrictions: tuple[Restriction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WikiPage(PageFacts):
    """A page with its text."""

    body: str
    """XHTML in storage format."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a page, with the page's permissions. `link`: for `Wiki.download`."""

    attachment_id: str
    version: int
    file_name: str
    media_type: str
    size: int
    """In bytes, as the wiki says."""
    link: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPage(PageFacts):
    """A page as the list of its space tells of it: without its text, with its files."""

    attachments: tuple[Attachment, ...] | None
    """None = they could not be listed."""


class Wiki(Protocol):
    """One wiki, read with one account. Errors: NotFound for what does not exist or is hidden from the account, TooLarge,
    ForeignLink for a link to another host, and Unavailable for everything else, permissions that cannot be read included."""

    async def page(self, page_id: str) -> WikiPage:
        """The current version of a page, with everybody's restrictions as of the moment after its text was read."""

    async def attachments(self, page_id: str) -> tuple[Attachment, ...]:
        """The current files of a page."""

    def space(self, key: str) -> AsyncIterator[ListedPage | Unlisted]:
        """All pages and blog posts of a space, and the ids of those whose permissions cannot be read, as prefixes. NotFound if there
        is no such space. A page that was created, moved or removed meanwhile may be missing or listed twice."""

    async def download(self, attachment: Attachment, max_bytes: int) -> bytes:
        """A file's bytes; TooLarge above `max_bytes`."""
