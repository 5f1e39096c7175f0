"""The command palette (Ctrl-K) and the list of shortcuts (?)."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import DARK, LEAVE, NARROW, Open, close_sheet, grave_in


def chosen(page: Page) -> Any:
    return page.locator(".palette [aria-selected=true] > span")


def open_palette(page: Page) -> Any:
    """Its field."""
    page.keyboard.press("Control+k")
    field = page.get_by_role("combobox", name="What would you like to do?")
    expect(field).to_be_focused()
    return field


@pytest.mark.nightly
def test_a_question_a_collection_and_the_documents_are_reached_from_the_palette(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server)
    page: Page = screen.page
    screen.answer_to(LEAVE)
    open_palette(page).fill("new conv")
    expect(chosen(page)).to_have_text("New conversation")
    page.keyboard.press("Enter")
    expect(page.locator("#welcome")).to_be_visible()
    expect(page.locator("#question")).to_be_focused()

    open_palette(page).fill("annual leave")
    expect(chosen(page)).to_have_text(LEAVE)
    page.keyboard.press("Enter")
    expect(page.locator(".question")).to_have_text(LEAVE)

    open_palette(page).fill("open doc")
    page.keyboard.press("Enter")
    expect(page.locator("#documents-title")).to_be_focused()

    first = screen.index
    screen.index = f"{first}-b"
    page.locator("#into").fill(screen.index)
    screen.add("letter.txt", b"A letter came on Monday.")
    open_palette(page).fill("switch")
    page.locator(".palette li").filter(has=page.get_by_text(f"{first} ·")).click()
    expect(page.locator("#index")).to_have_value(first)
    expect(page.locator("#document-list .name")).to_have_text("Employee handbook")


def test_palette_and_shortcuts_are_used_by_keyboard_and_leave_the_focus_where_it_was(page: Page) -> None:
    field = open_palette(page)
    first = chosen(page).inner_text()
    page.keyboard.press("ArrowDown")
    assert chosen(page).inner_text() != first
    expect(field).to_have_attribute("aria-activedescendant", "palette-1")
    page.keyboard.press("ArrowUp")
    expect(chosen(page)).to_have_text(first)
    field.fill("no such thing")
    expect(page.locator(".palette [role=status]")).to_have_text("Nothing has these words.")
    page.keyboard.press("Enter")
    page.keyboard.press("Escape")
    expect(page.locator(".palette")).to_be_hidden()
    expect(page.locator("#question")).to_be_focused()

    page.keyboard.type("Why?")
    expect(page.locator("#question")).to_have_value("Why?")
    shortcuts = page.get_by_role("dialog", name="Keyboard shortcuts")
    page.keyboard.press("Control+/")
    expect(shortcuts).to_be_visible()
    assert grave_in(page) == []
    page.keyboard.press("Escape")
    expect(page.locator("#question")).to_be_focused()
    page.locator("#show-documents, #new-conversation").last.focus()
    page.keyboard.press("?")
    expect(shortcuts).to_be_visible()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("/")
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("#question")).to_have_value("Why?")

    page.locator("#account").click()
    page.locator("#show-palette").click()
    field.fill("administration terms")
    expect(chosen(page)).to_have_text("Forbidden terms")
    assert grave_in(page) == []
    page.keyboard.press("Enter")
    page.wait_for_url("**/admin#/terms")


@pytest.mark.nightly
@pytest.mark.parametrize("look", [DARK, NARROW, {"locale": "de-DE"}, {"locale": "ko-KR"}], ids=["dark", "narrow", "german", "korean"])
def test_both_are_opened_from_the_account_menu_without_serious_findings(open_screen: Open, server: str, look: dict[str, Any]) -> None:
    page: Page = open_screen(server, **look).page
    close_sheet(page)
    for opener, opened in (("#show-palette", ".palette"), ("#show-shortcuts", ".shortcuts")):
        page.locator("#account").click()
        page.locator(opener).click()
        expect(page.locator(opened)).to_be_visible()
        assert grave_in(page) == []
        page.keyboard.press("Escape")
        expect(page.locator(opened)).to_be_hidden()
