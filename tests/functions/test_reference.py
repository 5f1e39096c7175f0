"""The API's reference: one document at one address, and a page that shows it."""

from __future__ import annotations

import hashlib
import json
import re

from footnote_local.openapi import FILE
from footnote_query.page import WEB
from tests.functions.conftest import OpenSite


async def test_the_document_is_served_as_it_is_written(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    reply = await site.client.get("/openapi.json")
    assert (reply.status_code, reply.headers["content-type"]) == (200, "application/json")
    assert reply.json() == json.loads(FILE.read_text("utf-8"))


async def test_the_page_loads_only_what_this_server_has(open_site: OpenSite) -> None:
    site = await open_site(filled=False)
    page = await site.client.get("/docs")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
    assert len(loaded) == 5
    assert [place for place in loaded if (await site.client.get(place)).status_code != 200] == []


def test_the_vendored_reader_matches_its_checksums() -> None:
    rows = re.findall(r"^\| `swagger/([\w.-]+)` .*`([0-9a-f]{64})` \|$", (WEB / "vendor/VENDORED.md").read_text(), re.MULTILINE)
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (WEB / "vendor/swagger").glob("swagger-ui*.*s")}
    assert dict(rows) == found
