"""What tests of the administration page do and look at there."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

Open = Callable[..., Page]
VIEWS = ("overview", "documents", "collections", "people", "prompts", "settings", "terms", "feedback", "experiments", "audit")
NARROW = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
WIDE = {"viewport": {"width": 1366, "height": 900}}


def post(server: str, path: str, **body: Any) -> Any:
    request = urllib.request.Request(f"{server}{path}", json.dumps(body).encode(), {"content-type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=30))


def settled(page: Page) -> None:
    expect(page.locator("html[data-ready]")).to_be_attached()
    expect(page.locator("#main")).to_have_attribute("aria-busy", "false")
    expect(page.locator('#view [aria-busy="true"]')).to_have_count(0)


def section(page: Page, name: str) -> Any:
    return page.locator("#view section").filter(has=page.get_by_role("heading", name=name, exact=True))


def tile(page: Page, of: str, name: str) -> str:
    return str(section(page, of).locator(".tiles > div").filter(has=page.get_by_text(name, exact=True)).locator("dd").inner_text())


def get(page: Page, path: str) -> Any:
    reply = page.request.get(page.url.split("/admin")[0] + path)
    assert reply.status == 200, reply.text()
    return reply.json()


def setting(page: Page, key: str) -> dict[str, Any]:
    return next(each for each in get(page, "/settings?limit=200")["data"] if each["key"] == key)


def said(page: Page, text: str) -> None:
    expect(page.locator("#status")).to_have_text(text)


def done(page: Page, text: str) -> None:
    """The page says so, and shows what has changed."""
    said(page, text)
    settled(page)


def listed(page: Page, *titles: str) -> None:
    """These documents are in the table, in this order."""
    expect(page.locator("tbody th > div > :first-child")).to_have_text(titles)
