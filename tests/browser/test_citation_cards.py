"""Cards at citations: the passage with the cited words, by pointer and keyboard, from what the reply already holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import LEAVE, STILL, Open, grave_in_both
from tests.browser.test_page import tab_to
from tests.browser.test_tiers import route_replies

LATER = "() => new Promise(resolve => setTimeout(resolve, 200))"
"""After every timer that was set before for an earlier time, however slow the machine is."""


def test_a_citations_card_shows_the_cited_words_by_pointer_and_by_keyboard(open_handbook: Open, server: str, tmp_path: Path) -> None:
    screen = open_handbook(server, **STILL)
    page: Page = screen.page
    screen.answer_to(LEAVE)
    cite, card = page.locator(".cite").first, page.locator("#citation-card")
    before = [url for url in screen.requests if "/web/vendor/" not in url]
    cite.hover()
    expect(card).to_be_visible()
    expect(card.locator("mark")).to_have_text("Employees receive 28 days of annual leave per year.")
    expect(card.locator(".card-title")).to_have_text("Employee handbook")
    expect(card.locator(".card-place")).to_have_text("handbook.pdf · Annual leave · p. 2")
    assert len(card.locator(".card-text").inner_text()) > len(card.locator("mark").inner_text())
    expect(cite).to_have_attribute("aria-describedby", "citation-card")
    assert grave_in_both(page) == []
    screen.picture(tmp_path / "card.png")
    card.hover()  # it stays while the pointer is on it
    page.evaluate(LATER)
    expect(card).to_be_visible()
    page.locator("#question").hover()
    expect(card).to_be_hidden()
    assert [url for url in screen.requests if "/web/vendor/" not in url] == before

    page.locator("#question").focus()
    tab_to(page, ".cite", "Shift+Tab")  # the last one
    expect(card.locator("mark")).to_contain_text("of leave for each full month")
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    expect(page.locator(".cite:focus")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.locator("#passage-title")).to_be_focused()
    expect(card).to_be_hidden()
    cite.hover()
    expect(card).to_be_visible()
    page.keyboard.press("Escape")  # the document stays open
    expect(card).to_be_hidden()
    expect(page.locator("#passage")).to_be_visible()


def test_a_card_in_a_small_window_is_inside_it_and_scrolled_by_keyboard(open_handbook: Open, server: str) -> None:
    screen = open_handbook(server, **STILL, viewport={"width": 320, "height": 256})  # 1280 pixels at 400 %
    page: Page = screen.page
    page.keyboard.press("Escape")
    screen.answer_to(LEAVE)
    card = page.locator(".citation-card")
    tab_to(page, ".cite", "Shift+Tab")
    expect(card).to_be_visible()
    box = card.bounding_box()
    assert box
    assert (box["x"] >= 0, box["y"] >= 0, box["x"] + box["width"] <= 320, box["y"] + box["height"] <= 256) == (True,) * 4
    below = "card => card.scrollHeight - card.clientHeight - card.scrollTop"
    assert card.evaluate(below) > 0
    for _ in range(40):
        page.keyboard.press("ArrowDown")
    assert card.evaluate(below) <= 1
    expect(page.locator(".cite:focus")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_a_citation_whose_quote_is_not_in_its_passage_is_marked_and_says_why(open_handbook: Open, server: str) -> None:
    def misquoted(body: dict[str, Any]) -> None:
        first = body["citations"][0]
        body["extractive"] = False
        first["quotes"] = [{"text": "29 days of leave", "state": "not_found", "bounds": None}, *[None] * (len(first["spans"]) - 1)]

    screen = open_handbook(server, **STILL)
    page: Page = screen.page
    route_replies(page, misquoted)
    screen.answer_to(LEAVE)
    mark = page.locator(".answer .doubt")
    expect(mark).to_have_count(1)
    expect(mark).to_have_text("≠The words that the model quotes for this are in no passage. Check the sentence before you rely on it.")
    mark.hover()
    sentence, tip = mark.bounding_box(), mark.locator(".tip").bounding_box()
    assert sentence
    assert tip
    assert tip["y"] >= sentence["y"] + sentence["height"] - 1
    page.locator(".cite").first.hover()
    expect(page.locator(".card-fault")).to_contain_text("are in no passage")
    assert grave_in_both(page) == []
    page.locator(".cite").first.click()
    expect(page.locator("#source-note")).to_contain_text("are in no passage")
    page.locator("#language").select_option("ko")
    expect(mark).to_contain_text("어느 구절에도 없습니다")


def test_an_added_citation_says_so_and_shows_what_supports_its_sentence(open_handbook: Open, server: str) -> None:
    def unmarked(body: dict[str, Any]) -> None:
        first = body["citations"][0]
        body["extractive"] = False
        end = len(body["answer"])
        claim = {"start": 0, "end": end, "support": 0.9, "doubted": False, "number": first["number"], "bounds": [0, 12], "unmarked": True}
        body["claims"] = [claim]

    screen = open_handbook(server, **STILL)
    page: Page = screen.page
    route_replies(page, unmarked)
    screen.ask(LEAVE)
    screen.finished()
    added = page.locator(".cite.added")
    expect(added).to_have_count(1)
    added.hover()
    card = page.locator("#citation-card")
    expect(card).to_contain_text("Added by the check: the model cited nothing for this sentence.")
    expect(card.locator("mark")).not_to_be_empty()
    assert grave_in_both(page) == []
    page.locator(".cite:not(.added)").first.hover()
    expect(card).not_to_contain_text("Added by the check")
