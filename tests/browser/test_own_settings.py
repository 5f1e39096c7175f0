"""What users see and choose for themselves: a theme, their usage and their budget. And what the first page costs to load."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.test_accessibility import DARK, LEAVE, NARROW, Open, close_sheet, grave_in

MOST_BYTES = 250 * 1024
PAPER = "getComputedStyle(document.documentElement).backgroundColor"
LIGHT_PAPER, DARK_PAPER = "rgb(251, 251, 249)", "rgb(21, 22, 23)"


# --- theme ---------------------------------------------------------------------------------------

SHEETS = "[...document.styleSheets].flatMap(sheet => [...sheet.cssRules])"
NAMES = f"{SHEETS}.filter(rule => rule.selectorText === ':root').flatMap(rule => [...rule.style]).filter(name => name.startsWith('--'))"
COLOURS = f"Object.fromEntries({NAMES}.map(name => [name, getComputedStyle(document.documentElement).getPropertyValue(name)]))"


def test_a_chosen_theme_is_kept_on_every_page_whatever_the_device_prefers(page: Page, server: str) -> None:
    found = []
    for device in ("light", "dark"):
        page.emulate_media(color_scheme=device)
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        found.append(page.evaluate(COLOURS))
        page.evaluate("delete document.documentElement.dataset.theme")
        found.append(page.evaluate(COLOURS))
    chosen_on_light, light, chosen_on_dark, dark = found
    assert chosen_on_light == chosen_on_dark == dark != light

    page.locator("#account").click()
    for device, chosen, paper in (("dark", "light", LIGHT_PAPER), ("light", "dark", DARK_PAPER)):
        page.emulate_media(color_scheme=device)  # type: ignore[arg-type]
        page.get_by_label("Theme").select_option(chosen)
        assert page.evaluate(PAPER) == paper
    for path in ("/", "/statistics", "/admin"):
        page.goto(f"{server}{path}")
        assert page.evaluate(PAPER) == DARK_PAPER
        assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "dark"
    page.goto(server)
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.locator("#account").click()
    expect(page.get_by_label("Theme")).to_have_value("dark")
    page.get_by_label("Theme").select_option("As on this device")
    assert page.evaluate(PAPER) == LIGHT_PAPER


# --- usage ---------------------------------------------------------------------------------------


@pytest.mark.nightly
def test_the_account_menu_shows_what_was_used_and_what_is_left_without_moving(open_handbook: Open, server_with_model: str) -> None:
    screen = open_handbook(server_with_model)
    page: Page = screen.page
    screen.answer_to(LEAVE)
    late: list[Route] = []
    page.route("**/me/usage", lambda route: late.append(route))
    with page.expect_request("**/me/usage"):
        page.locator("#account").click()
    entries = page.locator("#account-menu > :is(a, button, label):visible")
    expect(entries).not_to_have_count(0)
    rows = "entries => entries.map(entry => entry.getBoundingClientRect().top)"
    tops = entries.evaluate_all(rows)
    late[0].continue_()
    expect(page.locator("#usage dd")).to_have_count(2)
    assert entries.evaluate_all(rows)[: len(tops)] == tops
    expect(page.locator("#usage")).to_contain_text("Today (UTC)")
    expect(page.locator("#usage dd").first).to_contain_text("question")
    expect(page.locator("#usage .hint")).to_have_text("No budget is set for you.")
    assert grave_in(page) == []
    page.unroute("**/me/usage")
    page.keyboard.press("Escape")

    budget = {"tokens_per_day": 1000, "money_per_day": None, "spent": 0.0, "cheaper_at": 0.8}

    def with_budget(route: Route) -> None:
        route.fulfill(json=route.fetch().json() | {"budget": budget})

    page.route("**/me/usage", with_budget)
    for spent, percent, state in (
        (0, 0, None),
        (0.9, 90, "a cheaper model"),
        (1.2, 100, "It is used up: until tomorrow (UTC)"),
    ):
        budget["spent"] = spent
        page.locator("#account").click()
        expect(page.locator("#usage-spent")).to_have_text(f"{percent} % of today’s budget is used")
        expect(page.locator("#usage")).to_contain_text("1,000 tokens a day")
        expect(page.locator("#usage .hint").nth(1)).to_have_count(1 if state else 0)
        expect(page.locator("#usage")).to_contain_text(state or "")
        page.keyboard.press("Escape")
    page.locator("#account").click()
    expect(page.locator("#usage-spent")).to_be_visible()
    assert grave_in(page) == []


@pytest.mark.nightly
@pytest.mark.parametrize("look", [DARK, NARROW, {"locale": "de-DE"}, {"locale": "ko-KR"}], ids=["dark", "narrow", "german", "korean"])
def test_the_usage_view_fits_and_is_accessible(open_handbook: Open, server_with_model: str, look: dict[str, Any]) -> None:
    screen = open_handbook(server_with_model, **look)
    page: Page = screen.page
    close_sheet(page)
    screen.answer_to(LEAVE)
    page.locator("#account").click()
    expect(page.locator("#usage dd")).to_have_count(2)
    assert grave_in(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# --- the first page ------------------------------------------------------------------------------


def test_the_first_page_takes_at_most_250_kb_before_a_document_is_opened(page: Page) -> None:
    page.reload()
    expect(page.locator("html[data-ready]")).to_be_attached()
    page.wait_for_load_state("networkidle")
    sizes = page.evaluate("""performance.getEntries().filter(entry => 'transferSize' in entry)
        .map(entry => [entry.name, entry.encodedBodySize])""")
    total = sum(size for _, size in sizes)
    assert len(sizes) > 50
    assert total <= MOST_BYTES, sorted(sizes, key=lambda each: -each[1])[:10]
    assert not [name for name, _ in sizes if "/pdfjs/" in name or "/katex/" in name or "/admin" in name]
