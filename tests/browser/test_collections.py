"""Admins manage collections beside the documents."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import serving
from tests.browser.test_accessibility import Open


def row_of(page: Page, name: str) -> Locator:
    return page.locator("#manage-list li").filter(has=page.get_by_text(name, exact=True))


@pytest.mark.slow("syncs a folder by a command")
def test_collections_are_managed_and_sources_listed_with_their_last_runs(open_screen: Open, tmp_path: Path) -> None:
    docs = tmp_path / "handbooks"
    docs.mkdir()
    (docs / "ferry.txt").write_text("Ferries cross at noon.")
    (docs / "broken.pdf").write_bytes(b"%PDF-1.7")
    command = [sys.executable, "-m", "footnote_local", "sync", str(docs), "--data", str(tmp_path / "data")]
    quiet = {"LLM__DISCOVER": "false", "EMBEDDING__BUILTIN": "false"}
    assert subprocess.run(command, capture_output=True, check=False, env={**os.environ, **quiet}).returncode == 1
    with serving(tmp_path / "data", **quiet) as url:
        screen = open_screen(url)
        lists_sources(screen.page, docs.as_uri())
        manages_collections(screen, tmp_path)


def lists_sources(page: Page, address: str) -> None:
    page.locator("#sources > summary").click()
    row = page.locator("#source-list li[data-state]")
    expect(row).to_have_count(1)
    expect(row.locator(".address")).to_have_text(address)
    expect(row).to_contain_text("2 added, 0 changed, 0 renamed, 0 removed, 0 unchanged")
    row.get_by_text("1 failure").click()
    expect(row.get_by_role("listitem")).to_contain_text("broken.pdf")
    expect(page.locator("#no-sources")).to_be_hidden()


def manages_collections(screen: Any, folder: Path) -> None:
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
    screen.picture(folder / "deleted.png")
    page.get_by_role("button", name="Restore").click()
    expect(row_of(page, "city")).to_have_attribute("data-state", "ACTIVE")
