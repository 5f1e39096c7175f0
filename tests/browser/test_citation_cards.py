"""Cards at citations: the passage with the cited words, by pointer and keyboard, from what the reply already holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import DARK, NARROW, STILL, close_sheet, grave_in
from tests.browser.test_page import tab_to

Open = Callable[..., Any]
LEAVE = "How many days of annual leave do employees receive?"


def asked(open_handbook: Open, server: str, **look: Any) -> Any:
    screen = open_handbook(server, **STILL, **look)
    close_sheet(screen.page)
    screen.ask(LEAVE)
    screen.finished()
    return screen


@pytest.mark.parametrize("look", [{}, DARK, {"locale": "de-DE"}], ids=["light", "dark", "german"])
def test_a_pointer_on_a_citation_shows_the_passage_with_the_cited_words_and_loads_nothing(
    open_handbook: Open, server: str, look: dict[str, Any], tmp_path: Path
) -> None:
    screen = asked(open_handbook, server, **look)
    page: Page = screen.page
    cite, card = page.locator(".cite").first, page.locator("#citation-card")
    before = [url for url in screen.requests if "/web/vendor/" not in url]
    cite.hover()
    expect(card).to_be_visible()
    expect(card.locator("mark")).to_have_text("Employees receive 28 days of annual leave per year.")
    expect(card.locator(".card-title")).to_have_text("Employee handbook")
    expect(card.locator(".card-place")).to_contain_text("2")
    assert len(card.locator(".card-text").inner_text()) > len(card.locator("mark").inner_text())
    expect(cite).to_have_attribute("aria-describedby", "citation-card")
    assert grave_in(page) == []
    screen.picture(tmp_path / "card.png")
    card.hover()  # it stays while the pointer is on it
    page.wait_for_timeout(400)
    expect(card).to_be_visible()
    page.locator("#question").hover()
    expect(card).to_be_hidden()
    assert [url for url in screen.requests if "/web/vendor/" not in url] == before


def test_a_focused_citation_shows_its_card_until_escape_which_leaves_the_document_open(open_handbook: Open, server: str) -> None:
    page: Page = asked(open_handbook, server).page
    card = page.locator("#citation-card")
    tab_to(page, ".cite", "Shift+Tab")
    expect(card.locator("mark")).to_contain_text("28 days")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(page.locator(".cite:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#passage-title")).to_be_focused()
    expect(card).to_be_hidden()
    page.locator(".cite").first.hover()
    expect(card).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(page.locator("#passage")).to_be_visible()


def test_a_touch_on_a_citation_opens_the_document_without_a_card(open_handbook: Open, server: str) -> None:
    page: Page = asked(open_handbook, server, **NARROW).page
    page.locator(".cite").first.tap()
    expect(page.locator("#passage-place strong")).to_have_text("page 2")
    expect(page.locator("#citation-card")).to_be_hidden()
