"""The source on a narrow screen: a sheet that Back, Escape and its button close, with the answer as it was."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Screen
from tests.browser.test_accessibility import LEAVE, NARROW, Open, close_sheet


@pytest.fixture
def screen(open_handbook: Open, server: str) -> Screen:
    screen = open_handbook(server, **NARROW)
    close_sheet(screen.page)
    return screen


def open_source(page: Page) -> None:
    page.locator(".answer .cite").first.click()
    expect(page.locator("#passage-title")).to_be_visible()


def test_back_closes_the_source_and_leaves_the_answer(screen: Screen, page: Page) -> None:
    entries = page.evaluate("history.length")
    screen.answer_to(LEAVE)
    room = page.url
    for close in (page.go_back, lambda: page.keyboard.press("Escape"), page.locator("#passage .close").click, page.go_back):
        open_source(page)
        close()
        expect(page.locator("#passage")).to_be_hidden()
        page.wait_for_function("() => !history.state?.sheet")
        assert page.url == room
        expect(page.locator(".answer")).to_contain_text("28 days")
    assert page.evaluate("history.length") == entries + 2  # the conversation, and the source that was closed
    open_source(page)
    page.reload()
    expect(page.locator(".answer")).to_contain_text("28 days")
    page.wait_for_function("() => !history.state?.sheet")
    page.go_back()
    expect(page.locator("#welcome")).to_be_visible()


def test_back_from_a_source_that_a_link_opened_leads_to_where_the_link_was(screen: Screen, page: Page) -> None:
    document = page.request.get(f"{screen.url}/documents?collection={screen.index}").json()["data"][0]["doc_id"]
    page.goto(f"{screen.url}/?doc_id={document}#page=2")
    expect(page.locator("#passage-title")).to_have_text("Employee handbook")
    page.go_back()
    expect(page).to_have_url(f"{screen.url}/")
    page.go_forward()
    expect(page.locator("#passage-title")).to_have_text("Employee handbook")
    page.keyboard.press("Escape")
    expect(page.locator("#passage")).to_be_hidden()
    expect(page).to_have_url(f"{screen.url}/?doc_id={document}#page=2")
