"""The search in an open document, its outline, and its file's name."""

from __future__ import annotations

from playwright.sync_api import Page, expect

from tests.browser.test_accessibility import LEAVE, NARROW, Open, grave_in
from tests.browser.test_source import open_first_citation

RULES = """# Rules of the bridge

## Opening hours

The bridge opens at six. The warden rings twice before the bridge closes.

## Tolls

### Carts

A cart pays **two crowns** at the bridge house.
"""
QUESTION = "What does a cart pay?"
FOUND = "[...(CSS.highlights.get('found') ?? [])].map(range => range.toString())"
NOW = "[...CSS.highlights.get('found-now')].map(range => range.startContainer.parentElement.closest('p, h3, h4, h5, h6').textContent)"


def open_rules(open_screen: Open, server: str, **context: object) -> Page:
    screen = open_screen(server, **context)
    screen.open_with("rules-2026.md", RULES.encode())
    return open_first_citation(screen, QUESTION)


def test_a_text_is_searched_and_each_match_is_marked(open_screen: Open, server: str) -> None:
    page = open_rules(open_screen, server)
    field, count = page.get_by_role("searchbox", name="Find in the document"), page.locator("#source-found")
    expect(page.locator("#passage-file")).to_have_text("rules-2026.md")
    field.fill("BRIDGE")
    expect(count).to_have_text("1 of 4")
    assert page.evaluate(FOUND) == ["bridge"] * 4
    field.press("Enter")
    field.press("Enter")
    expect(count).to_have_text("3 of 4")
    assert page.evaluate(NOW)[0].startswith("The bridge opens at six.")
    page.get_by_role("button", name="Previous match").click()
    expect(count).to_have_text("2 of 4")
    field.fill("pays two crowns")  # over the edge of what was bold
    expect(count).to_have_text("1 of 1")
    field.fill("six. Tolls")  # not from one block into the next
    expect(count).to_have_text("not found")
    field.press("Escape")
    expect(field).to_have_value("")
    expect(count).to_be_hidden()
    assert page.evaluate(FOUND) == []
    expect(page.locator("#passage")).to_be_visible()
    assert grave_in(page) == []


def test_the_outline_goes_to_a_heading(open_screen: Open, server: str) -> None:
    page = open_rules(open_screen, server)
    outline = page.get_by_role("combobox", name="Outline")
    expect(outline.locator("option")).to_have_count(5)
    options = [text.strip() for text in outline.locator("option").all_text_contents()]
    assert options == ["Outline", "Rules of the bridge", "Opening hours", "Tolls", "Carts"]
    outline.select_option(index=4)
    expect(page.locator("#source-view").get_by_role("heading", name="Carts")).to_be_in_viewport()


def test_in_a_pdf_the_pages_with_the_words_are_gone_through(open_handbook: Open, server: str) -> None:
    page = open_first_citation(open_handbook(server), LEAVE)
    expect(page.locator("#source-page")).to_have_value("2")
    field = page.get_by_role("searchbox", name="Find in the document")
    field.fill("hotel")
    expect(page.locator("#source-found")).to_have_text("page 1 of 1 with it")
    expect(page.locator("#source-page")).to_have_value("3")
    field.fill("zebra")
    expect(page.locator("#source-found")).to_have_text("not found")
    expect(page.locator("#passage-file")).to_have_text("handbook.pdf")


def test_on_a_phone_the_tools_fit(open_screen: Open, server: str) -> None:
    page = open_rules(open_screen, server, **NARROW)
    expect(page.get_by_role("searchbox", name="Find in the document")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
