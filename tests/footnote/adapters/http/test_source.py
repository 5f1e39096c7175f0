"""Sitemaps: which are read, and which lead nowhere."""

from __future__ import annotations

import gzip
from datetime import UTC, datetime, timedelta

import pytest

from footnote.adapters.http.source import SitemapSource
from footnote.errors import BadRequest, UnreadableFile
from footnote.ports import Entry
from tests.footnote.adapters.http.test_egress import PUBLIC, Wire, answering, ok, redirect

URL = "http://example.com/sitemap.xml"
NAMES = {"example.com": [[PUBLIC]], "inside.example.com": [["10.0.0.1"]]}


def sitemap(*urls: str, kind: str = "urlset", row: str = "url") -> bytes:
    rows = "".join(f"<{row}><loc> {url} </loc></{row}>" for url in urls)
    return f'<?xml version="1.0"?><{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{rows}</{kind}>'.encode()


async def entries(wire: Wire, url: str = URL) -> list[Entry]:
    return [entry async for entry in SitemapSource(url, wire.client).entries() if isinstance(entry, Entry)]


async def test_a_page_without_a_date_has_no_fingerprint_and_its_document_its_address() -> None:
    async with answering(ok(sitemap("http://example.com/a?b=c#d")), names=NAMES) as (wire, _):
        assert await entries(wire) == [Entry("/a?b=c", None, "", {"url": "http://example.com/a?b=c"})]


async def test_the_sitemaps_of_an_index_are_read_also_packed_ones() -> None:
    index = sitemap("http://example.com/1.xml", "http://example.com/2.xml.gz", kind="sitemapindex", row="sitemap")
    replies = ok(index), ok(sitemap("http://example.com/a")), ok(gzip.compress(sitemap("http://example.com/b")))
    async with answering(*replies, names=NAMES) as (wire, _):
        assert [entry.key for entry in await entries(wire)] == ["/a", "/b"]


async def test_an_index_in_an_index_is_read_once_and_is_no_page() -> None:
    outer = sitemap("http://example.com/inner.xml", kind="sitemapindex", row="sitemap")
    inner = sitemap(URL, "http://example.com/1.xml", kind="sitemapindex", row="sitemap")
    async with answering(ok(outer), ok(inner), ok(sitemap("http://example.com/a")), names=NAMES) as (wire, _):
        assert [entry.key for entry in await entries(wire)] == ["/a"]


async def test_indexes_may_list_a_thousand_sitemaps_together() -> None:
    outer = sitemap("http://example.com/inner.xml", kind="sitemapindex", row="sitemap")
    inner = sitemap(*(f"http://example.com/{n}.xml" for n in range(1000)), kind="sitemapindex", row="sitemap")
    async with answering(ok(outer), ok(inner), names=NAMES) as (wire, _):
        with pytest.raises(BadRequest, match="more than 1000 sitemaps"):
            await entries(wire)


async def test_a_page_that_cannot_be_fetched_is_unreadable() -> None:
    gone = b"HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n"
    async with answering(ok(sitemap("http://example.com/a")), gone, names=NAMES) as (wire, _):
        with pytest.raises(UnreadableFile, match="could not be fetched"):
            await SitemapSource(URL, wire.client).read("/a", 100)


async def test_a_page_or_sitemap_that_leads_to_another_host_is_not_fetched_there() -> None:
    names = {**NAMES, "other.example.com": [["1.1.1.1"]]}
    pages = ok(sitemap("http://example.com/a", "http://example.com/b"))
    elsewhere = redirect("http://other.example.com/a")
    async with answering(pages, elsewhere, redirect("/c"), ok(b"here"), elsewhere, names=names) as (wire, asked):
        source = SitemapSource(URL, wire.client)
        with pytest.raises(UnreadableFile, match="leads to another host"):
            await source.read("/a", 100)
        assert (await source.read("/b", 100))[1] == b"here"
        with pytest.raises(BadRequest, match="leads to another host"):
            await entries(wire)
    assert {address for address, _ in wire.dialled} == {PUBLIC}
    assert len(asked) == 5


async def test_a_date_counts_as_a_fingerprint_when_it_is_over() -> None:
    today = datetime.now(UTC)
    over, late = (today - timedelta(days=2)).date().isoformat(), today.isoformat()
    dates = {
        over: over, late: late, "2020": "2020", "2020-05": "2020-05", (today - timedelta(days=1)).date().isoformat(): "",
        today.date().isoformat(): "", late[:7]: "", "9999": "",
    }  # fmt: skip
    rows = "".join(f"<url><loc>http://example.com/{number}</loc><lastmod>{date}</lastmod></url>" for number, date in enumerate(dates))
    body = ok(f"<urlset>{rows}</urlset>".encode())
    async with answering(body, names=NAMES) as (wire, _):
        assert [entry.fingerprint for entry in await entries(wire)] == list(dates.values())


@pytest.mark.parametrize(
    "body",
    [
        b"", b"<html></html>", b"no XML", sitemap("http://other.example/a"), sitemap(), gzip.compress(b"no XML", mtime=0), b"\x1f\x8bx",
        b'<!DOCTYPE urlset [<!ENTITY a SYSTEM "file:///etc/passwd">]><urlset><url><loc>http://example.com/&a;</loc></url></urlset>',
        gzip.compress(b" " * (50 * 2**20 + 1), 1),
    ],
)  # fmt: skip
async def test_an_invalid_sitemap_is_an_error_and_not_an_empty_site(body: bytes) -> None:
    async with answering(ok(body), names=NAMES) as (wire, asked):
        with pytest.raises(BadRequest):
            await entries(wire)
    assert len(asked) == 1


@pytest.mark.parametrize("url", ["http://127.0.0.1/sitemap.xml", "http://inside.example.com/sitemap.xml", "http://user@example.com/"])
async def test_a_sitemap_inside_is_not_asked_for(url: str) -> None:
    async with answering(names=NAMES) as (wire, asked):
        with pytest.raises(BadRequest):
            await entries(wire, url)
    assert (asked, wire.dialled) == ([], [])
