"""Admins manage collections beside the documents."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import serving

Open = Callable[..., Any]


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[str]:
    with serving(tmp_path / "data") as url:
        yield url


def row_of(page: Page, name: str) -> Locator:
    return page.locator("#manage-list li").filter(has=page.get_by_text(name, exact=True))


def test_a_collection_is_created_renamed_deleted_and_restored(open_screen: Open, own_server: str, tmp_path: Path) -> None:
    screen = open_screen(own_server)
    page: Page = screen.page
    page.locator("#manage > summary").click()
    page.get_by_label("New collection").fill("town")
    page.get_by_role("button", name="Create").click()
    expect(row_of(page, "town")).to_contain_text("0 documents")
    page.get_by_role("button", name="Rename town").click()
    field = row_of(page, "town").get_by_role("textbox")
    field.fill("city")
    field.press("Enter")
    expect(row_of(page, "city")).to_be_visible()
    page.get_by_role("button", name="Delete city").click()
    expect(row_of(page, "city")).to_contain_text("restore it for an hour")
    page.get_by_role("button", name="Keep", exact=True).click()
    page.get_by_role("button", name="Delete city").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    expect(row_of(page, "city")).to_have_attribute("data-state", "DELETED")
    screen.picture(tmp_path / "deleted.png")
    page.get_by_role("button", name="Restore").click()
    expect(row_of(page, "city")).to_have_attribute("data-state", "ACTIVE")


def test_sources_are_listed_with_their_last_runs_and_failures(open_screen: Open, tmp_path: Path) -> None:
    docs = tmp_path / "handbooks"
    docs.mkdir()
    (docs / "ferry.txt").write_text("Ferries cross at noon.")
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7")
    command = [sys.executable, "-m", "footnote_local", "sync", str(docs), "--data", str(tmp_path / "data")]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
    with serving(tmp_path / "data") as url:
        page: Page = open_screen(url).page
        page.locator("#sources > summary").click()
        row = page.locator("#source-list li[data-state]")
        expect(row).to_have_count(1)
        expect(row.locator(".address")).to_have_text(docs.as_uri())
        expect(row).to_contain_text("2 added, 0 changed, 0 renamed, 0 removed, 0 unchanged")
        row.get_by_text("1 failure").click()
        expect(row.get_by_role("listitem")).to_contain_text("broken.pdf")
        expect(page.locator("#no-sources")).to_be_hidden()
