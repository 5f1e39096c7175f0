"""The pages that a web site lists in its sitemap (sitemaps.org) as a source of documents.

A page's fingerprint is its `lastmod`. Without one it is fetched in every sync and its content is compared; so is a page whose
`lastmod` is a date that may not be over, because it can change again under the same date. All requests pass the SSRF guard. As the
protocol demands, only pages of the sitemap's own host count, and no redirect leads to another.
"""

from __future__ import annotations

import asyncio
import re
import zlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from urllib.parse import urldefrag

from footnote.adapters.http.egress import Egress, read_url
from footnote.errors import BadRequest, NotFound, UnreadableFile
from footnote.ports import Entry, Unlisted

MAX_SITEMAP = 50 * 2**20
"""Bytes of a sitemap, unpacked; the protocol's limit."""
MAX_SITEMAPS = 1000
"""Sitemaps that an index of sitemaps may list, with those of the indexes in it."""
TIMEOUT_S = 30.0
WITHOUT_TIME = re.compile(r"\d{4}(-\d\d){0,2}")
NO_SITEMAP = "This URL is not a sitemap: XML with a <urlset> or a <sitemapindex>."


class _Listed(NamedTuple):
    url: str
    lastmod: str

    @property
    def fingerprint(self) -> str:
        """Empty where the page may still change on the day, in the month or in the year of its `lastmod`, in any time zone."""
        yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
        is_open = WITHOUT_TIME.fullmatch(self.lastmod) and self.lastmod >= yesterday[: len(self.lastmod)]
        return "" if is_open else self.lastmod


class SitemapSource:
    """`ports.Source` on a sitemap, or on an index of sitemaps. Keys are the paths of the pages, with their queries."""

    def __init__(self, url: str, egress: Egress) -> None:
        self.address = urldefrag(url).url
        self._host = read_url(self.address).host
        self._egress = egress
        self._pages: dict[str, _Listed] | None = None

    async def entries(self) -> AsyncIterator[Entry | Unlisted]:
        self._pages = None
        for key, page in (await self._read_pages()).items():
            yield Entry(key, None, page.fingerprint, {"url": page.url})

    async def _read_pages(self) -> dict[str, _Listed]:
        if self._pages is None:
            sitemaps, pages = [self.address], dict[str, _Listed]()
            for url in sitemaps:  # grows while it is read: an index may list others
                is_index, listed = await self._fetch(url)
                if is_index:
                    sitemaps += dict.fromkeys(each.url for each in listed if each.url not in sitemaps)
                    if len(sitemaps) > MAX_SITEMAPS + 1:
                        raise BadRequest(f"The index lists more than {MAX_SITEMAPS} sitemaps. Sync some of them one by one.")
                else:
                    pages |= {read_url(page.url).path: page for page in listed}
            self._pages = pages
            if not self._pages:
                raise BadRequest(f"The sitemap lists no page of {self._host}. Nothing was changed.")
        return self._pages

    async def _fetch(self, url: str) -> tuple[bool, list[_Listed]]:
        """(whether it is an index of sitemaps, what it lists of this host)."""
        data = await self._egress.get(url, max_bytes=MAX_SITEMAP, timeout_s=TIMEOUT_S, host=self._host)
        is_index, listed = await asyncio.to_thread(_parse, data)
        return is_index, [each for each in listed if self._is_here(each.url)]

    def _is_here(self, url: str) -> bool:
        try:
            return read_url(url).host == self._host
        except BadRequest:
            return False

    async def read(self, key: str, max_bytes: int) -> tuple[Entry, bytes]:
        page = (await self._read_pages()).get(key)
        if page is None:
            raise NotFound("The sitemap does not list this page.")
        try:
            data = await self._egress.get(page.url, max_bytes=max_bytes, timeout_s=TIMEOUT_S, host=self._host)
        except BadRequest as exc:
            raise UnreadableFile(exc.detail, "Check the page.") from exc
        return Entry(key, len(data), page.fingerprint, {"url": page.url}), data

    async def close(self) -> None:
        """Every request has a connection of its own."""


def _parse(data: bytes) -> tuple[bool, list[_Listed]]:
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False, remove_comments=True, remove_pis=True)
    try:
        root = etree.fromstring(_unpack(data), parser)
    except (etree.XMLSyntaxError, OSError, EOFError, zlib.error) as exc:
        raise BadRequest(NO_SITEMAP) from exc
    kind = etree.QName(root).localname
    if kind not in ("urlset", "sitemapindex") or root.getroottree().docinfo.internalDTD is not None:
        raise BadRequest(NO_SITEMAP)
    found = [{etree.QName(field).localname: (field.text or "").strip() for field in node} for node in root]
    listed = [_Listed(urldefrag(fields["loc"]).url, fields.get("lastmod", "")) for fields in found if fields.get("loc")]
    return kind == "sitemapindex", listed


def _unpack(data: bytes) -> bytes:
    """A packed sitemap (`sitemap.xml.gz`), up to the limit."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    unpacked = zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(data, MAX_SITEMAP + 1)
    if len(unpacked) > MAX_SITEMAP:
        raise BadRequest(f"The sitemap has more than {MAX_SITEMAP // 2**20} MiB.")
    return unpacked
